package contract

import (
	"errors"
	"fmt"
)

// ErrContract is what every refused launch wraps.
var ErrContract = errors.New("launch contract violated")

// Violation is a relation that does not hold, or that cannot be computed in 64 bits.
type Violation struct {
	Kernel      string // csr_mv_thread_f32_i32_each, or the operator: csr.MulVec
	Relation    string // "len(x) >= K"
	Left, Right uint64
	Overflow    bool  // a side left the 64-bit range; Left and Right are then meaningless
	Err         error // why a side has no value, where that is known
}

func (v *Violation) Error() string {
	if v.Err != nil {
		return fmt.Sprintf("%s: requires %s: %v", v.Kernel, v.Relation, v.Err)
	}
	if v.Overflow {
		return fmt.Sprintf("%s: requires %s: a side leaves the range 0 to 2^64-1", v.Kernel, v.Relation)
	}
	return fmt.Sprintf("%s: requires %s: left side is %d, right side is %d", v.Kernel, v.Relation, v.Left, v.Right)
}

// Unwrap makes errors.Is hold for ErrContract and for the cause.
func (v *Violation) Unwrap() []error {
	if v.Err == nil {
		return []error{ErrContract}
	}
	return []error{ErrContract, v.Err}
}

// ArgError is an argument that cannot be used whatever the sizes are: closed, of another device,
// misaligned, or overlapping another one.
type ArgError struct {
	Kernel, Param string
	Rule          string // "must not overlap x, which the kernel reads"
	Err           error  // backend.ErrClosed, backend.ErrForeign, ...; may be nil
}

func (e *ArgError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: argument %s %s: %v", e.Kernel, e.Param, e.Rule, e.Err)
	}
	return fmt.Sprintf("%s: argument %s %s", e.Kernel, e.Param, e.Rule)
}

// Unwrap makes errors.Is hold for ErrContract and for the cause.
func (e *ArgError) Unwrap() []error {
	if e.Err == nil {
		return []error{ErrContract}
	}
	return []error{ErrContract, e.Err}
}
