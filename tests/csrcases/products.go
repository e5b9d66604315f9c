package csrcases

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/csr"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/kernels/csrkernels"
	"github.com/warpwright/warpwright/tests/harness"
)

var directions = [...]csr.Direction{csr.Gather, csr.Scatter}

// Entries multiplies with every tier, element type, width of offsets and kind of weights that there is.
// On a device that counts launches it then fails unless each entry of the family was launched.
func Entries(t harness.T, d *device.Device) {
	taken := harness.Watch(t, d)
	entriesOf[float32](t, d, taken)
	entriesOf[float64](t, d, taken)
	entriesOf[dtype.Float16](t, d, taken)
	entriesOf[dtype.BFloat16](t, d, taken)
	if d.Launches() {
		taken.Want(csrkernels.Entries())
	}
}

func entriesOf[W dtype.Float](t harness.T, d *device.Device, taken *harness.Taken) {
	t.Helper()
	entriesWith[W, int32](t, d, one, taken)
	entriesWith[W, int32](t, d, each, taken)
	entriesWith[W, int64](t, d, one, taken)
	entriesWith[W, int64](t, d, each, taken)
}

func entriesWith[W dtype.Float, P dtype.Offset](t harness.T, d *device.Device, w weights, taken *harness.Taken) {
	t.Helper()
	size := harness.SizeFor(t, d)
	for _, at := range directions {
		for _, tier := range csr.Tiers(at) {
			// Under ThreadSanitizer two blocks, so that races between blocks show, are what time allows.
			rows := 37
			switch {
			case size == harness.TSan && tier.Kernel == "csr_mv_block":
				rows = 2
			case size == harness.TSan && tier.Lanes != 0:
				rows = 256/tier.Lanes + 3
			}
			s := shape{name: tier.String(), rows: rows, cols: 13, row: upTo(70)}
			if perBlock(tier) == 0 || !d.Launches() {
				entry[W, P](t, d, s, at, tier, w, taken, false)
				continue
			}
			// A few rows take the variant. Many do not, but would take long under ThreadSanitizer.
			entry[W, P](t, d, s, at, tier, w, taken, true)
			if size != harness.TSan {
				s = shape{name: tier.String() + ", rows beyond its grid", rows: beyond(d, tier), cols: 13, row: upTo(2)}
				entry[W, P](t, d, s, at, tier, w, taken, false)
			}
		}
	}
}

// entry multiplies with a tier and notes the entries that serve it; where the kernel has a variant for matrices of few rows, with the
// entry that does without it too.
func entry[W dtype.Float, P dtype.Offset](t harness.T, d *device.Device, s shape, at csr.Direction, tier csr.Tier, w weights, taken *harness.Taken, few bool) {
	t.Helper()
	h := build[W, P](s, w, 1)
	p := newProblem(t, d, s.name, h, w)
	defer harness.Close(t, p.m)
	plan := harness.Must(csr.NewPlan(p.m, csr.WithTier(at, tier), csr.Only(at)))(t)
	defer harness.Close(t, plan)
	c := plan.Choice(at)
	for _, entry := range []string{c.Entry, c.Rounding} {
		if entry != "" {
			taken.Chosen(entry)
		}
	}
	if few {
		base := alike(t, p, plan, h, "once")
		if harness.SizeFor(t, d) == harness.TSan {
			taken.Chosen(base) // by hand
		}
		return
	}
	if want := "; not once: once(M, block"; perBlock(tier) > 0 && d.Launches() && !strings.Contains(c.Reason, want) {
		t.Errorf("%s: %d rows: the reason is %q, want %q in it", p.name, h.Rows, c.Reason, want)
	}
	p.multiply(t, plan, at)
}

// Shapes returns a case for each element type: matrices of every shape in both directions, with the tier
// that the plan chooses and with all the others.
func Shapes() []harness.Case {
	return []harness.Case{
		{Name: "shapes/f32", Run: shapesOf[float32]},
		{Name: "shapes/f64", Run: shapesOf[float64]},
		{Name: "shapes/f16", Run: shapesOf[dtype.Float16]},
		{Name: "shapes/bf16", Run: shapesOf[dtype.BFloat16]},
	}
}

