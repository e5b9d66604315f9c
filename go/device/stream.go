package device

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/warpwright/warpwright/go/device/backend"
)

// Stream is an order of work on a device. A nil *Stream is the device's default one.
type Stream struct {
	dev    *Device
	s      backend.Stream
	closed atomic.Bool
}

// NewStream makes a stream whose work runs beside that of other streams.
func (d *Device) NewStream() (*Stream, error) {
	if d.closed.Load() {
		return nil, fmt.Errorf("device: new stream: device: %w", ErrClosed)
	}
	s, err := d.b.NewStream()
	if err != nil {
		return nil, fmt.Errorf("device: new stream: %w", err)
	}
	return &Stream{dev: d, s: s}, nil
}

// on returns the backend's stream if s may carry work of d.
func (s *Stream) on(d *Device) (backend.Stream, error) {
	if d.closed.Load() {
		return nil, fmt.Errorf("device: %w", ErrClosed)
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
	st, err := s.on(s.dev)
	if err != nil {
		return fmt.Errorf("device: wait: %w", err)
	}
	return st.Wait(ctx)
}

// WaitFor makes later work of the stream wait for e.
func (s *Stream) WaitFor(e *Event) error {
	st, err := s.on(e.dev)
	if err != nil {
		return fmt.Errorf("device: wait for event: %w", err)
	}
	return st.WaitFor(e.e)
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
	if d.closed.Load() {
		return nil, fmt.Errorf("device: new event: device: %w", ErrClosed)
	}
	e, err := d.b.NewEvent()
	if err != nil {
		return nil, fmt.Errorf("device: new event: %w", err)
	}
	return &Event{dev: d, e: e}, nil
}

// Record places the event behind what the stream (nil: the default one) holds now.
func (e *Event) Record(s *Stream) error {
	st, err := s.on(e.dev)
	if err != nil {
		return fmt.Errorf("device: record event: %w", err)
	}
	return e.e.Record(st)
}

// Wait returns when the device has reached the event, or with ctx's error.
func (e *Event) Wait(ctx context.Context) error { return e.e.Wait(ctx) }

// Since is the device time in seconds from start to e; both must have been reached.
func (e *Event) Since(start *Event) (float64, error) { return e.e.Since(start.e) }

// Close releases the event. Closing twice is harmless.
func (e *Event) Close() error {
	if e.closed.Swap(true) {
		return nil
	}
	return e.e.Close()
}
