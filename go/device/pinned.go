package device

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/warpwright/warpwright/go/device/backend"
	"github.com/warpwright/warpwright/go/dtype"
)

// Pinned is host memory that the device can copy from and to at full speed.
type Pinned[T dtype.Element] struct {
	s      []T
	free   func() error
	closed atomic.Bool
}

// maxOrdinary bounds what the Go runtime is asked for: it panics at requests beyond its address space.
const maxOrdinary = 1 << 40

// AllocPinned takes n elements of page-locked host memory; on a device that has none it is ordinary
// memory.
func AllocPinned[T dtype.Element](d *Device, n int) (*Pinned[T], error) {
	bytes, err := room[T](d, "pinned memory", n)
	if err != nil {
		return nil, err
	}
	a, ok := d.b.(backend.PinnedAllocator)
	if !ok && bytes > maxOrdinary {
		return nil, fmt.Errorf("device: pinned memory of %d elements of %s: %w: requires n * size <= %d", n, dtype.Of[T](), ErrOutOfMemory, int64(maxOrdinary))
	}
	if !ok || n == 0 {
		return &Pinned[T]{s: make([]T, n), free: func() error { return nil }}, nil
	}
	p, free, err := a.AllocPinned(bytes)
	if err != nil {
		return nil, fmt.Errorf("device: pinned memory of %d elements of %s: %w", n, dtype.Of[T](), err)
	}
	return &Pinned[T]{s: unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(p))), n), free: free}, nil
}

// Slice is the memory; it must not be used after Close.
func (p *Pinned[T]) Slice() []T { return p.s }

// Close frees the memory. Closing twice is harmless.
func (p *Pinned[T]) Close() error {
	if p.closed.Swap(true) {
		return nil
	}
	p.s = nil
	return p.free()
}
