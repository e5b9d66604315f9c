package device

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/warpwright/warpwright/go/device/backend"
)

// Stream is an order of work on a device. A nil *Stream is the device's default one, which is ordered
// with every other: its work starts when theirs is done, and theirs after it.
type Stream struct {
	dev    *Device
	s      backend.Stream
	closed atomic.Bool
	rec    atomic.Pointer[recorder] // not nil while Capture records here
}

// NewStream makes a stream whose work runs beside that of other streams.
func (d *Device) NewStream() (*Stream, error) {
	if err := d.usable(); err != nil {
		return nil, fmt.Errorf("device: new stream: %w", err)
	}
	s, err := d.b.NewStream()
	if err != nil {
		return nil, fmt.Errorf("device: new stream: %w", err)
	}
	return &Stream{dev: d, s: s}, nil
}

// on returns the backend's stream if s may carry work of d.
func (s *Stream) on(d *Device) (backend.Stream, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	if s == nil {
		return nil, nil
	}
	if s.closed.Load() {
		return nil, fmt.Errorf("stream: %w", ErrClosed)
	}
	if s.dev != d {
		return nil, fmt.Errorf("stream: %w", ErrForeign)
	}
	return s.s, nil
}

// Wait returns when the work enqueued so far is done, or with ctx's error when that ends first; a
// running kernel is not cancelled.
func (s *Stream) Wait(ctx context.Context) error {
	if s == nil {
		return errors.New("device: wait: a nil stream belongs to no device: requires Device.Wait")
	}
	st, err := s.on(s.dev)
	if err != nil {
		return fmt.Errorf("device: wait: %w", err)
	}
	if err := s.idle("wait"); err != nil {
		return err
	}
	return st.Wait(ctx)
}

// WaitFor makes later work of the stream wait for e.
func (s *Stream) WaitFor(e *Event) error {
	err := e.alive()
	if err != nil {
		return fmt.Errorf("device: wait for event: %w", err)
	}
	st, err := s.on(e.dev)
	if err != nil {
		return fmt.Errorf("device: wait for event: %w", err)
	}
	if s == nil {
		return nil // the default stream waits for all others anyway
	}
	return st.WaitFor(e.e)
}

// Wait returns when the work of all streams is done, or with ctx's error when that ends first.
func (d *Device) Wait(ctx context.Context) error {
	e, err := d.NewEvent()
	if err != nil {
		return err
	}
	err = e.Record(nil)
	if err == nil {
		err = e.Wait(ctx)
	}
	return errors.Join(err, e.Close())
}

// Close releases the stream once its work is done. Closing twice is harmless.
func (s *Stream) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	return s.s.Close()
}

// Event is a point in a stream's work, for timing and for ordering streams.
type Event struct {
	dev    *Device
	e      backend.Event
	closed atomic.Bool
}

// NewEvent makes an event that no stream has recorded yet.
func (d *Device) NewEvent() (*Event, error) {
	if err := d.usable(); err != nil {
		return nil, fmt.Errorf("device: new event: %w", err)
	}
	e, err := d.b.NewEvent()
	if err != nil {
		return nil, fmt.Errorf("device: new event: %w", err)
	}
	return &Event{dev: d, e: e}, nil
}

// Record places the event behind what the stream (nil: the default one) holds now.
func (e *Event) Record(s *Stream) error {
	if err := e.alive(); err != nil {
		return fmt.Errorf("device: record event: %w", err)
	}
	st, err := s.on(e.dev)
	if err != nil {
		return fmt.Errorf("device: record event: %w", err)
	}
	return e.e.Record(st)
}

// Wait returns when the device has reached the event, or with ctx's error. An event that was never
// recorded has nothing to wait for.
func (e *Event) Wait(ctx context.Context) error {
	if err := e.alive(); err != nil {
		return fmt.Errorf("device: wait for event: %w", err)
	}
	return e.e.Wait(ctx)
}

// Since is the device time in seconds from start to e; both must have been reached.
func (e *Event) Since(start *Event) (float64, error) {
	err := errors.Join(start.alive(), e.alive())
	if err == nil && start.dev != e.dev {
		err = fmt.Errorf("start: %w", ErrForeign)
	}
	if err != nil {
		return 0, fmt.Errorf("device: time between events: %w", err)
	}
	return e.e.Since(start.e)
}

// alive returns ErrClosed unless the event and its device are open.
func (e *Event) alive() error {
	if e == nil {
		return fmt.Errorf("event: it is nil: %w", ErrClosed)
	}
	if e.closed.Load() {
		return fmt.Errorf("event: %w", ErrClosed)
	}
	return e.dev.usable()
}

// Close releases the event. Closing twice is harmless.
func (e *Event) Close() error {
	if e.closed.Swap(true) {
		return nil
	}
	return e.e.Close()
}
