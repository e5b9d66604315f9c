package numtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/ref"
)

// recorder is a TB that remembers.
type recorder struct{ logs, errs []string }

func (r *recorder) Helper()                    {}
func (r *recorder) Logf(f string, args ...any) { r.logs = append(r.logs, fmt.Sprintf(f, args...)) }
func (r *recorder) Errorf(f string, args ...any) {
	r.errs = append(r.errs, fmt.Sprintf(f, args...))
}

// sample is a right result of type T with truth and bounds from ref: rows of 1
// to 8 products.
func sample[T dtype.Float](t *testing.T) (got []T, want, bound []float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 8))
	a := ref.CSR[T, int32]{Rows: 100, Cols: 50, Offsets: []int32{0}}
	for r := range a.Rows {
		for range 1 + r%8 {
			a.Columns = append(a.Columns, rng.Int32N(50))
			a.Weights = append(a.Weights, dtype.FromFloat64[T](1+rng.Float64()))
		}
		a.Offsets = append(a.Offsets, int32(len(a.Columns)))
	}
	x := make([]T, a.Cols)
	for i := range x {
		x[i] = dtype.FromFloat64[T](1 + rng.Float64())
	}
	p, err := a.MulVec(x)
	if err != nil {
		t.Fatal(err)
	}
	for _, y := range p.Y {
		got = append(got, dtype.FromFloat64[T](y))
	}
	return got, p.Y, p.Bound(dtype.Of[T]())
}

// next returns the number of type T after v.
func next[T dtype.Float](v T, steps int) T {
	f := dtype.ToFloat64(v)
	return dtype.FromFloat64[T](f + float64(steps)*ulp(dtype.Of[T](), f))
}

func TestRightResultPasses(t *testing.T) {
	rightPasses[float32](t)
	rightPasses[float64](t)
	rightPasses[dtype.Float16](t)
	rightPasses[dtype.BFloat16](t)
}

func rightPasses[T dtype.Float](t *testing.T) {
	t.Helper()
	got, want, bound := sample[T](t)
	var tb recorder
	r := Compare(&tb, "right", got, want, bound)
	if !r.OK() || r.Err() != nil || len(tb.errs) != 0 {
		t.Errorf("%v: a right result fails: %v", dtype.Of[T](), r.Err())
	}
	if len(tb.logs) != 1 || !strings.Contains(tb.logs[0], "within bounds") {
		t.Errorf("%v: success is not logged: %q", dtype.Of[T](), tb.logs)
	}
	if r.MaxULP > 0.5 {
		t.Errorf("%v: a correctly rounded result is off by %v ulp", dtype.Of[T](), r.MaxULP)
	}
}

// TestTrips plants each kind of fault in a right result.
func TestTrips(t *testing.T) {
	trips[float32](t)
	trips[float64](t)
	trips[dtype.Float16](t)
	trips[dtype.BFloat16](t)
}

