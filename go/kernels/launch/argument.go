package launch

import (
	"fmt"
	"unsafe"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
)

// Size is the bytes of an element: a constant, once it is compiled.
func Size[T dtype.Element]() uint64 {
	var zero T
	return uint64(unsafe.Sizeof(zero))
}

// Multiple says whether addresses, joined by |, are multiples of a power of two.
func Multiple(addresses, of uint64) bool { return addresses&(of-1) == 0 }

// Overlap says whether two ranges share a byte.
func Overlap(x, y device.Range) bool { return x.Overlaps(&y) }

// Argument is an argument in device memory.
type Argument struct {
	Param   string
	Memory  device.Range
	Align   uint64       // it begins at a multiple of so many bytes, at least an element's
	Proved  func() error // of a validated array; else nil
	Written bool
}

// Arguments tests the rules that hold for every launch, one after the other: each argument is open, of
// device d, and aligned; each validated array is as it was when it was validated; what the kernel writes
// shares no byte with anything else.
func Arguments(kernel string, d *device.Device, args ...Argument) error {
	for i := range args {
		if err := args[i].usable(kernel, d); err != nil {
			return err
		}
	}
	for i := range args {
		if args[i].Proved == nil {
			continue
		}
		if err := args[i].Proved(); err != nil {
			return &contract.ArgError{Kernel: kernel, Param: args[i].Param, Rule: "must be as it was validated", Err: err}
		}
	}
	for i := range args {
		if !args[i].Written {
			continue
		}
		for j := range args {
			if j == i || args[j].Written && j < i || !args[i].Memory.Overlaps(&args[j].Memory) {
				continue
			}
			use := "reads"
			if args[j].Written {
				use = "writes"
			}
			return &contract.ArgError{
				Kernel: kernel, Param: args[i].Param,
				Rule: fmt.Sprintf("must not overlap %s, which the kernel %s: %s is %s, %s is %s", args[j].Param, use,
					args[i].Param, span(&args[i].Memory), args[j].Param, span(&args[j].Memory)),
			}
		}
	}
	return nil
}

func (a *Argument) usable(kernel string, d *device.Device) error {
	if err := a.Memory.Usable(d); err != nil {
		return &contract.ArgError{Kernel: kernel, Param: a.Param, Rule: "must be an open buffer of the launch's device", Err: err}
	}
	if a.Memory.Lo%a.Align != 0 {
		return &contract.ArgError{
			Kernel: kernel, Param: a.Param,
			Rule: fmt.Sprintf("must begin at a multiple of %d bytes, but begins at %#x", a.Align, a.Memory.Lo),
		}
	}
	return nil
}

// span prints the bytes of a range.
func span(r *device.Range) string { return fmt.Sprintf("[%#x, %#x)", r.Lo, r.Hi) }
