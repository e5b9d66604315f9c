// Package dtype names the element types that kernels read and write, and
// converts between them bit for bit.
//
// Go has no half-precision type, so Float16 (IEEE 754 binary16) and BFloat16
// (the upper half of a binary32) are defined here by their bits. Widening is
// exact; narrowing rounds once, to nearest, ties to even.
package dtype

import (
	"fmt"
	"math"
)

// Type is an element type as the manifest, the entry names and the runtime
// know it. The zero Type names no type.
type Type uint8

// The element types.
const (
	F32 Type = iota + 1
	F64
	F16
	BF16
	I32
	I64
	U32
	U64
	U8
)

// facts of a Type, indexed by it. An integer has no rounding, so its eps is 0.
var facts = [...]struct {
	name           string
	size           int
	eps, tiny, max float64
}{
	F32:  {"f32", 4, 0x1p-24, 0x1p-149, math.MaxFloat32},
	F64:  {"f64", 8, 0x1p-53, 0x1p-1074, math.MaxFloat64},
	F16:  {"f16", 2, 0x1p-11, 0x1p-24, 65504},
	BF16: {"bf16", 2, 0x1p-8, 0x1p-133, 0x1.fep127},
	I32:  {"i32", 4, 0, 1, math.MaxInt32},
	I64:  {"i64", 8, 0, 1, math.MaxInt64},
	U32:  {"u32", 4, 0, 1, math.MaxUint32},
	U64:  {"u64", 8, 0, 1, math.MaxUint64},
	U8:   {"u8", 1, 0, 1, math.MaxUint8},
}

// Types returns every element type, in the order of the constants.
func Types() []Type { return []Type{F32, F64, F16, BF16, I32, I64, U32, U64, U8} }

// Valid reports whether t is one of the constants.
func (t Type) Valid() bool { return t >= F32 && t <= U8 }

// String returns the name used in entry names and manifests, such as "f32".
func (t Type) String() string {
	if !t.Valid() {
		return fmt.Sprintf("Type(%d)", uint8(t))
	}
	return facts[t].name
}

// Size returns the bytes of one element, or 0 if t is not valid.
func (t Type) Size() int {
	if !t.Valid() {
		return 0
	}
	return facts[t].size
}

// IsFloat reports whether t is a floating-point type.
func (t Type) IsFloat() bool { return t >= F32 && t <= BF16 }

// Eps returns the unit roundoff of t: a real number x in the normal range
// rounds to x(1+d) with |d| <= Eps. It is 0 for integers.
func (t Type) Eps() float64 {
	if !t.Valid() {
		return 0
	}
	return facts[t].eps
}

// Tiny returns the smallest positive value of t. A result below the normal
// range is off by at most half of it.
func (t Type) Tiny() float64 {
	if !t.Valid() {
		return 0
	}
	return facts[t].tiny
}

// Max returns the largest finite value of t, as near as a float64 holds it.
func (t Type) Max() float64 {
	if !t.Valid() {
		return 0
	}
	return facts[t].max
}

// Accumulator returns the type in which sums of t are formed: f64 in f64, all
// else in f32, rounded once on the way out.
func (t Type) Accumulator() Type {
	if t == F64 {
		return F64
	}
	return F32
}

// Parse returns the type called name, the inverse of Type.String.
func Parse(name string) (Type, error) {
	for _, t := range Types() {
		if facts[t].name == name {
			return t, nil
		}
	}
	return 0, fmt.Errorf("dtype: %q is no element type (f32 f64 f16 bf16 i32 i64 u32 u64 u8 are)", name)
}

// MarshalText writes the name, so that JSON holds "f32" and not a number.
func (t Type) MarshalText() ([]byte, error) {
	if !t.Valid() {
		return nil, fmt.Errorf("dtype: %v is no element type", t)
	}
	return []byte(facts[t].name), nil
}

// UnmarshalText reads the name.
func (t *Type) UnmarshalText(text []byte) error {
	p, err := Parse(string(text))
	if err != nil {
		return err
	}
	*t = p
	return nil
}

// Element is what a buffer can hold.
type Element interface {
	Float | int32 | int64 | uint32 | uint64 | uint8
}

// Float is an element with a fraction: weights, inputs and outputs.
type Float interface {
	float32 | float64 | Float16 | BFloat16
}

// Offset is what a row offset of a sparse matrix can be.
type Offset interface {
	int32 | int64
}

// Of returns the Type of T.
func Of[T Element]() Type {
	switch any((*T)(nil)).(type) {
	case *float32:
		return F32
	case *float64:
		return F64
	case *Float16:
		return F16
	case *BFloat16:
		return BF16
	case *int32:
		return I32
	case *int64:
		return I64
	case *uint32:
		return U32
	case *uint64:
		return U64
	default: // the constraint leaves only uint8
		return U8
	}
}

// Bits is a value as bits, the low ones first.
func Bits[T Element](v T) uint64 {
	switch v := any(v).(type) {
	case float32:
		return uint64(math.Float32bits(v))
	case float64:
		return math.Float64bits(v)
	case Float16:
		return uint64(v)
	case BFloat16:
		return uint64(v)
	case int32:
		return uint64(uint32(v))
	case int64:
		return uint64(v)
	case uint32:
		return uint64(v)
	case uint64:
		return v
	default: // the constraint leaves only uint8
		return uint64(any(v).(uint8))
	}
}
