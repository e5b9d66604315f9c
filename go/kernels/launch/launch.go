// Package launch is what the generated launchers share: the tests of one argument, which run at every
// launch, and the errors of a launch that is refused, which take their time.
//
// It imports device; the generated packages beside it import it.
package launch

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
)

// Usable says whether a range is alive, of device d, and begins at a multiple of size, its
// element's bytes, a power of two.
func Usable(r *device.Range, d *device.Device, size uint64) bool {
	return r.Usable(d) == nil && r.Lo&(size-1) == 0
}

// Unusable is the error of an argument that is not Usable.
func Unusable(kernel, param string, r *device.Range, d *device.Device, size uint64) error {
	if err := r.Usable(d); err != nil {
		return &contract.ArgError{Kernel: kernel, Param: param, Rule: "must be an open buffer of the launch's device", Err: err}
	}
	return &contract.ArgError{Kernel: kernel, Param: param, Rule: fmt.Sprintf("must begin at a multiple of %d bytes, but begins at %#x", size, r.Lo)}
}

// ErrNil is the cause of an argument that is missing.
var ErrNil = errors.New("is nil")

// Missing is the error of a handle or device that is nil.
func Missing(kernel, param string) error {
	return &contract.ArgError{Kernel: kernel, Param: param, Rule: "must be given", Err: ErrNil}
}

// Stale is the error of a validated array whose proof no longer holds.
func Stale(kernel, param string, err error) error {
	return &contract.ArgError{Kernel: kernel, Param: param, Rule: "must be as it was validated", Err: err}
}

// Overlap is the error of an array that shares memory with another one; use is what the kernel does
// with that: "reads" or "writes".
func Overlap(kernel, param, other, use string) error {
	return &contract.ArgError{Kernel: kernel, Param: param, Rule: fmt.Sprintf("must not overlap %s, which the kernel %s", other, use)}
}

// NoInstance is the error of an instance parameter with a value that the kernel is not compiled for.
func NoInstance(kernel, param string, got any, compiled string) error {
	return &contract.ArgError{Kernel: kernel, Param: param, Rule: fmt.Sprintf("is %v; the kernel is compiled for %s", got, compiled)}
}

// NotAccumulator is the error of a type parameter that is not the accumulator of another one.
func NotAccumulator(kernel, param string, got dtype.Type, of string, t dtype.Type) error {
	return &contract.ArgError{
		Kernel: kernel, Param: param,
		Rule: fmt.Sprintf("is %v; %s is %v, whose sums are of type %v", got, of, t, t.Accumulator()),
	}
}

// Violated is the error of a relation that does not hold; ok is false if a side has left the 64-bit
// range.
func Violated(kernel, relation string, left, right uint64, ok bool) error {
	return &contract.Violation{Kernel: kernel, Relation: relation, Left: left, Right: right, Overflow: !ok}
}

// TooLarge is the error of a launch's shape or shared memory that has no 32-bit value.
func TooLarge(kernel, what, expr string, v uint64, ok bool) error {
	return Violated(kernel, fmt.Sprintf("%s = %s <= %d", what, expr, uint32(math.MaxUint32)), v, math.MaxUint32, ok)
}

// Refused is the error of a launch on a device that runs no kernels.
func Refused(kernel string) error {
	return fmt.Errorf("%s: launch: %w: the device launches nothing, or its kernels are not loaded", kernel, device.ErrNoKernel)
}

// Compiled says whether the image that d loads holds kernels which are compiled for archs alone: the
// image is that of d's architecture or of the nearest lower one.
func Compiled(d *device.Device, archs []int) bool {
	image := 0
	for _, a := range []int{75, 86, 90} {
		if a <= d.Info().Arch {
			image = a
		}
	}
	return slices.Contains(archs, image)
}

// NoArch is the error of a launch of a kernel that d's image does not have.
func NoArch(kernel string, d *device.Device, archs string) error {
	return fmt.Errorf("%s: launch: %w: compiled for %s only; %s is sm_%d", kernel, device.ErrNoKernel, archs, d.Info().Name, d.Info().Arch)
}

// EntryName joins a kernel's name with its instance values.
func EntryName(kernel string, values ...any) string {
	var b strings.Builder
	b.WriteString(kernel)
	for _, v := range values {
		fmt.Fprintf(&b, "_%v", v)
	}
	return strings.ToLower(b.String())
}

// Word is a scalar argument as a launch slot: its bits, low bytes first.
func Word[T dtype.Element](v T) uint64 {
	switch v := any(v).(type) {
	case float32:
		return uint64(math.Float32bits(v))
	case float64:
		return math.Float64bits(v)
	case dtype.Float16:
		return uint64(v)
	case dtype.BFloat16:
		return uint64(v)
	case int32:
		return uint64(uint32(v))
	case int64:
		return uint64(v)
	case uint32:
		return uint64(v)
	case uint64:
		return v
	default:
		return uint64(any(v).(uint8))
	}
}
