package dtype

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// value computes what the bits of a 16-bit format mean, by the definition and
// in arithmetic that is exact in float64.
func value(bits uint16, expBits, fracBits int) float64 {
	exp := int(bits>>fracBits) & (1<<expBits - 1)
	frac := float64(bits & (1<<fracBits - 1))
	bias := 1<<(expBits-1) - 1
	v := 0.0
	switch exp {
	case 1<<expBits - 1:
		if frac != 0 {
			return math.NaN()
		}
		v = math.Inf(1)
	case 0:
		v = math.Ldexp(frac, 1-bias-fracBits)
	default:
		v = math.Ldexp(1+math.Ldexp(frac, -fracBits), exp-bias)
	}
	if bits>>15 == 1 {
		return math.Copysign(v, -1)
	}
	return v
}

func sameBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

// checkHalf goes through all 65,536 numbers of a format: what they widen to,
// that they come back, and how everything between two neighbours rounds.
func checkHalf[T Float16 | BFloat16](t *testing.T, expBits, fracBits int) {
	inf := uint16(1<<expBits-1) << fracBits
	for i := 0; i <= math.MaxUint16; i++ {
		bits := uint16(i)
		h, want := T(bits), value(bits, expBits, fracBits)
		if got := ToFloat64(h); !sameBits(got, want) {
			t.Fatalf("%#04x widens to %v, want %v", bits, got, want)
		}
		if got := ToFloat32(h); !sameBits(float64(got), want) {
			t.Fatalf("%#04x widens to float32 %v, want %v", bits, got, want)
		}
		if math.IsNaN(want) {
			quiet := bits | 1<<(fracBits-1)
			if got := FromFloat64[T](ToFloat64(h)); got != T(quiet) {
				t.Fatalf("NaN %#04x comes back as %#04x, want %#04x", bits, got, quiet)
			}
			continue
		}
		if got := FromFloat64[T](want); got != h {
			t.Fatalf("%v comes back as %#04x, want %#04x", want, got, bits)
		}
		if got := FromFloat32[T](float32(want)); got != h {
			t.Fatalf("float32 %v comes back as %#04x, want %#04x", want, got, bits)
		}
		if bits&^(1<<15) >= inf {
			continue
		}
		// The next number away from zero; behind the largest stands what would
		// come next if the exponent went on, whose half-way point is a tie too.
		next := value(bits+1, expBits, fracBits)
		if bits&^(1<<15)+1 == inf {
			next = math.Copysign(math.Ldexp(1, 1<<(expBits-1)), want)
		}
		tie := (want + next) / 2
		even := bits
		if bits&1 == 1 {
			even = bits + 1
		}
		if got := FromFloat64[T](tie); got != T(even) {
			t.Fatalf("tie %v between %#04x and %#04x rounds to %#04x", tie, bits, bits+1, got)
		}
		// One unit of float64 to either side, which a float32 in between would lose.
		if got := FromFloat64[T](math.Nextafter(tie, want)); got != h {
			t.Fatalf("just inside the tie of %#04x rounds to %#04x", bits, got)
		}
		if got := FromFloat64[T](math.Nextafter(tie, next)); got != T(bits+1) {
			t.Fatalf("just outside the tie of %#04x rounds to %#04x", bits, got)
		}
	}
}

func TestFloat16(t *testing.T)  { checkHalf[Float16](t, 5, 10) }
func TestBFloat16(t *testing.T) { checkHalf[BFloat16](t, 8, 7) }

// TestNoDoubleRounding has the number that shows it: by way of float32,
// 1+2^-11+2^-40 becomes the tie 1+2^-11 and then 1.
func TestNoDoubleRounding(t *testing.T) {
	if got := FromFloat64[Float16](1 + 0x1p-11 + 0x1p-40).Float64(); got != 1+0x1p-10 {
		t.Errorf("f16: got %v, want %v", got, 1+0x1p-10)
	}
	if got := FromFloat64[BFloat16](1 + 0x1p-8 + 0x1p-40).Float64(); got != 1+0x1p-7 {
		t.Errorf("bf16: got %v, want %v", got, 1+0x1p-7)
	}
}

