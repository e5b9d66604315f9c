package dynamic_test

import (
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/kernels/csrkernels"
	"github.com/warpwright/warpwright/go/kernels/dynamic"
	"github.com/warpwright/warpwright/go/kernels/dynamic/dynamictest"
	"github.com/warpwright/warpwright/go/kernels/launch"
	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/go/numtest"
	"github.com/warpwright/warpwright/go/valid"
	"github.com/warpwright/warpwright/tests/harness"
)

// family launches by generated code and by the interpreter.
type family struct {
	t       *testing.T
	d       *device.Device
	spec    *manifest.Spec
	dynamic *dynamic.Family
}

// open makes a family's interpreter on a device.
func open(t *testing.T, d *device.Device, name string) family {
	t.Helper()
	root := "."
	if _, err := os.Stat("cuda"); err != nil { // plain `go test` runs where the sources are
		root = "../.."
	}
	spec := dynamictest.Spec(t, root, name)
	return family{t, d, spec, harness.Must(dynamic.Load(d, spec))(t)}
}

// opened is the device that WW_DEVICE names.
func opened(t *testing.T) *device.Device {
	t.Helper()
	d, err := harness.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { harness.Close(t, d) })
	t.Log(harness.Describe(d))
	return d
}

// TestSameBytes launches every kernel of csr both ways.
func TestSameBytes(t *testing.T) {
	d := opened(t)
	p := open(t, d, "csr")
	on := harness.Must(csrkernels.Load(d))(t)
	kernels[float32, int32, float32](p, on)
	kernels[float64, int64, float64](p, on)
	kernels[dtype.BFloat16, int32, float32](p, on)
}

// kernels launches all of them with weights and vectors of small whole numbers, so that sums are exact in any order.
func kernels[W dtype.Float, P dtype.Offset, A float32 | float64](p family, on *csrkernels.Kernels) {
	p.t.Helper()
	const rows, columns = 70, 50
	offsets, cols := []P{0}, []int32{}
	for r := range rows {
		for i := range r % 13 {
			cols = append(cols, int32((r*7+i*3)%columns))
		}
		offsets = append(offsets, P(len(cols)))
	}
	m := harness.Must(valid.NewOffsets(p.d, offsets, len(cols)))(p.t)
	c := harness.Must(valid.NewColumns(p.d, cols, columns))(p.t)
	weights, x, xt := upload(p, whole[W](len(cols))), upload(p, whole[W](columns)), upload(p, whole[W](rows))
	y, sums := upload(p, whole[W](rows)), upload(p, make([]A, columns))
	types := map[string]string{"W": dtype.Of[W]().String(), "P": dtype.Of[P]().String()}

	thread := &csrkernels.MvThread[W, P]{V: csrkernels.Each, Rows: m, Cols: c, Weights: weights.All(), X: x.All(), Y: y.All()}
	same(p, "csr_mv_thread", types, thread, func() error { return thread.LaunchExact(on, nil) }, y)
	group := &csrkernels.MvGroup[W, P]{V: csrkernels.One, S: 8, Rows: m, Cols: c, Weights: weights.All(), X: x.All(), Y: y.All()}
	same(p, "csr_mv_group", types, group, func() error { return group.Launch(on, nil) }, y)
	block := &csrkernels.MvBlock[W, P]{V: csrkernels.Each, Rows: m, Cols: c, Weights: weights.All(), X: x.All(), Y: y.All()}
	same(p, "csr_mv_block", types, block, func() error { return block.Launch(on, nil) }, y)
	scatter := &csrkernels.MvtGroup[W, P, A]{V: csrkernels.Each, S: 4, Rows: m, Cols: c, Weights: weights.All(), X: xt.All(), Sums: sums.All()}
	same(p, "csr_mvt_group", types, scatter, func() error { return scatter.Launch(on, nil) }, sums)
	if dtype.Of[W]().Size() == 2 {
		out := upload(p, whole[W](columns))
		f32 := upload(p, make([]float32, columns))
		round := &csrkernels.Round[W]{K: columns, Sums: f32.All(), Y: out.All()}
		same(p, "csr_round", map[string]string{"W": types["W"]}, round, func() error { return round.Launch(on, nil) }, out)
	}
	short := harness.Must(x.All().Slice(0, columns-1))(p.t)
	thread.X = short
	err := p.dynamic.Launch(nil, dynamictest.Call(kernel(p, "csr_mv_thread"), types, thread))
	if want := thread.Launch(on, nil); err == nil || want == nil || err.Error() != want.Error() {
		p.t.Errorf("a short x: got %v, want %v", err, want)
	}
}

// same launches a kernel twice, each time from the same bytes: by launch, which is generated code, and by the interpreter. Both must
// launch the entry that they say, once, and nothing else, and leave the same bits in out. It returns what they chose.
func same[T dtype.Element](p family, name string, types map[string]string, l dynamictest.Launcher, launched func() error, out *device.Buffer[T]) launch.Choice {
	p.t.Helper()
	call := dynamictest.Call(kernel(p, name), types, l)
	if !p.d.Launches() {
		if a, b := launched(), p.dynamic.Launch(nil, call); !errors.Is(a, device.ErrNoKernel) || a.Error() != b.Error() {
			p.t.Errorf("%s where nothing is launched: generated code says %v, the interpreter %v", name, a, b)
		}
		return launch.Choice{}
	}
	choice, other := harness.Must(l.Chosen(p.d))(p.t), harness.Must(p.dynamic.Chosen(call))(p.t)
	if choice.String() != other.String() {
		p.t.Errorf("%s: generated code takes\n%v\nthe interpreter\n%v", name, choice, other)
	}
	before := harness.Must(out.Host(nil))(p.t)
	run := func(how func() error) []T {
		p.t.Helper()
		ok(p, name, out.Write(nil, 0, before))
		counts := p.d.LaunchCounts()
		ok(p, name, how())
		after := p.d.LaunchCounts()
		for entry, n := range after {
			if want := counts[entry] + btoi(entry == choice.Entry); n != want {
				p.t.Errorf("%s: entry %s was launched %d times, want %d", choice, entry, n-counts[entry], want-counts[entry])
			}
		}
		return harness.Must(out.Host(nil))(p.t)
	}
	want := run(launched)
	got := run(func() error { return p.dynamic.Launch(nil, call) })
	if i := numtest.Different(got, want); i >= 0 {
		p.t.Errorf("%s: from [%d] on the interpreter's launch gives\n%v\ngenerated code's\n%v", choice, i, got, want)
	}
	if name != "csr_round" && numtest.Different(want, before) < 0 {
		p.t.Errorf("%s: nothing was written", choice)
	}
	return choice
}

func btoi(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func ok(p family, name string, err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatalf("%s: %v", name, err)
	}
}

func kernel(p family, name string) *manifest.Kernel {
	i := slices.IndexFunc(p.spec.Kernels, func(k manifest.Kernel) bool { return k.Name == name })
	return &p.spec.Kernels[i]
}

func upload[T dtype.Element](p family, host []T) *device.Buffer[T] {
	p.t.Helper()
	b := harness.Must(device.Upload(p.d, host))(p.t)
	p.t.Cleanup(func() { harness.Close(p.t, b) })
	return b
}

// whole are small whole numbers.
func whole[W dtype.Float](n int) []W {
	out := make([]W, n)
	for i := range out {
		out[i] = dtype.FromFloat64[W](float64(i%5 - 1))
	}
	return out
}
