package device

import (
	"fmt"
	"unsafe"

	"github.com/warpwright/warpwright/go/device/backend"
	"github.com/warpwright/warpwright/go/dtype"
)

// Zero enqueues the setting of the slice's bytes to zero.
func (s Slice[T]) Zero(st *Stream) error {
	r := s.Range()
	if r.b == nil {
		return nil
	}
	on, err := st.on(r.b.dev)
	if err == nil {
		err = r.Usable(r.b.dev)
	}
	if err != nil {
		return s.wrap("zero", err)
	}
	if st.capturing() {
		rec := st.rec.Load()
		rec.uses = append(rec.uses, r.b)
		if st.record(s.zeroOn) {
			r.Touch()
			return nil
		}
	}
	return s.zeroOn(on)
}

// zeroOn asks again whether the memory is there: a replay of captured work comes long after Zero.
func (s Slice[T]) zeroOn(st backend.Stream) error {
	r := s.Range()
	err := r.Usable(r.b.dev)
	if err == nil && s.n > 0 {
		r.Touch()
		err = r.b.mem.Zero(st, int64(r.Lo-r.b.addr), int64(r.Hi-r.Lo))
	}
	return s.wrap("zero", err)
}

func (s Slice[T]) wrap(op string, err error) error {
	if err != nil {
		return fmt.Errorf("device: %s of a slice of %d %s: %w", op, s.n, dtype.Of[T](), err)
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
