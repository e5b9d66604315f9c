package backend

import (
	"errors"
	"fmt"
)

// Sentinels, matched with errors.Is through whatever wraps them.
var (
	ErrNoDriver    = errors.New("no device: no GPU driver")
	ErrNoDevice    = errors.New("no device")
	ErrNoImage     = errors.New("no image for this device")
	ErrNoKernel    = errors.New("no such kernel")
	ErrClosed      = errors.New("closed")
	ErrOutOfMemory = errors.New("out of device memory")
	ErrForeign     = errors.New("belongs to another device")
	// ErrCapture answers what may not happen while a stream is captured.
	ErrCapture = errors.New("stream is being captured")
	// ErrLost marks what died with a failed device or process; the chain holds the first cause.
	ErrLost = errors.New("lost by an earlier failure of the device")
)

// DriverError is a failed call of a driver.
type DriverError struct {
	Op   string // cuMemAlloc
	Code int    // 2
	Name string // CUDA_ERROR_OUT_OF_MEMORY
	Text string // the driver's own words
}

func (e *DriverError) Error() string {
	return fmt.Sprintf("%s: %s (%d): %s", e.Op, e.Name, e.Code, e.Text)
}

// Is maps the driver's codes to the sentinels.
func (e *DriverError) Is(target error) bool {
	switch target {
	case ErrOutOfMemory:
		return e.Code == 2
	case ErrNoDevice:
		return e.Code == 100
	case ErrNoImage:
		return e.Code == 209 || e.Code == 222
	case ErrNoKernel:
		return e.Code == 500
	}
	return false
}

// Sticky says whether the code poisons the context: every later call fails too.
func (e *DriverError) Sticky() bool {
	switch e.Code {
	case 4, 700, 702, 710, 214, 220, 714, 715, 716, 717, 718, 719:
		return true
	}
	return false
}

// GeometryError is a launch shape that the device cannot run, found before the driver sees it.
type GeometryError struct {
	Kernel string
	Rule   string // "grid.x <= 2147483647"
	Got    uint64
	Limit  uint64
}

func (e *GeometryError) Error() string {
	return fmt.Sprintf("%s: launch shape: %s: got %d, the limit is %d", e.Kernel, e.Rule, e.Got, e.Limit)
}

// Validate compares a launch shape with the limits of the device. An empty grid is legal: the
// caller launches nothing.
func (c Config) Validate(kernel string, in *Info) error {
	for _, axis := range [...]struct {
		rule       string
		got, limit uint32
	}{
		{"grid.x", c.Grid.X, in.MaxGrid.X}, {"grid.y", c.Grid.Y, in.MaxGrid.Y}, {"grid.z", c.Grid.Z, in.MaxGrid.Z},
	} {
		if axis.got > axis.limit {
			return &GeometryError{kernel, axis.rule + " within the device's grid", uint64(axis.got), uint64(axis.limit)}
		}
	}
	if n := c.Block.Count(); n == 0 || n > uint64(in.MaxThreadsPerBlock) {
		return &GeometryError{kernel, "1 <= threads a block <= the device's limit", n, uint64(in.MaxThreadsPerBlock)}
	}
	if uint64(c.Shared) > uint64(in.SharedPerBlockMax) {
		return &GeometryError{kernel, "dynamic shared bytes a block <= the device's limit", uint64(c.Shared), uint64(in.SharedPerBlockMax)}
	}
	return nil
}
