package trial

import (
	"fmt"

	"github.com/warpwright/warpwright/go/dtype"
)

const (
	valuesSource = "tests/views/values/values.cu"
	safeSource   = "tests/twins/safe.cu"
	planeSource  = "tests/twins/safe_matrix.cu"
)

func vectorTrials() []*Trial {
	values := func(kernel string, in ...Instance) *Trial {
		return &Trial{Family: "values", Source: valuesSource, Kernel: kernel, Few: "1", Instances: in}
	}
	with := func(t *Trial, cases func(in Instance) []Case) *Trial {
		t.Cases = cases
		return t
	}
	return []*Trial{
		with(values("values_copy4", Instance{"W=f32", "V=4"}, Instance{"W=u32", "V=2"}), copies),
		with(values("values_copy2", Instance{"W=f16", "V=8"}, Instance{"W=bf16", "V=2"}), copies),
		with(values("values_copy1", Instance{"W=u8", "V=16"}, Instance{"W=u8", "V=4"}), copies),
		with(values("values_kept", Instance{"W=i32"}), kept),
		with(values("values_every", Instance{"W=f32"}), every),
		with(values("values_reverse", Instance{"W=f32"}), reverse),
		{Family: "values", Source: valuesSource, Kernel: "values_boxes", Instances: []Instance{{"W=f32"}}, Cases: times(3, "")},
		{Family: "values", Source: valuesSource, Kernel: "values_lanes", Few: "min(cdiv(N, block / 8), 2)", Instances: []Instance{{"W=f32"}}, Cases: times(8, "cdiv(N, block / 8)")},
		{Family: "values", Source: valuesSource, Kernel: "values_sums", Few: "min(N, 2)", Instances: []Instance{{"W=f32"}}, Cases: times(64, "N")},
		{Family: "values", Source: valuesSource, Kernel: "values_places", Few: "1", Instances: []Instance{{"W=f32"}}, Cases: places},
		{Family: "values", Source: valuesSource, Kernel: "values_plane", Instances: []Instance{{"W=f32"}}, Variants: []string{"cols", "rows"}, Cases: cells},
		{Family: "twin", Source: safeSource, Kernel: "twin_saxpy", Few: "min(cdiv(N, block), 2)", Instances: []Instance{{"W=f32"}}, Variants: []string{"full", "once"}, Cases: axpy},
		{Family: "twin", Source: safeSource, Kernel: "twin_saxpy4", Few: "min(cdiv(N, 4 * block), 2)", Instances: []Instance{{"W=f32"}}, Variants: []string{"full", "once"}, Cases: axpy},
		{Family: "twin", Source: safeSource, Kernel: "twin_csr_thread", Few: "min(cdiv(M, block), 3)", Instances: []Instance{{"W=f32"}}, Variants: []string{"once"}, Cases: gather(256, 1)},
		{Family: "twin", Source: safeSource, Kernel: "twin_csr_warp", Few: "min(cdiv(M, block / 32), 3)", Instances: []Instance{{"W=f32"}}, Variants: []string{"full", "once"}, Cases: gather(8, 32)},
		{Family: "twin", Source: planeSource, Kernel: "twin_gemm", Instances: []Instance{{"W=f32"}}, Variants: []string{"whole"}, Cases: products(1.5, -0.75, false)},
		{Family: "twin", Source: planeSource, Kernel: "twin_gemm_tiled", Variants: []string{"whole"}, Instances: []Instance{{"W=f32"}}, Cases: products(1.5, -0.75, false)},
		{Family: "twin", Source: planeSource, Kernel: "twin_gemm_split", Instances: []Instance{{"W=f32", "T=16"}}, Cases: products(1.5, -0.75, false)},
		{Family: "twin", Source: planeSource, Kernel: "twin_colsum", Few: "min(G, 3)", Instances: []Instance{{"W=f32"}}, Cases: threes},
		{Family: "twin", Source: planeSource, Kernel: "twin_colsum_tiled", Instances: []Instance{{"W=f32"}}, Cases: columnSums},
	}
}

