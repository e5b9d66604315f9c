package gemmcases

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/gemm"
	"github.com/warpwright/warpwright/go/kernels/gemmkernels"
	"github.com/warpwright/warpwright/go/numtest"
	"github.com/warpwright/warpwright/tests/harness"
)

// Entries multiplies with every tier and element type that there is. On a device that counts launches it then
// fails unless each entry of the family was launched.
func Entries(t harness.T, d *device.Device) {
	taken := harness.Watch(t, d)
	entriesOf[float32](t, d, taken)
	entriesOf[float64](t, d, taken)
	entriesOf[dtype.Float16](t, d, taken)
	entriesOf[dtype.BFloat16](t, d, taken)
	if d.Launches() {
		taken.Want(gemmkernels.Entries())
	}
}

func entriesOf[W dtype.Float](t harness.T, d *device.Device, taken *harness.Taken) {
	t.Helper()
	for _, tier := range gemm.Tiers[W]() {
		for _, s := range [][3]int{{9, 17, 5}, {9, 20, 8}, {128, 128, 16}} { // the last two for variants
			if s[0] > 9 && tier.Kernel == "gemm_cell" {
				continue
			}
			plan := harness.Must(gemm.NewPlan[W](d, s[0], s[1], s[2], gemm.WithTier(tier)))(t)
			taken.Chosen(plan.Choice().Entry)
			for _, beta := range []float64{-0.75, 0} {
				drawn[W](t, s[0], s[1], s[2], 1.5, beta).verify(t, d, plan.Choice().String(), plan.Multiply)
			}
		}
	}
}

// shapes are m, n and k that break things: nothing, one, the widths of tiles and blocks, and their neighbours.
func shapes(size harness.Size) [][3]int {
	out := [][3]int{{0, 0, 0}, {1, 1, 0}, {1, 1, 1}, {3, 0, 5}, {0, 3, 5}, {17, 15, 3}, {2, 3, 33}}
	if size == harness.TSan {
		return out
	}
	out = append(out, [][3]int{
		{5, 3, 0}, {16, 16, 16}, {15, 17, 31}, {17, 17, 17}, {32, 32, 15}, {1, 33, 2}, {33, 1, 2}, {1, 1, 257}, {47, 49, 16},
		{63, 65, 7}, {64, 64, 16}, {65, 64, 17}, {100, 100, 100}, {128, 64, 32}, {127, 68, 16}, {129, 63, 15}, {192, 128, 17},
	}...)
	if size == harness.Emu {
		return out
	}
	// For Go's bands and panels.
	out = append(out, [][3]int{{64, 256, 64}, {65, 257, 65}, {130, 300, 129}, {3, 1000, 200}, {1000, 3, 200}, {1, 40_000, 17}, {40_000, 1, 17}}...)
	if size == harness.CPU {
		return out
	}
	return append(out, [][3]int{{257, 255, 517}, {512, 512, 512}, {1000, 3, 1000}, {1_000_003, 1, 5}, {777, 1025, 300}}...)
}

// factors are alpha and beta, in turn.
var factors = [][2]float64{{1, 0}, {1.5, -0.75}, {-1, 1}, {0, 2}, {3, 0}}

// Shapes multiplies matrices of every shape, with the tier that the plan chooses and with all the others.
func Shapes[W dtype.Float](t harness.T, d *device.Device) {
	worst, products := 0.0, 0
	for i, s := range shapes(harness.SizeFor(t, d)) {
		f := factors[i%len(factors)]
		p := drawn[W](t, s[0], s[1], s[2], f[0], f[1])
		worst = max(worst, p.check(t, d))
		products++
		if !d.Launches() {
			continue // Go has one way
		}
		for _, tier := range gemm.Tiers[W]() {
			worst = max(worst, p.check(t, d, gemm.WithTier(tier)))
			products++
		}
	}
	t.Logf("%d products, the worst error %.3g of its bound", products, worst)
}

