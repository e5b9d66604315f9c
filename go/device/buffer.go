package device

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/warpwright/warpwright/go/device/backend"
	"github.com/warpwright/warpwright/go/dtype"
)

// buffer is one allocation, untyped.
type buffer struct {
	dev     *Device
	mem     backend.Memory       // nil for an empty buffer
	mortal  backend.MortalMemory // mem, where memory can be lost while its device lives on; else nil
	addr    uint64               // the first byte,
	end     uint64               // and the one after the last; both 0 for an empty buffer
	closed  atomic.Bool
	version atomic.Uint64 // counts the writes that the contents have seen
	proved  atomic.Uint64 // the version that was validated, plus 1; 0 where none was

	// dev while usable can only return nil, as far as the device is open: a launch sees at one glance that
	// all is well. nil for mortal memory and once the buffer is closed.
	sure atomic.Pointer[Device]
}

// usable returns an error unless the contents are there: ErrClosed or ErrLost.
func (b *buffer) usable() error {
	if b.closed.Load() || b.dev.closed.Load() {
		return ErrClosed
	}
	if b.mortal != nil && b.mortal.Lost() {
		return ErrLost
	}
	return nil
}

// touch counts a write. It comes before the write itself, so that nobody trusts contents that are about
// to change.
func (b *buffer) touch() { b.version.Add(1) }

// Buffer is n elements of T on a device.
type Buffer[T dtype.Element] struct {
	b buffer
	n int
}

// Alloc takes n elements of device memory, uninitialised. n may be 0.
func Alloc[T dtype.Element](d *Device, n int) (*Buffer[T], error) {
	bytes, err := room[T](d, "alloc", n)
	if err != nil {
		return nil, err
	}
	out := &Buffer[T]{n: n}
	out.b.dev = d
	if n > 0 {
		mem, err := d.b.Alloc(bytes)
		if err != nil {
			return nil, fmt.Errorf("device: alloc of %d elements of %s: %w", n, dtype.Of[T](), err)
		}
		out.b.mem, out.b.addr = mem, mem.Addr()
		out.b.mortal, _ = mem.(backend.MortalMemory)
		out.b.end = out.b.addr + uint64(bytes)
		d.live.add(&out.b)
	}
	if out.b.mortal == nil {
		out.b.sure.Store(d)
	}
	return out, nil
}

// room is the bytes of n elements, a number that an int64 holds, on a device that is open.
func room[T dtype.Element](d *Device, op string, n int) (bytes int64, err error) {
	size := dtype.Of[T]().Size()
	if n < 0 || uint64(n) > math.MaxInt64/uint64(size) {
		return 0, fmt.Errorf("device: %s of %d elements of %d bytes: requires 0 <= n and n * size <= 2^63-1", op, n, size)
	}
	if err := d.usable(); err != nil {
		return 0, fmt.Errorf("device: %s of %d elements of %s: %w", op, n, dtype.Of[T](), err)
	}
	return int64(n) * int64(size), nil
}

// Upload takes memory for host and copies it there.
func Upload[T dtype.Element](d *Device, host []T) (*Buffer[T], error) {
	b, err := Alloc[T](d, len(host))
	if err != nil {
		return nil, err
	}
	if err := b.Write(nil, 0, host); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// Len is the number of elements.
func (b *Buffer[T]) Len() int { return b.n }

// Device is where the buffer lives.
func (b *Buffer[T]) Device() *Device { return b.b.dev }

// All is the whole buffer as a launch argument.
func (b *Buffer[T]) All() Slice[T] { return Slice[T]{Range{b.b.addr, b.b.end, &b.b}, b.n} }

// Version counts the writes that the contents have seen, in any part of the buffer and whoever asked for
// them: Write, Zero, CopyFrom, launches, replays of graphs. Package valid ties its proofs to it.
func (b *Buffer[T]) Version() uint64 { return b.b.version.Load() }

// Prove says that somebody has validated the contents as they are, and returns their version. A graph that
// reads them is not replayed once they have been written.
func (b *Buffer[T]) Prove() (version uint64) {
	version = b.b.version.Load()
	b.b.proved.Store(version + 1)
	return version
}

// Usable returns an error unless the contents are there: ErrClosed or ErrLost.
func (b *Buffer[T]) Usable() error { return b.b.usable() }

// Write copies src to the elements from off on, after what the stream (nil: the default one) holds.
// It returns when src may be reused.
func (b *Buffer[T]) Write(s *Stream, off int, src []T) error {
	st, err := b.access("write", s, off, len(src))
	if err != nil || len(src) == 0 {
		return err
	}
	if err := s.idle("write"); err != nil {
		return err
	}
	b.b.touch()
	return b.wrap("write", b.b.mem.Write(st, b.bytes(off), bytesOf(src)))
}

// Read copies the elements from off on to dst, after what the stream (nil: the default one) holds.
func (b *Buffer[T]) Read(s *Stream, off int, dst []T) error {
	st, err := b.access("read", s, off, len(dst))
	if err != nil || len(dst) == 0 {
		return err
	}
	if err := s.idle("read"); err != nil {
		return err
	}
	return b.wrap("read", b.b.mem.Read(st, b.bytes(off), bytesOf(dst)))
}

// Host returns a copy of the contents.
func (b *Buffer[T]) Host(s *Stream) ([]T, error) {
	out := make([]T, b.n)
	return out, b.Read(s, 0, out)
}

// Zero enqueues the setting of all bytes to zero.
func (b *Buffer[T]) Zero(s *Stream) error {
	if _, err := b.access("zero", s, 0, b.n); err != nil || b.n == 0 {
		return err
	}
	return b.All().Zero(s)
}

// Close frees the memory once the device has done what was enqueued. Closing twice is harmless.
func (b *Buffer[T]) Close() error {
	b.b.sure.Store(nil)
	if b.b.closed.Swap(true) || b.b.mem == nil {
		return nil
	}
	b.b.dev.live.remove(&b.b)
	return b.wrap("free", b.b.mem.Free())
}

func (b *Buffer[T]) bytes(n int) int64 { return int64(n) * int64(dtype.Of[T]().Size()) }

func (b *Buffer[T]) wrap(op string, err error) error {
	if err != nil {
		return fmt.Errorf("device: %s of a buffer of %d %s: %w", op, b.n, dtype.Of[T](), err)
	}
	return nil
}

// access checks that the buffer is alive, that the stream is of its device and that [off, off+n) lies
// inside, and returns the backend's stream.
func (b *Buffer[T]) access(op string, s *Stream, off, n int) (backend.Stream, error) {
	if b == nil {
		return nil, fmt.Errorf("device: %s of a buffer: it is nil: %w", op, ErrClosed)
	}
	if b.b.closed.Load() {
		return nil, b.wrap(op, ErrClosed)
	}
	if off < 0 || n > b.n || off > b.n-n {
		return nil, b.wrap(op, fmt.Errorf("elements [%d, %d): requires 0 <= offset and offset + n <= len", off, uint64(off)+uint64(n)))
	}
	st, err := s.on(b.b.dev)
	return st, b.wrap(op, err)
}

// bytesOf is the memory of a host slice.
func bytesOf[T dtype.Element](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*dtype.Of[T]().Size())
}
