package gemmcases

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/gemm"
	"github.com/warpwright/warpwright/go/numtest"
	"github.com/warpwright/warpwright/go/ref"
	"github.com/warpwright/warpwright/tests/harness"
)

// problem is the operands of a product in host memory, with the truth about it.
type problem[W dtype.Float] struct {
	ref.Gemm[W]
	truth ref.Product
	bound []float64
}

// newProblem fills C of m by n and its operands with what next gives, in turn.
func newProblem[W dtype.Float](t harness.T, m, n, k int, alpha, beta float64, next func() float64) *problem[W] {
	t.Helper()
	fill := func(n int) []W {
		v := make([]W, n)
		for i := range v {
			v[i] = dtype.FromFloat64[W](next())
		}
		return v
	}
	p := &problem[W]{Gemm: ref.Gemm[W]{M: m, N: n, K: k, Alpha: alpha, Beta: beta, A: fill(m * k), B: fill(k * n), C: fill(m * n)}}
	p.truth = harness.Must(p.Product())(t)
	p.bound = p.truth.Bound(dtype.Of[W]())
	return p
}

// drawn is a problem of normally distributed numbers; the same shape gives the same.
func drawn[W dtype.Float](t harness.T, m, n, k int, alpha, beta float64) *problem[W] {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(m)<<32|uint64(n), uint64(k)))
	return newProblem[W](t, m, n, k, alpha, beta, rng.NormFloat64)
}

func (p *problem[W]) String() string {
	return fmt.Sprintf("%s %d x %d, %d between, alpha %g, beta %g", dtype.Of[W](), p.M, p.N, p.K, p.Alpha, p.Beta)
}

// How many elements around each matrix are watched: so many that it is aligned as allocations are, or so few that it is
// to its elements alone.
const (
	even = 32
	odd  = 5
)

// check multiplies with a plan and compares. It returns the worst error as a share of its bound.
func (p *problem[W]) check(t harness.T, d *device.Device, opts ...gemm.PlanOption) float64 {
	t.Helper()
	plan := harness.Must(gemm.NewPlan[W](d, p.M, p.N, p.K, opts...))(t)
	return p.verify(t, d, plan.Choice().String(), plan.Multiply)
}

// product is how verify has one computed: as by a plan.
type product[W dtype.Float] func(s *device.Stream, alpha float64, a, b gemm.Matrix[W], beta float64, c gemm.Matrix[W]) error

// verify calls a product, of matrices that are aligned and of ones that are not, and compares what it leaves in C with
// the truth. Where beta is 0, C starts as NaN, so a cell that is not written, or read after all, shows; A, B and what
// lies around all three must stay as they were.
func (p *problem[W]) verify(t harness.T, d *device.Device, what string, multiply product[W]) float64 {
	t.Helper()
	return max(p.between(t, d, even, what, multiply), p.between(t, d, odd, what, multiply))
}

// between verifies with guards of one width.
func (p *problem[W]) between(t harness.T, d *device.Device, guard int, what string, multiply product[W]) float64 {
	t.Helper()
	name := fmt.Sprintf("%v: %s: at element %d", p, what, guard)
	old := p.C
	if p.Beta == 0 {
		old = make([]W, len(p.C))
		for i := range old {
			old[i] = dtype.FromFloat64[W](math.NaN())
		}
	}
	a, b, c := place(t, d, guard, p.M, p.K, p.A), place(t, d, guard, p.K, p.N, p.B), place(t, d, guard, p.M, p.N, old)
	for _, o := range []*operand[W]{a, b, c} {
		defer harness.Close(t, o.buffer)
	}
	version := c.buffer.Version()
	if err := multiply(nil, p.Alpha, a.matrix, b.matrix, p.Beta, c.matrix); err != nil {
		t.Errorf("%s: %v", name, err)
		return math.NaN()
	}
	if len(p.C) > 0 && c.buffer.Version() == version {
		t.Errorf("%s: C's buffer does not know that it has been written", name)
	}
	a.kept(t, name, "A", func(int) bool { return true })
	b.kept(t, name, "B", func(int) bool { return true })
	got := c.kept(t, name, "C", func(i int) bool { return i < 0 || i >= len(p.C) })
	r := numtest.Check(got, p.truth.Y, p.bound)
	if err := r.Err(); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return r.Worst.Scaled()
}

// operand is a matrix on a device between guards of NaN.
type operand[W dtype.Float] struct {
	guard  int
	host   []W // as it was uploaded, guards included
	buffer *device.Buffer[W]
	matrix gemm.Matrix[W]
}

func place[W dtype.Float](t harness.T, d *device.Device, guard, rows, cols int, cells []W) *operand[W] {
	t.Helper()
	o := &operand[W]{guard: guard, host: make([]W, len(cells)+2*guard)}
	for i := range o.host {
		o.host[i] = dtype.FromFloat64[W](math.NaN())
	}
	copy(o.host[guard:], cells)
	o.buffer = harness.Must(device.Upload(d, o.host))(t)
	inner := harness.Must(o.buffer.All().Slice(guard, len(o.host)-guard))(t)
	o.matrix = harness.Must(gemm.NewMatrix(rows, cols, inner))(t)
	return o
}

// kept fails if an element has changed that must not; the matrix begins at 0, the guard before it below that. It
// returns the matrix.
func (o *operand[W]) kept(t harness.T, name, what string, must func(i int) bool) []W {
	t.Helper()
	got, guard := harness.Must(o.buffer.Host(nil))(t), o.guard
	for at := range got {
		if i := at - guard; must(i) && dtype.Bits(got[at]) != dtype.Bits(o.host[at]) {
			t.Errorf("%s: %s[%d] of %d has changed, from %v to %v", name, what, i, len(got)-2*guard, o.host[at], got[at])
			break
		}
	}
	return got[guard : len(got)-guard]
}
