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

// AllocPinned takes n elements of page-locked host memory; on a device that has none it is ordinary
// memory.
func AllocPinned[T dtype.Element](d *Device, n int) (*Pinned[T], error) {
	if n < 0 {
		return nil, fmt.Errorf("device: pinned memory of %d elements: requires n >= 0", n)
	}
	a, ok := d.b.(backend.PinnedAllocator)
	if !ok || n == 0 {
		return &Pinned[T]{s: make([]T, n), free: func() error { return nil }}, nil
	}
	p, free, err := a.AllocPinned(int64(n) * int64(dtype.Of[T]().Size()))
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
