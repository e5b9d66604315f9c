package tinykernels

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/valid"
)

func open(t testing.TB) *device.Device {
	t.Helper()
	d, err := device.Open(context.Background(), device.WithKind("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func slice[T dtype.Element](t testing.TB, d *device.Device, n int) device.Slice[T] {
	t.Helper()
	b, err := device.Alloc[T](d, n)
	if err != nil {
		t.Fatal(err)
	}
	return b.All()
}

func want(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) || !errors.Is(err, contract.ErrContract) {
		t.Errorf("got %v\nwant %s", err, text)
	}
}

// An extent that a buffer gives: y follows x.
func TestExtentOfABuffer(t *testing.T) {
	d := open(t)
	a := &Axpy[float32]{Alpha: 2, X: slice[float32](t, d, 300), Y: slice[float32](t, d, 300)}
	if err := a.CheckExact(d); err != nil {
		t.Error(err)
	}
	c, err := a.Config(d)
	if grid := min(3, 8*uint32(d.Info().Multiprocessors)); err != nil || c.Grid.X != grid || c.Block.X != 128 {
		t.Errorf("got %v, %v; want %d blocks of 128", c, err, grid)
	}
	a.X = slice[float32](t, d, 301)
	want(t, a.Check(d), "tiny_axpy_f32: requires len(y) >= N: left side is 300, right side is 301")
	a.X = a.Y
	want(t, a.Check(d), "argument y must not overlap x, which the kernel reads")
}

// Extents that the caller gives, a length that is a product, and written relations.
func TestDims(t *testing.T) {
	d := open(t)
	a := func() *RowSums[float64, float64] {
		return &RowSums[float64, float64]{T: 16, R: 5, C: 33, Seed: 7, A: slice[float64](t, d, 165), Sums: slice[float64](t, d, 5)}
	}
	if err := a().CheckExact(d); err != nil {
		t.Error(err)
	}
	c, err := a().Config(d)
	if err != nil || c.Grid != (device.Dim3{X: 3, Y: 1, Z: 1}) || c.Block != (device.Dim3{X: 16, Y: 16, Z: 1}) || c.Shared != 257*8+8+85+11 {
		t.Errorf("got %+v, %v", c, err)
	}
	b := a()
	b.R, b.C = 1<<32, 1<<32 // the product is 0 in 64 bits
	want(t, b.Check(d), "tiny_row_sums_16_f64: requires len(a) >= R * C: R * C with 4294967296 and 4294967296: the result is above 2^64-1")
	b = a()
	b.R, b.C = 1<<16, 1<<16 // and here in 32
	want(t, b.Check(d), "requires len(a) >= R * C: left side is 165, right side is 4294967296")
	b = a()
	b.C = 0
	want(t, b.Check(d), "requires C >= 1: left side is 0, right side is 1")
	b = a()
	b.Seed = 16
	want(t, b.Check(d), "requires seed != T: left side is 16, right side is 16")
	b = a()
	b.R = 1 << 40
	_, err = b.Config(d)
	want(t, err, "tiny_row_sums_16_f64: requires grid.y = cdiv(R, 16) <= 4294967295: left side is 68719476736, right side is 4294967295")
	want(t, (&RowSums[float32, float32]{T: 8}).Check(d), "argument W is f32; the kernel is compiled for f64 bf16")
	want(t, (&RowSums[dtype.BFloat16, dtype.BFloat16]{T: 8}).Check(d), "argument A is bf16; W is bf16, whose sums are of type f32")
}

// A view of runs wants a run's alignment; a token is no argument.
func TestAlignment(t *testing.T) {
	d := open(t)
	ys, seen := slice[float32](t, d, 9), slice[uint8](t, d, 8)
	part := func(lo, hi int) device.Slice[float32] {
		s, err := ys.Slice(lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a := &Permute[float32]{S: 2, X: slice[float32](t, d, 8), Y: part(0, 8), Seen: seen}
	if err := a.Check(d); err != nil {
		t.Error(err)
	}
	a.Y = part(1, 9)
	want(t, a.Check(d), "tiny_permute_f32_2: argument y must begin at a multiple of 16 bytes, but begins at 0x")
	a.S = 1
	want(t, a.Check(d), "tiny_permute_f32_1: argument y must begin at a multiple of 8 bytes, but begins at 0x")
}

// Two written buffers, and handles.
func TestTwoOutputs(t *testing.T) {
	d := open(t)
	rows, err := valid.NewOffsets(d, []int64{0, 2}, 2)
	if err != nil {
		t.Fatal(err)
	}
	cols, err := valid.NewColumns(d, []int32{0, 2}, 3)
	if err != nil {
		t.Fatal(err)
	}
	a := &Count[int64, float32]{
		V: One, Rows: rows, Cols: cols, Weights: slice[float32](t, d, 1),
		Counts: slice[int32](t, d, 3), Seen: slice[uint8](t, d, 3),
	}
	if err := a.CheckExact(d); err != nil {
		t.Error(err)
	}
	if got := a.entry(); got != "tiny_count_i64_one_f32" {
		t.Errorf("got %s", got)
	}
	a.V = Each
	want(t, a.Check(d), "tiny_count_i64_each_f32: requires len(weights) >= N: left side is 1, right side is 2")
	a.V = V(9)
	want(t, a.Check(d), "argument V is V(9); the kernel is compiled for One Each")
}

// A launch without any extent that the host needs; nothing runs on this device.
func TestLaunch(t *testing.T) {
	d := open(t)
	k, err := Load(d)
	if err != nil {
		t.Fatal(err)
	}
	a := &Fill{Value: 1, Out: slice[float64](t, d, 4)}
	if err := a.Check(d); err != nil {
		t.Error(err)
	}
	if err := a.Launch(k, nil); !errors.Is(err, device.ErrNoKernel) {
		t.Errorf("got %v", err)
	}
}

// The grid follows from the cells, and cells that no grid covers are refused before any launch.
func TestGridOfCells(t *testing.T) {
	d := open(t)
	a := &Cells{T: 2, A: 5, R: 17, C: 33, In: slice[float32](t, d, 5*17*3), Out: slice[float32](t, d, 17*33)}
	if err := a.CheckExact(d); err != nil {
		t.Error(err)
	}
	c, err := a.Config(d)
	if grid, block := (device.Dim3{X: 2, Y: 3, Z: 1}), (device.Dim3{X: 32, Y: 8, Z: 1}); err != nil || c.Grid != grid || c.Block != block || c.Shared != 8*32*4 {
		t.Errorf("got %v, %v; want %v blocks of %v", c, err, grid, block)
	}
	a.C = 65
	want(t, a.Check(d), "tiny_cells_2: requires len(out) >= R * C: left side is 561, right side is 1105")
	a.C = 0
	a.R = 8 * 65535
	a.A = 0
	if err := a.Check(d); err != nil {
		t.Error(err)
	}
	a.R++
	want(t, a.Check(d), "tiny_cells_2: requires cdiv(R, block.y) <= 65535: left side is 65536, right side is 65535")
	a.R = 1 << 31
	want(t, a.Check(d), "tiny_cells_2: requires R + 1024 <= 2147483647")
}

// eight is a launch with four relations and eight buffers.
func eight(t testing.TB, d *device.Device) *Eight[float32] {
	return &Eight[float32]{
		A: slice[float32](t, d, 1), B: slice[float32](t, d, 2), C: slice[float32](t, d, 3), D: slice[float32](t, d, 4),
		A2: slice[float32](t, d, 1), B2: slice[float32](t, d, 2), Y: slice[float32](t, d, 3), Z: slice[float32](t, d, 4),
	}
}

// facts is a launch of n elements, of which y begins at the place that is given.
func facts(t testing.TB, d *device.Device, n, first int) *Facts[float32] {
	y, err := slice[float32](t, d, n+first).Slice(first, n+first)
	if err != nil {
		t.Fatal(err)
	}
	return &Facts[float32]{S: 4, N: uint64(n), X: slice[float32](t, d, n), Y: y}
}

// A launch takes the first variant whose facts hold, and says why none before it; just off a fact it takes another one.
func TestVariants(t *testing.T) {
	d := open(t)
	most := 16 * 3 * d.Info().Multiprocessors // what a grid has in one round
	loaded := &Kernels{dev: d, entries: make([]*device.Kernel, len(Entries()))}
	for _, c := range []struct {
		n, first int
		want     string
	}{
		{0, 0, "tiny_facts_f32_4_full"},
		{32, 0, "tiny_facts_f32_4_full"},
		{32, 4, "tiny_facts_f32_4_full"},
		{32, 1, "tiny_facts_f32_4_once (not full: aligned(4 * S) does not hold: aligned(y, 4 * S): y begins at 0x"},
		{31, 0, "tiny_facts_f32_4_once (not full: exact(N, block / S) does not hold: grid.x * (block / S) == N: left side is 32, right side is 31)"},
		{33, 0, "tiny_facts_f32_4_once (not full: exact(N, block / S) does not hold: grid.x * (block / S) == N: left side is 48, right side is 33)"},
		{16, 0, "tiny_facts_f32_4_full"},
		{most, 0, "tiny_facts_f32_4_full"},
		{most + 1, 0, fmt.Sprintf("tiny_facts_f32_4 (not full: exact(N, block / S) does not hold: grid.x * (block / S) == N: left side is %d, right side is %d; "+
			"not once: once(N, block / S) does not hold: grid.x * (block / S) >= N: left side is %d, right side is %d)", most, most+1, most, most+1)},
	} {
		a := facts(t, d, c.n, c.first)
		choice, err := a.Chosen(d)
		if err != nil || !strings.HasPrefix(choice.String(), c.want) {
			t.Errorf("%d elements from %d on: got %v, %v; want %s", c.n, c.first, choice, err, c.want)
		}
		i, _, err := a.prepare(loaded, contract.AtLeast)
		if err != nil || Entries()[i] != choice.Entry {
			t.Errorf("%d elements from %d on: launches entry %d, %v; want %s", c.n, c.first, i, err, choice.Entry)
		}
	}
	// N % S == 0 holds of every N where S is 1.
	one := facts(t, d, 64, 0)
	one.S = 1
	if choice, err := one.Chosen(d); err != nil || choice.String() != "tiny_facts_f32_1_full" {
		t.Errorf("with a lane a group: got %v, %v", choice, err)
	}
	// What cannot be computed does not hold, and nothing is refused for it.
	a := &Facts[float32]{S: 4, N: 1<<64 - 1}
	choice, err := a.Chosen(d)
	if want := "not full: exact(N, block / S)"; err != nil || choice.Variant != "" || !strings.Contains(choice.String(), want) {
		t.Errorf("got %v, %v; want %s", choice, err, want)
	}
	if got := a.variant(&device.Config{Grid: device.Dim3{X: 1<<32 - 1}}); got != 0 {
		t.Errorf("an extent that no 32 bits hold takes variant %d", got)
	}
	if _, err := a.Chosen(nil); err == nil {
		t.Error("an entry is chosen for no device")
	}
	a.S = 3
	_, err = a.Chosen(d)
	want(t, err, "argument S is 3; the kernel is compiled for 1 4")
	_, err = (&Offsets{}).Chosen(d)
	want(t, err, "argument rows must be given")
}

func TestChoosingAllocatesNothing(t *testing.T) {
	d := open(t)
	loaded := &Kernels{dev: d, entries: make([]*device.Kernel, len(Entries()))}
	a := facts(t, d, 33, 0)
	if n := testing.AllocsPerRun(100, func() {
		if _, _, err := a.prepare(loaded, contract.AtLeast); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("a check and a choice allocate %v times", n)
	}
}

// BenchmarkChoice is the time of a choice between two variants and seven facts, of which the last ones hold.
func BenchmarkChoice(b *testing.B) {
	d := open(b)
	a := facts(b, d, 33, 0)
	config, err := a.Config(d)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if a.variant(&config) != 2 {
			b.Fatal("another variant")
		}
	}
}

func TestEightAllocatesNothing(t *testing.T) {
	d := open(t)
	a := eight(t, d)
	if n := testing.AllocsPerRun(100, func() {
		if err := a.CheckExact(d); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("a check allocates %v times", n)
	}
}

// BenchmarkFourRelationsEightBuffers is the yardstick of a check: all buffers have one type and two are
// written, so 13 pairs could overlap.
func BenchmarkFourRelationsEightBuffers(b *testing.B) {
	d := open(b)
	a := eight(b, d)
	b.ReportAllocs()
	for b.Loop() {
		if err := a.Check(d); err != nil {
			b.Fatal(err)
		}
	}
}
