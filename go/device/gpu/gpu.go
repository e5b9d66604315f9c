//go:build gpu && cgo

package gpu

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/warpwright/warpwright/go/device/backend"
	"gorgonia.org/cu"
)

// Device is one GPU with its primary context, which all of a process share.
//
// CUDA binds contexts to OS threads and goroutines move between these, so every call of the driver
// happens inside do, or inside a supplement's function that binds the context itself. What a thread's
// current context was before is not restored.
type Device struct {
	dev  cu.Device
	ctx  cu.CUContext
	info backend.Info

	// lost is the first failure that poisons the context: from then on nothing reaches the driver.
	lost atomic.Pointer[backend.DriverError]

	// open is held for reading during every call, for writing by Close: handles must not vanish under a call.
	open   sync.RWMutex
	closed bool

	mu    sync.Mutex
	held  map[handle]struct{} // what Close has to release; nil after it
	spare []cu.Event          // for waiting, without timing
}

// handle is something of the driver that must be released.
type handle interface {
	// release runs with the context bound.
	release() error
}

var (
	_ backend.Device          = (*Device)(nil)
	_ backend.PinnedAllocator = (*Device)(nil)
	_ backend.GraphCapturer   = (*Device)(nil)
)

// Open opens the GPU with that index.
func Open(index int) (backend.Device, error) {
	n, err := count()
	if err != nil {
		return nil, fmt.Errorf("gpu: %w", err)
	}
	if index < 0 || index >= n {
		return nil, fmt.Errorf("gpu: index %d of %d GPUs: requires 0 <= index < count: %w", index, n, backend.ErrNoDevice)
	}
	dev, info, err := look(index)
	if err != nil {
		return nil, fmt.Errorf("gpu:%d: %w", index, err)
	}
	ctx, err := dev.RetainPrimaryCtx()
	if err != nil {
		return nil, fmt.Errorf("gpu:%d: %w", index, wrap("cuDevicePrimaryCtxRetain", err))
	}
	return &Device{dev: dev, ctx: ctx, info: info, held: map[handle]struct{}{}}, nil
}

// Info returns the device's facts.
func (d *Device) Info() backend.Info { return d.info }

// Launches is true.
func (d *Device) Launches() bool { return true }

// enter begins a use of the driver, leave ends it. Uses do not nest: a Close that waits between would
// never end.
func (d *Device) enter() error {
	d.open.RLock()
	err := d.usable()
	if err != nil {
		d.open.RUnlock()
	}
	return err
}

func (d *Device) leave() { d.open.RUnlock() }

// usable says whether the driver may be called. Needs open.
func (d *Device) usable() error {
	if d.closed {
		return fmt.Errorf("gpu:%d: %w", d.info.Index, backend.ErrClosed)
	}
	if first := d.lost.Load(); first != nil {
		return fmt.Errorf("gpu:%d: %w: %w", d.info.Index, backend.ErrLost, first)
	}
	return nil
}

// do runs f on a thread that has the context, between enter and leave.
func (d *Device) do(f func() error) error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	return d.bound(f)
}

// bound runs f on a thread that has the context. Needs open.
func (d *Device) bound(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cu.SetCurrentContext(d.ctx); err != nil {
		return d.note(wrap("cuCtxSetCurrent", err))
	}
	return d.note(f())
}

// note remembers the first error that poisons the context.
func (d *Device) note(err error) error {
	var e *backend.DriverError
	if errors.As(err, &e) && e.Sticky() {
		d.lost.CompareAndSwap(nil, e)
	}
	return err
}

// hold remembers what Close has to release.
func (d *Device) hold(h handle) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held[h] = struct{}{}
}

// drop releases h unless that has happened. What died with a lost or closed device needs no release.
func (d *Device) drop(h handle) error {
	d.open.RLock()
	defer d.open.RUnlock()
	d.mu.Lock()
	_, ours := d.held[h]
	delete(d.held, h)
	d.mu.Unlock()
	if !ours || d.usable() != nil {
		return nil
	}
	return d.bound(h.release)
}

// Close waits for the device's work, releases what the device still holds, and its share of the primary
// context.
func (d *Device) Close() error {
	d.open.Lock()
	defer d.open.Unlock()
	if d.closed {
		return nil
	}
	var errs []error
	if d.lost.Load() == nil {
		errs = append(errs, d.bound(func() error {
			if err := wrap("cuCtxSynchronize", cu.Synchronize()); err != nil {
				return err
			}
			var errs []error
			for h := range d.held {
				errs = append(errs, h.release())
			}
			for _, e := range d.spare {
				errs = append(errs, wrap("cuEventDestroy", cu.DestroyEvent(&e)))
			}
			return errors.Join(errs...)
		}))
	}
	d.closed = true
	d.mu.Lock()
	d.held, d.spare = nil, nil
	d.mu.Unlock()
	// A lost context says so once more here, and is gone all the same.
	if err := wrap("cuDevicePrimaryCtxRelease", d.dev.ReleasePrimaryCtx()); d.lost.Load() == nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
