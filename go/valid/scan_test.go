package valid

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/warpwright/warpwright/go/dtype"
)

// The fast scans find what a plain loop finds, whichever element is bad, in arrays that begin anywhere.
func TestScans(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 5_000 {
		n, skip := r.IntN(70), r.IntN(4)
		k := []uint32{0, 1, 2, 1000, 1 << 30, math.MaxInt32, 1 << 31}[r.IntN(7)]
		s := make([]int32, skip+n)[skip:]
		for i := range s {
			if s[i] = int32(r.Uint32N(max(k, 1))); r.IntN(60) == 0 {
				s[i] = []int32{int32(k), int32(k - 1), -1, math.MinInt32, math.MaxInt32}[r.IntN(5)]
			}
		}
		want := slices.IndexFunc(s, func(v int32) bool { return v < 0 || int64(v) >= int64(k) })
		if got := outside(s, k); got != want {
			t.Fatalf("outside(%v, %d) is %d, want %d", s, k, got, want)
		}
		scanFalls[int32](t, r, n, skip)
		scanFalls[int64](t, r, n, skip)
		scanInfinite[float32](t, r, n, skip)
		scanInfinite[float64](t, r, n, skip)
		scanInfinite[dtype.Float16](t, r, n, skip)
		scanInfinite[dtype.BFloat16](t, r, n, skip)
	}
}

func scanFalls[T int32 | int64](t *testing.T, r *rand.Rand, n, skip int) {
	t.Helper()
	s := make([]T, skip+n)[skip:]
	var v T
	for i := range s {
		v += T(r.IntN(3))
		if s[i] = v; r.IntN(60) == 0 {
			s[i] = []T{-1, v - 1, v + 1, 1 << 31 >> 1, -1 << 31}[r.IntN(5)]
		}
	}
	want := -1
	for i := len(s) - 1; i > 0; i-- {
		if s[i] < s[i-1] {
			want = i
		}
	}
	if got := falls(s); got != want {
		t.Fatalf("falls(%v) is %d, want %d", s, got, want)
	}
}

func scanInfinite[W dtype.Float](t *testing.T, r *rand.Rand, n, skip int) {
	t.Helper()
	s := make([]W, skip+n)[skip:]
	largest := dtype.Of[W]().Max()
	for i := range s {
		s[i] = dtype.FromFloat64[W](r.NormFloat64())
		switch r.IntN(90) {
		case 0:
			s[i] = dtype.FromFloat64[W](math.NaN())
		case 1:
			s[i] = dtype.FromFloat64[W](math.Inf(1 - 2*r.IntN(2)))
		case 2, 3:
			s[i] = dtype.FromFloat64[W](largest * float64(1-2*r.IntN(2)))
		}
	}
	want := slices.IndexFunc(s, func(v W) bool { f := dtype.ToFloat64(v); return math.IsNaN(f) || math.IsInf(f, 0) })
	if got := infinite(s); got != want {
		t.Fatalf("infinite(%v) is %d, want %d", s, got, want)
	}
}

// Large arrays are read by many goroutines; what is named is the first offender all the same, also where
// two parts meet.
func TestManyCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(7))
	const n = 10*grain + 5
	rising, order := make([]int32, n), make([]int32, n)
	for i := range n {
		rising[i], order[i] = int32(i/3), int32(n-1-i)
	}
	if err := errors.Join(CheckOffsets(rising, int(rising[n-1])), CheckColumns(order, n), CheckPermutation(order), CheckSegments(rising, n)); err != nil {
		t.Fatal(err)
	}
	part := n / 7
	for _, at := range []int{1, part - 1, part, part + 1, 3 * part, n - 1} {
		for name, c := range map[string]struct {
			s     []int32
			bad   int32
			check func() error
		}{
			"offsets":     {rising, -1, func() error { return CheckOffsets(rising, n) }},
			"columns":     {order, n, func() error { return CheckColumns(order, n) }},
			"permutation": {order, -1, func() error { return CheckPermutation(order) }},
			"twice":       {order, n - 1, func() error { return CheckPermutation(order) }},
			"segments":    {rising, -2, func() error { return CheckSegments(rising, n) }},
		} {
			later := min(at+part+1, n-1) // another offender, in a later part
			before, beforeLater := c.s[at], c.s[later]
			c.s[later], c.s[at] = c.bad, c.bad
			var e *IndexError
			if err := c.check(); !errors.As(err, &e) || e.Index != at || e.Value != int64(c.bad) {
				t.Errorf("%s: got %v, want element %d", name, err, at)
			}
			c.s[later] = beforeLater
			c.s[at] = before
		}
	}
}

// BenchmarkCheck gives the rate of each check, and that of a copy to compare it with, in bytes of the array.
// Run it with -cpu 1,2.
func BenchmarkCheck(b *testing.B) {
	const n = 1 << 24
	columns, ids := make([]int32, n), make([]int32, n)
	wide, values := make([]int64, n), make([]float32, n)
	r := rand.New(rand.NewPCG(1, 2))
	order := make([]int32, n)
	for i := range n {
		columns[i], ids[i], wide[i], values[i] = r.Int32N(1<<20), int32(i/16), int64(i), r.Float32()
		order[i] = int32(i)
	}
	r.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	to := make([]int32, n)
	for _, c := range []struct {
		name string
		size int64
		f    func() error
	}{
		{"copy", 4, func() error { copy(to, columns); return nil }},
		{"offsets/i32", 4, func() error { return CheckOffsets(ids, int(ids[n-1])) }},
		{"offsets/i64", 8, func() error { return CheckOffsets(wide, n-1) }},
		{"columns", 4, func() error { return CheckColumns(columns, 1<<20) }},
		{"permutation", 4, func() error { return CheckPermutation(order) }},
		{"segments", 4, func() error { return CheckSegments(ids, n/16) }},
		{"finite", 4, func() error { return CheckFinite(values) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(n * c.size)
			for b.Loop() {
				if err := c.f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