func trips[T dtype.Float](t *testing.T) {
	typ := dtype.Of[T]()
	for _, c := range []struct {
		fault   string
		plant   func(got []T, want, bound []float64)
		index   int
		classes int
	}{
		{"one element wrong", func(got []T, _, _ []float64) { got[42] = next(got[42], 60) }, 42, 0},
		{"the first element wrong", func(got []T, _, _ []float64) { got[0] = next(got[0], 60) }, 0, 0},
		{"the last element wrong", func(got []T, _, _ []float64) { got[99] = next(got[99], 60) }, 99, 0},
		// Row 16 is a single product: its bound is one rounding, so the last
		// digit counts.
		{"a wrong last digit", func(got []T, _, _ []float64) { got[16] = next(got[16], 2) }, 16, 0},
		{"a wrong last digit in the truth", func(_ []T, want, bound []float64) { want[16] += 2.5 * ulp(typ, want[16]) }, 16, 0},
		{"a NaN", func(got []T, _, _ []float64) { got[7] = dtype.FromFloat64[T](math.NaN()) }, 7, 1},
		{"an infinity", func(got []T, _, _ []float64) { got[7] = dtype.FromFloat64[T](math.Inf(1)) }, 7, 1},
		{"a wanted NaN missed", func(_ []T, want, _ []float64) { want[7] = math.NaN() }, 7, 1},
		{"a wanted infinity missed", func(_ []T, want, _ []float64) { want[7] = math.Inf(-1) }, 7, 1},
		{"a swapped pair", func(got []T, _, _ []float64) { got[16], got[17] = got[17], got[16] }, 16, 0},
		{"a zero", func(got []T, _, _ []float64) { got[3] = 0 }, 3, 0},
		{"a wrong sign", func(got []T, _, _ []float64) { got[3] = dtype.FromFloat64[T](-dtype.ToFloat64(got[3])) }, 3, 0},
		{"a NaN for a bound", func(_ []T, _, bound []float64) { bound[5] = math.NaN() }, 5, 0},
		{"an infinite bound", func(_ []T, _, bound []float64) { bound[5] = math.Inf(1) }, 5, 0},
		{"a negative bound", func(_ []T, _, bound []float64) { bound[5] = -1 }, 5, 0},
	} {
		got, want, bound := sample[T](t)
		c.plant(got, want, bound)
		var tb recorder
		r := Compare(&tb, "planted", got, want, bound)
		if r.OK() || len(tb.errs) != 1 || len(r.Offenders) == 0 {
			t.Errorf("%v: %s passes", typ, c.fault)
			continue
		}
		if r.Offenders[0].Index != c.index || r.Classes != c.classes {
			t.Errorf("%v: %s: first offender %d and %d classes, want %d and %d", typ, c.fault, r.Offenders[0].Index, r.Classes, c.index, c.classes)
		}
		if !strings.Contains(tb.errs[0], fmt.Sprintf("planted: numtest: %d of 100", r.Failures)) ||
			!strings.Contains(tb.errs[0], fmt.Sprintf("[%d] got", c.index)) {
			t.Errorf("%v: %s: the message does not say where: %s", typ, c.fault, tb.errs[0])
		}
	}
}

func TestLengths(t *testing.T) {
	for _, n := range [][3]int{{2, 3, 3}, {3, 2, 3}, {3, 3, 2}, {0, 1, 1}} {
		r := Check(make([]float32, n[0]), make([]float64, n[1]), make([]float64, n[2]))
		if r.OK() || r.Err() == nil || !strings.Contains(r.String(), "lengths differ") {
			t.Errorf("lengths %v pass: %v", n, r)
		}
	}
	if r := Check[float32](nil, nil, nil); !r.OK() {
		t.Errorf("an empty result fails: %v", r.Err())
	}
}

func TestOffendersAreCapped(t *testing.T) {
	got := make([]float32, 50)
	want, bound := make([]float64, 50), make([]float64, 50)
	for i := range want {
		want[i], bound[i] = float64(i+1), 0.5
	}
	r := Check(got, want, bound)
	if r.Failures != 50 || len(r.Offenders) != MaxOffenders || r.Offenders[7].Index != 7 {
		t.Errorf("%d failures, offenders %v", r.Failures, r.Offenders)
	}
	if r.Worst.Index != 49 || r.Worst.Scaled() != 100 || r.Largest.Index != 49 {
		t.Errorf("worst is %v", r.Worst)
	}
	if !strings.HasSuffix(r.Err().Error(), "and 42 more") {
		t.Errorf("the message hides how many: %v", r.Err())
	}
}

func TestWorst(t *testing.T) {
	want, bound := []float64{0, 0, 0, 0}, []float64{4, 4, 8, 4}
	r := Check([]float32{1, 3, 5, 2}, want, bound)
	if !r.OK() || r.Worst.Index != 1 || r.Largest.Index != 2 {
		t.Errorf("worst is %v, largest %v; want elements 1 and 2", r.Worst, r.Largest)
	}
	nan := float32(math.NaN())
	r = Check([]float32{1, nan, nan, 100}, want, bound)
	if r.Worst.Index != 1 || r.Largest.Index != 1 || !math.IsNaN(r.MaxULP) || r.Classes != 2 {
		t.Errorf("worst is %v, largest %v, %v ulp, %d classes; want the first NaN", r.Worst, r.Largest, r.MaxULP, r.Classes)
	}
	if got := r.Err().Error(); !strings.Contains(got, "3 of 4 f32 elements are not within their bound, 2 of them a NaN or an infinity on one side only") {
		t.Errorf("got %s", got)
	}
	r = Check([]float32{1, nan}, []float64{1, 1}, []float64{0, 0})
	if !strings.Contains(r.Err().Error(), ", 1 of them a NaN") {
		t.Errorf("got %v", r.Err())
	}
	if r = Check(make([]float32, MaxOffenders+1), make([]float64, MaxOffenders+1), slices.Repeat([]float64{-1}, MaxOffenders+1)); !strings.HasSuffix(r.Err().Error(), "and 1 more") {
		t.Errorf("got %v", r.Err())
	}
}