// lengths are those around whole runs, and around whole rounds of 32 threads and of 64.
func lengths(v int) []int {
	out := []int{0, 1, v - 1, v, v + 1, 2*v + 1}
	return append(out, 32*v-1, 32*v, 33*v+1, 64*v-1, 64*v, 65*v+v/2, 130*v+v/2)
}

func copies(in Instance) []Case {
	w, v := elem(in.Value("W")), whole(in.Value("V"))
	var out []Case
	for _, n := range lengths(v) {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64((i*7 + 1) % 251)
		}
		out = append(out, Case{
			Name: fmt.Sprint(n, " elements"), Race: n == 2*v+1 || n == 65*v+v/2,
			Args: map[string]any{"n": uint64(n), "x": &Array{Elem: w, Values: x}, "y": &Array{Elem: w, N: n}},
			Want: map[string]Truth{"y": {Y: x}},
		})
	}
	n := uint64(1<<32 + 63*v + v - 1) // the last whole run is one of the last block
	c := Case{
		Name: "2^32 elements", Huge: true, Grid: "cdiv(N, V * block)",
		Args: map[string]any{"n": n, "x": &Array{Elem: w, N: int(n)}, "y": &Array{Elem: w, N: int(n)}},
	}
	for _, at := range []uint64{0, 3, n - 1, n - uint64(v) - 1} {
		c.put("x", at, float64(at%7+1))
		c.get("y", at, float64(at%7+1))
	}
	if out = append(out, c); w == dtype.U8 && v == 4 {
		out = append(out, manyRuns())
	}
	return out
}

// manyRuns are more runs of four bytes than there are threads, of which there are 2^32: their loop strides by that.
func manyRuns() Case {
	const n = 4 * (1<<32 + 33)
	c := Case{
		Name: "2^34 bytes", Huge: true, Grid: "134217728",
		Args: map[string]any{"n": uint64(n), "x": &Array{Elem: dtype.U8, N: n}, "y": &Array{Elem: dtype.U8, N: n}},
	}
	for _, at := range []uint64{0, 3, 1 << 34, 1<<34 + 127} { // of the first block: it comes round again
		c.put("x", at, float64(at%7+1))
		c.get("y", at, float64(at%7+1))
	}
	return c
}

func kept(Instance) []Case {
	var out []Case
	for _, n := range lengths(4) {
		x, y, sum, fold := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = float64(i%11), float64(1000*i)
			sum[i] = x[i] + y[i]
		}
		for i := range x {
			if first := i / 4 * 4; first+4 <= n {
				fold[i] = ((x[first]*3+x[first+1])*3+x[first+2])*3 + x[first+3]
			} else {
				fold[i] = x[i]
			}
		}
		out = append(out, Case{
			Name: fmt.Sprint(n, " elements"), Race: n == 9 || n == 262,
			Args: map[string]any{"n": uint64(n), "x": &Array{Elem: dtype.I32, Values: x}, "y": &Array{Elem: dtype.I32, Values: y}, "s": &Array{Elem: dtype.I32, N: n}},
			Want: map[string]Truth{"y": {Y: sum}, "s": {Y: fold}},
		})
	}
	return out
}

func every(Instance) []Case {
	var out []Case
	for _, n := range []int{0, 1, 2, 31, 32, 33, 63, 64, 65, 200} {
		x, y := make([]float64, max(3*n-2, 0)), make([]float64, max(2*n-1, 0))
		for i := range x {
			x[i] = float64(i)
		}
		want := make([]float64, len(y))
		for i := range y {
			y[i] = -1
			want[i] = -1
			if i%2 == 0 {
				want[i] = float64(3 * (i / 2))
			}
		}
		out = append(out, Case{
			Name: fmt.Sprint(n, " elements"), Race: n == 65,
			Args: map[string]any{"n": uint64(n), "x": &Array{Elem: dtype.F32, Values: x}, "y": &Array{Elem: dtype.F32, Values: y}},
			Want: map[string]Truth{"y": {Y: want}},
		})
	}
	const n = 1<<30 + 9
	c := Case{
		Name: "2^30 elements", Huge: true, Grid: "cdiv(N, block)",
		Args: map[string]any{"n": uint64(n), "x": &Array{Elem: dtype.F32, N: 3*n - 2}, "y": &Array{Elem: dtype.F32, N: 2*n - 1}},
	}
	for _, at := range []uint64{0, 3, n - 1, n - 5} {
		c.put("x", 3*at, float64(at%7+1))
		c.get("y", 2*at, float64(at%7+1))
	}
	return append(out, c)
}

