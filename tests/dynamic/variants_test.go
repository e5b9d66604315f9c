package dynamic_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/kernels/csrkernels"
	"github.com/warpwright/warpwright/go/kernels/dynamic/dynamictest"
	"github.com/warpwright/warpwright/go/kernels/gemmkernels"
	"github.com/warpwright/warpwright/go/valid"
	"github.com/warpwright/warpwright/tests/harness"
)

// TestVariants draws launches of the kernels that have variants and makes each of them both ways: generated code and the interpreter,
// which evaluate the facts in two languages, must take the same entry and leave the same bits. Each variant, and the entry without
// one, must come.
func TestVariants(t *testing.T) {
	d := opened(t)
	if !d.Launches() {
		return // TestAgree compares what is chosen where nothing is launched
	}
	v := &variants{rng: rand.New(rand.NewPCG(5, 6)), seen: map[string]int{}}
	size := harness.SizeFor(t, d)
	v.trials = harness.Pick(size, 2, 21, 21, 42)

	v.family = open(t, d, "gemm")
	dense := harness.Must(gemmkernels.Load(d))(t)
	cells[float32, float32](v, dense)
	cells[float64, float64](v, dense)
	cells[dtype.Float16, float32](v, dense)
	tiles(v, dense)
	v.want("gemm_cell", "gemm_tile")

	v.family = open(t, d, "csr")
	sparse := harness.Must(csrkernels.Load(d))(t)
	gathers[float32, int32](v, sparse)
	if size != harness.TSan { // of half a million threads
		gathers[dtype.BFloat16, int64](v, sparse)
	}
	v.want("csr_mv_thread", "csr_mv_group")
}

// variants draws launches.
type variants struct {
	family
	rng    *rand.Rand
	trials int
	seen   map[string]int // launches, by kernel and variant
}

func (v *variants) note(kernel, variant string) { v.seen[kernel+" "+variant]++ }

// want fails for each variant of the kernels that no launch took.
func (v *variants) want(kernels ...string) {
	v.t.Helper()
	for _, name := range kernels {
		names := []string{""}
		for _, p := range kernel(v.family, name).Prefers {
			names = append(names, p.Name)
		}
		if len(names) == 1 {
			v.t.Errorf("%s has no variants", name)
		}
		for _, variant := range names {
			if v.seen[name+" "+variant] == 0 {
				v.t.Errorf("%s: no launch took the variant %q: %v", name, variant, v.seen)
			}
		}
	}
}

// draw is a part of a buffer with n small whole numbers, from the beginning, or from the second element on.
func draw[W dtype.Float](v *variants, n, from int) (*device.Buffer[W], device.Slice[W]) {
	v.t.Helper()
	host := make([]W, from+n)
	for i := range host {
		host[i] = dtype.FromFloat64[W](float64(1 + v.rng.IntN(4)))
	}
	b := upload(v.family, host)
	return b, harness.Must(b.All().Slice(from, from+n))(v.t)
}

// upTo is one of 1 to n, a multiple of step as often as not.
func (v *variants) upTo(n, step int) int {
	at := 1 + v.rng.IntN(n)
	if v.rng.IntN(2) == 0 {
		at = (at + step - 1) / step * step
	}
	return at
}

func cells[W dtype.Float, A float32 | float64](v *variants, on *gemmkernels.Kernels) {
	v.t.Helper()
	for range v.trials {
		m, n, k, from := v.upTo(40, 16), v.upTo(40, 4), v.upTo(20, 4), v.rng.IntN(2)
		_, a := draw[W](v, m*k, from)
		_, b := draw[W](v, k*n, from)
		out, c := draw[W](v, m*n, from)
		l := &gemmkernels.Cell[W, A]{M: uint64(m), N: uint64(n), K: uint64(k), Alpha: 2, Beta: A(v.rng.IntN(2)), A: a, B: b, C: c}
		choice := same(v.family, "gemm_cell", map[string]string{"W": dtype.Of[W]().String()}, l, func() error { return l.LaunchExact(on, nil) }, out)
		v.note("gemm_cell", choice.Variant)
	}
}

