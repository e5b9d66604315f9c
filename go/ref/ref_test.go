package ref

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/dtype"
)

// small is
//
//	1 2 .
//	. . .
//	3 . 4
func small() CSR[float32, int32] {
	return CSR[float32, int32]{3, 3, []int32{0, 2, 2, 4}, []int32{0, 1, 0, 2}, []float32{1, 2, 3, 4}}
}

func TestByHand(t *testing.T) {
	x := []float32{10, -20, 30}
	p, err := small().MulVec(x)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "y = A x", p.Y, []float64{-30, 0, 150})
	equal(t, "sum of magnitudes", p.Abs, []float64{50, 0, 150})
	if fmt.Sprint(p.Terms, p.Depth) != "[2 0 2] [2 0 2]" {
		t.Errorf("terms and depth: %v %v", p.Terms, p.Depth)
	}
	p, err = small().MulVecT(x)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "y = Aᵀ x", p.Y, []float64{100, 20, 120})

	one := small()
	one.Weights = []float32{2}
	p, err = one.MulVec(x)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "one weight", p.Y, []float64{-20, 0, 80})
	if fmt.Sprint(p.Depth) != "[3 0 3]" {
		t.Errorf("one weight: depth %v", p.Depth)
	}
	p, err = one.MulVecT(x)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(p.Terms, p.Depth) != "[2 1 1] [3 1 1]" {
		t.Errorf("one weight: terms and depth %v %v of the transpose", p.Terms, p.Depth)
	}
}

func TestEmpty(t *testing.T) {
	for _, s := range []struct{ rows, cols int }{{0, 0}, {0, 5}, {5, 0}, {3, 2}} {
		a := CSR[dtype.Float16, int64]{s.rows, s.cols, make([]int64, s.rows+1), nil, nil}
		p, err := a.MulVec(make([]dtype.Float16, s.cols))
		if err != nil || len(p.Y) != s.rows {
			t.Errorf("%d x %d: y = A x has %d elements, %v", s.rows, s.cols, len(p.Y), err)
		}
		p, err = a.MulVecT(make([]dtype.Float16, s.rows))
		if err != nil || len(p.Y) != s.cols {
			t.Errorf("%d x %d: y = Aᵀ x has %d elements, %v", s.rows, s.cols, len(p.Y), err)
		}
		equal(t, "the bound of empty sums", p.Bound(dtype.F16), make([]float64, s.cols))
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		rule string
		edit func(a *CSR[float32, int32])
	}{
		{"3 offsets, want rows + 1 = 4", func(a *CSR[float32, int32]) { a.Offsets = a.Offsets[:3] }},
		{"offsets go from 0 to 4, want 0 to 3", func(a *CSR[float32, int32]) { a.Columns = a.Columns[:3] }},
		{"offset 1 is 3, more than the next, 2", func(a *CSR[float32, int32]) { a.Offsets[1] = 3 }},
		{"column 3 is 3, want 0 to 2", func(a *CSR[float32, int32]) { a.Columns[3] = 3 }},
		{"column 0 is -1", func(a *CSR[float32, int32]) { a.Columns[0] = -1 }},
		{"2 weights, want 1 or 4", func(a *CSR[float32, int32]) { a.Weights = a.Weights[:2] }},
		{"x has 3 elements, want 4", func(a *CSR[float32, int32]) { a.Cols = 4 }},
		{"the matrix is 3 x -1", func(a *CSR[float32, int32]) { a.Cols = -1 }},
	} {
		a := small()
		c.edit(&a)
		if _, err := a.MulVec(make([]float32, 3)); err == nil || !strings.Contains(err.Error(), c.rule) {
			t.Errorf("got %v, want %q", err, c.rule)
		}
	}
	if _, err := small().MulVecT(make([]float32, 2)); err == nil || !strings.Contains(err.Error(), "x has 2 elements, want 3") {
		t.Errorf("y = Aᵀ x takes a short x: %v", err)
	}
}

// TestExact compares with rational arithmetic on rows that cancel badly: plain
// float64 sums are off by far more than the last bit there.
func TestExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 3, 17, 100, 1000} {
		w, x, cols := make([]float64, n), make([]float64, n), make([]int32, n)
		exact, naive := new(big.Rat), 0.0
		for i := range n {
			cols[i] = int32(i)
			w[i] = math.Ldexp(rng.Float64()*2-1, rng.IntN(40))
			x[i] = rng.Float64()*2 - 1
			if i%2 == 1 { // nearly undo the term before
				w[i], x[i] = -w[i-1]*(1+0x1p-52), x[i-1]
			}
			exact.Add(exact, new(big.Rat).Mul(new(big.Rat).SetFloat64(w[i]), new(big.Rat).SetFloat64(x[i])))
			naive += w[i] * x[i]
		}
		a := CSR[float64, int32]{1, n, []int32{0, int32(n)}, cols, w}
		p, err := a.MulVec(x)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := exact.Float64()
		if p.Y[0] != want {
			t.Errorf("%d terms: %v, want %v (plain sums give %v)", n, p.Y[0], want, naive)
		}
	}
}

// TestBoundHolds sums in the accumulator's type in several orders and rounds
// once, as kernels do; the result stays within the bound. That the bound is not
// idle is shown by the worst share of it that an error takes.
func TestBoundHolds(t *testing.T) {
	boundHolds[float32](t)
	boundHolds[float64](t)
	boundHolds[dtype.Float16](t)
	boundHolds[dtype.BFloat16](t)
}

