package csrcases

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/csr"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/valid"
	"github.com/warpwright/warpwright/tests/harness"
)

// BadMatrices gives New what is no matrix.
func BadMatrices(t harness.T, d *device.Device) {
	badMatrices[int32](t, d)
	badMatrices[int64](t, d)
	big := good[int64]()
	big.Offsets[2] = 1<<32 + 1 // 1 if it were cut to 32 bits
	_, err := csr.New(d, big)
	harness.Refused(t, "an offset that is right modulo 2^32", err, valid.ErrInvalid, "offsets[3]", "4294967297")
}

// good is a matrix of 4 x 3 with five entries.
func good[P dtype.Offset]() csr.Host[float32, P] {
	return csr.Host[float32, P]{
		Rows: 4, Cols: 3,
		Offsets: []P{0, 2, 2, 4, 5}, Columns: []int32{0, 2, 1, 1, 0}, Weights: []float32{1, 2, 3, 4, 5},
	}
}

func badMatrices[P dtype.Offset](t harness.T, d *device.Device) {
	t.Helper()
	for _, c := range []struct {
		what  string
		spoil func(h *csr.Host[float32, P])
		kind  error
		words []string
	}{
		{"too few offsets", func(h *csr.Host[float32, P]) { h.Rows = 5 }, contract.ErrContract, []string{"len(Offsets) == Rows + 1", "5", "6"}},
		{"no offsets", func(h *csr.Host[float32, P]) { h.Offsets = nil }, contract.ErrContract, []string{"len(Offsets) == Rows + 1", "0", "5"}},
		{"rows at the end of int", func(h *csr.Host[float32, P]) { h.Rows = math.MaxInt }, contract.ErrContract, []string{"9223372036854775808"}},
		{"negative rows", func(h *csr.Host[float32, P]) { h.Rows = -1 }, contract.ErrContract, []string{">= 0", "-1"}},
		{"negative columns", func(h *csr.Host[float32, P]) { h.Cols = -7 }, contract.ErrContract, []string{">= 0", "-7"}},
		{"columns that an index cannot count", func(h *csr.Host[float32, P]) { h.Cols = math.MaxInt32 - 1023 }, contract.ErrContract, []string{"Cols + 1024 <= 2147483647", "2147483648"}},
		{"columns that wrap in 32 bits", func(h *csr.Host[float32, P]) { h.Cols = 1<<32 + 3 }, contract.ErrContract, []string{"Cols + 1024 <= 2147483647", "4294968323"}},
		{"columns that wrap in 64 bits", func(h *csr.Host[float32, P]) { h.Cols = math.MaxInt }, contract.ErrContract, []string{"Cols + 1024 <= 2147483647", "9223372036854776831"}},
		{"offsets from 1", func(h *csr.Host[float32, P]) { h.Offsets[0] = 1 }, valid.ErrInvalid, []string{"offsets[0] is 1", "= 0"}},
		{"falling offsets", func(h *csr.Host[float32, P]) { h.Offsets[2] = 1 }, valid.ErrInvalid, []string{"offsets[2] is 1", "offsets[1] = 2"}},
		{"a negative offset", func(h *csr.Host[float32, P]) { h.Offsets[1] = -1 }, valid.ErrInvalid, []string{"offsets[1] is -1"}},
		{"offsets that end early", func(h *csr.Host[float32, P]) { h.Offsets[4] = 4 }, valid.ErrInvalid, []string{"offsets[4] is 4", "number of entries = 5"}},
		{"offsets that end late", func(h *csr.Host[float32, P]) { h.Offsets[4] = 6 }, valid.ErrInvalid, []string{"offsets[4] is 6", "number of entries = 5"}},
		{"a column too high", func(h *csr.Host[float32, P]) { h.Columns[3] = 3 }, valid.ErrInvalid, []string{"columns[3] is 3", "column < 3"}},
		{"a negative column", func(h *csr.Host[float32, P]) { h.Columns[4] = -1 }, valid.ErrInvalid, []string{"columns[4] is -1"}},
		{"entries without columns", func(h *csr.Host[float32, P]) { h.Cols = 0 }, valid.ErrInvalid, []string{"columns[0] is 0", "column < 0"}},
		{"too few weights", func(h *csr.Host[float32, P]) { h.Weights = h.Weights[:4] }, contract.ErrContract, []string{"len(Weights)", "4", "5"}},
		{"no weights", func(h *csr.Host[float32, P]) { h.Weights = nil }, contract.ErrContract, []string{"len(Weights)", "0", "5"}},
	} {
		for _, opts := range [][]csr.Option{nil, {csr.WithWideOffsets()}} {
			h := good[P]()
			c.spoil(&h)
			_, err := csr.New(d, h, opts...)
			harness.Refused(t, c.what, err, c.kind, c.words...)
		}
	}
	_, err := csr.New(d, good[P](), csr.WithOneWeight())
	harness.Refused(t, "one weight, but five", err, contract.ErrContract, "len(Weights) == 1", "5")

	// Offenders are given as values too.
	h := good[P]()
	h.Columns[2] = 77
	_, err = csr.New(d, h)
	var index *valid.IndexError
	if !errors.As(err, &index) || index.Array != "columns" || index.Index != 2 || index.Value != 77 {
		t.Errorf("a column too high: the error does not hold the offender: %#v", index)
	}
	h = good[P]()
	h.Weights = h.Weights[:3]
	_, err = csr.New(d, h)
	var violation *contract.Violation
	if !errors.As(err, &violation) || violation.Left != 3 || violation.Right != 5 {
		t.Errorf("too few weights: the error does not hold the lengths: %#v", violation)
	}
	works(t, d)
}