func TestKnownBits(t *testing.T) {
	for _, c := range []struct {
		x    float64
		f16  Float16
		bf16 BFloat16
	}{
		{0, 0, 0},
		{math.Copysign(0, -1), 0x8000, 0x8000},
		{1, 0x3c00, 0x3f80},
		{-2, 0xc000, 0xc000},
		{1.0 / 3, 0x3555, 0x3eab},
		{65504, 0x7bff, 0x4780},
		{65519.99, 0x7bff, 0x4780},
		{65520, 0x7c00, 0x4780},
		{0x1p-24, 0x0001, 0x3380},
		{0x1p-25, 0x0000, 0x3300},
		{0x1p-14, 0x0400, 0x3880},
		{1e300, 0x7c00, 0x7f80},
		{-1e300, 0xfc00, 0xff80},
		{1e-300, 0, 0},
		{5e-324, 0, 0},
		{math.Inf(1), 0x7c00, 0x7f80},
		{math.Inf(-1), 0xfc00, 0xff80},
	} {
		if got := FromFloat64[Float16](c.x); got != c.f16 {
			t.Errorf("f16 of %v is %#04x, want %#04x", c.x, uint16(got), uint16(c.f16))
		}
		if got := FromFloat64[BFloat16](c.x); got != c.bf16 {
			t.Errorf("bf16 of %v is %#04x, want %#04x", c.x, uint16(got), uint16(c.bf16))
		}
	}
}

// TestNearest compares random numbers of every magnitude with the definition:
// no neighbour of the result is nearer.
func TestNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		x := math.Float64frombits(rng.Uint64())
		if math.IsNaN(x) {
			continue
		}
		checkNearest(t, x, uint16(FromFloat64[Float16](x)), 5, 10)
		checkNearest(t, x, uint16(FromFloat64[BFloat16](x)), 8, 7)
		x = math.Ldexp(rng.Float64()*2-1, rng.IntN(48)-30) // and where f16 is dense
		checkNearest(t, x, uint16(FromFloat64[Float16](x)), 5, 10)
	}
}

func checkNearest(t *testing.T, x float64, bits uint16, expBits, fracBits int) {
	t.Helper()
	v := value(bits, expBits, fracBits)
	if math.IsInf(v, 0) {
		max := value(uint16(1<<expBits-1)<<fracBits-1, expBits, fracBits)
		if math.Abs(x) < max {
			t.Fatalf("%v becomes an infinity", x)
		}
		return
	}
	for _, n := range []uint16{bits - 1, bits + 1} {
		if o := value(n, expBits, fracBits); math.Abs(o-x) < math.Abs(v-x) {
			t.Fatalf("%v rounds to %v, but %v is nearer", x, v, o)
		}
	}
}

func TestString(t *testing.T) {
	for bits := 0; bits <= math.MaxUint16; bits++ {
		checkString(t, Float16(bits))
		checkString(t, BFloat16(bits))
	}
	for _, c := range []struct{ got, want string }{
		{FromFloat64[Float16](0.1).String(), "0.1"},
		{FromFloat64[BFloat16](0.1).String(), "0.1"},
		{FromFloat64[Float16](65504).String(), "6.55e+04"},
		{Float16(0x7c00).String(), "+Inf"},
		{BFloat16(0xff80).String(), "-Inf"},
	} {
		if c.got != c.want {
			t.Errorf("prints as %q, want %q", c.got, c.want)
		}
	}
}

func checkString[T interface {
	Float16 | BFloat16
	String() string
}](t *testing.T, h T) {
	t.Helper()
	s := h.String()
	back, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatalf("%#04x prints as %q: %v", h, s, err)
	}
	if math.IsNaN(ToFloat64(h)) {
		if s != "NaN" {
			t.Fatalf("%#04x prints as %q", h, s)
		}
	} else if FromFloat64[T](back) != h {
		t.Fatalf("%#04x prints as %q, which reads as %#04x", h, s, FromFloat64[T](back))
	}
}

func TestNoAllocations(t *testing.T) {
	sink := 0.0
	if n := testing.AllocsPerRun(100, func() {
		sink += ToFloat64(FromFloat64[Float16](sink)) + float64(ToFloat32(FromFloat32[BFloat16](3)))
		sink += ToFloat64(FromFloat64[float32](sink)) + float64(ToFloat32(FromFloat64[float64](3)))
	}); n != 0 {
		t.Errorf("conversions allocate %v times", n)
	}
}

func BenchmarkToFloat32(b *testing.B) {
	in := make([]Float16, 4096)
	for i := range in {
		in[i] = FromFloat64[Float16](float64(i))
	}
	b.SetBytes(int64(2 * len(in)))
	var sum float32
	for b.Loop() {
		for _, h := range in {
			sum += ToFloat32(h)
		}
	}
	if sum == 1 {
		b.Fatal(sum)
	}
}

func BenchmarkFromFloat32(b *testing.B) {
	out := make([]Float16, 4096)
	b.SetBytes(int64(2 * len(out)))
	for b.Loop() {
		for i := range out {
			out[i] = FromFloat32[Float16](float32(i))
		}
	}
}
