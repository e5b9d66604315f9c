//go:build gpu && cgo

package gpu

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/warpwright/warpwright/go/device/backend"
	"gorgonia.org/cu"
)

// recorded is a graph that can be launched.
type recorded struct {
	d *Device
	e graphExec

	mu     sync.RWMutex // as in stream
	closed bool
}

// Capture runs record and returns the work that it gave to s, which s itself does not do.
//
// A stream of its own records it, one that the default stream is not ordered with: else any use of the
// default stream, by any goroutine, would spoil the capture.
func (d *Device) Capture(s backend.Stream, record func() error) (backend.Graph, error) {
	owner, ok := s.(*stream)
	if !ok || owner.d != d {
		return nil, fmt.Errorf("gpu: capture of a stream of type %T: %w", s, backend.ErrForeign)
	}
	// The capture ends on the thread where it began, and record's launches come from there.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	recorder, err := d.beginRecording(owner)
	if err != nil {
		return nil, fmt.Errorf("gpu: capture: %w", err)
	}
	finished := false
	defer func() {
		if !finished { // record panicked
			d.endRecording(owner, recorder)
		}
	}()
	recordErr := record()
	finished = true
	g, err := d.endRecording(owner, recorder)
	if err := errors.Join(recordErr, err); err != nil {
		return nil, fmt.Errorf("gpu: capture: %w", errors.Join(err, d.discard(g)))
	}
	out := &recorded{d: d}
	err = d.do(func() error {
		e, code := g.instantiate()
		if err := errors.Join(failed("cuGraphInstantiate", code), failed("cuGraphDestroy", g.destroy())); err != nil {
			return err
		}
		out.e = e
		d.hold(out)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("gpu: capture: %w", err)
	}
	return out, nil
}

// beginRecording sends owner's work to a new stream that records it.
func (d *Device) beginRecording(owner *stream) (cu.Stream, error) {
	var recorder cu.Stream
	err := d.do(func() error {
		owner.mu.Lock()
		defer owner.mu.Unlock()
		if owner.closed {
			return fmt.Errorf("stream: %w", backend.ErrClosed)
		}
		if owner.capture != nil {
			return backend.ErrCapture
		}
		var err error
		if recorder, err = cu.MakeStream(cu.NonBlocking); err != nil {
			return wrap("cuStreamCreate", err)
		}
		if code := beginCapture(recorder); code != success {
			return errors.Join(failed("cuStreamBeginCapture", code), wrap("cuStreamDestroy", recorder.Destroy()))
		}
		owner.capture = &recorder
		return nil
	})
	return recorder, err
}

// endRecording sends owner's work to owner again and returns what was recorded.
func (d *Device) endRecording(owner *stream, recorder cu.Stream) (g graph, err error) {
	owner.mu.Lock()
	owner.capture = nil
	owner.mu.Unlock()
	err = d.do(func() error {
		var code int
		g, code = endCapture(recorder)
		return errors.Join(failed("cuStreamEndCapture", code), wrap("cuStreamDestroy", recorder.Destroy()))
	})
	return g, err
}

func (d *Device) discard(g graph) error {
	return d.do(func() error { return failed("cuGraphDestroy", g.destroy()) })
}

// Launch gives the recorded work to a stream.
func (g *recorded) Launch(s backend.Stream) error {
	return g.d.enqueue(s, func(st cu.Stream) error {
		g.mu.RLock()
		defer g.mu.RUnlock()
		if g.closed {
			return fmt.Errorf("gpu: graph: %w", backend.ErrClosed)
		}
		return failed("cuGraphLaunch", g.e.launch(st))
	})
}

// Close releases the graph once its launches are done.
func (g *recorded) Close() error {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	return g.d.drop(g)
}

func (g *recorded) release() error { return failed("cuGraphExecDestroy", g.e.destroy()) }
