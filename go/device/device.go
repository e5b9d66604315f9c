// Package device opens a device and holds what lives on it: buffers, streams, events, kernels.
//
//	dev, err := device.Open(ctx, device.WithImages(os.DirFS("fatbins")))
//
// picks a GPU where there is one, else the CPU. Everything has Close, errors match the sentinels of
// this package with errors.Is, and every method may be called from any goroutine.
//
// It imports the backends; operators import it.
package device

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/warpwright/warpwright/go/device/backend"
)

// Sentinels, matched with errors.Is.
var (
	ErrNoDriver    = backend.ErrNoDriver
	ErrNoDevice    = backend.ErrNoDevice
	ErrNoImage     = backend.ErrNoImage
	ErrNoKernel    = backend.ErrNoKernel
	ErrClosed      = backend.ErrClosed
	ErrOutOfMemory = backend.ErrOutOfMemory
	ErrForeign     = backend.ErrForeign
	ErrLost        = backend.ErrLost

	// ErrRaw answers who asks for a raw kernel of a device that was not opened WithRawKernels.
	ErrRaw = errors.New("kernel without a contract")
)

// ErrStale says that an array was written after it had been validated.
var ErrStale = errors.New("written after it was validated")

// Kind names a family of devices.
type Kind = backend.Kind

// The kinds of device.
const (
	CPU = backend.CPU
	Emu = backend.Emu
	GPU = backend.GPU
)

// Info is what a device says of itself.
type Info = backend.Info

// Dim3 is a shape in threads or blocks.
type Dim3 = backend.Dim3

// Device is an opened device.
type Device struct {
	b      backend.Device
	info   backend.Info
	images fs.FS
	raw    bool // raw kernels may be launched
	closed atomic.Bool

	mu      sync.Mutex
	modules map[string]*moduleState // by family

	live liveBuffers

	slots sync.Pool // of *[]uint64, which Kernel.Launch hands to the backend
}

// usable returns an error unless the device is one that Open returned, and open.
func (d *Device) usable() error {
	switch {
	case d == nil || d.b == nil:
		return fmt.Errorf("%w: it is nil, or not from Open", ErrNoDevice)
	case d.closed.Load():
		return fmt.Errorf("device: %w", ErrClosed)
	}
	return nil
}

// Alive says that the device has not been closed.
func (d *Device) Alive() bool { return !d.closed.Load() }

// Info returns the device's facts.
func (d *Device) Info() *Info { return &d.info }

// Launches says whether the device runs kernels; where it does not, operators run their Go body.
func (d *Device) Launches() bool { return d != nil && d.b != nil && d.b.Launches() }

// LaunchCounts says how often each entry has been launched, entries that never were included; nil where
// the device does not count. The emulator does.
func (d *Device) LaunchCounts() map[string]int64 {
	if c, ok := d.b.(interface{ LaunchCounts() map[string]int64 }); ok {
		return c.LaunchCounts()
	}
	return nil
}
