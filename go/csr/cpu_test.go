package csr

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/valid"
)

func open(tb testing.TB) *device.Device {
	tb.Helper()
	d, err := device.Open(context.Background(), device.WithKind("cpu"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { d.Close() })
	return d
}

// TestParts multiplies on more cores than the machine may have, so that rows are shared by several parts,
// begin and end where parts do, and lie within one. All numbers are small and whole: every order of
// additions gives the same sums, and comparison is exact.
func TestParts(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(7))
	const cols = 300
	for name, lengths := range map[string][]int{
		"one row":               {50_000},
		"a row in several":      {3, 0, 40_000, 1, 0, 0, 9000},
		"empty rows at the end": append([]int{20_000, 20_000}, make([]int, 20_000)...),
		"empty rows at first":   append(make([]int, 20_000), 20_000, 20_000),
		"parts of equal rows":   slices.Repeat([]int{4095}, 14),
		"rows of a batch":       slices.Repeat([]int{batch, batch + 1, batch - 1, 0, 5}, 20),
		"short rows":            slices.Repeat([]int{0, 1, 2, 7, 15, 16, 17}, 4000),
		"only empty rows":       make([]int, 50_000),
	} {
		t.Run(name, func(t *testing.T) {
			partsOf[float32](t, lengths, cols)
			partsOf[float64](t, lengths, cols)
			partsOf[dtype.Float16](t, lengths, cols)
			partsOf[dtype.BFloat16](t, lengths, cols)
		})
	}
}

func partsOf[W dtype.Float](t *testing.T, lengths []int, cols int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(len(lengths))))
	small := func(n int) []W {
		v := make([]W, n)
		for i := range v {
			v[i] = dtype.FromFloat64[W](float64(rng.IntN(7) - 3))
		}
		return v
	}
	h := Host[W, int64]{Rows: len(lengths), Cols: cols, Offsets: []int64{0}}
	for _, n := range lengths {
		for range n {
			h.Columns = append(h.Columns, rng.Int32N(int32(cols)))
		}
		h.Offsets = append(h.Offsets, int64(len(h.Columns)))
	}
	x, xt := small(h.Cols), small(h.Rows)
	for _, weights := range [][]W{small(len(h.Columns)), {dtype.FromFloat64[W](2)}} {
		h.Weights = weights
		y, yt := make([]float64, h.Rows), make([]float64, h.Cols)
		for r := range h.Rows {
			for e := h.Offsets[r]; e < h.Offsets[r+1]; e++ {
				w := weights[int(e)%len(weights)]
				y[r] += dtype.ToFloat64(w) * dtype.ToFloat64(x[h.Columns[e]])
				yt[h.Columns[e]] += dtype.ToFloat64(w) * dtype.ToFloat64(xt[r])
			}
		}
		m, err := New(open(t), h)
		if err != nil {
			t.Fatal(err)
		}
		exactly[W](t, "gather", y)(m.MulVec(t.Context(), x))
		exactly[W](t, "scatter", yt)(m.MulVecT(t.Context(), xt))
	}
}

// exactly wants a product to be the truth, rounded once.
func exactly[W dtype.Float](t *testing.T, what string, truth []float64) func(got []W, err error) {
	return func(got []W, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if want := dtype.FromFloat64[W](truth[i]); dtype.ToFloat64(got[i]) != dtype.ToFloat64(want) {
				t.Errorf("%s of %s: element %d of %d is %v, want %v", what, dtype.Of[W](), i, len(got), dtype.ToFloat64(got[i]), dtype.ToFloat64(want))
				return
			}
		}
	}
}

