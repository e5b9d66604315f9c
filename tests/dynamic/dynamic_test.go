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
	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/go/valid"
	"github.com/warpwright/warpwright/tests/harness"
)

// pair launches by generated code and by the interpreter.
type pair struct {
	t         *testing.T
	d         *device.Device
	spec      *manifest.Spec
	generated *csrkernels.Kernels
	dynamic   *dynamic.Family
}

// TestSameBytes launches every kernel of csr both ways, on the device that WW_DEVICE names.
func TestSameBytes(t *testing.T) {
	d, err := harness.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { harness.Close(t, d) })
	t.Log(harness.Describe(d))
	root := "."
	if _, err := os.Stat("cuda"); err != nil { // plain `go test` runs where the sources are
		root = "../.."
	}
	p := pair{t: t, d: d, spec: dynamictest.Spec(t, root, "csr")}
	if p.generated, err = csrkernels.Load(d); err != nil {
		t.Fatal(err)
	}
	if p.dynamic, err = dynamic.Load(d, p.spec); err != nil {
		t.Fatal(err)
	}
	kernels[float32, int32, float32](p)
	kernels[float64, int64, float64](p)
	kernels[dtype.BFloat16, int32, float32](p)
}

// kernels launches all of them with weights and vectors of small whole numbers, so that sums are exact in any order.
func kernels[W dtype.Float, P dtype.Offset, A float32 | float64](p pair) {
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
	same(p, "csr_mv_thread", types, thread, thread.LaunchExact, y)
	group := &csrkernels.MvGroup[W, P]{V: csrkernels.One, S: 8, Rows: m, Cols: c, Weights: weights.All(), X: x.All(), Y: y.All()}
	same(p, "csr_mv_group", types, group, group.Launch, y)
	block := &csrkernels.MvBlock[W, P]{V: csrkernels.Each, Rows: m, Cols: c, Weights: weights.All(), X: x.All(), Y: y.All()}
	same(p, "csr_mv_block", types, block, block.Launch, y)
	scatter := &csrkernels.MvtGroup[W, P, A]{V: csrkernels.Each, S: 4, Rows: m, Cols: c, Weights: weights.All(), X: xt.All(), Sums: sums.All()}
	same(p, "csr_mvt_group", types, scatter, scatter.Launch, sums)
	if dtype.Of[W]().Size() == 2 {
		out := upload(p, whole[W](columns))
		f32 := upload(p, make([]float32, columns))
		round := &csrkernels.Round[W]{K: columns, Sums: f32.All(), Y: out.All()}
		same(p, "csr_round", map[string]string{"W": types["W"]}, round, round.Launch, out)
	}
	short := harness.Must(x.All().Slice(0, columns-1))(p.t)
	thread.X = short
	err := p.dynamic.Launch(nil, dynamictest.Call(kernel(p, "csr_mv_thread"), types, thread))
	if want := thread.Launch(p.generated, nil); err == nil || want == nil || err.Error() != want.Error() {
		p.t.Errorf("a short x: got %v, want %v", err, want)
	}
}

// same launches a kernel twice and compares what it wrote.
func same[T dtype.Element](p pair, name string, types map[string]string, l dynamictest.Launcher, launch func(*csrkernels.Kernels, *device.Stream) error, out *device.Buffer[T]) {
	p.t.Helper()
	call := dynamictest.Call(kernel(p, name), types, l)
	if !p.d.Launches() {
		if a, b := launch(p.generated, nil), p.dynamic.Launch(nil, call); !errors.Is(a, device.ErrNoKernel) || a.Error() != b.Error() {
			p.t.Errorf("%s where nothing is launched: generated code says %v, the interpreter %v", name, a, b)
		}
		return
	}
	before := harness.Must(out.Host(nil))(p.t)
	ok(p, name, launch(p.generated, nil))
	want := harness.Must(out.Host(nil))(p.t)
	ok(p, name, out.Write(nil, 0, before))
	ok(p, name, p.dynamic.Launch(nil, call))
	got := harness.Must(out.Host(nil))(p.t)
	choice := harness.Must(l.Chosen(p.d))(p.t)
	if !slices.Equal(got, want) {
		p.t.Errorf("%s: the interpreter's launch gives\n%v\ngenerated code's\n%v", choice, got, want)
	}
	if name != "csr_round" && slices.Equal(want, before) {
		p.t.Errorf("%s: nothing was written", choice)
	}
}

func ok(p pair, name string, err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatalf("%s: %v", name, err)
	}
}

func kernel(p pair, name string) *manifest.Kernel {
	i := slices.IndexFunc(p.spec.Kernels, func(k manifest.Kernel) bool { return k.Name == name })
	return &p.spec.Kernels[i]
}

func upload[T dtype.Element](p pair, host []T) *device.Buffer[T] {
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