// Values multiplies infinities, NaN, numbers below the normal range, sums that cancel, sums that leave the type's
// range.
func Values[W dtype.Float](t harness.T, d *device.Device) {
	ty := dtype.Of[W]()
	inf, nan := math.Inf(1), math.NaN()
	big := ty.Max() / 3 * 2
	for _, c := range []struct {
		name        string
		alpha, beta float64
		values      []float64 // taken in turn for A, B and C
	}{
		{"ones", 1, 1, []float64{1}},
		{"zeros", 1, 1, []float64{0, math.Copysign(0, -1)}},
		{"cancelling", 1, -1, []float64{1000, -1000, 1, 0.001, -1}},
		{"tiny", 1, 1, []float64{ty.Tiny(), 3 * ty.Tiny(), -ty.Tiny(), 1}},
		{"tiny and large factors", 1024, 0.5, []float64{ty.Tiny(), 3 * ty.Tiny(), -ty.Tiny(), 1}},
		{"wide", 0.375, 2, []float64{1, 0x1p-12, 0x1p10, -0x1p-8, 0x1p4}},
		{"infinity", 1, 0, []float64{1, 2, 3, 4, 5, 6, inf}},
		{"both infinities", 1, 1, []float64{1, inf, 3, -inf, 2}},
		{"nan", 1, 1, []float64{1, 2, 3, nan, 5, 6, 7, 8, 9}},
		{"too large at last", 1, 1, []float64{1, big}},
	} {
		m, n, k := 19, 18, 7
		if c.name == "too large at last" {
			m, n, k = 1, 1, 1 // big plus big: nothing is too large before the addition of C
		}
		at := 0
		p := newProblem[W](t, m, n, k, c.alpha, c.beta, func() float64 {
			at++
			return c.values[at%len(c.values)]
		})
		if c.name == "too large at last" {
			p.A[0], p.B[0], p.C[0] = dtype.FromFloat64[W](big), dtype.FromFloat64[W](1), dtype.FromFloat64[W](big)
			p.truth = harness.Must(p.Product())(t)
			p.bound = p.truth.Bound(ty)
		}
		for _, tier := range gemm.Tiers[W]() {
			p.check(t, d, gemm.WithTier(tier))
		}
	}
}

// Choices checks that a plan without options takes, for matrices of every size, the tier that the device's table
// gives, and says why.
func Choices(t harness.T, d *device.Device) {
	if !d.Launches() {
		plan := harness.Must(gemm.NewPlan[float32](d, 100, 100, 100))(t)
		if c := plan.Choice(); c.Kernel != "Go" || c.Entry != "" || c.Reason == "" {
			t.Errorf("a device that launches nothing chose %+v", c)
		}
		return
	}
	table, ok := gemmkernels.Tiers("gemm", d.Info().Arch)
	if !ok {
		t.Fatalf("there is no table of gemm for sm_%d", d.Info().Arch)
	}
	for i, row := range table.Tiers {
		side := max(int(math.Ceil(row.From)), 1)
		plan := harness.Must(gemm.NewPlan[float32](d, side, side+3, 3))(t)
		c := plan.Choice()
		if c.Kernel != row.Kernel || row.Types["H"] != "" && row.Types["H"] != fmt.Sprint(c.Tier.Rows) {
			t.Errorf("row %d of the table, from %g: the plan chose %v", i, row.From, c)
		}
		if c.Reason == "" || c.Entry == "" {
			t.Errorf("the choice says too little: %+v", c)
		}
	}
	// The facts of a shape choose among a kernel's variants, and the reason says what a stronger one lacks.
	for k, entry := range map[int]string{3: "gemm_cell_f64", 4: "gemm_cell_f64_fours"} {
		c := harness.Must(gemm.NewPlan[float64](d, 1000, 1000, k))(t).Choice()
		if c.Entry != entry || !strings.Contains(c.Reason, "f64") || strings.Contains(c.Reason, "K % 4 == 0") != (k == 3) {
			t.Errorf("f64, %d between: the plan chose %+v", k, c)
		}
	}
}

