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
}
