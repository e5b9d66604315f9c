package dtype

import (
	"math"
	"strconv"
)

// Float16 is an IEEE 754 binary16 number by its bits: 1 sign, 5 exponent and
// 10 fraction bits.
type Float16 uint16

// BFloat16 is the upper half of an IEEE 754 binary32 number by its bits: 1
// sign, 8 exponent and 7 fraction bits.
type BFloat16 uint16

const (
	f16Exp, f16Frac   = 5, 10
	bf16Exp, bf16Frac = 8, 7
)

// Float32 returns h exactly.
func (h Float16) Float32() float32 {
	const expMask = (1<<f16Exp - 1) << f16Frac
	// Moved into a float32's places, the number is too small by the distance of
	// the two biases, 127 - 15; that holds for subnormal halves too.
	f := math.Float32frombits(uint32(h&^(1<<15))<<(23-f16Frac)) * 0x1p112
	bits := math.Float32bits(f)
	if h&expMask == expMask { // infinity or NaN: all exponent bits stay set
		bits |= 0xff << 23
	}
	return math.Float32frombits(bits | uint32(h>>15)<<31)
}

// Float64 returns h exactly.
func (h Float16) Float64() float64 { return float64(h.Float32()) }

// String returns the shortest decimal that reads back as h.
func (h Float16) String() string { return formatHalf(h, f16Exp, f16Frac) }

// Float32 returns b exactly.
func (b BFloat16) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }

// Float64 returns b exactly.
func (b BFloat16) Float64() float64 { return float64(b.Float32()) }

// String returns the shortest decimal that reads back as b.
func (b BFloat16) String() string { return formatHalf(b, bf16Exp, bf16Frac) }

// ToFloat64 returns x exactly.
func ToFloat64[T Float](x T) float64 {
	switch x := any(x).(type) {
	case float32:
		return float64(x)
	case float64:
		return x
	case Float16:
		return x.Float64()
	case BFloat16:
		return x.Float64()
	}
	panic("dtype: Float has no other types")
}

// ToFloat32 returns x as a float32: rounded if x is a float64, else exactly.
func ToFloat32[T Float](x T) float32 {
	switch x := any(x).(type) {
	case float32:
		return x
	case float64:
		return float32(x)
	case Float16:
		return x.Float32()
	case BFloat16:
		return x.Float32()
	}
	panic("dtype: Float has no other types")
}

// FromFloat64 rounds x to T once: to nearest, ties to even. What is too large
// becomes an infinity; a NaN stays a NaN, made quiet.
func FromFloat64[T Float](x float64) T {
	var out T
	switch p := any(&out).(type) {
	case *float32:
		*p = float32(x)
	case *float64:
		*p = x
	case *Float16:
		*p = Float16(narrow(x, f16Exp, f16Frac))
	case *BFloat16:
		*p = BFloat16(narrow(x, bf16Exp, bf16Frac))
	}
	return out
}

// FromFloat32 rounds x to T like FromFloat64.
func FromFloat32[T Float](x float32) T { return FromFloat64[T](float64(x)) }

// narrow rounds f to a 16-bit format with the given field widths, straight from
// the 64-bit number: by way of a float32, a number just off a tie would first
// become the tie and then be rounded to the wrong side.
func narrow(f float64, expBits, fracBits int) uint16 {
	bits := math.Float64bits(f)
	sign := uint16(bits>>63) << 15
	exp := int(bits>>52) & 0x7ff
	frac := bits & (1<<52 - 1)
	maxExp := 1<<expBits - 1
	inf := uint16(maxExp) << fracBits

	if exp == 0x7ff {
		if frac == 0 {
			return sign | inf
		}
		return sign | inf | 1<<(fracBits-1) | uint16(frac>>(52-fracBits))
	}
	if exp == 0 { // zero, or a float64 subnormal: far below half of our smallest
		return sign
	}
	e := exp - 1023 + maxExp>>1 // the exponent with the new bias
	if e >= maxExp {
		return sign | inf
	}
	// The significand loses shift bits: more of them where the result is
	// subnormal, whose exponent counts as 1.
	shift := 52 - fracBits
	if e < 1 {
		shift += 1 - e
		e = 1
	}
	if shift > 54 { // less than half of the smallest subnormal
		return sign
	}
	m := 1<<52 | frac
	q, rest, half := m>>shift, m&(1<<shift-1), uint64(1)<<(shift-1)
	if rest > half || rest == half && q&1 == 1 {
		q++
	}
	// q has the leading bit of a normal number, which adds one to the exponent
	// field; so does a carry out of the fraction, up to infinity itself.
	return sign | uint16(uint64(e-1)<<fracBits+q)
}

// formatHalf finds the shortest decimal by trying more digits until the number
// reads back; five digits always do.
func formatHalf[T Float16 | BFloat16](h T, expBits, fracBits int) string {
	f := ToFloat64(h)
	for digits := 1; digits < 6; digits++ {
		s := strconv.FormatFloat(f, 'g', digits, 64)
		if back, err := strconv.ParseFloat(s, 64); err == nil && narrow(back, expBits, fracBits) == uint16(h) {
			return s
		}
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
