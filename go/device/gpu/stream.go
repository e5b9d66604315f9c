//go:build gpu && cgo

package gpu

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/warpwright/warpwright/go/device/backend"
	"gorgonia.org/cu"
)

// stream is a stream of the driver that the default stream is ordered with.
type stream struct {
	d *Device
	s cu.Stream

	// mu is held for reading while the handle is in use, for writing to destroy or to swap it.
	mu      sync.RWMutex
	closed  bool
	capture *cu.Stream // takes the work instead while a capture goes on
}

// NewStream makes a stream.
func (d *Device) NewStream() (backend.Stream, error) {
	st := &stream{d: d}
	err := d.do(func() error {
		s, err := cu.MakeStream(cu.DefaultStream)
		if err != nil {
			return wrap("cuStreamCreate", err)
		}
		st.s = s
		d.hold(st)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("gpu: new stream: %w", err)
	}
	return st, nil
}

// acquire returns the handle that work for s goes to, and what to call when it has been given.
func (d *Device) acquire(s backend.Stream) (st cu.Stream, owner *stream, err error) {
	if s == nil {
		return cu.NoStream, nil, nil
	}
	owner, ok := s.(*stream)
	if !ok || owner.d != d {
		return st, nil, fmt.Errorf("gpu: stream of type %T: %w", s, backend.ErrForeign)
	}
	owner.mu.RLock()
	if owner.closed {
		owner.mu.RUnlock()
		return st, nil, fmt.Errorf("gpu: stream: %w", backend.ErrClosed)
	}
	if owner.capture != nil {
		return *owner.capture, owner, nil
	}
	return owner.s, owner, nil
}

// done ends acquire's hold.
func (s *stream) done() {
	if s != nil {
		s.mu.RUnlock()
	}
}

func (s *stream) capturing() bool { return s != nil && s.capture != nil }

// enqueue gives work to a stream.
func (d *Device) enqueue(s backend.Stream, f func(cu.Stream) error) error {
	return d.do(func() error {
		st, owner, err := d.acquire(s)
		if err != nil {
			return err
		}
		defer owner.done()
		return f(st)
	})
}

// on is enqueue for what cannot be captured.
func (d *Device) on(s backend.Stream, op string, f func(cu.Stream) error) error {
	return d.do(func() error {
		st, owner, err := d.acquire(s)
		if err != nil {
			return err
		}
		defer owner.done()
		if owner.capturing() {
			return fmt.Errorf("gpu: %s: %w", op, backend.ErrCapture)
		}
		return f(st)
	})
}

// Wait waits for what the stream holds now, not for what others add meanwhile.
func (s *stream) Wait(ctx context.Context) error {
	var e cu.Event
	idle := false
	err := s.d.on(s, "wait", func(st cu.Stream) error {
		err := st.Query()
		if idle = err == nil; err != cu.NotReady {
			return wrap("cuStreamQuery", err)
		}
		if e, err = s.d.borrow(); err != nil {
			return err
		}
		if err = wrap("cuEventRecord", e.Record(st)); err != nil {
			s.d.lend(e)
		}
		return err
	})
	if err != nil || idle {
		return err
	}
	err = s.d.poll(ctx, func() error { return e.Query() })
	s.d.lend(e)
	return err
}

// WaitFor makes later work wait for e.
func (s *stream) WaitFor(e backend.Event) error {
	return s.d.enqueue(s, func(st cu.Stream) error {
		return s.d.with(func() error { return wrap("cuStreamWaitEvent", st.Wait(e.(*event).e, 0)) }, e)
	})
}

// Close releases the stream; the driver finishes its work first.
func (s *stream) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	return s.d.drop(s)
}

func (s *stream) release() error {
	h := s.s
	return wrap("cuStreamDestroy", h.Destroy())
}

// poll asks until the answer is not cu.NotReady or ctx ends. It pauses for an eighth of the time waited so
// far, at most a millisecond: short work is seen soon, long work costs no core.
func (d *Device) poll(ctx context.Context, query func() error) error {
	const shortest, longest = 5 * time.Microsecond, time.Millisecond
	start := time.Now()
	var timer *time.Timer
	for {
		ready := true
		err := d.do(func() error {
			err := query()
			if err == cu.NotReady {
				ready = false
				return nil
			}
			return wrap("cuEventQuery", err)
		})
		if ready || err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		pause := min(time.Since(start)/8, longest)
		if pause < shortest {
			continue
		}
		if timer == nil {
			timer = time.NewTimer(pause)
			defer timer.Stop()
		} else {
			timer.Reset(pause)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
		}
	}
}

// borrow takes an event for waiting, lend gives it back. borrow needs the context.
func (d *Device) borrow() (cu.Event, error) {
	d.mu.Lock()
	if n := len(d.spare); n > 0 {
		e := d.spare[n-1]
		d.spare = d.spare[:n-1]
		d.mu.Unlock()
		return e, nil
	}
	d.mu.Unlock()
	e, err := cu.MakeEvent(cu.DisableTiming)
	return e, wrap("cuEventCreate", err)
}

func (d *Device) lend(e cu.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.held != nil { // else it went with the context
		d.spare = append(d.spare, e)
	}
}

// event is an event of the driver.
type event struct {
	d        *Device
	e        cu.Event
	recorded bool // guarded by d.mu
}

// NewEvent makes an event that can be timed.
func (d *Device) NewEvent() (backend.Event, error) {
	ev := &event{d: d}
	err := d.do(func() error {
		e, err := cu.MakeEvent(cu.DefaultEvent)
		if err != nil {
			return wrap("cuEventCreate", err)
		}
		ev.e = e
		d.hold(ev)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("gpu: new event: %w", err)
	}
	return ev, nil
}

// with runs f while none of the events can be released: that needs d.mu first.
func (d *Device) with(f func() error, events ...backend.Event) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range events {
		ev, ok := e.(*event)
		if !ok || ev.d != d {
			return fmt.Errorf("gpu: event of type %T: %w", e, backend.ErrForeign)
		}
		if _, alive := d.held[ev]; !alive {
			return fmt.Errorf("gpu: event: %w", backend.ErrClosed)
		}
	}
	return f()
}

func (e *event) Record(s backend.Stream) error {
	return e.d.enqueue(s, func(st cu.Stream) error {
		return e.d.with(func() error {
			e.recorded = true
			return wrap("cuEventRecord", e.e.Record(st))
		}, e)
	})
}

func (e *event) Wait(ctx context.Context) error {
	return e.d.poll(ctx, func() error {
		return e.d.with(func() error { return e.e.Query() }, e)
	})
}

func (e *event) Since(start backend.Event) (seconds float64, err error) {
	err = e.d.do(func() error {
		return e.d.with(func() error {
			from := start.(*event)
			if !from.recorded || !e.recorded {
				return fmt.Errorf("gpu: time between events: requires both to be recorded: start %t, end %t", from.recorded, e.recorded)
			}
			ms, err := from.e.Elapsed(e.e)
			seconds = ms / 1000
			return wrap("cuEventElapsedTime", err)
		}, start, e)
	})
	return seconds, err
}

func (e *event) Close() error { return e.d.drop(e) }

func (e *event) release() error {
	h := e.e
	return wrap("cuEventDestroy", cu.DestroyEvent(&h))
}
