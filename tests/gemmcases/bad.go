package gemmcases

import (
	"errors"
	"math"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/gemm"
	"github.com/warpwright/warpwright/tests/harness"
)

// refused fails unless err is of the kind, is the contract's and has the words.
func refused(t harness.T, what string, err, kind error, words ...string) {
	t.Helper()
	harness.Refused(t, what, err, kind, words...)
	if err != nil && !errors.Is(err, contract.ErrContract) {
		t.Errorf("%s: the error is not the contract's: %v", what, err)
	}
}

// works fails unless the device multiplies right.
func works(t harness.T, d *device.Device) {
	t.Helper()
	drawn[float32](t, 5, 6, 7, 1, 1).check(t, d)
}

// BadPlans asks for plans that cannot be.
func BadPlans(t harness.T, d *device.Device) {
	for _, tier := range []gemm.Tier{{Kernel: "gemm_tile", Rows: 5}, {Kernel: "gemm_cell", Rows: 64}, {}} {
		if _, err := gemm.NewPlan[float32](d, 1, 1, 1, gemm.WithTier(tier)); err == nil || !strings.Contains(err.Error(), "gemm_tile of 64 rows") {
			t.Errorf("tier %v: the error does not say which there are: %v", tier, err)
		}
	}
	if _, err := gemm.NewPlan[float64](d, 1, 1, 1, gemm.WithTier(gemm.Tiers[float32]()[1])); err == nil || !strings.Contains(err.Error(), "f64 matrices have no tier") {
		t.Errorf("a tier of f32 alone for f64: %v", err)
	}
	_, err := gemm.NewPlan[float32](d, 2, -1, 3)
	refused(t, "columns below 0", err, contract.ErrContract, "2, -1 and 3", ">= 0")
	_, err = gemm.NewPlan[float32](nil, 2, 1, 3)
	refused(t, "no device", err, contract.ErrContract, "(2 x 3) * (3 x 1)")
	var none gemm.Plan[float32]
	refused(t, "a plan of nobody", none.Multiply(nil, 1, gemm.Matrix[float32]{}, gemm.Matrix[float32]{}, 0, gemm.Matrix[float32]{}), contract.ErrContract, "NewPlan")
	works(t, d)
}

// BadShapes makes matrices that are none, and multiplies what does not fit.
func BadShapes(t harness.T, d *device.Device) {
	cells := harness.Must(device.Upload(d, make([]float32, 60)))(t)
	defer harness.Close(t, cells)
	part := func(n int) device.Slice[float32] { return harness.Must(cells.All().Slice(0, n))(t) }
	for _, c := range []struct {
		what       string
		rows, cols int
		words      []string
	}{
		{"rows below 0", -3, 4, []string{"-3 x 4", ">= 0"}},
		{"too few cells", 7, 9, []string{"7 x 9", "left side is 60, right side is 63"}},
		{"too many cells", 7, 8, []string{"7 x 8", "left side is 60, right side is 56"}},
		{"cells that wrap in 64 bits", math.MaxInt, 4, []string{"9223372036854775807 x 4", "2^64"}},
		{"cells that would be right modulo 2^64", 1 << 62, 4, []string{"2^64"}},
	} {
		_, err := gemm.NewMatrix(c.rows, c.cols, cells.All())
		refused(t, c.what, err, contract.ErrContract, c.words...)
	}

	plan := harness.Must(gemm.NewPlan[float32](d, 3, 5, 4))(t)
	matrix := func(rows, cols int) gemm.Matrix[float32] {
		return harness.Must(gemm.NewMatrix(rows, cols, part(rows*cols)))(t)
	}
	a, b, c := matrix(3, 4), matrix(4, 5), matrix(3, 5)
	for _, m := range []struct {
		what    string
		a, b, c gemm.Matrix[float32]
		words   []string
	}{
		{"b with the wrong rows", a, matrix(5, 5), c, []string{"argument b", "a is 3 x 4, b is 5 x 5"}},
		{"a transposed", matrix(4, 3), b, c, []string{"argument b", "a is 4 x 3, b is 4 x 5"}},
		{"c with the wrong rows", a, b, matrix(4, 5), []string{"argument c", "a is 3 x 4, b is 4 x 5, c is 4 x 5"}},
		{"c transposed", a, b, matrix(5, 3), []string{"argument c", "c is 5 x 3"}},
		{"another plan's k", matrix(3, 2), matrix(2, 5), c, []string{"argument a", "3 x 4: it is 3 x 2"}},
		{"another plan's m", matrix(2, 4), b, matrix(2, 5), []string{"argument a", "3 x 4: it is 2 x 4"}},
		{"another plan's n", a, matrix(4, 2), matrix(3, 2), []string{"argument b", "4 x 5: it is 4 x 2"}},
		{"no matrices", gemm.Matrix[float32]{}, gemm.Matrix[float32]{}, gemm.Matrix[float32]{}, []string{"3 x 4: it is 0 x 0"}},
	} {
		refused(t, m.what, plan.Multiply(nil, 1, m.a, m.b, 1, m.c), contract.ErrContract, m.words...)
	}
	_, err := gemm.Multiply(t.Context(), d, gemm.Host[float32]{Rows: 2, Cols: 3, Cells: make([]float32, 6)}, gemm.Host[float32]{Rows: 2, Cols: 3, Cells: make([]float32, 6)})
	refused(t, "host matrices that do not fit", err, contract.ErrContract, "a is 2 x 3, b is 2 x 3")
	_, err = gemm.Multiply(t.Context(), d, gemm.Host[float32]{Rows: 2, Cols: 3, Cells: make([]float32, 5)}, gemm.Host[float32]{Rows: 3, Cols: 1, Cells: make([]float32, 3)})
	refused(t, "a host matrix that is too short", err, contract.ErrContract, "len(a.Cells)", "left side is 5, right side is 6")

	// What an index of 32 bits cannot count is refused, though it would have no cell.
	_, err = gemm.NewPlan[float32](d, 0, 0, 1<<40)
	refused(t, "terms beyond 32 bits", err, contract.ErrContract, "K + 1024 <= 2147483647", "1099511628800")
	_, err = gemm.NewPlan[float32](d, 0, 1<<40, 0)
	refused(t, "columns beyond 32 bits", err, contract.ErrContract, "(0 x 0) * (0 x 1099511627776)", "N + 1024 <= 2147483647")
	// And before memory is taken, of which C would need 8 PiB here.
	_, err = gemm.Multiply(t.Context(), d, gemm.Host[float32]{Rows: 1 << 20}, gemm.Host[float32]{Cols: 1 << 31})
	refused(t, "a C of too many columns", err, contract.ErrContract, "(1048576 x 0) * (0 x 2147483648)", "N + 1024 <= 2147483647")
	works(t, d)
}

