// Package ref is the ground truth: each operator computed in float64, serially
// and as plainly as it can be said, from inputs that are already rounded to the
// kernel's own type. So a comparison measures the kernel's error and nothing
// else.
//
// Next to each result stands what bounds the error of any correct kernel, in
// whatever order it sums: the sum of the magnitudes of the terms, and how often
// a term is rounded on its way. Only tests, numtest and commands import ref.
package ref

import (
	"fmt"
	"math"

	"github.com/warpwright/warpwright/go/dtype"
)

// CSR is a sparse matrix by rows: the entries of row r stand at Offsets[r] to
// Offsets[r+1]. Weights holds one weight per entry, or a single one for all.
type CSR[W dtype.Float, P dtype.Offset] struct {
	Rows, Cols int
	Offsets    []P
	Columns    []int32
	Weights    []W
}

// MulVec returns y = A x.
func (a CSR[W, P]) MulVec(x []W) (Product, error) {
	if err := a.check(x, a.Cols); err != nil {
		return Product{}, fmt.Errorf("ref: y = A x: %w", err)
	}
	y := newSums(a.Rows)
	for r := range a.Rows {
		for i := a.Offsets[r]; i < a.Offsets[r+1]; i++ {
			y.add(r, a.weight(i), dtype.ToFloat64(x[a.Columns[i]]))
		}
	}
	return y.product(a.depth), nil
}

// MulVecT returns y = Aᵀ x.
func (a CSR[W, P]) MulVecT(x []W) (Product, error) {
	if err := a.check(x, a.Rows); err != nil {
		return Product{}, fmt.Errorf("ref: y = Aᵀ x: %w", err)
	}
	y := newSums(a.Cols)
	for r := range a.Rows {
		for i := a.Offsets[r]; i < a.Offsets[r+1]; i++ {
			y.add(int(a.Columns[i]), a.weight(i), dtype.ToFloat64(x[r]))
		}
	}
	return y.product(a.depth), nil
}

func (a CSR[W, P]) weight(i P) float64 {
	if len(a.Weights) == 1 {
		return dtype.ToFloat64(a.Weights[0])
	}
	return dtype.ToFloat64(a.Weights[i])
}

// depth is how many roundings bound the error of a sum of n products: one for
// the product and n-1 additions, in any order. A single weight may be
// multiplied last, onto a sum that is already off: one more covers that.
func (a CSR[W, P]) depth(n int) int {
	if len(a.Weights) == 1 && n > 1 {
		return n + 1
	}
	return n
}

// check finds what would make the loops above read outside a slice.
func (a CSR[W, P]) check(x []W, want int) error {
	nnz := len(a.Columns)
	switch {
	case a.Rows < 0 || a.Cols < 0:
		return fmt.Errorf("the matrix is %d x %d", a.Rows, a.Cols)
	case len(a.Offsets) != a.Rows+1:
		return fmt.Errorf("%d offsets, want rows + 1 = %d", len(a.Offsets), a.Rows+1)
	case a.Offsets[0] != 0 || int64(a.Offsets[a.Rows]) != int64(nnz):
		return fmt.Errorf("offsets go from %d to %d, want 0 to %d, the number of columns", a.Offsets[0], a.Offsets[a.Rows], nnz)
	case len(a.Weights) != nnz && len(a.Weights) != 1:
		return fmt.Errorf("%d weights, want 1 or %d", len(a.Weights), nnz)
	case len(x) != want:
		return fmt.Errorf("x has %d elements, want %d", len(x), want)
	}
	for r := range a.Rows {
		if a.Offsets[r] > a.Offsets[r+1] {
			return fmt.Errorf("offset %d is %d, more than the next, %d", r, a.Offsets[r], a.Offsets[r+1])
		}
	}
	for i, c := range a.Columns {
		if c < 0 || int(c) >= a.Cols {
			return fmt.Errorf("column %d is %d, want 0 to %d", i, c, a.Cols-1)
		}
	}
	return nil
}

// Product is a vector of sums with what bounds the error of each.
type Product struct {
	Y     []float64 // the sums, each within 2^-53 |Y| of the exact one
	Abs   []float64 // the sums of the magnitudes of the same terms
	Terms []int     // how many terms each has
	Depth []int     // the roundings that bound its error, as a multiple of Abs

	// Flushes says that the result was summed with f32 atomics in a GPU's global memory, which take
	// numbers below the normal range for zero (PTX ISA, atom and red, .add.f32). It widens Bound.
	Flushes bool
}

// Bound returns, for each element, how far from Y the result of a correct
// kernel of type t can be at worst:
//
//	Depth eps(acc) Abs    n roundings, each of at most eps of what it rounds; for
//	                      sums of products this holds to all orders and for any
//	                      n (Jeannerod and Rump 2013), so nothing is left out
//	+ Terms tiny(acc)/2   what products lose below the normal range
//	+ 3 Terms 2^-126      where Flushes: both operands and the result of each f32 addition
//	+ eps(t) |y| + tiny(t)/2   the rounding on the way out, where acc is not t
//	+ eps(f64) |Y|        the rounding of Y itself
//
// acc is the accumulator's type, f64 for f64 and f32 for all else.
func (p Product) Bound(t dtype.Type) []float64 {
	acc := t.Accumulator()
	bound := make([]float64, len(p.Y))
	for i, y := range p.Y {
		if p.Terms[i] == 0 {
			continue // an empty sum is exactly zero
		}
		b := float64(p.Depth[i])*acc.Eps()*p.Abs[i] + float64(p.Terms[i])*acc.Tiny()/2
		if p.Flushes && acc == dtype.F32 {
			b += 3 * float64(p.Terms[i]) * 0x1p-126
		}
		if acc != t {
			b += t.Eps()*(math.Abs(y)+b) + t.Tiny()/2
		}
		bound[i] = b + dtype.F64.Eps()*math.Abs(y)
	}
	return bound
}

// sums holds each sum in two float64 numbers, the value and what its rounding
// left over, which gives about 106 bits.
type sums struct {
	hi, lo, abs []float64
	terms       []int
}

func newSums(n int) sums {
	return sums{make([]float64, n), make([]float64, n), make([]float64, n), make([]int, n)}
}

// add adds w*x to element i.
func (s sums) add(i int, w, x float64) {
	p := w * x
	e := math.FMA(w, x, -p) // exactly what the product's rounding lost
	s.abs[i] += math.Abs(p)
	s.terms[i]++
	t, d := twoSum(s.hi[i], p)
	if math.IsInf(t, 0) || math.IsNaN(t) { // no left-overs there: Inf - Inf is NaN
		s.hi[i], s.lo[i] = t, 0
		return
	}
	s.hi[i], s.lo[i] = twoSum(t, d+s.lo[i]+e)
}

// twoSum returns a+b rounded, and exactly what that rounding lost (Knuth).
func twoSum(a, b float64) (sum, lost float64) {
	sum = a + b
	bb := sum - a
	return sum, (a - (sum - bb)) + (b - bb)
}

func (s sums) product(depth func(n int) int) Product {
	// hi is already hi+lo rounded.
	p := Product{Y: s.hi, Abs: s.abs, Terms: s.terms, Depth: make([]int, len(s.hi))}
	for i, n := range s.terms {
		p.Depth[i] = depth(n)
	}
	return p
}
