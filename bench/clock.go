package bench

import (
	"context"
	"errors"
	"fmt"

	"github.com/warpwright/warpwright/bench/peer"
	"github.com/warpwright/warpwright/go/device"
)

// Clock times calls on a device, all of them in one way: see the package's comment.
type Clock struct {
	dev     *device.Device
	stream  *device.Stream
	plan    peer.Plan
	blocker *device.Buffer[uint8] // nil but on a GPU
	events  []*device.Event       // two a measured call
}

// NewClock prepares to time `repeat` calls at a time, after `warm` others. It makes events, and on a GPU the memory whose clearing lets the host run ahead: 4 GiB take
// an H200 close to a millisecond. Less memory means a smaller share of it.
func NewClock(dev *device.Device, warm, repeat int) (*Clock, error) {
	c := &Clock{dev: dev, plan: peer.Plan{Warm: warm, Repeat: repeat}}
	if err := c.prepare(); err != nil {
		return nil, errors.Join(fmt.Errorf("bench: clock: %w", err), c.Close())
	}
	return c, nil
}

func (c *Clock) prepare() (err error) {
	if c.stream, err = c.dev.NewStream(); err != nil {
		return err
	}
	for range 2 * c.plan.Repeat {
		e, err := c.dev.NewEvent()
		if err != nil {
			return err
		}
		c.events = append(c.events, e)
	}
	if info := c.dev.Info(); info.Kind == device.GPU {
		size := min(4<<30, info.MemoryBytes/16)
		if c.blocker, err = device.Alloc[uint8](c.dev, int(size)); err != nil {
			return err
		}
		at := c.blocker.All().Range()
		c.plan.Blocker, c.plan.BlockerBytes = at.Lo, at.Hi-at.Lo
	}
	return nil
}

// Close frees what the clock holds.
func (c *Clock) Close() error {
	var errs []error
	if c.blocker != nil {
		errs = append(errs, c.blocker.Close())
	}
	for _, e := range c.events {
		errs = append(errs, e.Close())
	}
	if c.stream != nil {
		errs = append(errs, c.stream.Close())
	}
	return errors.Join(errs...)
}

// fewer is the same clock, which times so many calls at a time, at most as many as c: what it holds is c's, who closes it.
func (c *Clock) fewer(repeat int) *Clock {
	out := *c
	out.plan.Repeat = min(repeat, c.plan.Repeat)
	return &out
}

// Stream is where calls are to go.
func (c *Clock) Stream() *device.Stream { return c.stream }

// Time returns the seconds of each of the measured calls. call enqueues call number i on the clock's stream.
func (c *Clock) Time(ctx context.Context, call func(i int) error) ([]float64, error) {
	for i := range c.plan.Warm {
		if err := call(i); err != nil {
			return nil, err
		}
	}
	if err := c.stream.Wait(ctx); err != nil {
		return nil, err
	}
	if c.blocker != nil {
		if err := c.blocker.Zero(c.stream); err != nil {
			return nil, err
		}
	}
	for i := range c.plan.Repeat {
		if err := c.events[2*i].Record(c.stream); err != nil {
			return nil, err
		}
		if err := call(i); err != nil {
			return nil, err
		}
		if err := c.events[2*i+1].Record(c.stream); err != nil {
			return nil, err
		}
	}
	if err := c.stream.Wait(ctx); err != nil {
		return nil, err
	}
	seconds := make([]float64, c.plan.Repeat)
	for i := range seconds {
		s, err := c.events[2*i+1].Since(c.events[2*i])
		if err != nil {
			return nil, err
		}
		seconds[i] = s
	}
	return seconds, nil
}