// works fails unless the device multiplies right.
func works(t harness.T, d *device.Device) {
	t.Helper()
	p := newProblem(t, d, "after bad input", good[int32](), each)
	defer harness.Close(t, p.m)
	for _, at := range directions {
		p.check(t, at)
	}
}

// BadLaunches returns a case for each element type: it gives plans of every tier what must not be
// launched. All backends refuse it with the same types of error.
func BadLaunches() []harness.Case {
	return []harness.Case{
		{Name: "bad launches/f32", Run: badLaunches[float32]},
		{Name: "bad launches/f64", Run: badLaunches[float64]},
		{Name: "bad launches/f16", Run: badLaunches[dtype.Float16]},
		{Name: "bad launches/bf16", Run: badLaunches[dtype.BFloat16]},
	}
}

func badLaunches[W dtype.Float](t harness.T, d *device.Device) {
	other := harness.Another(t)
	for _, at := range directions {
		for _, tier := range csr.Tiers(at) {
			badLaunchesOf[W](t, d, other, at, tier)
		}
	}
	works(t, d)
	works(t, other)
}

func badLaunchesOf[W dtype.Float](t harness.T, d, other *device.Device, at csr.Direction, tier csr.Tier) {
	t.Helper()
	const rows, cols = 5, 9
	s := shape{name: "bad", rows: rows, cols: cols, row: upTo(9)}
	m := harness.Must(csr.New(d, build[W, int32](s, each, 8)))(t)
	defer harness.Close(t, m)
	plan := harness.Must(csr.NewPlan(m, csr.WithTier(at, tier)))(t)
	defer harness.Close(t, plan)
	multiply, nx, ny := plan.MulVec, cols, rows
	if at == csr.Scatter {
		multiply, nx, ny = plan.MulVecT, rows, cols
	}
	alloc := func(d *device.Device, n int) device.Slice[W] {
		b := harness.Must(device.Upload(d, make([]W, n)))(t) // written, since the last product reads it
		t.Cleanup(func() { harness.Close(t, b) })
		return b.All()
	}
	room := alloc(d, nx+ny)
	part := func(lo, hi int) device.Slice[W] { return harness.Must(room.Slice(lo, hi))(t) }
	x, y := part(0, nx), part(nx, nx+ny)
	closedBuffer := harness.Must(device.Alloc[W](d, nx+ny))(t)
	harness.Close(t, closedBuffer)
	closed := func(n int) device.Slice[W] { return harness.Must(closedBuffer.All().Slice(0, n))(t) }
	foreign := alloc(other, nx+ny)
	strange := func(n int) device.Slice[W] { return harness.Must(foreign.Slice(0, n))(t) }
	var none device.Slice[W]

	for _, c := range []struct {
		what string
		y, x device.Slice[W]
		kind error
		word string
	}{
		{"x too short", y, part(0, nx-1), contract.ErrContract, fmt.Sprintf("left side is %d, right side is %d", nx-1, nx)},
		{"x too long", y, alloc(d, nx+1), contract.ErrContract, fmt.Sprintf("left side is %d, right side is %d", nx+1, nx)},
		{"y too short", part(nx, nx+ny-1), x, contract.ErrContract, fmt.Sprintf("left side is %d, right side is %d", ny-1, ny)},
		{"y too long", alloc(d, ny+1), x, contract.ErrContract, fmt.Sprintf("left side is %d, right side is %d", ny+1, ny)},
		{"x and y exchanged", x, y, contract.ErrContract, "left side is"},
		{"no x", y, none, contract.ErrContract, "left side is 0"},
		{"no y", none, x, contract.ErrContract, "left side is 0"},
		{"closed x", y, closed(nx), device.ErrClosed, "argument x"},
		{"closed y", closed(ny), x, device.ErrClosed, "argument"},
		{"foreign x", y, strange(nx), device.ErrForeign, "argument x"},
		{"foreign y", strange(ny), x, device.ErrForeign, "argument"},
		{"y over the start of x", part(0, ny), part(ny-1, ny-1+nx), contract.ErrContract, "overlap"},
		{"y over the end of x", part(nx-1, nx-1+ny), x, contract.ErrContract, "overlap"},
	} {
		what := fmt.Sprintf("%v: %s", tier, c.what)
		err := multiply(nil, c.y, c.x)
		harness.Refused(t, what, err, c.kind, c.word)
		harness.Refused(t, what, err, contract.ErrContract)
		var violation *contract.Violation
		var argument *contract.ArgError
		if !errors.As(err, &violation) && !errors.As(err, &argument) {
			t.Errorf("%s: the error has no type that holds what is wrong: %v", what, err)
		}
	}

	stream := harness.Must(d.NewStream())(t)
	harness.Close(t, stream)
	harness.Refused(t, "a closed stream", multiply(stream, y, x), device.ErrClosed, "stream")
	strangeStream := harness.Must(other.NewStream())(t)
	defer harness.Close(t, strangeStream)
	harness.Refused(t, "a foreign stream", multiply(strangeStream, y, x), device.ErrForeign, "stream")
	if err := multiply(nil, y, x); err != nil {
		t.Errorf("after bad input: %v", err)
	}
}

