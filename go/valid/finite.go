package valid

import (
	"fmt"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
)

// Finite are numbers on a device of which none is infinite or NaN.
type Finite[W dtype.Float] struct {
	array[W]
}

// NumberError names the first number that breaks a rule.
type NumberError struct {
	Array string // "values"
	Index int    // of the offender
	Value float64
	Rule  string
}

func (e *NumberError) Error() string {
	return fmt.Sprintf("%v: %s[%d] is %v: requires %s", ErrInvalid, e.Array, e.Index, e.Value, e.Rule)
}

// Unwrap makes errors.Is(err, ErrInvalid) hold.
func (e *NumberError) Unwrap() error { return ErrInvalid }

// CheckFinite returns an error if a value is infinite or NaN.
func CheckFinite[W dtype.Float](values []W) error {
	i := first(len(values), func(lo, hi int) int { return shift(infinite(values[lo:hi]), lo) })
	if i < 0 {
		return nil
	}
	return &NumberError{"values", i, dtype.ToFloat64(values[i]), "finite numbers"}
}

// NewFinite validates values, then uploads them.
func NewFinite[W dtype.Float](d *device.Device, values []W) (*Finite[W], error) {
	if err := CheckFinite(values); err != nil {
		return nil, err
	}
	a, err := upload(d, "values", values)
	if err != nil {
		return nil, err
	}
	return &Finite[W]{a}, nil
}

// Len is the number of values.
func (f *Finite[W]) Len() uint64 { return f.len() }
