package containment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/device/backend"
	"github.com/warpwright/warpwright/go/device/emu"
	"github.com/warpwright/warpwright/tests/harness"
	"github.com/warpwright/warpwright/tests/twins"
)

// length is of every array here: 4 KiB, of which a GPU has many in one mapping.
const length = 1024

// Arg is the launch as one argument of a command line.
func (l Launch) Arg() string { return fmt.Sprintf("%s+%d", l.Variant, l.Beyond) }

// Parse reads what Arg gives.
func Parse(arg string) (Launch, error) {
	variant, beyond, _ := strings.Cut(arg, "+")
	n, err := strconv.ParseUint(beyond, 10, 64)
	if err != nil {
		return Launch{}, fmt.Errorf("containment: %q is no launch: want VARIANT+ELEMENTS", arg)
	}
	return Launch{twins.Variant(variant), n}, nil
}

// Child makes the launch on the device that the environment names, and writes the outcome. An error is one
// that has nothing to do with the launch.
func Child(ctx context.Context, l Launch, w io.Writer) error {
	d, err := harness.Open(ctx)
	if err != nil {
		return err
	}
	if !d.Launches() {
		return errors.Join(fmt.Errorf("%v: %w: %s launches nothing", l, device.ErrNoKernel, d.Info().Name), d.Close())
	}
	o, err := observe(ctx, d, l)
	if err != nil {
		return errors.Join(fmt.Errorf("%v: %w", l, err), d.Close())
	}
	// What a bad launch has poisoned cannot be closed without an error.
	if err := d.Close(); err != nil && !o.Sticky {
		return err
	}
	return json.NewEncoder(w).Encode(o)
}

// observe makes the launch between arrays that nobody may touch.
func observe(ctx context.Context, d *device.Device, l Launch) (o Outcome, err error) {
	var before, after [4]*device.Buffer[float32]
	for i := range before {
		if before[i], err = device.Upload(d, numbers(i)); err != nil {
			return o, err
		}
	}
	x, err := device.Upload(d, numbers(10))
	if err != nil {
		return o, err
	}
	y, err := device.Upload(d, numbers(11))
	if err != nil {
		return o, err
	}
	for i := range after {
		if after[i], err = device.Upload(d, numbers(20+i)); err != nil {
			return o, err
		}
	}
	s, err := d.NewStream()
	if err != nil {
		return o, err
	}

	bad := twins.Saxpy(d, s, l.Variant, length+l.Beyond, 2, x.All(), y.All())
	if bad == nil {
		bad = s.Wait(ctx)
	}
	o.judge(bad)

	// The next launch is a good one, on arrays of its own.
	if err := good(ctx, d, l.Variant); err != nil {
		o.Next = err.Error()
	}

	for i := range before {
		o.look(before[i], numbers(i))
		o.look(after[i], numbers(20+i))
	}
	o.look(x, numbers(10))
	return o, nil
}

// judge notes what kind of error the bad launch gave.
func (o *Outcome) judge(err error) {
	if err == nil {
		return
	}
	o.Bad = err.Error()
	var violation *contract.Violation
	o.Violation = errors.As(err, &violation)
	var report *emu.Report
	o.Reported = errors.As(err, &report)
	var driver *backend.DriverError
	o.Sticky = errors.As(err, &driver) && driver.Sticky()
}

// look counts what has changed in an array.
func (o *Outcome) look(b *device.Buffer[float32], want []float32) {
	got, err := b.Host(nil)
	if err != nil {
		o.Lost++
		return
	}
	for i, v := range got {
		if v != want[i] {
			o.Corrupted++
		}
	}
}

// good launches what is right, and says whether the answer is.
func good(ctx context.Context, d *device.Device, v twins.Variant) error {
	x, err := device.Upload(d, numbers(30))
	if err != nil {
		return err
	}
	y, err := device.Upload(d, numbers(31))
	if err != nil {
		return err
	}
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	if err := twins.Saxpy(d, s, v, length, 2, x.All(), y.All()); err != nil {
		return err
	}
	if err := s.Wait(ctx); err != nil {
		return err
	}
	got, err := y.Host(nil)
	if err != nil {
		return err
	}
	for i, x := range numbers(30) {
		if want := 2*x + numbers(31)[i]; got[i] != want {
			return fmt.Errorf("y[%d] is %v, want %v", i, got[i], want)
		}
	}
	return nil
}

// numbers are the contents of array i: small whole numbers, exact in every order, each array's its own.
func numbers(i int) []float32 {
	out := make([]float32, length)
	for at := range out {
		out[at] = float32(i*length + at)
	}
	return out
}