// BadLaunches gives plans of every tier what must not be launched. All backends refuse it with the same types of
// error.
func BadLaunches[W dtype.Float](t harness.T, d *device.Device) {
	other := harness.Another(t)
	for _, tier := range gemm.Tiers[W]() {
		badLaunchesOf[W](t, d, other, tier)
	}
	works(t, d)
	works(t, other)
}

func badLaunchesOf[W dtype.Float](t harness.T, d, other *device.Device, tier gemm.Tier) {
	t.Helper()
	const m, n, k = 3, 5, 4
	plan := harness.Must(gemm.NewPlan[W](d, m, n, k, gemm.WithTier(tier)))(t)
	alloc := func(d *device.Device, n int) device.Slice[W] {
		b := harness.Must(device.Upload(d, make([]W, n)))(t) // written, since the last product reads it
		t.Cleanup(func() { harness.Close(t, b) })
		return b.All()
	}
	room, foreign := alloc(d, 100), alloc(other, 100)
	closedBuffer := harness.Must(device.Alloc[W](d, 100))(t)
	harness.Close(t, closedBuffer)
	of := func(s device.Slice[W], from, rows, cols int) gemm.Matrix[W] {
		return harness.Must(gemm.NewMatrix(rows, cols, harness.Must(s.Slice(from, from+rows*cols))(t)))(t)
	}
	a, b, c := of(room, 0, m, k), of(room, 32, k, n), of(room, 64, m, n)
	for _, one := range []struct {
		what    string
		a, b, c gemm.Matrix[W]
		kind    error
		word    string
	}{
		{"closed a", of(closedBuffer.All(), 0, m, k), b, c, device.ErrClosed, "argument a"},
		{"closed b", a, of(closedBuffer.All(), 0, k, n), c, device.ErrClosed, "argument b"},
		{"closed c", a, b, of(closedBuffer.All(), 0, m, n), device.ErrClosed, "argument c"},
		{"foreign a", of(foreign, 0, m, k), b, c, device.ErrForeign, "argument a"},
		{"foreign b", a, of(foreign, 0, k, n), c, device.ErrForeign, "argument b"},
		{"foreign c", a, b, of(foreign, 0, m, n), device.ErrForeign, "argument c"},
		{"c over the end of a", a, b, of(room, m*k-1, m, n), contract.ErrContract, "overlap"},
		{"c over the start of b", a, b, of(room, 33-m*n, m, n), contract.ErrContract, "overlap"},
		{"c in place of b", of(room, 0, m, k), b, of(room, 32, m, n), contract.ErrContract, "overlap"},
	} {
		refused(t, tier.String()+": "+one.what, plan.Multiply(nil, 1, one.a, one.b, 1, one.c), one.kind, one.word)
	}
	stream := harness.Must(d.NewStream())(t)
	harness.Close(t, stream)
	refused(t, "a closed stream", plan.Multiply(stream, 1, a, b, 1, c), device.ErrClosed, "stream")
	strange := harness.Must(other.NewStream())(t)
	defer harness.Close(t, strange)
	refused(t, "a foreign stream", plan.Multiply(strange, 1, a, b, 1, c), device.ErrForeign, "stream")
	if err := plan.Multiply(nil, 1, a, b, 1, c); err != nil {
		t.Errorf("after bad input: %v", err)
	}
	// A may be B: both are read alone.
	square := harness.Must(gemm.NewPlan[W](d, 4, 4, 4, gemm.WithTier(tier)))(t)
	if err := square.Multiply(nil, 1, of(room, 0, 4, 4), of(room, 0, 4, 4), 0, of(room, 64, 4, 4)); err != nil {
		t.Errorf("the square of a matrix: %v", err)
	}
}
