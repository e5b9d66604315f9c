package bench

import (
	"context"
	"errors"
	"fmt"

	"github.com/warpwright/warpwright/bench/peer"
	"github.com/warpwright/warpwright/go/device"
)

// clock times calls on a device.
type clock struct {
	dev     *device.Device
	stream  *device.Stream
	plan    peer.Plan
	blocker *device.Buffer[uint8] // nil but on a GPU
	events  []*device.Event       // two a measured call
}

// newClock prepares events, and on a GPU the memory whose clearing lets the host run ahead: 4 GiB take
// an H200 close to a millisecond. Less memory means a smaller share of it.
func newClock(dev *device.Device, warm, repeat int) (*clock, error) {
	c := &clock{dev: dev, plan: peer.Plan{Warm: warm, Repeat: repeat}}
	if err := c.prepare(); err != nil {
		return nil, errors.Join(fmt.Errorf("bench: clock: %w", err), c.close())
	}
	return c, nil
}

func (c *clock) prepare() (err error) {
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

func (c *clock) close() error {
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

// time returns the seconds of each of the plan's measured calls. call enqueues call number i.
func (c *clock) time(ctx context.Context, call func(i int) error) ([]float64, error) {
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