// TestCloseFreesEverything asks the device what is taken, which it says when it refuses more than it has.
func TestCloseFreesEverything(t *testing.T) {
	d := open(t)
	for _, opts := range [][]Option{nil, {WithWideOffsets()}} {
		h := uniform[dtype.Float16](10, 20, 3)
		m, err := New(d, h, opts...)
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewPlan(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.MulVecT(t.Context(), make([]dtype.Float16, 10)); err != nil {
			t.Fatal(err)
		}
		if _, err := m.MulVecT(t.Context(), make([]dtype.Float16, 11)); err == nil {
			t.Error("a vector that is too long was not refused")
		}
		if err := errors.Join(p.Close(), m.Close()); err != nil {
			t.Error(err)
		}
		for name, spoil := range map[string]func(h *Host[dtype.Float16, int32]){
			"offsets": func(h *Host[dtype.Float16, int32]) { h.Offsets[3] = 99 },
			"columns": func(h *Host[dtype.Float16, int32]) { h.Columns[3] = 99 },
		} {
			h := uniform[dtype.Float16](10, 20, 3)
			spoil(&h)
			if _, err := New(d, h, opts...); err == nil {
				t.Errorf("wrong %s were not refused", name)
			}
		}
	}
	if _, err := device.Alloc[uint8](d, 1<<60); err == nil || !strings.Contains(err.Error(), ": 0 of ") {
		t.Errorf("after everything was closed the device says: %v", err)
	}
}

// A wrong vector or matrix is refused before the device is asked for anything: this one is closed, and would say so.
func TestRefusedBeforeUpload(t *testing.T) {
	d := open(t)
	h := uniform[dtype.Float16](10, 20, 3) // whose scatters take a workspace too
	m, err := New(d, h)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	vector := func(n int) []dtype.Float16 { return make([]dtype.Float16, n) }
	refused := func(what string, err error, is error, want string) {
		t.Helper()
		if err == nil || !errors.Is(err, is) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: got %v\nwant %s", what, err, want)
		}
	}
	for _, n := range []int{0, 10, 19, 21} {
		_, err := m.MulVec(t.Context(), vector(n))
		refused("gather", err, contract.ErrContract, fmt.Sprintf("csr.MulVec: requires len(x) == Cols: left side is %d, right side is 20", n))
	}
	for _, n := range []int{0, 9, 11, 20} {
		_, err := m.MulVecT(t.Context(), vector(n))
		refused("scatter", err, contract.ErrContract, fmt.Sprintf("csr.MulVecT: requires len(x) == Rows: left side is %d, right side is 10", n))
	}
	_, err = m.MulVec(t.Context(), vector(20))
	refused("a right vector", err, device.ErrClosed, "closed")

	wrong := h
	wrong.Offsets = slices.Clone(h.Offsets)
	wrong.Offsets[10] = 31
	_, err = New(d, wrong)
	refused("offsets", err, valid.ErrInvalid, "offsets[10] is 31: requires the last offset = number of entries = 30")
	wrong = h
	wrong.Columns = slices.Clone(h.Columns)
	wrong.Columns[7] = 20
	_, err = New(d, wrong)
	refused("columns", err, valid.ErrInvalid, "columns[7] is 20: requires 0 <= column < 20")

	m.Close()
	_, err = m.MulVec(t.Context(), vector(20))
	refused("a matrix that is closed", err, device.ErrClosed, "csr.MulVec: argument matrix must be open: closed")
}

// uniform is a matrix with n entries in each row.
func uniform[W dtype.Float](rows, cols, n int) Host[W, int32] {
	rng := rand.New(rand.NewPCG(1, 2))
	h := Host[W, int32]{Rows: rows, Cols: cols, Offsets: make([]int32, rows+1), Columns: make([]int32, rows*n), Weights: make([]W, rows*n)}
	for i := range h.Offsets {
		h.Offsets[i] = int32(i * n)
	}
	for i := range h.Columns {
		h.Columns[i] = int32(rng.IntN(cols))
		h.Weights[i] = dtype.FromFloat64[W](rng.NormFloat64())
	}
	return h
}

// serial is the loop that everybody would write.
func serial(h Host[float32, int32], y, x []float32) {
	for r := range h.Rows {
		var sum float32
		for e := h.Offsets[r]; e < h.Offsets[r+1]; e++ {
			sum += h.Weights[e] * x[h.Columns[e]]
		}
		y[r] = sum
	}
}

func serialT(h Host[float32, int32], y, x []float32) {
	clear(y)
	for r := range h.Rows {
		for e := h.Offsets[r]; e < h.Offsets[r+1]; e++ {
			y[h.Columns[e]] += h.Weights[e] * x[r]
		}
	}
}

func BenchmarkMulVec(b *testing.B) {
	for _, n := range []int{4, 64, 1024} {
		rows := min(1<<16, 1<<23/n)
		name := fmt.Sprintf("%d-a-row/", n)
		h := uniform[float32](rows, rows, n)
		x, y := make([]float32, rows), make([]float32, rows)
		b.Run(name+"serial", func(b *testing.B) {
			for b.Loop() {
				serial(h, y, x)
			}
		})
		b.Run(name+"serialT", func(b *testing.B) {
			for b.Loop() {
				serialT(h, y, x)
			}
		})
		benchmark(b, name+"f32", h)
		one := h
		one.Weights = h.Weights[:1]
		benchmark(b, name+"f32-one", one)
		benchmark(b, name+"f64", uniform[float64](rows, rows, n))
		benchmark(b, name+"f16", uniform[dtype.Float16](rows, rows, n))
		benchmark(b, name+"bf16", uniform[dtype.BFloat16](rows, rows, n))
	}
}

func benchmark[W dtype.Float](b *testing.B, name string, h Host[W, int32]) {
	d := open(b)
	m, err := New(d, h)
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	p, err := NewPlan(m)
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	x, err := device.Upload(d, make([]W, h.Cols))
	if err != nil {
		b.Fatal(err)
	}
	y, err := device.Alloc[W](d, h.Rows)
	if err != nil {
		b.Fatal(err)
	}
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := p.MulVec(nil, y.All(), x.All()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run(name+"-T", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := p.MulVecT(nil, x.All(), y.All()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
