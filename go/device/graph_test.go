package device_test

import (
	"context"
	"errors"
	"testing"

	"github.com/warpwright/warpwright/go/device"
)

// Captured work happens at each replay and not before.
func TestCaptureReplaysInOrder(t *testing.T) {
	d := openCPU(t)
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	b, err := device.Upload(d, []float32{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	g, err := s.Capture(func() error {
		return errors.Join(b.Zero(s), d.Run(s, func() error { runs++; return nil }))
	})
	if err != nil {
		t.Fatal(err)
	}
	if host, _ := b.Host(nil); host[0] != 1 || runs != 0 {
		t.Fatalf("the work was done while it was captured: buffer %v, %d runs", host, runs)
	}
	for replay := 1; replay <= 2; replay++ {
		if err := b.Write(s, 0, []float32{1, 2, 3}); err != nil {
			t.Fatal(err)
		}
		if err := g.Launch(s); err != nil {
			t.Fatal(err)
		}
		if host, _ := b.Host(s); host[0] != 0 || host[2] != 0 || runs != replay {
			t.Fatalf("replay %d: buffer %v, %d runs", replay, host, runs)
		}
	}
	if err := errors.Join(g.Close(), g.Close()); err != nil {
		t.Fatal(err)
	}
	if err := g.Launch(s); !errors.Is(err, device.ErrClosed) {
		t.Fatalf("launch of a closed graph: %v", err)
	}
}

// What needs its work done, or moves data to the host, has no place in a graph.
func TestCaptureRefusesHostTransfers(t *testing.T) {
	d := openCPU(t)
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	b, err := device.Upload(d, []float32{1})
	if err != nil {
		t.Fatal(err)
	}
	for name, op := range map[string]func() error{
		"read":  func() error { return b.Read(s, 0, make([]float32, 1)) },
		"write": func() error { return b.Write(s, 0, []float32{2}) },
		"wait":  func() error { return s.Wait(context.Background()) },
		"nested": func() error {
			_, err := s.Capture(func() error { return nil })
			return err
		},
	} {
		if _, err := s.Capture(op); !errors.Is(err, device.ErrCapture) {
			t.Errorf("%s inside a capture: got %v, want ErrCapture", name, err)
		}
	}
	if err := b.Read(s, 0, make([]float32, 1)); err != nil {
		t.Errorf("the stream is unusable after a refused capture: %v", err)
	}
}

// All that can be enqueued is recorded, slices too, but for another graph's replay, which no driver takes.
func TestCaptureRecordsSlices(t *testing.T) {
	d := openCPU(t)
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	b, err := device.Upload(d, []float32{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	part, err := b.All().Slice(1, 3)
	if err != nil {
		t.Fatal(err)
	}
	g, err := s.Capture(func() error { return part.Zero(s) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Capture(func() error { return g.Launch(s) }); !errors.Is(err, device.ErrCapture) {
		t.Fatalf("a replay inside a capture: got %v, want ErrCapture", err)
	}
	if host, _ := b.Host(nil); host[1] != 2 {
		t.Fatalf("the work was done while it was captured: %v", host)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// A replay goes on its own stream; the one that recorded it may be gone.
	if err := g.Launch(nil); err != nil {
		t.Fatal(err)
	}
	if host, _ := b.Host(nil); host[0] != 1 || host[1] != 0 || host[2] != 0 {
		t.Fatalf("after a replay the buffer is %v, want [1 0 0]", host)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := g.Launch(nil); !errors.Is(err, device.ErrClosed) {
		t.Fatalf("replay on a closed buffer: got %v, want ErrClosed", err)
	}
}

// A panic inside a capture ends the capture.
func TestCapturePanic(t *testing.T) {
	d := openCPU(t)
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() { recover() }()
		s.Capture(func() error { panic("in the capture") })
	}()
	if err := s.Wait(context.Background()); err != nil {
		t.Fatalf("the stream is unusable after a panic: %v", err)
	}
}

// What is nil, or was not made by a constructor, is refused like what is closed.
func TestNothing(t *testing.T) {
	d := openCPU(t)
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	e, err := d.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		do   func(d *device.Device) error
		want error
	}{
		"alloc":   {func(d *device.Device) error { _, err := device.Alloc[float32](d, 1); return err }, device.ErrNoDevice},
		"pinned":  {func(d *device.Device) error { _, err := device.AllocPinned[float32](d, 1); return err }, device.ErrNoDevice},
		"stream":  {func(d *device.Device) error { _, err := d.NewStream(); return err }, device.ErrNoDevice},
		"event":   {func(d *device.Device) error { _, err := d.NewEvent(); return err }, device.ErrNoDevice},
		"kernel":  {func(d *device.Device) error { _, err := d.Kernel("csr_round_f16"); return err }, device.ErrNoDevice},
		"wait":    {func(*device.Device) error { return new(device.Stream).Wait(context.Background()) }, device.ErrNoDevice},
		"record":  {func(*device.Device) error { return new(device.Event).Record(nil) }, device.ErrNoDevice},
		"waitfor": {func(*device.Device) error { return s.WaitFor(nil) }, device.ErrClosed},
		"since":   {func(*device.Device) error { _, err := e.Since(nil); return err }, device.ErrClosed},
		"write":   {func(*device.Device) error { return (*device.Buffer[float32])(nil).Write(nil, 0, nil) }, device.ErrClosed},
	} {
		for _, d := range []*device.Device{nil, new(device.Device)} {
			if err := c.do(d); !errors.Is(err, c.want) {
				t.Errorf("%s: got %v, want %v", name, err, c.want)
			}
		}
	}
	if err := (*device.Device)(nil).Close(); err != nil {
		t.Errorf("closing no device: %v", err)
	}
}

func TestPinned(t *testing.T) {
	d := openCPU(t)
	p, err := device.AllocPinned[float64](d, 3)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Slice()) != 3 {
		t.Fatalf("length %d, want 3", len(p.Slice()))
	}
	if err := errors.Join(p.Close(), p.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := device.AllocPinned[float64](d, -1); err == nil {
		t.Fatal("a negative length was taken")
	}
	if _, err := device.AllocPinned[float64](d, 1<<50); !errors.Is(err, device.ErrOutOfMemory) {
		t.Fatalf("2^53 bytes: got %v, want ErrOutOfMemory", err)
	}
}
