package contract

import (
	"errors"
	"fmt"
)

// ErrContract is what every refused launch wraps.
var ErrContract = errors.New("launch contract violated")

// Violation is a relation that does not hold, or one with a side that is no number of 64 bits.
type Violation struct {
	Kernel      string // csr_mv_thread_f32_i32_each, or the operator: csr.MulVec
	Relation    string // "len(x) >= K"
	Left, Right uint64 // its sides; without meaning where Err is set
	Values      string // the values in words, where the relation is no comparison: "16 does not divide 100"
	Err         error  // why a side has no value: an *ArithmeticError or *UnknownNameError
}

// failed makes v the violation of a relation with a side that cannot be computed.
func (v *Violation) failed(err error) *Violation {
	return &Violation{Relation: v.Relation, Err: err}
}

func (v *Violation) Error() string {
	values := v.Values
	switch {
	case v.Err != nil:
		values = v.Err.Error()
	case values == "":
		values = fmt.Sprintf("left side is %d, right side is %d", v.Left, v.Right)
	}
	return fmt.Sprintf("%s: requires %s: %s", v.Kernel, v.Relation, values)
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
	Err           error  // device.ErrClosed, device.ErrForeign, ...; may be nil
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
