//go:build gpu && cgo

package gpu

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/warpwright/warpwright/go/device/backend"
	"gorgonia.org/cu"
)

// memory is one allocation of the device.
type memory struct {
	d    *Device
	p    cu.DevicePtr
	size int64
}

// Alloc takes device memory; its contents are whatever was there.
func (d *Device) Alloc(bytes int64) (backend.Memory, error) {
	if bytes <= 0 {
		return nil, fmt.Errorf("gpu: alloc of %d bytes: requires bytes > 0", bytes)
	}
	if bytes > d.info.MemoryBytes {
		return nil, fmt.Errorf("gpu: alloc of %d bytes: %w: the device has %d", bytes, backend.ErrOutOfMemory, d.info.MemoryBytes)
	}
	m := &memory{d: d, size: bytes}
	err := d.do(func() error {
		p, err := cu.MemAlloc(bytes)
		if err = wrap("cuMemAlloc", err); errors.Is(err, backend.ErrOutOfMemory) {
			if free, total, info := freeMemory(); info == nil {
				return fmt.Errorf("%d bytes of %d are free: %w", free, total, err)
			}
		}
		if err != nil {
			return err
		}
		m.p = p
		d.hold(m)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("gpu: alloc of %d bytes: %w", bytes, err)
	}
	return m, nil
}

// freeMemory is what the device has left. Needs the context.
func freeMemory() (free, total int64, err error) {
	free, total, err = cu.MemInfo()
	return free, total, wrap("cuMemGetInfo", err)
}

func (m *memory) Addr() uint64 { return uint64(m.p) }
func (m *memory) Size() int64  { return m.size }

func (m *memory) at(off int64) cu.DevicePtr { return m.p + cu.DevicePtr(off) }

// Write copies from Go memory, which the driver must not see after the call: the stream is waited for.
// On the default stream the driver's own synchronous copy does that.
func (m *memory) Write(s backend.Stream, off int64, p []byte) error {
	from := unsafe.Pointer(unsafe.SliceData(p))
	if s == nil {
		return m.d.do(func() error { return wrap("cuMemcpyHtoD", cu.MemcpyHtoD(m.at(off), from, int64(len(p)))) })
	}
	return m.d.on(s, "write", func(st cu.Stream) error {
		return settle(st, wrap("cuMemcpyHtoDAsync", cu.MemcpyHtoDAsync(m.at(off), from, int64(len(p)), st)))
	})
}

// Read copies to Go memory and returns when that is done.
func (m *memory) Read(s backend.Stream, off int64, p []byte) error {
	to := unsafe.Pointer(unsafe.SliceData(p))
	if s == nil {
		return m.d.do(func() error { return wrap("cuMemcpyDtoH", cu.MemcpyDtoH(to, m.at(off), int64(len(p)))) })
	}
	return m.d.on(s, "read", func(st cu.Stream) error {
		return settle(st, wrap("cuMemcpyDtoHAsync", cu.MemcpyDtoHAsync(to, m.at(off), int64(len(p)), st)))
	})
}

// settle waits for the stream even after a failed copy: Go memory goes back to its owner either way.
func settle(st cu.Stream, err error) error {
	if wait := wrap("cuStreamSynchronize", st.Synchronize()); err == nil {
		err = wait
	}
	return err
}

func (m *memory) Zero(s backend.Stream, off, n int64) error {
	return m.d.enqueue(s, func(st cu.Stream) error {
		return wrap("cuMemsetD8Async", cu.MemsetD8Async(m.at(off), 0, n, st))
	})
}

func (m *memory) CopyFrom(s backend.Stream, off int64, src backend.Memory, srcOff, n int64) error {
	from, ok := src.(*memory)
	if !ok || from.d != m.d {
		return fmt.Errorf("gpu: copy from %T: %w", src, backend.ErrForeign)
	}
	return m.d.enqueue(s, func(st cu.Stream) error {
		return wrap("cuMemcpyDtoDAsync", cu.MemcpyDtoDAsync(m.at(off), from.at(srcOff), n, st))
	})
}

// Free gives the memory back once the device has done what was enqueued: cuMemFree waits for that.
func (m *memory) Free() error { return m.d.drop(m) }

func (m *memory) release() error { return wrap("cuMemFree", cu.MemFree(m.p)) }

// pinned is page-locked host memory.
type pinned struct{ p unsafe.Pointer }

// AllocPinned takes page-locked host memory. It is gone after free, and after Close.
func (d *Device) AllocPinned(bytes int64) (p []byte, free func() error, err error) {
	if bytes <= 0 {
		return nil, nil, fmt.Errorf("gpu: pinned memory of %d bytes: requires bytes > 0", bytes)
	}
	h := &pinned{}
	err = d.do(func() error {
		var code int
		if h.p, code = allocHost(bytes); code != success {
			return failed("cuMemHostAlloc", code)
		}
		d.hold(h)
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("gpu: pinned memory of %d bytes: %w", bytes, err)
	}
	return unsafe.Slice((*byte)(h.p), bytes), func() error { return d.drop(h) }, nil
}

func (h *pinned) release() error { return wrap("cuMemFreeHost", cu.MemFreeHost(h.p)) }
