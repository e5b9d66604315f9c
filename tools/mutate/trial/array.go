package trial

import (
	"fmt"
	"reflect"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
)

// memory is an array on the device, whatever its elements are.
type memory interface {
	// arg is a part of it, from one element to another, as a launch takes it.
	arg(from, to int) any
	read() ([]float64, error)
	put(at []At) error
	get(at []At) error
	close() error
}

// upload brings an array to the device, behind some elements that are nobody's.
func upload(d *device.Device, a *Array, n, before int) (memory, error) {
	switch a.Elem {
	case dtype.F32:
		return uploadAs[float32](d, a, n, before)
	case dtype.F64:
		return uploadAs[float64](d, a, n, before)
	case dtype.F16:
		return uploadAs[dtype.Float16](d, a, n, before)
	case dtype.BF16:
		return uploadAs[dtype.BFloat16](d, a, n, before)
	case dtype.I32:
		return uploadAs[int32](d, a, n, before)
	case dtype.I64:
		return uploadAs[int64](d, a, n, before)
	case dtype.U32:
		return uploadAs[uint32](d, a, n, before)
	case dtype.U64:
		return uploadAs[uint64](d, a, n, before)
	case dtype.U8:
		return uploadAs[uint8](d, a, n, before)
	}
	return nil, fmt.Errorf("an array of %v", a.Elem)
}

type typed[T dtype.Element] struct {
	buf    *device.Buffer[T]
	before int
}

func uploadAs[T dtype.Element](d *device.Device, a *Array, n, before int) (memory, error) {
	buf, err := device.Alloc[T](d, n+before)
	if err != nil {
		return nil, err
	}
	m := typed[T]{buf, before}
	if a.Values == nil {
		return m, nil
	}
	host := make([]T, n)
	for i := range host {
		host[i] = from[T](a.Values[i])
	}
	return m, buf.Write(nil, before, host)
}

func (m typed[T]) arg(from, to int) any {
	s, err := m.buf.All().Slice(m.before+from, m.before+to)
	if err != nil {
		panic(err) // who asks has made the array as long as that
	}
	return s
}

func (m typed[T]) read() ([]float64, error) {
	host := make([]T, m.buf.Len()-m.before)
	if err := m.buf.Read(nil, m.before, host); err != nil {
		return nil, err
	}
	out := make([]float64, len(host))
	for i, v := range host {
		out[i] = number(v)
	}
	return out, nil
}

func (m typed[T]) put(at []At) error {
	for _, a := range at {
		if err := m.buf.Write(nil, int(a.Index), []T{from[T](a.Value)}); err != nil {
			return err
		}
	}
	return nil
}

func (m typed[T]) get(at []At) error {
	for _, a := range at {
		var got [1]T
		if err := m.buf.Read(nil, int(a.Index), got[:]); err != nil {
			return err
		}
		if v := number(got[0]); v != a.Value {
			return fmt.Errorf("%w: element %d is %v, not %v", ErrValues, a.Index, v, a.Value)
		}
	}
	return nil
}

func (m typed[T]) close() error { return m.buf.Close() }

// from is a number as an element.
func from[T dtype.Element](x float64) T {
	var v T
	switch p := any(&v).(type) {
	case *dtype.Float16:
		*p = dtype.FromFloat64[dtype.Float16](x)
	case *dtype.BFloat16:
		*p = dtype.FromFloat64[dtype.BFloat16](x)
	default:
		reflect.ValueOf(p).Elem().Set(reflect.ValueOf(x).Convert(reflect.TypeFor[T]()))
	}
	return v
}

// number is an element as a number.
func number[T dtype.Element](v T) float64 {
	switch v := any(v).(type) {
	case dtype.Float16:
		return dtype.ToFloat64(v)
	case dtype.BFloat16:
		return dtype.ToFloat64(v)
	}
	return reflect.ValueOf(v).Convert(reflect.TypeFor[float64]()).Float()
}

// round is a number as the type has it.
func round(t dtype.Type, x float64) float64 {
	switch t {
	case dtype.F32:
		return float64(float32(x))
	case dtype.F16:
		return dtype.ToFloat64(dtype.FromFloat64[dtype.Float16](x))
	case dtype.BF16:
		return dtype.ToFloat64(dtype.FromFloat64[dtype.BFloat16](x))
	}
	return x
}
