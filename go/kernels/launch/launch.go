// Package launch is what launchers share, the generated ones and package dynamic: the rules that every
// argument in device memory keeps, and the errors of a launch that is refused.
//
// A generated launcher tests at a glance, in a few nanoseconds, that all is well. Where it is not, it asks
// this package, which takes its time, says what is wrong, and is what the interpreter runs in the first
// place: so both say the same.
//
// It imports device; the generated packages beside it import it.
package launch

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/manifest"
)

// ErrNil is the cause of an argument that is missing.
var ErrNil = errors.New("is nil")

// Missing is the error of a handle or device that is nil.
func Missing(kernel, param string) error {
	return &contract.ArgError{Kernel: kernel, Param: param, Rule: "must be given", Err: ErrNil}
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

// Refused is the error of a launch on a device that runs no kernels.
func Refused(kernel string) error {
	return fmt.Errorf("%s: launch: %w: the device launches nothing, or its kernels are not loaded", kernel, device.ErrNoKernel)
}

// Compiled says whether the image that d loads holds kernels which are compiled for archs alone: the
// image is that of d's architecture or of the nearest lower one.
func Compiled(d *device.Device, archs []int) bool {
	image := 0
	for _, a := range manifest.Archs() {
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
func Word[T dtype.Element](v T) uint64 { return dtype.Bits(v) }