func shapesOf[W dtype.Float](t harness.T, d *device.Device) {
	size := harness.SizeFor(t, d)
	worst, products := 0.0, 0
	for i, s := range shapes(size) {
		// Where a launch is slow, each shape has one of the four kinds of matrix, in turn.
		kinds := []int{i % 4}
		if size == harness.CPU || size == harness.GPU && s.rows*s.cols < 1<<24 {
			kinds = []int{0, 1, 2, 3}
		}
		for _, kind := range kinds {
			w := weights(kind % 2)
			var share float64
			var n int
			if kind < 2 {
				share, n = shapeWith[W, int32](t, d, s, w)
			} else {
				share, n = shapeWith[W, int64](t, d, s, w)
			}
			worst, products = max(worst, share), products+n
		}
	}
	t.Logf("%d products, the worst error %.3g of its bound", products, worst)
}

func shapeWith[W dtype.Float, P dtype.Offset](t harness.T, d *device.Device, s shape, w weights) (worst float64, products int) {
	t.Helper()
	p := newProblem(t, d, s.name, build[W, P](s, w, 2), w)
	defer harness.Close(t, p.m)
	for _, at := range directions {
		worst = max(worst, p.check(t, at))
		products++
		if !d.Launches() {
			continue // Go has one way
		}
		for _, tier := range csr.Tiers(at) {
			// A few threads would walk a row of millions of entries for seconds.
			if s.rows == 1 && p.m.Entries() > 1<<20 && tier.Kernel != "csr_mv_block" {
				continue
			}
			if harness.SizeFor(t, d) == harness.TSan && tier.Kernel == "csr_mv_block" && s.rows > 4 {
				continue // a block a row is too many of them
			}
			worst = max(worst, p.check(t, at, csr.WithTier(at, tier)))
			products++
		}
	}
	return worst, products
}

// Values returns a case for each element type: infinities, NaN, numbers below the normal range, sums that
// cancel, sums that leave the type's range.
func Values() []harness.Case {
	return []harness.Case{
		{Name: "values/f32", Run: valuesOf[float32]},
		{Name: "values/f64", Run: valuesOf[float64]},
		{Name: "values/f16", Run: valuesOf[dtype.Float16]},
		{Name: "values/bf16", Run: valuesOf[dtype.BFloat16]},
	}
}

func valuesOf[W dtype.Float](t harness.T, d *device.Device) {
	ty := dtype.Of[W]()
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name   string
		values []float64 // taken in turn for x and, where each entry has its own, for the weights
	}{
		{"ones", []float64{1}},
		{"zeros", []float64{0, math.Copysign(0, -1)}},
		{"cancelling", []float64{1000, -1000, 1, 0.001, -1}},
		{"tiny", []float64{ty.Tiny(), 3 * ty.Tiny(), -ty.Tiny(), 1}},
		{"wide", []float64{1, 0x1p-12, 0x1p10, -0x1p-8, 0x1p4}},
		{"infinity", []float64{1, 2, 3, 4, 5, 6, inf}},
		{"both infinities", []float64{1, inf, 3, -inf, 2}},
		{"nan", []float64{1, 2, 3, nan, 5, 6, 7, 8, 9}},
	} {
		for _, w := range []weights{one, each} {
			s := shape{name: "values " + c.name, rows: 23, cols: 31, row: upTo(12)}
			h := build[W, int32](s, w, 3)
			if w == one {
				h.Weights[0] = dtype.FromFloat64[W](3)
			}
			x := [2][]W{make([]W, h.Cols), make([]W, h.Rows)}
			lists := [][]W{x[0], x[1]}
			if w == each {
				lists = append(lists, h.Weights)
			}
			for _, list := range lists {
				for i := range list {
					list[i] = dtype.FromFloat64[W](c.values[i%len(c.values)])
				}
			}
			everyTier(t, d, newProblemOf(t, d, s.name, h, w, x))
		}
	}
	// Two terms of 2/3 of the largest number: their sum is too large for the type. What is too large only
	// on the way is right where the accumulator holds it.
	big := dtype.FromFloat64[W](ty.Max() / 3 * 2)
	minus := dtype.FromFloat64[W](-dtype.ToFloat64(big))
	unit := dtype.FromFloat64[W](1)
	h := csr.Host[W, int32]{Rows: 2, Cols: 3, Offsets: []int32{0, 2, 3}, Columns: []int32{0, 1, 2}, Weights: []W{big, big, minus}}
	everyTier(t, d, newProblemOf(t, d, "overflow", h, each, [2][]W{{unit, unit, unit}, {unit, unit}}))
	if ty == dtype.F16 { // the others' accumulators have no more room than they
		h.Offsets, h.Columns = []int32{0, 3, 3}, []int32{0, 1, 0}
		everyTier(t, d, newProblemOf(t, d, "overflow on the way", h, each, [2][]W{{unit, unit, unit}, {unit, unit}}))
	}
}

