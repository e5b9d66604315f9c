package devicecases

import (
	"errors"
	"slices"
	"time"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/tests/harness"
)

// Streams gives work to streams that wait for each other, and to the default one.
func Streams(t harness.T, d *device.Device) {
	first, second := harness.Must(d.NewStream())(t), harness.Must(d.NewStream())(t)
	defer harness.Close(t, first)
	defer harness.Close(t, second)
	e := harness.Must(d.NewEvent())(t)
	defer harness.Close(t, e)
	n := harness.Pick(harness.SizeFor(t, d), 100, 1<<16, 1<<20, 1<<24)
	b := harness.Must(device.Alloc[int32](d, n))(t)
	defer harness.Close(t, b)
	ones := slices.Repeat([]int32{1}, n)
	ok(t,
		b.Write(first, 0, ones),
		b.Zero(first),
		e.Record(first),
		second.WaitFor(e),
		b.Write(second, n-1, []int32{7}),
	)
	got := harness.Must(b.Host(nil))(t) // the default stream comes after both
	if !slices.Equal(got[:n-1], make([]int32, n-1)) || got[n-1] != 7 {
		t.Errorf("the last element is %d, want 7, and the others 0", got[n-1])
	}
	ok(t, b.Write(nil, 0, ones))
	if got := harness.Must(b.Host(first))(t); !slices.Equal(got, ones) { // and they after it
		t.Errorf("a stream does not see what the default stream wrote before")
	}
	ok(t, first.Wait(t.Context()), second.Wait(t.Context()), d.Wait(t.Context()))
}

// Events times work.
func Events(t harness.T, d *device.Device) {
	start, end := harness.Must(d.NewEvent())(t), harness.Must(d.NewEvent())(t)
	defer harness.Close(t, end)
	_, err := end.Since(start)
	refused(t, err, nil) // neither has been recorded
	b := harness.Must(device.Alloc[float32](d, harness.Pick(harness.SizeFor(t, d), 1<<10, 1<<16, 1<<20, 1<<26)))(t)
	defer harness.Close(t, b)
	before := time.Now()
	ok(t, start.Record(nil), b.Zero(nil), end.Record(nil), end.Wait(t.Context()), start.Wait(t.Context()))
	sec, err := end.Since(start)
	if wall := time.Since(before).Seconds(); err != nil || sec < 0 || sec > wall {
		t.Errorf("%g s between the events (%v), of %g s in all", sec, err, wall)
	}
	ok(t, start.Close(), start.Close())
	refused(t, start.Record(nil), device.ErrClosed)
	_, err = end.Since(start)
	refused(t, err, device.ErrClosed)
}

// Capture records work that needs no kernel, and replays it.
func Capture(t harness.T, d *device.Device) {
	s := harness.Must(d.NewStream())(t)
	defer harness.Close(t, s)
	b := harness.Must(device.Upload(d, []float64{1, 2, 3}))(t)
	defer harness.Close(t, b)
	g := harness.Must(s.Capture(func() error { return b.Zero(s) }))(t)
	defer harness.Close(t, g)
	if got := harness.Must(b.Host(s))(t); !slices.Equal(got, []float64{1, 2, 3}) {
		t.Errorf("capturing did the work: %v", got)
	}
	for _, on := range []*device.Stream{s, nil} {
		ok(t, b.Write(on, 0, []float64{4, 5, 6}), g.Launch(on))
		if got := harness.Must(b.Host(on))(t); !slices.Equal(got, []float64{0, 0, 0}) {
			t.Errorf("the replay left %v", got)
		}
	}
	ok(t, g.Close(), g.Close())
	refused(t, g.Launch(s), device.ErrClosed)
}

// CaptureRefuses tries in a capture what a graph cannot hold; the stream stays usable.
func CaptureRefuses(t harness.T, d *device.Device) {
	s := harness.Must(d.NewStream())(t)
	defer harness.Close(t, s)
	b := harness.Must(device.Upload(d, []float64{1, 2, 3}))(t)
	defer harness.Close(t, b)
	for name, f := range map[string]func() error{
		"write":   func() error { return b.Write(s, 0, []float64{1}) },
		"read":    func() error { return b.Read(s, 0, make([]float64, 1)) },
		"wait":    func() error { return s.Wait(t.Context()) },
		"capture": func() error { _, err := s.Capture(func() error { return nil }); return err },
	} {
		if _, err := s.Capture(f); !errors.Is(err, device.ErrCapture) {
			t.Errorf("%s in a capture: got %v, want %v", name, err, device.ErrCapture)
		}
	}
	mine := errors.New("mine")
	_, err := s.Capture(func() error { return mine })
	refused(t, err, mine)
	ok(t, b.Write(s, 0, []float64{9}), s.Wait(t.Context()))
	if got := harness.Must(b.Host(s))(t); !slices.Equal(got, []float64{9, 2, 3}) {
		t.Errorf("after the refusals the buffer holds %v", got)
	}
}
