package ref

import (
	"fmt"
	"math"

	"github.com/warpwright/warpwright/go/dtype"
)

// Gemm is C = alpha A B + beta C of matrices that lie row by row: A has M rows and K columns, B K rows and N
// columns. Alpha and Beta are numbers that the accumulator's type holds.
type Gemm[W dtype.Float] struct {
	M, N, K     int
	Alpha, Beta float64
	A, B, C     []W
}

// Product returns the new C. Where Beta is 0, the old one does not count.
//
// A sum of K products is off by at most K eps of the products' magnitudes; the product with Alpha and the
// addition of Beta C, itself a product, are two roundings more of all that. What these make of the errors before
// them is below another eps as long as K is below 2^20.
func (g Gemm[W]) Product() (Product, error) {
	switch {
	case g.M < 0 || g.N < 0 || g.K < 0 || g.K >= 1<<20:
		return Product{}, fmt.Errorf("ref: gemm of %d x %d with %d between: requires sizes >= 0, and below 2^20 between", g.M, g.N, g.K)
	case len(g.A) != g.M*g.K || len(g.B) != g.K*g.N || len(g.C) != g.M*g.N:
		return Product{}, fmt.Errorf("ref: gemm of %d x %d with %d between: a has %d cells, b %d, c %d", g.M, g.N, g.K, len(g.A), len(g.B), len(g.C))
	}
	s := newSums(g.M * g.N)
	for r := range g.M {
		for i := range g.K {
			x := dtype.ToFloat64(g.A[r*g.K+i])
			for j := range g.N {
				s.add(r*g.N+j, x, dtype.ToFloat64(g.B[i*g.N+j]))
			}
		}
	}
	for i := range s.hi {
		s.scale(i, g.Alpha)
		if g.Beta != 0 {
			s.add(i, g.Beta, dtype.ToFloat64(g.C[i]))
		}
		if s.terms[i] > 0 {
			// What a product loses below the normal range is multiplied by Alpha too; two more are lost after that.
			s.terms[i] = int(math.Ceil(float64(g.K)*min(max(math.Abs(g.Alpha), 1), 1<<30))) + 2
		}
	}
	return s.product(func(int) int { return g.K + 3 }), nil
}

// scale multiplies element i.
func (s sums) scale(i int, by float64) {
	s.abs[i] *= math.Abs(by)
	p := by * s.hi[i]
	if math.IsInf(p, 0) || math.IsNaN(p) {
		s.hi[i], s.lo[i] = p, 0
		return
	}
	s.hi[i], s.lo[i] = twoSum(p, math.FMA(by, s.hi[i], -p)+by*s.lo[i])
}
