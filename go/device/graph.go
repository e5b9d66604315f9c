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
// exactly those arguments, counts as a write to whatever they write, and is refused once one of their
// buffers is closed or, of those that were validated, written.
type Graph struct {
	dev *Device
	g   backend.Graph // where the device captures
	recorder
	closed atomic.Bool
}

// step is recorded work; it goes on the stream of the replay, not on that of the recording.
type step func(st backend.Stream) error

// recorder collects what a stream is given while it is captured.
type recorder struct {
	native bool // the device captures the work by itself; steps stay empty
	steps  []step
	uses   []*buffer // what the work reads and writes
	writes []*buffer // what it writes
	proofs []proof   // what of it was validated
}

// proof is a version of a buffer that was validated.
type proof struct {
	b       *buffer
	version uint64
}

// reads and write note a buffer that the work uses.
func (r *recorder) reads(b *buffer) {
	r.uses = append(r.uses, b)
	if version := b.version.Load(); b.proved.Load() == version+1 {
		r.proofs = append(r.proofs, proof{b, version})
	}
}
func (r *recorder) write(b *buffer) { r.uses, r.writes = append(r.uses, b), append(r.writes, b) }

// Capture runs record, which enqueues work on the stream, and returns that work as a graph instead
// of doing it. Only one goroutine may use the stream meanwhile.
func (s *Stream) Capture(record func() error) (*Graph, error) {
	if s == nil {
		return nil, fmt.Errorf("device: capture: a nil stream belongs to no device: requires one of NewStream: %w", ErrNoDevice)
	}
	st, err := s.on(s.dev)
	if err != nil {
		return nil, fmt.Errorf("device: capture: %w", err)
	}
	c, native := s.dev.b.(backend.GraphCapturer)
	r := &recorder{native: native}
	if !s.rec.CompareAndSwap(nil, r) {
		return nil, fmt.Errorf("device: capture: %w", ErrCapture)
	}
	defer s.rec.Store(nil) // also when record panics
	g := &Graph{dev: s.dev}
	if native {
		if g.g, err = c.Capture(st, record); err != nil {
			return nil, fmt.Errorf("device: capture: %w", err)
		}
	} else if err := record(); err != nil {
		return nil, err
	}
	g.recorder = *r
	return g, nil
}

// Launch enqueues the recorded work on a stream (nil: the default one) that is not being captured.
func (g *Graph) Launch(s *Stream) error {
	st, err := s.on(g.dev)
	if err != nil {
		return fmt.Errorf("device: graph launch: %w", err)
	}
	if g.closed.Load() {
		return fmt.Errorf("device: graph launch: graph: %w", ErrClosed)
	}
	if err := s.idle("graph launch"); err != nil {
		return err // a driver refuses it too, and spoils the capture
	}
	for _, b := range g.uses {
		if err := b.usable(); err != nil {
			return fmt.Errorf("device: graph launch: a buffer of %d bytes that the recorded work uses: %w", b.end-b.addr, err)
		}
	}
	for _, p := range g.proofs {
		if n := p.b.version.Load() - p.version; n != 0 {
			return fmt.Errorf("device: graph launch: an array of %d bytes that the recorded work reads: %w: writes since: %d", p.b.end-p.b.addr, ErrStale, n)
		}
	}
	for _, b := range g.writes {
		b.touch()
	}
	if g.g != nil {
		return g.g.Launch(st)
	}
	for _, do := range g.steps {
		if err := do(st); err != nil {
			return fmt.Errorf("device: graph launch: %w", err)
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
func (s *Stream) record(f step) bool {
	if s == nil {
		return false
	}
	r := s.rec.Load()
	if r == nil || r.native {
		return false
	}
	r.steps = append(r.steps, f)
	return true
}

// capturing says whether the stream's work is recorded and not done.
func (s *Stream) capturing() bool { return s != nil && s.rec.Load() != nil }

// idle returns an error if the stream is being captured: op needs its work done.
func (s *Stream) idle(op string) error {
	if s.capturing() {
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
	if s.record(func(backend.Stream) error { return f() }) {
		return nil
	}
	return f()
}