func TestClasses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	h := dtype.FromFloat64[dtype.Float16]
	for _, c := range []struct {
		got, want, bound float64
		ok               bool
	}{
		{nan, nan, nan, true},
		{inf, inf, nan, true},
		{inf, inf, inf, true},
		{-inf, -inf, inf, true},
		{inf, -inf, inf, false},
		{-inf, inf, inf, false},
		{inf, 65504, 1, false},
		{inf, 65519, 2, true}, // may be 65,520 or more, which is infinite in f16
		{65504, 65519, 20, true},
		{inf, 70000, 1, true}, // f16 ends before
		{-inf, 70000, 1, false},
		{-inf, -70000, 1, true},
		{65504, 70000, 1, false},
		{inf, 1, inf, false},
		{0, 0, 0, true},
		{math.Copysign(0, -1), 0, 0, true},
		{0x1p-24, 0, 0, false},
	} {
		r := Check([]dtype.Float16{h(c.got)}, []float64{c.want}, []float64{c.bound})
		if r.OK() != c.ok {
			t.Errorf("got %v, want %v, bound %v: %v", c.got, c.want, c.bound, r)
		}
	}
}

func TestULP(t *testing.T) {
	for _, c := range []struct {
		typ  dtype.Type
		v    float64
		want float64
	}{
		{dtype.F32, 1, 0x1p-23},
		{dtype.F32, -1.99, 0x1p-23},
		{dtype.F32, 2, 0x1p-22},
		{dtype.F32, 0.75, 0x1p-24},
		{dtype.F32, 0, 0x1p-149},
		{dtype.F32, 0x1p-140, 0x1p-149},
		{dtype.F64, 1, 0x1p-52},
		{dtype.F16, 1024, 1},
		{dtype.BF16, 1, 0x1p-7},
		{dtype.F32, math.NaN(), 0x1p-149},
		{dtype.F32, math.Inf(1), 0x1p-149},
		{dtype.F32, math.Inf(-1), 0x1p-149},
	} {
		if got := ulp(c.typ, c.v); got != c.want {
			t.Errorf("ulp of %v in %v is %g, want %g", c.v, c.typ, got, c.want)
		}
	}
}

func TestSummary(t *testing.T) {
	r := Check([]float32{1, 2.5}, []float64{1, 2}, []float64{0, 1})
	if got, want := r.String(), "2 f32 elements within bounds: largest error 0.5 under the bound 1; at most 0.5 of a bound, 2.1e+06 ulp"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	r = Check([]float32{1, 4}, []float64{1, 2}, []float64{0, 1})
	if !strings.Contains(r.String(), "1 NOT within bounds") {
		t.Errorf("a failure reads %s", r)
	}
}

func TestDifferent(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		a, b []float32
		want int
	}{
		{nil, nil, -1},
		{[]float32{1, nan, 3}, []float32{1, nan, 3}, -1},
		{[]float32{1, 0}, []float32{1, float32(math.Copysign(0, -1))}, 1},
		{[]float32{1, 2}, []float32{1}, 1},
		{nil, []float32{1}, 0},
	} {
		if got := Different(c.a, c.b); got != c.want {
			t.Errorf("%v and %v: got %d, want %d", c.a, c.b, got, c.want)
		}
	}
	if got := Different([]dtype.Float16{1, 2}, []dtype.Float16{1, 3}); got != 1 {
		t.Errorf("f16: got %d, want 1", got)
	}
}
