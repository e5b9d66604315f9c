package device

import (
	"fmt"

	"github.com/warpwright/warpwright/go/device/backend"
	"github.com/warpwright/warpwright/go/dtype"
)

// Slice is a part of a Buffer: a launch argument. Its zero value is an empty slice of no device,
// legal wherever a length of zero is.
type Slice[T dtype.Element] struct {
	r Range // ready made, since every launch asks for it, and more than once
	n int   // elements
}

// Len is the number of elements.
func (s Slice[T]) Len() int { return s.n }

// Slice returns the elements from lo up to hi.
func (s Slice[T]) Slice(lo, hi int) (Slice[T], error) {
	if lo < 0 || hi < lo || hi > s.n {
		return Slice[T]{}, fmt.Errorf("device: slice [%d:%d] of %d elements: requires 0 <= lo <= hi <= len", lo, hi, s.n)
	}
	size := uint64(dtype.Of[T]().Size())
	return Slice[T]{Range{s.r.Lo + uint64(lo)*size, s.r.Lo + uint64(hi)*size, s.r.b}, hi - lo}, nil
}

// Range returns the slice's bytes.
func (s Slice[T]) Range() Range { return s.r }

// Range is the part of device memory that a slice covers, in bytes: [Lo, Hi). It is what launchers
// compare and pass on.
type Range struct {
	Lo, Hi uint64
	b      *buffer
}

// Usable returns an error unless the range is alive and belongs to d: ErrClosed, ErrForeign or ErrLost.
// An empty range of no buffer is usable.
func (r *Range) Usable(d *Device) error {
	if r.b == nil {
		return nil
	}
	if err := r.b.usable(); err != nil {
		return err
	}
	if r.b.dev != d {
		return ErrForeign
	}
	return nil
}

// On says at a glance that the range is usable on d, as long as d itself is alive. Where it does not, Usable
// tells.
func (r Range) On(d *Device) bool { return r.b == nil || r.b.sure.Load() == d }

// Apart says at a glance that two usable ranges share no byte: they are of different buffers. Where it does
// not, Overlaps tells. Ranges of different element types are always apart, since a buffer keeps its type as
// long as it lives.
func (r Range) Apart(o Range) bool { return r.b != o.b }

// Overlaps says whether two ranges share a byte.
func (r *Range) Overlaps(o *Range) bool { return max(r.Lo, o.Lo) < min(r.Hi, o.Hi) }

// Touch says that the range is about to be written: proofs of what the buffer holds (package valid) no
// longer hold, whichever part of it they were read from. Generated launchers call it for what their kernel
// writes; so does whoever writes to the memory that Bytes or Slice.Host returns, and before that.
func (r *Range) Touch() {
	if r.b != nil {
		r.b.touch()
	}
}

// Bytes returns the range as host memory where the device is the host, else nil.
func (r *Range) Bytes() []byte {
	if r.b == nil {
		return nil
	}
	h, ok := r.b.mem.(backend.HostMemory)
	if !ok {
		return nil
	}
	return h.Bytes()[r.offset():][:r.size()]
}

// offset and size are the range's in its allocation, in bytes.
func (r *Range) offset() int64 { return int64(r.Lo - r.b.addr) }
func (r *Range) size() int64   { return int64(r.Hi - r.Lo) }