// HostMatrices multiplies matrices in host memory.
func HostMatrices(t harness.T, d *device.Device) {
	hostMatrices[float32](t, d)
	hostMatrices[dtype.Float16](t, d)
}

func hostMatrices[W dtype.Float](t harness.T, d *device.Device) {
	t.Helper()
	for _, s := range [][3]int{{9, 20, 13}, {0, 3, 2}, {2, 3, 0}} {
		p := drawn[W](t, s[0], s[1], s[2], 1, 0)
		c, err := gemm.Multiply(t.Context(), d, gemm.Host[W]{Rows: p.M, Cols: p.K, Cells: p.A}, gemm.Host[W]{Rows: p.K, Cols: p.N, Cells: p.B})
		if err == nil {
			err = numtest.Check(c.Cells, p.truth.Y, p.bound).Err()
		}
		if err != nil || c.Rows != p.M || c.Cols != p.N {
			t.Errorf("%v: a result of %d x %d, error %v", p, c.Rows, c.Cols, err)
		}
	}
}

// Repeated makes a product twice and wants the same bits: the order of additions is fixed.
func Repeated(t harness.T, d *device.Device) {
	side := harness.Pick(harness.SizeFor(t, d), 17, 70, 300, 1000)
	rng := rand.New(rand.NewPCG(7, 7))
	m := gemm.Host[float32]{Rows: side, Cols: side, Cells: make([]float32, side*side)}
	for i := range m.Cells {
		m.Cells[i] = float32(rng.NormFloat64())
	}
	first := harness.Must(gemm.Multiply(t.Context(), d, m, m))(t)
	second := harness.Must(gemm.Multiply(t.Context(), d, m, m))(t)
	if !slices.Equal(first.Cells, second.Cells) {
		t.Errorf("two products of the same matrices differ")
	}
}

// Capture wants a captured product computed at each replay, from what its operands hold then, by the entry that the operands' places
// chose when it was captured; and none any more once an operand is closed.
func Capture(t harness.T, d *device.Device) {
	for _, c := range []struct {
		tier    gemm.Tier
		m, n, k int
		guard   int
		entry   string
	}{
		{gemm.Tier{Kernel: "gemm_cell"}, 2, 2, 2, odd, "gemm_cell_f32"},
		{gemm.Tier{Kernel: "gemm_cell"}, 3, 5, 4, odd, "gemm_cell_f32_fours"},
		{gemm.Tier{Kernel: "gemm_tile", Rows: 64}, 9, 20, 5, odd, "gemm_tile_f32_64"},
		{gemm.Tier{Kernel: "gemm_tile", Rows: 64}, 9, 20, 5, even, "gemm_tile_f32_64_words"},
		{gemm.Tier{Kernel: "gemm_tile", Rows: 64}, 64, 64, 16, even, "gemm_tile_f32_64_whole"},
	} {
		capture(t, d, drawn[float32](t, c.m, c.n, c.k, 1.5, -0.75), c.tier, c.guard, c.entry)
	}
}