// everyTier checks both directions with each tier, then closes the matrix. Where a launch is slow one
// tier stands for all: what values do is in the arithmetic, which they share.
func everyTier[W dtype.Float](t harness.T, d *device.Device, p *problem[W]) {
	t.Helper()
	defer harness.Close(t, p.m)
	for _, at := range directions {
		tiers := csr.Tiers(at)
		if !d.Launches() || harness.SizeFor(t, d) == harness.TSan {
			tiers = tiers[:1]
		}
		for _, tier := range tiers {
			p.check(t, at, csr.WithTier(at, tier))
		}
	}
}

// Choices checks that a plan without options takes, for rows of every length, the tier that the device's
// table gives, and says why.
func Choices(t harness.T, d *device.Device) {
	for _, at := range directions {
		operator := [...]string{"csr_mv", "csr_mvt"}[at]
		table, ok := csrkernels.Tiers(operator, d.Info().Arch)
		if !d.Launches() {
			p := newProblem(t, d, "choice", build[float32, int32](shape{rows: 3, cols: 4, row: exactly(2)}, each, 4), each)
			defer harness.Close(t, p.m)
			plan := harness.Must(csr.NewPlan(p.m))(t)
			defer harness.Close(t, plan)
			if c := plan.Choice(at); c.Kernel != "Go" || c.Entry != "" || c.Direction != at || c.Reason == "" {
				t.Errorf("a device that launches nothing chose %+v", c)
			}
			continue
		}
		if !ok {
			t.Fatalf("there is no table of %s for sm_%d", operator, d.Info().Arch)
		}
		var kernels []string
		for i, row := range table.Tiers {
			n := int(math.Ceil(row.From))
			h := build[float32, int32](shape{name: "choice", rows: 2, cols: 900, row: exactly(n)}, each, 4)
			p := newProblem(t, d, fmt.Sprintf("%d a row", n), h, each)
			plan := harness.Must(csr.NewPlan(p.m))(t)
			c := plan.Choice(at)
			if c.Kernel != row.Kernel || fmt.Sprint(c.Tier.Lanes) != cmp.Or(row.Types["S"], "0") {
				t.Errorf("row %d of the table of %s, from %g: the plan chose %v", i, operator, row.From, c)
			}
			if c.Reason == "" || c.Entry == "" || c.Direction != at {
				t.Errorf("the choice says too little: %+v", c)
			}
			if !slices.Contains(kernels, c.Kernel) {
				kernels = append(kernels, c.Kernel)
			}
			p.multiply(t, plan, at)
			harness.Close(t, plan)
			harness.Close(t, p.m)
		}
		if want := [...]int{3, 1}[at]; len(kernels) != want {
			t.Errorf("plans of %s chose the kernels %v; there are %d", operator, kernels, want)
		}
	}
}

// HostVectors multiplies vectors in host memory.
func HostVectors(t harness.T, d *device.Device) {
	hostVectors[float32](t, d)
	hostVectors[dtype.Float16](t, d)
}

func hostVectors[W dtype.Float](t harness.T, d *device.Device) {
	t.Helper()
	s := shape{name: "host vectors", rows: 40, cols: 30, row: upTo(9)}
	p := newProblem(t, d, s.name, build[W, int32](s, each, 5), each)
	defer harness.Close(t, p.m)
	for range 2 { // the second time with the plans of the first
		y, err := p.m.MulVec(t.Context(), p.x[csr.Gather])
		p.compare(t, csr.Gather, y, err)
		y, err = p.m.MulVecT(t.Context(), p.x[csr.Scatter])
		p.compare(t, csr.Scatter, y, err)
	}
}

// Repeated makes a gather twice and wants the same bits: its order of additions is fixed.
func Repeated(t harness.T, d *device.Device) {
	rows := harness.Pick(harness.SizeFor(t, d), 20, 90, 9000, 90_000)
	s := shape{name: "repeated", rows: rows, cols: 1000, row: upTo(200)}
	h := build[float32, int32](s, each, 6)
	m := harness.Must(csr.New(d, h))(t)
	defer harness.Close(t, m)
	x := vector[float32](rand.New(rand.NewPCG(7, 7)), h.Cols)
	first := harness.Must(m.MulVec(t.Context(), x))(t)
	second := harness.Must(m.MulVec(t.Context(), x))(t)
	if !slices.Equal(first, second) {
		t.Errorf("two gathers of the same vector differ")
	}
}
