package csrcases

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/warpwright/warpwright/go/csr"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/numtest"
	"github.com/warpwright/warpwright/tests/harness"
)

// Concurrent shares one plan among goroutines with a stream each: a scatter in half precision, whose
// workspace they share, and one in float64, which has none.
func Concurrent(t harness.T, d *device.Device) {
	concurrent[dtype.Float16](t, d)
	concurrent[float64](t, d)
}

func concurrent[W dtype.Float](t harness.T, d *device.Device) {
	t.Helper()
	size := harness.SizeFor(t, d)
	rows := harness.Pick(size, 20, 100, 20_000, 200_000)
	s := shape{name: "concurrent", rows: rows, cols: 50, row: upTo(9)}
	p := newProblem(t, d, s.name, build[W, int32](s, each, 9), each)
	defer harness.Close(t, p.m)
	plan := harness.Must(csr.NewPlan(p.m))(t)
	defer harness.Close(t, plan)
	var all sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		all.Add(1)
		go func() {
			defer all.Done()
			errs[i] = p.repeat(t.Context(), d, plan, harness.Pick(size, 2, 5, 20, 50))
		}()
	}
	all.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("%s: goroutine %d: %v", p.name, i, err)
		}
	}
}

// repeat makes products on a stream of its own.
func (p *problem[W]) repeat(ctx context.Context, d *device.Device, plan *csr.Plan[W], times int) (err error) {
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	defer func() {
		if e := s.Close(); err == nil {
			err = e
		}
	}()
	x, err := device.Upload(d, p.x[csr.Scatter])
	if err != nil {
		return err
	}
	defer x.Close()
	y, err := device.Alloc[W](d, p.m.Cols())
	if err != nil {
		return err
	}
	defer y.Close()
	for i := range times {
		if err := plan.MulVecT(s, y.All(), x.All()); err != nil {
			return fmt.Errorf("product %d: %w", i, err)
		}
		got, err := y.Host(s)
		if err != nil {
			return err
		}
		truth := p.truth[csr.Scatter]
		if err := numtest.Check(got, truth.Y, truth.Bound(dtype.Of[W]())).Err(); err != nil {
			return fmt.Errorf("product %d: %w", i, err)
		}
	}
	return s.Wait(ctx)
}

// Capture captures products of both directions into a graph and replays it with other vectors: nothing is
// computed before the replay, and what is computed then is right.
func Capture(t harness.T, d *device.Device) {
	capture[float32](t, d)
	capture[dtype.BFloat16](t, d)
}

func capture[W dtype.Float](t harness.T, d *device.Device) {
	t.Helper()
	s := shape{name: "capture", rows: 60, cols: 41, row: upTo(9)}
	p := newProblem(t, d, s.name, build[W, int32](s, each, 10), each)
	defer harness.Close(t, p.m)
	plan := harness.Must(csr.NewPlan(p.m))(t)
	defer harness.Close(t, plan)
	stream := harness.Must(d.NewStream())(t)
	defer harness.Close(t, stream)
	var x, y [2]*device.Buffer[W]
	for _, at := range directions {
		x[at] = harness.Must(device.Upload(d, make([]W, len(p.x[at]))))(t)
		y[at] = harness.Must(device.Upload(d, padded(make([]W, len(p.truth[at].Y)-2*guard))))(t)
		defer harness.Close(t, x[at])
		defer harness.Close(t, y[at])
	}
	graph := harness.Must(stream.Capture(func() error {
		if err := plan.MulVec(stream, y[csr.Gather].All(), x[csr.Gather].All()); err != nil {
			return err
		}
		return plan.MulVecT(stream, y[csr.Scatter].All(), x[csr.Scatter].All())
	}))(t)
	defer harness.Close(t, graph)
	for _, at := range directions {
		if first := harness.Must(y[at].Host(nil))(t)[0]; !math.IsNaN(dtype.ToFloat64(first)) {
			t.Errorf("%s: %v: y[0] is %v before the replay", p.name, at, first)
		}
		if err := x[at].Write(nil, 0, p.x[at]); err != nil {
			t.Fatalf("%v", err)
		}
	}
	for range 2 {
		if err := graph.Launch(stream); err != nil {
			t.Fatalf("%s: replay: %v", p.name, err)
		}
		for _, at := range directions {
			got, err := y[at].Host(stream)
			p.compare(t, at, got, err)
		}
	}
}