// BadPlans asks for plans that cannot be, and uses plans that are no more.
func BadPlans(t harness.T, d *device.Device) {
	m := harness.Must(csr.New(d, good[int32]()))(t)
	x := harness.Must(device.Upload(d, make([]float32, 3)))(t)
	y := harness.Must(device.Alloc[float32](d, 4))(t)
	defer harness.Close(t, x)
	defer harness.Close(t, y)

	for _, tier := range []csr.Tier{{Kernel: "csr_mv_group", Lanes: 5}, {Kernel: "csr_mvt_group", Lanes: 8}, {Kernel: "csr_mv_thread", Lanes: 4}, {}} {
		if _, err := csr.NewPlan(m, csr.WithTier(csr.Gather, tier)); err == nil || !strings.Contains(err.Error(), "csr_mv_group with 8 lanes a row") {
			t.Errorf("gather with tier %v: the error does not say which there are: %v", tier, err)
		}
	}
	if _, err := csr.NewPlan(m, csr.WithTier(csr.Direction(2), csr.Tier{})); err == nil {
		t.Errorf("a third direction was not refused")
	}
	if _, err := csr.NewPlan(m, csr.Only(csr.Direction(-1))); err == nil {
		t.Errorf("a direction of -1 was not refused")
	}

	half := harness.Must(csr.NewPlan(m, csr.Only(csr.Scatter)))(t)
	harness.Refused(t, "gather with a plan for scatters", half.MulVec(nil, y.All(), x.All()), contract.ErrContract, "plan")
	if c := half.Choice(csr.Gather); c != (csr.Choice{}) {
		t.Errorf("a plan for scatters has chosen %v", c)
	}
	harness.Close(t, half)
	harness.Close(t, half)
	harness.Refused(t, "a closed plan", half.MulVecT(nil, x.All(), y.All()), device.ErrClosed, "plan")

	plan := harness.Must(csr.NewPlan(m))(t)
	harness.Close(t, m)
	harness.Close(t, m)
	harness.Refused(t, "a plan of a closed matrix", plan.MulVec(nil, y.All(), x.All()), device.ErrClosed)
	harness.Refused(t, "a plan of a closed matrix", plan.MulVecT(nil, x.All(), y.All()), device.ErrClosed)
	_, err := csr.NewPlan(m)
	harness.Refused(t, "a new plan of a closed matrix", err, device.ErrClosed, "matrix")
	_, err = m.MulVec(t.Context(), make([]float32, 3))
	harness.Refused(t, "a product of a closed matrix", err, device.ErrClosed)
	harness.Close(t, plan)

	gone := harness.Another(t)
	m = harness.Must(csr.New(gone, good[int32]()))(t)
	plan = harness.Must(csr.NewPlan(m))(t)
	gx, gy := harness.Must(device.Alloc[float32](gone, 3))(t), harness.Must(device.Alloc[float32](gone, 4))(t)
	harness.Close(t, gone)
	harness.Refused(t, "a plan of a closed device", plan.MulVec(nil, gy.All(), gx.All()), device.ErrClosed)
	_, err = csr.New(gone, good[int32]())
	harness.Refused(t, "a matrix on a closed device", err, device.ErrClosed)

	m = harness.Must(csr.New(d, good[int32]()))(t)
	defer harness.Close(t, m)
	_, err = m.MulVec(t.Context(), make([]float32, 4))
	harness.Refused(t, "a host vector too long", err, contract.ErrContract, "left side is 4, right side is 3")
	works(t, d)
}
