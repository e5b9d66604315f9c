package emu

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/warpwright/warpwright/go/device/backend"
)

// stream has nothing to order: every call returns when its work is done.
type stream struct {
	dev    *Device
	closed atomic.Bool
}

// NewStream makes a stream.
func (d *Device) NewStream() (backend.Stream, error) {
	if err := d.open(); err != nil {
		return nil, err
	}
	return &stream{dev: d}, nil
}

func (d *Device) open() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return fmt.Errorf("emu: device: %w", backend.ErrClosed)
	}
	return nil
}

// owns refuses streams that are closed or another device's. nil is the default stream.
func (d *Device) owns(s backend.Stream) error {
	if s == nil {
		return nil
	}
	t, ok := s.(*stream)
	if !ok || t.dev != d {
		return fmt.Errorf("emu: stream: %w", backend.ErrForeign)
	}
	if t.closed.Load() {
		return fmt.Errorf("emu: stream: %w", backend.ErrClosed)
	}
	return nil
}

func (s *stream) Wait(context.Context) error { return s.dev.owns(s) }

func (s *stream) WaitFor(e backend.Event) error {
	if t, ok := e.(*event); !ok || t.dev != s.dev {
		return fmt.Errorf("emu: event: %w", backend.ErrForeign)
	}
	return s.dev.owns(s)
}

func (s *stream) Close() error {
	s.closed.Store(true)
	return nil
}

// event is the wall time at which it was recorded.
type event struct {
	dev *Device
	at  atomic.Pointer[time.Time]
}

var errNotRecorded = errors.New("the event was not recorded")

// NewEvent makes an event.
func (d *Device) NewEvent() (backend.Event, error) {
	if err := d.open(); err != nil {
		return nil, err
	}
	return &event{dev: d}, nil
}

func (e *event) Record(s backend.Stream) error {
	if err := e.dev.owns(s); err != nil {
		return err
	}
	now := time.Now()
	e.at.Store(&now)
	return nil
}

func (e *event) Wait(context.Context) error { return nil }

func (e *event) Since(start backend.Event) (float64, error) {
	from, ok := start.(*event)
	if !ok || from.dev != e.dev {
		return 0, fmt.Errorf("emu: event: %w", backend.ErrForeign)
	}
	a, b := from.at.Load(), e.at.Load()
	if a == nil || b == nil {
		return 0, fmt.Errorf("emu: event: %w", errNotRecorded)
	}
	return b.Sub(*a).Seconds(), nil
}

func (e *event) Close() error { return nil }