// tiles draws sizes near those of whole tiles, of which one fact or another does not hold.
func tiles(v *variants, on *gemmkernels.Kernels) {
	v.t.Helper()
	for i := range max(v.trials, 7) {
		h := []int{64, 128}[v.rng.IntN(2)]
		m, n, k := h, 64, 16*(1+v.rng.IntN(2))
		var from [3]int // of A, B and C
		switch by := i / 7 % 3; i % 7 {
		case 1:
			m += by - 1
		case 2:
			n += []int{-2, 2, 1}[by]
		case 3:
			n -= 4 * (by + 1)
		case 4:
			k += []int{-8, 8, 1}[by]
		case 5:
			from[by] = 1
		case 6:
			m, n, k, from[0] = v.upTo(h+8, h), v.upTo(72, 4), v.upTo(33, 16), v.rng.IntN(2)
		}
		_, a := draw[float32](v, m*k, from[0])
		_, b := draw[float32](v, k*n, from[1])
		out, c := draw[float32](v, m*n, from[2])
		l := &gemmkernels.Tile[float32]{H: h, M: uint64(m), N: uint64(n), K: uint64(k), Alpha: 2, Beta: float32(v.rng.IntN(2)), A: a, B: b, C: c}
		choice := same(v.family, "gemm_tile", map[string]string{"W": "f32"}, l, func() error { return l.LaunchExact(on, nil) }, out)
		v.note("gemm_tile", choice.Variant)
	}
}

// gathers multiplies matrices of a few rows, and of more than a grid takes in one round.
func gathers[W dtype.Float, P dtype.Offset](v *variants, on *csrkernels.Kernels) {
	v.t.Helper()
	types := map[string]string{"W": dtype.Of[W]().String(), "P": dtype.Of[P]().String()}
	round := 32 * v.d.Info().Multiprocessors // blocks
	for i := range max(v.trials/4, 2) {
		few := i%2 == 0
		lanes := []int{4, 8, 32}[v.rng.IntN(3)]
		for _, kernel := range []string{"csr_mv_thread", "csr_mv_group"} {
			block := 256
			if kernel == "csr_mv_group" {
				block /= lanes
			}
			rows := 1 + v.rng.IntN(2*block)
			if i%4 > 1 { // the most
				rows = round * block
			}
			if !few {
				rows = round*block + 1 + i/2*v.rng.IntN(block)
			}
			const columns = 9
			offsets, cols := []P{0}, []int32{}
			for range rows {
				for range v.rng.IntN(3) {
					cols = append(cols, int32(v.rng.IntN(columns)))
				}
				offsets = append(offsets, P(len(cols)))
			}
			m := harness.Must(valid.NewOffsets(v.d, offsets, len(cols)))(v.t)
			defer harness.Close(v.t, m)
			c := harness.Must(valid.NewColumns(v.d, cols, columns))(v.t)
			defer harness.Close(v.t, c)
			weight := csrkernels.Each
			weights := len(cols)
			if v.rng.IntN(2) == 0 {
				weight, weights = csrkernels.One, 1
			}
			_, w := draw[W](v, weights, 0)
			_, x := draw[W](v, columns, 0)
			out, y := draw[W](v, rows, 0)
			ok(v.family, kernel, out.Write(nil, 0, slices.Repeat([]W{dtype.FromFloat64[W](-1)}, rows))) // which no row comes to
			var l dynamictest.Launcher
			var launched func() error
			if kernel == "csr_mv_thread" {
				a := &csrkernels.MvThread[W, P]{V: weight, Rows: m, Cols: c, Weights: w, X: x, Y: y}
				l, launched = a, func() error { return a.LaunchExact(on, nil) }
			} else {
				a := &csrkernels.MvGroup[W, P]{V: weight, S: lanes, Rows: m, Cols: c, Weights: w, X: x, Y: y}
				l, launched = a, func() error { return a.LaunchExact(on, nil) }
			}
			choice := same(v.family, kernel, types, l, launched, out)
			v.note(kernel, choice.Variant)
			if (choice.Variant == "once") != few {
				v.t.Errorf("%s of %d rows: %v", kernel, rows, choice)
			}
		}
	}
}