func reverse(Instance) []Case {
	var out []Case
	for _, n := range []int{0, 1, 65, 100} {
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[n-1-i] = float64(i), float64(i)
		}
		out = append(out, Case{
			Name: fmt.Sprint(n, " elements"), Race: n == 65,
			Args: map[string]any{"n": uint64(n), "x": &Array{Elem: dtype.F32, Values: x}, "y": &Array{Elem: dtype.F32, N: n}},
			Want: map[string]Truth{"y": {Y: y}},
		})
	}
	return append(out, hugeVector(func(at, n uint64) uint64 { return n - 1 - at }))
}

// hugeVector goes to y from one place of x or another; there are more than 2^32.
func hugeVector(from func(at, n uint64) uint64) Case {
	const n = 1<<32 + 70
	c := Case{
		Name: "2^32 elements", Huge: true, Grid: "cdiv(N, block)",
		Args: map[string]any{"n": uint64(n), "x": &Array{Elem: dtype.F32, N: n}, "y": &Array{Elem: dtype.F32, N: n}},
	}
	for _, at := range []uint64{0, 3, n - 1, n - 5} {
		c.put("x", from(at, n), float64(at%7+1))
		c.get("y", at, float64(at%7+1))
	}
	return c
}

// times are y = factor x; grid is one that has a place for each of very many elements.
func times(factor float64, grid string) func(Instance) []Case {
	return func(Instance) []Case {
		var out []Case
		for _, n := range []int{0, 1, 23, 24, 25, 49, 50, 51, 130, 333} {
			x, y := make([]float64, n), make([]float64, n)
			for i := range x {
				x[i], y[i] = float64(i+1), factor*float64(i+1)
			}
			out = append(out, Case{
				Name: fmt.Sprint(n, " elements"), Race: n == 51,
				Args: map[string]any{"parts_N": uint64(n), "n": uint64(n), "x": &Array{Elem: dtype.F32, Values: x}, "y": &Array{Elem: dtype.F32, N: n}},
				Want: map[string]Truth{"y": {Y: y}},
			})
		}
		n := uint64(1<<32 + 70)
		if grid == "N" {
			n = 1<<31 - 1 // the most blocks that a grid has
		}
		c := Case{
			Name: "very many elements", Huge: true, Grid: grid,
			Args: map[string]any{"parts_N": n, "n": n, "x": &Array{Elem: dtype.F32, N: int(n)}, "y": &Array{Elem: dtype.F32, N: int(n)}},
		}
		for _, at := range []uint64{0, n - 1} {
			c.put("x", at, float64(at%7+1))
			c.get("y", at, factor*float64(at%7+1))
		}
		return append(out, c)
	}
}

func places(Instance) []Case {
	var out []Case
	for _, s := range planes() {
		m, n := s[0], s[1]
		r := numbers(m, n)
		x, z, sum := small(r, m*n), small(r, m*n), make([]float64, m*n)
		for i := range sum {
			sum[i] = x[i] + z[i]
		}
		out = append(out, Case{
			Name: fmt.Sprintf("%d by %d", m, n), Race: m == 15,
			Args: map[string]any{"m": uint64(m), "n": uint64(n), "x": &Array{Elem: dtype.F32, Values: x}, "y": &Array{Elem: dtype.F32, N: m * n}, "z": &Array{Elem: dtype.F32, Values: z}},
			Want: map[string]Truth{"y": {Y: x}, "z": {Y: sum}},
		})
	}
	const m, n = 1<<30 + 5, 4
	c := Case{
		Name: "2^32 elements", Huge: true, Grid: "cdiv(M, block)",
		Args: map[string]any{"m": uint64(m), "n": uint64(n), "x": &Array{Elem: dtype.F32, N: m * n}, "y": &Array{Elem: dtype.F32, N: m * n}, "z": &Array{Elem: dtype.F32, N: m * n}},
	}
	for _, at := range []uint64{0, 5, m*n - 1, m*n - 3} {
		c.put("x", at, float64(at%7+1))
		c.put("z", at, 2)
		c.get("y", at, float64(at%7+1))
		c.get("z", at, float64(at%7+3))
	}
	return append(out, c)
}

