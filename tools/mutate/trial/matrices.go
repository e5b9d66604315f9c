package trial

import (
	"fmt"
	"math/rand/v2"

	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/ref"
)

const matrixSource = "tests/matrices/matrix.cu"

func matrixTrials() []*Trial {
	return []*Trial{
		{Family: "matrix", Source: matrixSource, Kernel: "matrix_product", Instances: []Instance{{"W=f32", "T=32"}}, Cases: products(1, 0, false)},
		{Family: "matrix", Source: matrixSource, Kernel: "matrix_pipeline", Variants: []string{"words"}, Instances: []Instance{{"W=f64", "H=5"}, {"W=f16", "H=16"}}, Cases: products(1, 1, false), Slow: true},
		{Family: "matrix", Source: matrixSource, Kernel: "matrix_transpose", Instances: []Instance{{"W=f32"}, {"W=u8"}}, Cases: transposes},
		{Family: "matrix", Source: matrixSource, Kernel: "matrix_stack", Instances: []Instance{{"W=f32"}, {"W=f16"}}, Cases: stacks},
		{Family: "matrix", Source: matrixSource, Kernel: "matrix_rows", Few: "min(cdiv(M, block), 3)", Instances: []Instance{{"W=f32"}}, Cases: rowsOfThree},
		{Family: "matrix", Source: matrixSource, Kernel: "matrix_parts", Instances: []Instance{{"W=f32", "P=48"}, {"W=f32", "P=200"}}, Cases: parts},
		{Family: "matrix", Source: matrixSource, Kernel: "matrix_columns", Instances: []Instance{{"W=f32"}}, Cases: columns},
		{Family: "matrix", Source: matrixSource, Kernel: "matrix_order", Few: "min(cdiv(N, block), 3)", Instances: []Instance{{"W=f32"}}, Cases: orders},
	}
}

func gemmTrials() []*Trial {
	const source = "cuda/gemm/gemm.cu"
	return []*Trial{
		{Family: "gemm", Source: source, Kernel: "gemm_cell", Variants: []string{"fours"}, Instances: []Instance{{"W=f64"}, {"W=f16"}}, Cases: products(1.5, -0.75, true)},
		{Family: "gemm", Source: source, Kernel: "gemm_tile", Variants: []string{"whole", "words"}, Instances: []Instance{{"W=f32", "H=64"}, {"W=f32", "H=32"}}, Cases: products(1.5, -0.75, true), Slow: true},
		{Family: "gemm", Source: source, Kernel: "gemm_wide", Variants: []string{"whole", "words"}, Instances: []Instance{{"W=f32"}}, Cases: products(1.5, -0.75, true), Slow: true},
	}
}

// numbers draws for a case: the same for the same sizes.
func numbers(sizes ...int) *rand.Rand {
	seed := uint64(len(sizes))
	for _, n := range sizes {
		seed = 31*seed + uint64(n)
	}
	return rand.New(rand.NewPCG(seed, 7))
}

// small are small whole numbers, of which every type holds every sum exactly.
func small(r *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(r.IntN(7) - 3)
	}
	return out
}

// sums collects terms with what bounds the error of adding them up in any order.
type sums struct{ ref.Product }

func newSums(n int) *sums {
	return &sums{ref.Product{Y: make([]float64, n), Abs: make([]float64, n), Terms: make([]int, n), Depth: make([]int, n)}}
}

func (s *sums) add(i int, term float64) {
	s.Y[i] += term
	s.Abs[i] += max(term, -term)
	s.Terms[i]++
	s.Depth[i] = s.Terms[i] + 3 // the product, and a factor before and behind the sum
}

// multiply adds factor A B, of m by k and k by n.
func (s *sums) multiply(factor float64, a, b []float64, m, n, k int) {
	for at := range m * n {
		for p := range k {
			s.add(at, factor*a[at/n*k+p]*b[p*n+at%n])
		}
	}
}

func (s *sums) truth(t dtype.Type) Truth { return Truth{s.Y, s.Bound(t)} }

