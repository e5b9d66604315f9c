package device

import (
	"fmt"
	"unsafe"

	"github.com/warpwright/warpwright/go/device/backend"
	"github.com/warpwright/warpwright/go/dtype"
)

// Zero enqueues the setting of the slice's bytes to zero.
func (s Slice[T]) Zero(st *Stream) error { return transfer[T]{to: s, op: "zero"}.enqueue(st) }

// CopyFrom enqueues the copying of src, which is of the same device, as long as the slice, and shares no
// byte with it.
func (s Slice[T]) CopyFrom(st *Stream, src Slice[T]) error {
	t := transfer[T]{to: s, from: src, op: "copy"}
	if src.n != s.n {
		return t.wrap(fmt.Errorf("from a slice of %d: requires equal lengths", src.n))
	}
	return t.enqueue(st)
}

// transfer is a write that needs no kernel: of zeros, or of from where that is not empty.
type transfer[T dtype.Element] struct {
	to, from Slice[T]
	op       string
}

// enqueue puts the transfer on a stream, or keeps it for the stream's graph.
func (t transfer[T]) enqueue(st *Stream) error {
	to, from := t.to.r.b, t.from.r.b
	if to == nil {
		return nil
	}
	on, err := st.on(to.dev)
	if err == nil {
		err = t.usable()
	}
	if err != nil {
		return t.wrap(err)
	}
	if st.capturing() {
		rec := st.rec.Load()
		rec.write(to)
		if from != nil {
			rec.reads(from)
		}
		if st.record(t.do) {
			to.touch()
			return nil
		}
	}
	return t.do(on)
}

// do asks again whether the memory is there: a replay of captured work comes long after its recording.
func (t transfer[T]) do(on backend.Stream) error {
	err := t.usable()
	if err != nil || t.to.n == 0 {
		return t.wrap(err)
	}
	to, from := t.to.r, t.from.r
	to.Touch()
	if from.b == nil {
		err = to.b.mem.Zero(on, to.offset(), to.size())
	} else {
		err = to.b.mem.CopyFrom(on, to.offset(), from.b.mem, from.offset(), to.size())
	}
	return t.wrap(err)
}

// usable looks at the devices first: addresses of two devices say nothing of each other.
func (t transfer[T]) usable() error {
	to, from, d := t.to.r, t.from.r, t.to.r.b.dev
	if err := to.Usable(d); err != nil {
		return err
	}
	if err := from.Usable(d); err != nil {
		return err
	}
	if to.Overlaps(&from) {
		return fmt.Errorf("bytes [%#x, %#x) from bytes [%#x, %#x): requires that they do not overlap", to.Lo, to.Hi, from.Lo, from.Hi)
	}
	return nil
}

func (t transfer[T]) wrap(err error) error {
	if err != nil {
		return fmt.Errorf("device: %s of a slice of %d %s: %w", t.op, t.to.n, dtype.Of[T](), err)
	}
	return nil
}

// Host returns the slice's own memory, not a copy, where the device is the host; elsewhere, and for an
// empty slice, nil. Whoever writes to it calls Touch on its Range.
func (s Slice[T]) Host() []T {
	r := s.Range()
	p := r.Bytes()
	if len(p) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(p))), s.n)
}

// Usable returns an error unless work of d may be put on the stream: ErrClosed or ErrForeign. A nil
// stream is usable on every open device.
func (s *Stream) Usable(d *Device) error {
	_, err := s.on(d)
	return err
}
