package csr

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
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
