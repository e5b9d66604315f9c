package faults

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
)

// array is a buffer or a slice of one, whatever its elements are.
type array interface {
	arg() any // as a launch takes it
	slice(lo, hi int) (array, error)
	write(from int, values []string) error
	copyFrom(source array) error
	differs(want []string, within float64) (string, error)
	close() error
}

// kind is what the museum does with one element type.
type kind struct {
	alloc  func(d *device.Device, n int, values []string) (array, error)
	scalar func(text string) (any, error)
}

// kindOf finds an element type by its name.
func kindOf(name string) (kind, error) {
	t, err := dtype.Parse(name)
	switch t {
	case dtype.F32:
		return kindFor[float32](), err
	case dtype.F64:
		return kindFor[float64](), err
	case dtype.F16:
		return kindFor[dtype.Float16](), err
	case dtype.BF16:
		return kindFor[dtype.BFloat16](), err
	case dtype.I32:
		return kindFor[int32](), err
	case dtype.I64:
		return kindFor[int64](), err
	case dtype.U32:
		return kindFor[uint32](), err
	case dtype.U64:
		return kindFor[uint64](), err
	default:
		return kindFor[uint8](), err
	}
}

func kindFor[T dtype.Element]() kind {
	return kind{alloc[T], func(text string) (any, error) { return element[T](text) }}
}

type typed[T dtype.Element] struct {
	buf    *device.Buffer[T]
	s      device.Slice[T]
	lo, hi int
}

func alloc[T dtype.Element](d *device.Device, n int, values []string) (array, error) {
	buf, err := device.Alloc[T](d, n)
	if err != nil {
		return nil, err
	}
	a := typed[T]{buf, buf.All(), 0, n}
	if values == nil {
		return a, nil
	}
	if len(values) != n {
		return nil, fmt.Errorf("%d values for %d elements", len(values), n)
	}
	return a, a.write(0, values)
}

func (a typed[T]) arg() any { return a.s }

func (a typed[T]) slice(lo, hi int) (array, error) {
	s, err := a.s.Slice(lo, hi)
	return typed[T]{a.buf, s, a.lo + lo, a.lo + hi}, err
}

func (a typed[T]) write(from int, values []string) error {
	host := make([]T, len(values))
	for i, v := range values {
		var err error
		if host[i], err = element[T](v); err != nil {
			return err
		}
	}
	return a.buf.Write(nil, a.lo+from, host)
}

func (a typed[T]) copyFrom(source array) error {
	from, ok := source.(typed[T])
	if !ok {
		return fmt.Errorf("a copy of other elements: %T", source)
	}
	return a.s.CopyFrom(nil, from.s)
}

// differs says where the contents are not what they should be; "" if they are.
func (a typed[T]) differs(want []string, within float64) (string, error) {
	got := make([]T, a.hi-a.lo)
	if err := a.buf.Read(nil, a.lo, got); err != nil {
		return "", err
	}
	if len(want) != len(got) {
		return "", fmt.Errorf("%d values wanted of %d elements", len(want), len(got))
	}
	for i, text := range want {
		w, err := element[T](text)
		if err != nil {
			return "", err
		}
		if off := math.Abs(number(got[i]) - number(w)); got[i] != w && !(off <= within) {
			return fmt.Sprintf("[%d] is %v, not %v", i, got[i], w), nil
		}
	}
	return "", nil
}

func (a typed[T]) close() error { return a.buf.Close() }

// element reads one value.
func element[T dtype.Element](text string) (T, error) {
	var v T
	var x float64
	var err error
	switch p := any(&v).(type) {
	case *dtype.Float16:
		err = json.Unmarshal([]byte(text), &x)
		*p = dtype.FromFloat64[dtype.Float16](x)
	case *dtype.BFloat16:
		err = json.Unmarshal([]byte(text), &x)
		*p = dtype.FromFloat64[dtype.BFloat16](x)
	default:
		err = json.Unmarshal([]byte(text), p)
	}
	if err != nil {
		err = fmt.Errorf("%q: %w", text, err)
	}
	return v, err
}

// number is a value for the purpose of a distance.
func number[T dtype.Element](v T) float64 {
	x, err := strconv.ParseFloat(fmt.Sprint(v), 64)
	if err != nil {
		return math.NaN()
	}
	return x
}