func boundHolds[W dtype.Float](t *testing.T) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	typ := dtype.Of[W]()
	worst := 0.0
	for trial := range 400 {
		n := 1 + rng.IntN(60)
		one := trial%2 == 1
		scale := math.Ldexp(1, rng.IntN(30)-20)
		w, x, cols := make([]W, n), make([]W, n), make([]int32, n)
		for i := range n {
			cols[i] = int32(i)
			w[i] = dtype.FromFloat64[W](scale * (rng.Float64()*2 - 1))
			x[i] = dtype.FromFloat64[W](rng.Float64()*2 - 1)
		}
		if one {
			w = w[:1]
		}
		a := CSR[W, int64]{1, n, []int64{0, int64(n)}, cols, w}
		p, err := a.MulVec(x)
		if err != nil {
			t.Fatal(err)
		}
		bound := p.Bound(typ)[0]
		for range 3 {
			y := dtype.FromFloat64[W](sumInOrder(typ.Accumulator(), a, x, rng.Perm(n), one))
			e := math.Abs(dtype.ToFloat64(y) - p.Y[0])
			if !(e <= bound) {
				t.Errorf("%v, %d terms, one weight %v: error %g exceeds the bound %g", typ, n, one, e, bound)
			}
			worst = math.Max(worst, e/bound)
		}
	}
	if worst < 0.1 {
		t.Errorf("%v: no error comes near the bound, %g of it at most", typ, worst)
	}
}

// sumInOrder rounds after every operation to acc; a single weight comes last.
func sumInOrder[W dtype.Float](acc dtype.Type, a CSR[W, int64], x []W, order []int, one bool) float64 {
	round := func(v float64) float64 {
		if acc == dtype.F32 {
			return float64(float32(v))
		}
		return v
	}
	s := 0.0
	for _, i := range order {
		term := dtype.ToFloat64(x[i])
		if !one {
			term = round(dtype.ToFloat64(a.Weights[i]) * term)
		}
		s = round(s + term)
	}
	if one {
		s = round(s * dtype.ToFloat64(a.Weights[0]))
	}
	return s
}

// TestBound has the parts of the bound by hand.
func TestBound(t *testing.T) {
	p := Product{Y: []float64{0, -8}, Abs: []float64{0, 24}, Terms: []int{0, 3}, Depth: []int{0, 4}}
	f32 := 4*0x1p-24*24 + 3*0x1p-150
	for _, c := range []struct {
		t    dtype.Type
		want float64
	}{
		{dtype.F32, f32 + 0x1p-53*8},
		{dtype.F64, 4*0x1p-53*24 + 3*math.SmallestNonzeroFloat64/2 + 0x1p-53*8},
		{dtype.F16, f32 + 0x1p-11*(8+f32) + 0x1p-25 + 0x1p-53*8},
		{dtype.BF16, f32 + 0x1p-8*(8+f32) + 0x1p-134 + 0x1p-53*8},
	} {
		got := p.Bound(c.t)
		if got[0] != 0 || math.Abs(got[1]-c.want) > 1e-15*c.want {
			t.Errorf("%v: bounds %v, want 0 and %v", c.t, got, c.want)
		}
	}
	// Where products vanish, what they lose is all there is.
	p = Product{Y: []float64{0x1p-151}, Abs: []float64{0x1p-151}, Terms: []int{2}, Depth: []int{2}}
	if got := p.Bound(dtype.F32)[0]; got < 0x1p-149 || got > 0x1.0001p-149 {
		t.Errorf("f32: bound %g below the normal range, want 2^-149", got)
	}
}

func TestSpecialValues(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{[]float64{inf, 1, 1}, inf},
		{[]float64{-inf, 1, 5}, -inf},
		{[]float64{inf, -inf, 1}, math.NaN()},
		{[]float64{math.NaN(), 1, 1}, math.NaN()},
		{[]float64{math.MaxFloat64, math.MaxFloat64, 1}, inf},
	} {
		a := CSR[float64, int32]{1, 3, []int32{0, 3}, []int32{0, 1, 2}, []float64{1}}
		p, err := a.MulVec(c.x)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Y[0]; got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("the sum of %v is %v, want %v", c.x, got, c.want)
		}
	}
}

func equal(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestFlushes sums as a GPU's f32 atomics do, numbers below the normal range being zero: within the
// bound of a product that says so, outside that of one that does not. f64 atomics keep such numbers.
func TestFlushes(t *testing.T) {
	const tiny = 0x1p-130
	a := CSR[float32, int32]{3, 1, []int32{0, 1, 2, 3}, []int32{0, 0, 0}, []float32{1}}
	p, err := a.MulVecT([]float32{tiny, -2 * tiny, 4 * tiny})
	if err != nil {
		t.Fatal(err)
	}
	flushed := 0.0
	if off := math.Abs(flushed - p.Y[0]); off <= p.Bound(dtype.F32)[0] {
		t.Errorf("without Flushes an error of %g is within the bound", off)
	}
	p.Flushes = true
	if off := math.Abs(flushed - p.Y[0]); off > p.Bound(dtype.F32)[0] {
		t.Errorf("with Flushes an error of %g is not within the bound %g", off, p.Bound(dtype.F32)[0])
	}
	if b := p.Bound(dtype.F64)[0]; b >= 0x1p-126 {
		t.Errorf("Flushes widens the bound of f64 to %g", b)
	}
}