// products are C = factor A B + old C; where C counts for nothing, it is no number, and so in one case of those where it is unread then. In
// another one both factors are one.
func products(factor, old float64, unread bool) func(in Instance) []Case {
	return func(in Instance) []Case {
		w := elem(in.Value("W"))
		acc := w.Accumulator()
		var out []Case
		for _, s := range [][3]int{{0, 5, 3}, {3, 0, 5}, {2, 3, 0}, {1, 1, 1}, {33, 31, 8}, {64, 32, 14}, {32, 48, 32}, {64, 128, 32}, {65, 70, 20}, {5, 100, 35}, {17, 1, 300}} {
			m, n, k := s[0], s[1], s[2]
			r := numbers(m, n, k)
			a, b, c := normal(r, w, m*k), normal(r, w, k*n), normal(r, w, m*n)
			alpha, beta := factor, old
			switch {
			case old != 0 && n == 48:
				alpha, beta = 1, 1
			case unread && m == 5:
				beta = 0
			}
			truth := newSums(m * n)
			truth.multiply(alpha, a, b, m, n, k)
			if beta != 0 {
				for at, v := range c {
					truth.add(at, beta*v)
				}
			}
			one := Case{
				Name: fmt.Sprintf("%d by %d by %d", m, k, n), Race: m == 33,
				Args: map[string]any{"tiles_M": uint64(m), "tiles_N": uint64(n), "cells_M": uint64(m), "cells_N": uint64(n), "k": uint64(k),
					"alpha": Scalar{acc, alpha}, "beta": Scalar{acc, beta},
					"a": &Array{Elem: w, Values: a}, "b": &Array{Elem: w, Values: b}, "c": &Array{Elem: w, N: m * n}},
				Want: map[string]Truth{"c": truth.truth(w)},
			}
			if beta != 0 {
				one.Args["c"] = &Array{Elem: w, Values: c}
			}
			out = append(out, one)
		}
		return append(out, hugeProduct(w, acc), tooLarge("columns", w, acc, 1, tooMany), tooLarge("rows", w, acc, tooMany, 1))
	}
}

// hugeProduct has rows so long that the third begins beyond 2^31 elements. Where nothing was put there are no numbers: what is wanted is where
// something was.
func hugeProduct(w, acc dtype.Type) Case {
	const m, k = 3, 3
	n := uint64(1<<30 + 70)
	if w == dtype.F64 {
		n /= 2 // no single array larger than the memory of a small machine
	}
	c := Case{
		Name: "long rows", Huge: true,
		Args: map[string]any{"tiles_M": uint64(m), "tiles_N": n, "cells_M": uint64(m), "cells_N": n, "k": uint64(k),
			"alpha": Scalar{acc, 1}, "beta": Scalar{acc, 0},
			"a": &Array{Elem: w, N: m * k}, "b": &Array{Elem: w, N: k * int(n)}, "c": &Array{Elem: w, N: m * int(n)}},
	}
	for i := range uint64(m * k) {
		c.put("a", i, float64(i+1))
	}
	for _, col := range []uint64{0, 1, n - 2, n - 1} {
		for p := range uint64(k) {
			c.put("b", p*n+col, float64(p+col%5))
		}
		for row := range uint64(m) {
			sum := 0.0
			for p := range uint64(k) {
				sum += float64(row*k+p+1) * float64(p+col%5)
			}
			c.get("c", row*n+col, sum)
			c.put("c", row*n+col, 0)
		}
	}
	return c
}

// tooLarge is a product with more rows or columns than there is room for in 32 bits.
func tooLarge(what string, w, acc dtype.Type, m, n int) Case {
	return Case{
		Name: "too many " + what, Huge: true, Refused: true,
		Args: map[string]any{"tiles_M": uint64(m), "tiles_N": uint64(n), "cells_M": uint64(m), "cells_N": uint64(n), "k": uint64(1),
			"alpha": Scalar{acc, 1}, "beta": Scalar{acc, 0},
			"a": &Array{Elem: w, N: m}, "b": &Array{Elem: w, N: n}, "c": &Array{Elem: w, N: m * n}},
	}
}

// planes are shapes around the widths of blocks and tiles.
func planes() [][2]int {
	return [][2]int{{0, 5}, {5, 0}, {1, 1}, {15, 17}, {16, 16}, {33, 65}, {64, 32}, {7, 100}, {100, 7}}
}