func cells(Instance) []Case {
	var out []Case
	for _, s := range [][2]int{{0, 8}, {4, 0}, {1, 1}, {5, 16}, {12, 5}, {7, 7}, {8, 8}, {3, 24}, {9, 33}} {
		m, n := s[0], s[1]
		x := small(numbers(m, n), m*n)
		out = append(out, Case{
			Name: fmt.Sprintf("%d by %d", m, n), Race: m == 5,
			Args: map[string]any{"cells_M": uint64(m), "cells_N": uint64(n), "x": &Array{Elem: dtype.F32, Values: x}, "y": &Array{Elem: dtype.F32, N: m * n}},
			Want: map[string]Truth{"y": {Y: x}},
		})
	}
	return out
}

func axpy(Instance) []Case {
	var out []Case
	for _, n := range []int{0, 1, 3, 4, 5, 256, 1023, 1024, 1025, 2049, 3000, 3072, 5003} {
		r := numbers(n)
		x, y, z := small(r, n), small(r, n), make([]float64, n)
		for i := range z {
			z[i] = 3*x[i] + y[i]
		}
		out = append(out, Case{
			Name: fmt.Sprint(n, " elements"), Race: n == 1025,
			Args: map[string]any{"n": uint64(n), "a": Scalar{dtype.F32, 3}, "x": &Array{Elem: dtype.F32, Values: x}, "y": &Array{Elem: dtype.F32, Values: y}},
			Want: map[string]Truth{"y": {Y: z}},
		})
	}
	return out
}

// threes are the sums of rows of three.
func threes(Instance) []Case {
	var out []Case
	for _, s := range [][2]int{{0, 5}, {1, 0}, {1, 1}, {2, 33}, {3, 255}, {2, 257}, {7, 3}, {4, 600}} {
		g, n := s[0], s[1]
		x, y := small(numbers(g, n), 3*g*n), make([]float64, 3*g)
		for i, v := range x {
			y[i/(3*n)*3+i%3] += v
		}
		out = append(out, Case{
			Name: fmt.Sprintf("%d of %d", g, n), Race: g == 2 && n == 257 || g == 7,
			Args: map[string]any{"groups": uint64(g), "n": uint64(n), "x": &Array{Elem: dtype.F32, Values: x}, "y": &Array{Elem: dtype.F32, N: 3 * g}},
			Want: map[string]Truth{"y": {Y: y}},
		})
	}
	const g, n = 1<<30 + 7, 1
	c := Case{
		Name: "2^30 groups", Huge: true, Grid: "G",
		Args: map[string]any{"groups": uint64(g), "n": uint64(n), "x": &Array{Elem: dtype.F32, N: 3 * g * n}, "y": &Array{Elem: dtype.F32, N: 3 * g}},
	}
	for _, at := range []uint64{0, 2, 3*g - 1, 3*g - 3} {
		c.put("x", at, float64(at%7+1))
		c.get("y", at, float64(at%7+1))
	}
	return append(out, c)
}

func columnSums(Instance) []Case {
	var out []Case
	for _, s := range planes() {
		m, n := s[0], s[1]
		x, y := small(numbers(m, n), m*n), make([]float64, n)
		for i, v := range x {
			y[i%n] += v
		}
		out = append(out, Case{
			Name: fmt.Sprintf("%d by %d", m, n), Race: m == 15,
			Args: map[string]any{"m": uint64(m), "parts_N": uint64(n), "x": &Array{Elem: dtype.F32, Values: x}, "y": &Array{Elem: dtype.F32, N: n}},
			Want: map[string]Truth{"y": {Y: y}},
		})
	}
	return append(out, hugeColumns())
}
