package csrcases

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/warpwright/warpwright/go/csr"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/numtest"
	"github.com/warpwright/warpwright/go/ref"
	"github.com/warpwright/warpwright/tests/harness"
)

// problem is a matrix on a device with a vector for each direction and the truth about both products.
type problem[W dtype.Float] struct {
	name  string
	m     *csr.Matrix[W]
	x     [2][]W // by direction
	truth [2]ref.Product
}

// newProblem uploads h with offsets of the width P, as the matrix is to have them.
func newProblem[W dtype.Float, P dtype.Offset](t harness.T, d *device.Device, name string, h csr.Host[W, P], w weights) *problem[W] {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(h.Rows), uint64(len(h.Columns))))
	return newProblemOf(t, d, name, h, w, [2][]W{vector[W](rng, h.Cols), vector[W](rng, h.Rows)})
}

func newProblemOf[W dtype.Float, P dtype.Offset](t harness.T, d *device.Device, name string, h csr.Host[W, P], w weights, x [2][]W) *problem[W] {
	t.Helper()
	var opts []csr.Option
	if w == one {
		opts = append(opts, csr.WithOneWeight())
	}
	if dtype.Of[P]() == dtype.I64 {
		opts = append(opts, csr.WithWideOffsets())
	}
	p := &problem[W]{name: fmt.Sprintf("%s/%s/%s/%s", name, dtype.Of[W](), dtype.Of[P](), w), x: x}
	p.m = harness.Must(csr.New(d, h, opts...))(t)
	if p.m.OffsetWidth() != dtype.Of[P]() || p.m.OneWeight() != (w == one) {
		t.Errorf("%s: the matrix is a %v", p.name, p.m)
	}
	a := ref.CSR[W, P](h)
	p.truth[csr.Gather] = harness.Must(a.MulVec(x[csr.Gather]))(t)
	p.truth[csr.Scatter] = harness.Must(a.MulVecT(x[csr.Scatter]))(t)
	p.truth[csr.Scatter].Flushes = d.Info().Kind == device.GPU
	return p
}

// guard is how many elements around y and x are watched. It is odd, so that vectors do not begin where
// allocations do.
const guard = 5

// check multiplies in one direction with a plan and compares. It returns the worst error as a share of
// its bound.
func (p *problem[W]) check(t harness.T, at csr.Direction, opts ...csr.PlanOption) float64 {
	t.Helper()
	plan := harness.Must(csr.NewPlan(p.m, append(opts, csr.Only(at))...))(t)
	defer harness.Close(t, plan)
	return p.multiply(t, plan, at)
}

func (p *problem[W]) multiply(t harness.T, plan *csr.Plan[W], at csr.Direction) float64 {
	t.Helper()
	product := plan.MulVec
	if at == csr.Scatter {
		product = plan.MulVecT
	}
	return p.verify(t, plan.Choice(at).String(), at, product)
}

// verify calls a product and compares what it leaves in y with the truth. y starts as NaN, so an element
// that is not written shows; x and what lies around both must stay as they were.
func (p *problem[W]) verify(t harness.T, what string, at csr.Direction, product func(s *device.Stream, y, x device.Slice[W]) error) float64 {
	t.Helper()
	name, d, truth := p.name+"/"+what, p.m.Device(), p.truth[at]
	x, y := padded(p.x[at]), padded(make([]W, len(truth.Y)))
	for i := range y {
		y[i] = dtype.FromFloat64[W](math.NaN())
	}
	xb, yb := harness.Must(device.Upload(d, x))(t), harness.Must(device.Upload(d, y))(t)
	defer harness.Close(t, xb)
	defer harness.Close(t, yb)
	xs, ys := inner(t, xb), inner(t, yb)
	version := yb.Version()
	if err := product(nil, ys, xs); err != nil {
		t.Errorf("%s: %v", name, err)
		return math.NaN()
	}
	if len(truth.Y) > 0 && yb.Version() == version {
		t.Errorf("%s: y's buffer does not know that it has been written", name)
	}
	gotX, gotY := harness.Must(xb.Host(nil))(t), harness.Must(yb.Host(nil))(t)
	for i := range x {
		if dtype.Bits(gotX[i]) != dtype.Bits(x[i]) {
			t.Errorf("%s: x has changed at %d of %d, from %v to %v", name, i-guard, len(p.x[at]), x[i], gotX[i])
			break
		}
	}
	for i := range guard {
		for _, at := range []int{i, len(y) - 1 - i} {
			if dtype.Bits(gotY[at]) != dtype.Bits(y[at]) {
				t.Errorf("%s: y[%d] has been written; y has %d elements", name, at-guard, len(truth.Y))
			}
		}
	}
	r := numtest.Check(gotY[guard:len(y)-guard], truth.Y, truth.Bound(dtype.Of[W]()))
	if err := r.Err(); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return r.Worst.Scaled()
}

// compare compares a product that came as a host vector.
func (p *problem[W]) compare(t harness.T, at csr.Direction, y []W, err error) {
	t.Helper()
	if err == nil {
		err = numtest.Check(y, p.truth[at].Y, p.truth[at].Bound(dtype.Of[W]())).Err()
	}
	if err != nil {
		t.Errorf("%s: %v: %v", p.name, at, err)
	}
}

// padded is v between guards of NaN.
func padded[W dtype.Float](v []W) []W {
	out := make([]W, len(v)+2*guard)
	for i := range out {
		out[i] = dtype.FromFloat64[W](math.NaN())
	}
	copy(out[guard:], v)
	return out
}

// inner is a padded buffer without its guards.
func inner[W dtype.Float](t harness.T, b *device.Buffer[W]) device.Slice[W] {
	t.Helper()
	return harness.Must(b.All().Slice(guard, b.Len()-guard))(t)
}