func transposes(in Instance) []Case {
	w := elem(in.Value("W"))
	var out []Case
	for _, s := range planes() {
		m, n := s[0], s[1]
		x, y := make([]float64, m*n), make([]float64, m*n)
		for i := range x {
			x[i] = float64(i % 251)
			y[i%n*m+i/n] = x[i]
		}
		out = append(out, Case{
			Name: fmt.Sprintf("%d by %d", m, n), Race: m == 15,
			Args: map[string]any{"tiles_N": uint64(n), "tiles_M": uint64(m), "a": &Array{Elem: w, Values: x}, "b": &Array{Elem: w, N: m * n}},
			Want: map[string]Truth{"b": {Y: y}},
		})
	}
	// A has more than 2^32 elements; only bytes are small enough.
	if w == dtype.U8 {
		const m, n = 5003, 1<<20 - 33
		c := Case{
			Name: "5003 by 2^20", Huge: true,
			Args: map[string]any{"tiles_N": uint64(n), "tiles_M": uint64(m), "a": &Array{Elem: w, N: m * n}, "b": &Array{Elem: w, N: m * n}},
		}
		for _, at := range [][2]uint64{{0, 0}, {m - 1, n - 1}, {m - 1, 0}, {0, n - 1}, {m - 1, 7}} {
			v := float64((17 + at[0] + at[1]%19) % 200)
			c.put("a", at[0]*n+at[1], v)
			c.get("b", at[1]*m+at[0], v)
		}
		out = append(out, c)
	}
	return out
}

func stacks(in Instance) []Case {
	w := elem(in.Value("W"))
	var out []Case
	for _, s := range planes() {
		m, n := s[0], s[1]
		layers := (m + n) % 6
		if m == 7 {
			layers = 90
		}
		x := normal(numbers(m, n), w, layers*m*n)
		truth := newSums(m * n)
		for i, v := range x {
			truth.add(i%(m*n), v)
		}
		out = append(out, Case{
			Name: fmt.Sprintf("%d of %d by %d", layers, m, n), Race: m == 15,
			Args: map[string]any{"cells_M": uint64(m), "cells_N": uint64(n), "layers": uint64(layers), "a": &Array{Elem: w, Values: x}, "c": &Array{Elem: w, N: m * n}},
			Want: map[string]Truth{"c": truth.truth(w)},
		})
	}
	const l, m, n = 2, 2, 1<<30 - 9
	c := Case{
		Name: "rows of 2^30", Huge: true,
		Args: map[string]any{"cells_M": uint64(m), "cells_N": uint64(n), "layers": uint64(l), "a": &Array{Elem: w, N: l * m * n}, "c": &Array{Elem: w, N: m * n}},
	}
	for _, at := range [][2]uint64{{0, 0}, {1, n - 1}, {1, 0}, {0, n - 1}} {
		for i := range uint64(l) {
			c.put("a", i*m*n+at[0]*n+at[1], float64(i+at[0]+1))
		}
		c.get("c", at[0]*n+at[1], float64(2*at[0]+3))
	}
	return append(out, c, Case{
		Name: "too many columns", Huge: true, Refused: true,
		Args: map[string]any{"cells_M": uint64(1), "cells_N": uint64(tooMany), "layers": uint64(1), "a": &Array{Elem: w, N: tooMany}, "c": &Array{Elem: w, N: tooMany}},
	})
}

func rowsOfThree(Instance) []Case {
	var out []Case
	for _, m := range []int{0, 1, 63, 64, 65, 200, 500} {
		r := numbers(m)
		x, y, z := small(r, 3*m), small(r, 3*m), make([]float64, 3*m)
		for i := range z {
			z[i] = x[i] + y[i]
		}
		out = append(out, Case{
			Name: fmt.Sprint(m, " rows"), Race: m == 65,
			Args: map[string]any{"m": uint64(m), "x": &Array{Elem: dtype.F32, Values: x}, "y": &Array{Elem: dtype.F32, Values: y}},
			Want: map[string]Truth{"y": {Y: z}},
		})
	}
	const m = 1<<30 + 70
	c := Case{
		Name: "2^30 rows", Huge: true, Grid: "cdiv(M, block)",
		Args: map[string]any{"m": uint64(m), "x": &Array{Elem: dtype.F32, N: 3 * m}, "y": &Array{Elem: dtype.F32, N: 3 * m}},
	}
	for _, at := range []uint64{0, 5, 3*m - 1, 3*m - 5} {
		c.put("x", at, 3)
		c.put("y", at, float64(at%7))
		c.get("y", at, 3+float64(at%7))
	}
	return append(out, c)
}