func capture(t harness.T, d *device.Device, p *problem[float32], tier gemm.Tier, guard int, entry string) {
	t.Helper()
	plan := harness.Must(gemm.NewPlan[float32](d, p.M, p.N, p.K, gemm.WithTier(tier)))(t)
	a, b, c := place(t, d, guard, p.M, p.K, p.A), place(t, d, guard, p.K, p.N, p.B), place(t, d, guard, p.M, p.N, p.C)
	for _, o := range []*operand[float32]{a, b, c} {
		defer harness.Close(t, o.buffer)
	}
	choice := harness.Must(plan.ChoiceFor(a.matrix, b.matrix, c.matrix))(t)
	if d.Launches() && choice.Entry != entry {
		t.Errorf("%v: %v: want entry %s", p, choice, entry)
	}
	s := harness.Must(d.NewStream())(t)
	defer harness.Close(t, s)
	taken := harness.Watch(t, d)
	g := harness.Must(s.Capture(func() error { return plan.Multiply(s, p.Alpha, a.matrix, b.matrix, p.Beta, c.matrix) }))(t)
	defer harness.Close(t, g)
	cells := func() []float32 { return harness.Must(c.buffer.Host(nil))(t)[guard : guard+len(p.C)] }
	if numtest.Different(cells(), p.C) >= 0 {
		t.Errorf("%v: %v: the product was computed while it was captured", p, choice)
	}
	for replay := range 2 {
		if replay > 0 { // B is another, and C is what the replay before has left
			p.C = cells()
			for i := range p.B {
				p.B[i]++
			}
			if err := b.buffer.Write(nil, guard, p.B); err != nil {
				t.Fatalf("%v", err)
			}
		}
		truth := harness.Must(p.Product())(t)
		if err := g.Launch(nil); err != nil {
			t.Fatalf("%v: %v: replay %d: %v", p, choice, replay, err)
		}
		if err := numtest.Check(cells(), truth.Y, truth.Bound(dtype.F32)).Err(); err != nil {
			t.Errorf("%v: %v: replay %d: %v", p, choice, replay, err)
		}
	}
	if d.Launches() {
		taken.Chosen(choice.Entry)
		taken.Want([]string{choice.Entry})
	}
	// Any operand that is closed ends it; C stays as it is.
	left := cells()
	harness.Close(t, a.buffer)
	if err := g.Launch(nil); !errors.Is(err, device.ErrClosed) {
		t.Errorf("%v: %v: a replay with a closed operand: %v", p, choice, err)
	}
	if numtest.Different(cells(), left) >= 0 {
		t.Errorf("%v: %v: a replay that was refused has written C", p, choice)
	}
}

// NothingBetween multiplies matrices without a k, where sums are 0 and a cell c becomes alpha 0 + beta c, to the last bit: what
// alpha is counts, and c does not where beta is 0, of either sign.
func NothingBetween[W dtype.Float](t harness.T, d *device.Device) {
	minus, inf, nan := math.Copysign(0, -1), math.Inf(1), math.NaN()
	old := []float64{1, -2, 0, minus, inf, -inf, nan}
	for _, tier := range gemm.Tiers[W]() {
		plan := harness.Must(gemm.NewPlan[W](d, 1, len(old), 0, gemm.WithTier(tier)))(t)
		none := place(t, d, odd, 1, 0, []W{})
		defer harness.Close(t, none.buffer)
		across := harness.Must(gemm.NewMatrix(0, len(old), none.matrix.Cells()))(t)
		for _, alpha := range []float64{1, -1, 0, minus, inf, -inf, nan} {
			for _, beta := range []float64{1, -1, 0, minus, 2, inf, nan} {
				cells, want := make([]W, len(old)), make([]W, len(old))
				for i, c := range old {
					cells[i], want[i] = dtype.FromFloat64[W](c), dtype.FromFloat64[W](alpha*0+beta*c)
					if beta == 0 {
						want[i] = dtype.FromFloat64[W](alpha * 0)
					}
				}
				c := place(t, d, odd, 1, len(old), cells)
				if err := plan.Multiply(nil, alpha, none.matrix, across, beta, c.matrix); err != nil {
					t.Fatalf("%v", err)
				}
				got := c.kept(t, plan.Choice().String(), "C", func(i int) bool { return i < 0 || i >= len(old) })
				harness.Close(t, c.buffer)
				for i := range got {
					g, w := dtype.ToFloat64(got[i]), dtype.ToFloat64(want[i])
					if math.IsNaN(g) != math.IsNaN(w) || !math.IsNaN(w) && dtype.Bits(got[i]) != dtype.Bits(want[i]) {
						t.Errorf("%s: alpha %v, beta %v: %v becomes %v, want %v", plan.Choice().String(), alpha, beta, old[i], g, w)
					}
				}
			}
		}
	}
}
