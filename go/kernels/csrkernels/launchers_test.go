package csrkernels

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/kernels/launch"
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

func alloc[T dtype.Element](t testing.TB, d *device.Device, n int) *device.Buffer[T] {
	t.Helper()
	b, err := device.Alloc[T](d, n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// matrix is 3 by 5 with 4 entries.
func matrix(t testing.TB, d *device.Device) (*valid.Offsets[int32], *valid.Columns) {
	t.Helper()
	rows, err := valid.NewOffsets(d, []int32{0, 1, 1, 4}, 4)
	if err != nil {
		t.Fatal(err)
	}
	cols, err := valid.NewColumns(d, []int32{4, 0, 2, 3}, 5)
	if err != nil {
		t.Fatal(err)
	}
	return rows, cols
}

func group(t testing.TB, d *device.Device) *MvGroup[float32, int32] {
	rows, cols := matrix(t, d)
	return &MvGroup[float32, int32]{
		V: Each, S: 8, Rows: rows, Cols: cols,
		Weights: alloc[float32](t, d, 4).All(), X: alloc[float32](t, d, 5).All(), Y: alloc[float32](t, d, 3).All(),
	}
}

func TestCheckAccepts(t *testing.T) {
	d := open(t)
	a := group(t, d)
	for _, check := range []func(*device.Device) error{a.Check, a.CheckExact} {
		if err := check(d); err != nil {
			t.Error(err)
		}
	}
	a.Weights = alloc[float32](t, d, 9).All()
	if err := a.Check(d); err != nil {
		t.Errorf("more weights than entries: %v", err)
	}
}

func TestCheckRefuses(t *testing.T) {
	d, other := open(t), open(t)
	closed := alloc[float32](t, d, 5)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	moreCols, err := valid.NewColumns(d, []int32{0, 0, 0, 0, 0}, 5)
	if err != nil {
		t.Fatal(err)
	}
	wide, err := valid.NewColumns(d, []int32{0, 0, 0, 0}, math.MaxInt32-1023)
	if err != nil {
		t.Fatal(err)
	}
	both := alloc[float32](t, d, 20)
	part := func(lo, hi int) device.Slice[float32] {
		s, err := both.All().Slice(lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	touched, touchedCols := matrix(t, d)
	r := touchedCols.Slice().Range()
	r.Touch()

	for name, c := range map[string]struct {
		spoil func(*MvGroup[float32, int32])
		want  string
		is    error
	}{
		"x":       {func(a *MvGroup[float32, int32]) { a.X = alloc[float32](t, d, 4).All() }, "csr_mv_group_f32_i32_each_8: requires len(x) >= K: left side is 4, right side is 5", nil},
		"y":       {func(a *MvGroup[float32, int32]) { a.Y = device.Slice[float32]{} }, "requires len(y) >= M: left side is 0, right side is 3", nil},
		"weights": {func(a *MvGroup[float32, int32]) { a.Weights = alloc[float32](t, d, 3).All() }, "requires len(weights) >= N: left side is 3, right side is 4", nil},
		"one":     {func(a *MvGroup[float32, int32]) { a.V, a.Weights = One, device.Slice[float32]{} }, "csr_mv_group_f32_i32_one_8: requires len(weights) >= 1: left side is 0, right side is 1", nil},
		"entries": {func(a *MvGroup[float32, int32]) { a.Cols = moreCols }, "requires cols.N == rows.N: left side is 5, right side is 4", nil},
		"range":   {func(a *MvGroup[float32, int32]) { a.Cols = wide }, "requires K + 1024 <= 2147483647: left side is 2147483648, right side is 2147483647", nil},
		"S":       {func(a *MvGroup[float32, int32]) { a.S = 5 }, "csr_mv_group: argument S is 5; the kernel is compiled for ", nil},
		"V":       {func(a *MvGroup[float32, int32]) { a.V = 2 }, "csr_mv_group: argument V is V(2); the kernel is compiled for One Each", nil},
		"no rows": {func(a *MvGroup[float32, int32]) { a.Rows = nil }, "csr_mv_group: argument rows must be given", nil},
		"no cols": {func(a *MvGroup[float32, int32]) { a.Cols = nil }, "csr_mv_group: argument cols must be given", nil},
		"closed":  {func(a *MvGroup[float32, int32]) { a.X = closed.All() }, "argument x must be an open buffer of the launch's device: closed", device.ErrClosed},
		"foreign": {func(a *MvGroup[float32, int32]) { a.X = alloc[float32](t, other, 5).All() }, "argument x must be an open buffer of the launch's device: belongs to another device", device.ErrForeign},
		"alias":   {func(a *MvGroup[float32, int32]) { a.X, a.Y = part(0, 5), part(4, 7) }, "argument y must not overlap x, which the kernel reads", nil},
		"alias w": {func(a *MvGroup[float32, int32]) { a.Weights, a.Y = part(6, 10), part(4, 7) }, "argument y must not overlap weights, which the kernel reads", nil},
		"stale":   {func(a *MvGroup[float32, int32]) { a.Rows, a.Cols = touched, touchedCols }, "argument cols must be as it was validated: columns: written after it was validated", valid.ErrStale},
	} {
		t.Run(name, func(t *testing.T) {
			a := group(t, d)
			c.spoil(a)
			err := a.Check(d)
			if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, contract.ErrContract) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v is not %v", err, c.is)
			}
			if a.CheckExact(d) == nil {
				t.Error("CheckExact accepts it")
			}
		})
	}

	zero := group(t, d)
	zero.Rows, zero.Cols = &valid.Offsets[int32]{}, &valid.Columns{}
	if err := zero.Check(d); !errors.Is(err, valid.ErrInvalid) {
		t.Errorf("handles that nobody validated: got %v", err)
	}

	a := group(t, d)
	a.X, a.Y = part(0, 5), part(5, 8) // side by side is apart
	if err := a.CheckExact(d); err != nil {
		t.Error(err)
	}
	a.Y = part(5, 9)
	if err := a.CheckExact(d); err == nil || !strings.Contains(err.Error(), "requires len(y) == M: left side is 4, right side is 3") {
		t.Errorf("got %v", err)
	}
	if err := a.Check(nil); err == nil {
		t.Error("Check(nil) accepts")
	}
}

// The 32-bit limit on entries is a limit of 32-bit offsets only.
func TestIndexRange(t *testing.T) {
	d := open(t)
	if err := (&Round[float32]{}).Check(d); err == nil || !strings.Contains(err.Error(), "csr_round: argument W is f32; the kernel is compiled for f16 bf16") {
		t.Errorf("got %v", err)
	}
	rows, cols := matrix(t, d)
	half := &MvtGroup[dtype.Float16, int32, dtype.Float16]{Rows: rows, Cols: cols, S: 8}
	if err := half.Check(d); err == nil || !strings.Contains(err.Error(), "csr_mvt_group: argument A is f16; W is f16, whose sums are of type f32") {
		t.Errorf("got %v", err)
	}
	right := &MvtGroup[dtype.Float16, int32, float32]{
		V: One, S: 8, Rows: rows, Cols: cols,
		Weights: alloc[dtype.Float16](t, d, 1).All(), X: alloc[dtype.Float16](t, d, 3).All(), Sums: alloc[float32](t, d, 5).All(),
	}
	if err := right.CheckExact(d); err != nil {
		t.Error(err)
	}
}

func TestConfig(t *testing.T) {
	d := open(t)
	sms := uint32(d.Info().Multiprocessors)
	a := group(t, d)
	c, err := a.Config(d)
	if want := (device.Config{Grid: device.Dim3{X: 1, Y: 1, Z: 1}, Block: device.Dim3{X: 256, Y: 1, Z: 1}}); err != nil || c != want {
		t.Errorf("got %v, %v; want %v", c, err, want)
	}
	rows, err := valid.NewOffsets(d, make([]int64, 1_000_001), 0)
	if err != nil {
		t.Fatal(err)
	}
	cols, err := valid.NewColumns(d, nil, 5)
	if err != nil {
		t.Fatal(err)
	}
	b := &MvBlock[float64, int64]{Rows: rows, Cols: cols}
	c, err = b.Config(d)
	if err != nil || c.Grid.X == 0 || c.Grid.X >= 1_000_000 || c.Grid.X%sms != 0 || c.Grid.Y != 1 {
		t.Errorf("a million rows: got %v, %v; want some blocks a multiprocessor, of which there are %d", c, err, sms)
	}
	if c.Shared != 8*256/32 {
		t.Errorf("got %d bytes of shared memory, want one f64 a warp", c.Shared)
	}
	c, err = (&Round[dtype.Float16]{}).Config(d)
	if err != nil || c.Grid.X != 0 {
		t.Errorf("nothing to round: got %v, %v", c, err)
	}
	bad := &MvGroup[float32, int64]{Rows: rows, Cols: cols, S: 1000}
	var v *contract.Violation
	if _, err := bad.Config(d); !errors.As(err, &v) {
		t.Errorf("block / S is 0: got %v", err)
	}
	if _, err := (&MvGroup[float32, int64]{}).Config(d); !errors.Is(err, contract.ErrContract) {
		t.Errorf("no rows: got %v", err)
	}
}

func TestLaunchRefused(t *testing.T) {
	d := open(t)
	k, err := Load(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []*Kernels{k, nil} {
		a := group(t, d)
		for _, launch := range []func(*Kernels, *device.Stream) error{a.Launch, a.LaunchExact} {
			if err := launch(k, nil); !errors.Is(err, device.ErrNoKernel) {
				t.Errorf("got %v", err)
			}
		}
	}
}

// Both launches check before they enqueue: a buffer longer than the contract names is refused by
// LaunchExact alone. The entries are not there, so a launch that passes its check must not be tried.
func TestLaunchChecks(t *testing.T) {
	d := open(t)
	k := &Kernels{dev: d, entries: make([]*device.Kernel, len(Entries()))}
	long, short := group(t, d), group(t, d)
	long.Y, short.Y = alloc[float32](t, d, 4).All(), alloc[float32](t, d, 2).All()
	for rule, launch := range map[string]func(*Kernels, *device.Stream) error{
		"requires len(y) == M: left side is 4, right side is 3": long.LaunchExact,
		"requires len(y) == M: left side is 2, right side is 3": short.LaunchExact,
		"requires len(y) >= M: left side is 2, right side is 3": short.Launch,
	} {
		if err := launch(k, nil); err == nil || !strings.Contains(err.Error(), rule) {
			t.Errorf("got %v\nwant %s", err, rule)
		}
	}
}

// A launch that was checked is refused once time has changed what it relies on.
func TestReadyDoesNotGoStale(t *testing.T) {
	d := open(t)
	k := &Kernels{dev: d, entries: make([]*device.Kernel, len(Entries()))}
	for name, c := range map[string]struct {
		change func(*MvGroup[float32, int32])
		want   error
	}{
		"closed": {func(a *MvGroup[float32, int32]) {
			if err := a.Rows.Close(); err != nil {
				t.Error(err)
			}
		}, device.ErrClosed},
		"written": {func(a *MvGroup[float32, int32]) { r := a.Cols.Slice().Range(); r.Touch() }, valid.ErrStale},
	} {
		a := group(t, d)
		ready, err := a.ReadyExact(k)
		if err != nil {
			t.Fatal(err)
		}
		c.change(a)
		a.Y = device.Slice[float32]{} // no matter: the launch has a copy
		if err := ready.Launch(nil); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
	bad := group(t, d)
	bad.Y = device.Slice[float32]{}
	ready, err := bad.Ready(k)
	if err == nil || !strings.Contains(err.Error(), "requires len(y) >= M: left side is 0, right side is 3") {
		t.Errorf("got %v", err)
	}
	if err := ready.Launch(nil); !errors.Is(err, device.ErrNoKernel) {
		t.Errorf("a launch that was never ready: got %v", err)
	}
}

// Every instance's arithmetic leads to the entry of its name.
func TestIndex(t *testing.T) {
	names := Entries()
	seen := map[int]bool{}
	try := func(entry string, i int) {
		t.Helper()
		if i < 0 || names[i] != entry || seen[i] {
			t.Errorf("%s: index %d", entry, i)
		}
		seen[i] = true
	}
	offsets[float32](try)
	offsets[float64](try)
	offsets[dtype.Float16](try)
	offsets[dtype.BFloat16](try)
	half, bhalf := &Round[dtype.Float16]{}, &Round[dtype.BFloat16]{}
	try(half.entry(), half.index(dtype.F16))
	try(bhalf.entry(), bhalf.index(dtype.BF16))
	// A launch of few rows takes the variant, which lies behind all instances.
	d := open(t)
	variants[float32](t, d, seen)
	variants[float64](t, d, seen)
	variants[dtype.Float16](t, d, seen)
	variants[dtype.BFloat16](t, d, seen)
	if len(seen) != len(names) {
		t.Errorf("%d of %d entries have an instance", len(seen), len(names))
	}
}

func variants[W dtype.Float](t *testing.T, d *device.Device, seen map[int]bool) {
	t.Helper()
	few[W, int32](t, d, seen)
	few[W, int64](t, d, seen)
}

func few[W dtype.Float, P dtype.Offset](t *testing.T, d *device.Device, seen map[int]bool) {
	t.Helper()
	rows, err := valid.NewOffsets(d, []P{0, 0}, 0)
	if err != nil {
		t.Fatal(err)
	}
	cols, err := valid.NewColumns(d, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	w, y := alloc[W](t, d, 1).All(), alloc[W](t, d, 1).All()
	names, loaded := Entries(), &Kernels{dev: d, entries: make([]*device.Kernel, len(Entries()))}
	try := func(a interface {
		Chosen(*device.Device) (launch.Choice, error)
		prepare(*Kernels, contract.Lengths) (int, device.Config, error)
	}) {
		t.Helper()
		choice, err := a.Chosen(d)
		if err != nil {
			t.Fatal(err)
		}
		i, _, err := a.prepare(loaded, contract.AtLeast)
		if err != nil || names[i] != choice.Entry || choice.Variant != "once" || seen[i] {
			t.Errorf("%v: index %d, %v", choice, i, err)
		}
		seen[i] = true
	}
	for _, v := range []V{One, Each} {
		try(&MvThread[W, P]{V: v, Rows: rows, Cols: cols, Weights: w, X: alloc[W](t, d, 0).All(), Y: y})
		for _, s := range []int{4, 8, 32} {
			try(&MvGroup[W, P]{V: v, S: s, Rows: rows, Cols: cols, Weights: w, X: alloc[W](t, d, 0).All(), Y: y})
		}
	}
}

func offsets[W dtype.Float](try func(string, int)) {
	if dtype.Of[W]() == dtype.F64 {
		instances[W, int32, float64](try)
		instances[W, int64, float64](try)
		return
	}
	instances[W, int32, float32](try)
	instances[W, int64, float32](try)
}

func instances[W dtype.Float, P dtype.Offset, A dtype.Float](try func(string, int)) {
	w, p := dtype.Of[W](), dtype.Of[P]()
	for _, v := range []V{One, Each} {
		thread, block := &MvThread[W, P]{V: v}, &MvBlock[W, P]{V: v}
		try(thread.entry(), thread.index(w, p))
		try(block.entry(), block.index(w, p))
		for s := 1; s <= 32; s *= 2 {
			group, groupT := &MvGroup[W, P]{V: v, S: s}, &MvtGroup[W, P, A]{V: v, S: s}
			if i := group.index(w, p); i >= 0 {
				try(group.entry(), i)
			}
			if i := groupT.index(w, p); i >= 0 {
				try(groupT.entry(), i)
			}
		}
	}
}

func TestTiers(t *testing.T) {
	for _, c := range []struct{ ask, have int }{{75, 75}, {80, 75}, {86, 86}, {89, 86}, {90, 90}, {100, 90}, {120, 90}} {
		got, ok := Tiers("csr_mv", c.ask)
		if !ok || got.Arch != c.have {
			t.Errorf("sm_%d uses the table of sm_%d, want sm_%d", c.ask, got.Arch, c.have)
		}
	}
	if _, ok := Tiers("csr_mv", 70); ok {
		t.Error("sm_70 has a table")
	}
	if _, ok := Tiers("csr_nothing", 90); ok {
		t.Error("csr_nothing has a table")
	}
}

func TestCheckAllocatesNothing(t *testing.T) {
	d := open(t)
	a := group(t, d)
	if n := testing.AllocsPerRun(100, func() {
		if err := a.Check(d); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Config(d); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("Check and Config allocate %v times", n)
	}
}

func BenchmarkCheck(b *testing.B) {
	d := open(b)
	a := group(b, d)
	b.ReportAllocs()
	for b.Loop() {
		if err := a.CheckExact(d); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSlice(b *testing.B) {
	all := alloc[float32](b, open(b), 9).All()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := all.Slice(1, 8); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkConfig(b *testing.B) {
	d := open(b)
	a := group(b, d)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.Config(d); err != nil {
			b.Fatal(err)
		}
	}
}