func parts(in Instance) []Case {
	p := whole(in.Value("P"))
	var out []Case
	for _, n := range []int{0, 1, 31, 33, p - 1, p, p + 1, 5*p + 3} {
		x, y := small(numbers(n), n), make([]float64, n)
		for i := range y {
			y[i] = 2 * x[i]
		}
		out = append(out, Case{
			Name: fmt.Sprint(n, " elements"), Race: n == p+1,
			Args: map[string]any{"parts_N": uint64(n), "x": &Array{Elem: dtype.F32, Values: x}, "y": &Array{Elem: dtype.F32, N: n}},
			Want: map[string]Truth{"y": {Y: y}},
		})
	}
	const n = 1<<32 + 5
	c := Case{
		Name: "2^32 elements", Huge: true,
		Args: map[string]any{"parts_N": uint64(n), "x": &Array{Elem: dtype.F32, N: n}, "y": &Array{Elem: dtype.F32, N: n}},
	}
	for _, at := range []uint64{0, 3, n - 1, n - 2} {
		c.put("x", at, float64(at%7+1))
		c.get("y", at, 2*float64(at%7+1))
	}
	return append(out, c)
}

func columns(Instance) []Case {
	var out []Case
	for _, s := range planes() {
		m, n := s[0], s[1]
		x, y, seen := small(numbers(m, n), m*n), make([]float64, n), make([]float64, n)
		for i, v := range x {
			y[i%n] += v
		}
		for c := range seen {
			for r := range m { // of a block of 16 by 4 threads those of column x have the ranks x, x + 16, x + 32 and x + 48
				if r%16 == c%16 {
					seen[c]++
				}
			}
		}
		out = append(out, Case{
			Name: fmt.Sprintf("%d by %d", m, n), Race: m == 15,
			Args: map[string]any{"m": uint64(m), "parts_N": uint64(n), "x": &Array{Elem: dtype.F32, Values: x}, "y": &Array{Elem: dtype.F32, N: n}, "seen": &Array{Elem: dtype.F32, N: n}},
			Want: map[string]Truth{"y": {Y: y}, "seen": {Y: seen}},
		})
	}
	return append(out, hugeColumns("seen"))
}

// hugeColumns sums two rows so long that the second ends beyond 2^31 elements.
func hugeColumns(more ...string) Case {
	const m, n = 2, 1<<30 + 77
	c := Case{
		Name: "rows of 2^30", Huge: true,
		Args: map[string]any{"m": uint64(m), "parts_N": uint64(n), "x": &Array{Elem: dtype.F32, N: m * n}, "y": &Array{Elem: dtype.F32, N: n}},
	}
	for _, name := range more {
		c.Args[name] = &Array{Elem: dtype.F32, N: n}
	}
	for _, at := range []uint64{0, 3, n - 1, n - 2} {
		for r := range uint64(m) {
			c.put("x", r*n+at, float64(r+at%5))
		}
		c.get("y", at, 1+2*float64(at%5))
	}
	return c
}

func orders(Instance) []Case {
	var out []Case
	for _, n := range []int{0, 1, 63, 64, 65, 200, 500} {
		r := numbers(n)
		x, z := small(r, n), small(r, n)
		y, less, places := make([]float64, n), make([]float64, n), make([]int32, n)
		for place, i := range r.Perm(n) {
			places[place] = int32(i)
			y[i], less[i] = x[place], x[place]-z[i]
		}
		out = append(out, Case{
			Name: fmt.Sprint(n, " elements"), Race: n == 65,
			Args: map[string]any{"order": &Permutation{places}, "n": uint64(n), "x": &Array{Elem: dtype.F32, Values: x}, "y": &Array{Elem: dtype.F32, N: n}, "z": &Array{Elem: dtype.F32, Values: z}},
			Want: map[string]Truth{"y": {Y: y}, "z": {Y: less}},
		})
	}
	return out
}
