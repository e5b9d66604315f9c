package device

import (
	"fmt"
	"sync/atomic"

	"github.com/warpwright/warpwright/go/device/backend"
)

// ErrCapture is wrapped by errors about what may not happen while a stream is captured.
var ErrCapture = backend.ErrCapture

// Graph is recorded work of a stream that can be replayed as one: launches, zeroings, nothing that
// moves data to or from the host. Contracts were checked when it was recorded; a replay repeats
// exactly those arguments, so the buffers must stay open.
type Graph struct {
	dev    *Device
	g      backend.Graph // where the device captures
	steps  []func() error
	closed atomic.Bool
}

// recorder collects a stream's work on a device that cannot capture by itself.
type recorder struct{ steps []func() error }

// Capture runs record, which enqueues work on the stream, and returns that work as a graph instead
// of doing it. Only one goroutine may use the stream meanwhile.
func (s *Stream) Capture(record func() error) (*Graph, error) {
	st, err := s.on(s.dev)
	if err != nil {
		return nil, fmt.Errorf("device: capture: %w", err)
	}
	g := &Graph{dev: s.dev}
	if c, ok := s.dev.b.(backend.GraphCapturer); ok {
		g.g, err = c.Capture(st, record)
		if err != nil {
			return nil, fmt.Errorf("device: capture: %w", err)
		}
		return g, nil
	}
	r := &recorder{}
	if !s.rec.CompareAndSwap(nil, r) {
		return nil, fmt.Errorf("device: capture: %w", ErrCapture)
	}
	err = record()
	s.rec.Store(nil)
	if err != nil {
		return nil, err
	}
	g.steps = r.steps
	return g, nil
}

// Launch enqueues the recorded work on a stream (nil: the default one).
func (g *Graph) Launch(s *Stream) error {
	st, err := s.on(g.dev)
	if err != nil {
		return fmt.Errorf("device: graph launch: %w", err)
	}
	if g.closed.Load() {
		return fmt.Errorf("device: graph launch: graph: %w", ErrClosed)
	}
	if g.g != nil {
		return g.g.Launch(st)
	}
	for _, step := range g.steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// Close releases the graph. Closing twice is harmless.
func (g *Graph) Close() error {
	if g.closed.Swap(true) || g.g == nil {
		return nil
	}
	return g.g.Close()
}

// record keeps f for later if the stream is being captured here, and says whether it did.
func (s *Stream) record(f func() error) bool {
	if s == nil {
		return false
	}
	r := s.rec.Load()
	if r == nil {
		return false
	}
	r.steps = append(r.steps, f)
	return true
}

// idle returns an error if the stream is being captured: op needs its work done.
func (s *Stream) idle(op string) error {
	if s != nil && s.rec.Load() != nil {
		return fmt.Errorf("device: %s: %w", op, ErrCapture)
	}
	return nil
}

// Run does an operator's work in Go, in the order of the stream. It is for devices that launch
// nothing; on others it is refused, so that no operator runs in Go unnoticed where kernels exist.
func (d *Device) Run(s *Stream, f func() error) error {
	if d.Launches() {
		return fmt.Errorf("device: run on %s: requires a device that launches nothing", d.info.Name)
	}
	if _, err := s.on(d); err != nil {
		return fmt.Errorf("device: run: %w", err)
	}
	if s.record(f) {
		return nil
	}
	return f()
}
