package devicecases

import (
	"errors"
	"fmt"
	"sync"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/device/backend"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/tests/harness"
)

// rounding is csr_round_bf16 with its arguments: n numbers from float32 to bfloat16.
type rounding struct {
	k    *device.Kernel
	from *device.Buffer[float32]
	to   *device.Buffer[dtype.BFloat16]
	host []float32
}

// newRounding finds the kernel, or returns nil where nothing is launched.
func newRounding(t harness.T, d *device.Device, n int, first float32) *rounding {
	t.Helper()
	k, err := d.Kernel("csr_round_bf16")
	if !d.Launches() {
		refused(t, err, device.ErrNoKernel, "launches nothing")
		return nil
	}
	ok(t, err)
	r := &rounding{k: k, host: make([]float32, n)}
	for i := range r.host {
		r.host[i] = first + float32(i)/3
	}
	r.from = harness.Must(device.Upload(d, r.host))(t)
	t.Cleanup(func() { harness.Close(t, r.from) })
	r.to = harness.Must(device.Alloc[dtype.BFloat16](d, n))(t)
	t.Cleanup(func() { harness.Close(t, r.to) })
	return r
}

func (r *rounding) slots() []uint64 {
	from, to := r.from.All().Range(), r.to.All().Range()
	return []uint64{uint64(len(r.host)), from.Lo, to.Lo}
}

// config is a shape that does the work whatever n is: the kernel strides over the grid.
func config(blocks uint32) device.Config {
	return device.Config{Grid: device.Dim3{X: blocks, Y: 1, Z: 1}, Block: device.Dim3{X: 256, Y: 1, Z: 1}}
}

// check compares with rounding in Go.
func (r *rounding) check(s *device.Stream) error {
	got, err := r.to.Host(s)
	if err != nil {
		return err
	}
	for i, v := range got {
		if want := dtype.FromFloat32[dtype.BFloat16](r.host[i]); v != want {
			return fmt.Errorf("element %d of %d: %g was rounded to %v, want %v", i, len(got), r.host[i], v, want)
		}
	}
	return nil
}

// Launches launches by name, on the default stream and on another.
func Launches(t harness.T, d *device.Device) {
	for _, n := range []int{0, 1, 255, 256, 257, 1000} {
		r := newRounding(t, d, n, -20)
		if r == nil {
			return
		}
		ok(t, r.k.Launch(nil, config(2), r.slots()), r.check(nil))
		ok(t, r.to.Zero(nil))
		s := harness.Must(d.NewStream())(t)
		ok(t, r.k.Launch(s, config(1), r.slots()), r.check(s), s.Close())
	}
	r := newRounding(t, d, 8, 1)
	ok(t, r.to.Zero(nil), r.k.Launch(nil, config(0), r.slots())) // an empty grid is nothing
	for i, v := range harness.Must(r.to.Host(nil))(t) {
		if v != 0 {
			t.Errorf("an empty grid wrote element %d", i)
		}
	}
	t.Logf("%s: %+v", r.k.Name(), r.k.Facts())
}

// SharedMemory asks for as much dynamic shared memory as there is.
func SharedMemory(t harness.T, d *device.Device) {
	r := newRounding(t, d, 300, 5)
	if r == nil {
		return
	}
	in := d.Info()
	for _, bytes := range []int{1, in.SharedPerBlock, in.SharedPerBlock + 1, in.SharedPerBlockMax} {
		c := config(2)
		c.Shared = uint32(bytes)
		ok(t, r.to.Zero(nil))
		if err := errors.Join(r.k.Launch(nil, c, r.slots()), r.check(nil)); err != nil {
			t.Errorf("%d shared bytes: %v", bytes, err)
		}
	}
	c := config(2)
	c.Shared = uint32(in.SharedPerBlockMax + 1)
	err := r.k.Launch(nil, c, r.slots())
	var g *backend.GeometryError
	if !errors.As(err, &g) || g.Got != uint64(c.Shared) || g.Limit != uint64(in.SharedPerBlockMax) {
		t.Errorf("one byte more: got %v, want a GeometryError", err)
	}
}

// BadLaunches launches what no device can, and goes on.
func BadLaunches(t harness.T, d *device.Device) {
	r := newRounding(t, d, 10, 1)
	if r == nil {
		return
	}
	in := d.Info()
	for name, change := range map[string]func(c *device.Config){
		"no threads":       func(c *device.Config) { c.Block.Y = 0 },
		"too many threads": func(c *device.Config) { c.Block.X = uint32(in.MaxThreadsPerBlock + 1) },
		"grid.x":           func(c *device.Config) { c.Grid.X = in.MaxGrid.X + 1 },
		"grid.y":           func(c *device.Config) { c.Grid.Y = in.MaxGrid.Y + 1 },
		"grid.z":           func(c *device.Config) { c.Grid.Z = in.MaxGrid.Z + 1 },
	} {
		c := config(1)
		change(&c)
		var g *backend.GeometryError
		if err := r.k.Launch(nil, c, r.slots()); !errors.As(err, &g) {
			t.Errorf("%s: got %v, want a GeometryError", name, err)
		}
	}
	refused(t, r.k.Launch(nil, config(1), r.slots()[:2]), nil, "csr_round_bf16")
	refused(t, r.k.Launch(nil, config(1), append(r.slots(), 0)), nil, "csr_round_bf16")
	_, err := d.Kernel("csr_round_i64")
	refused(t, err, device.ErrNoKernel, "csr_round_i64")
	ok(t, r.k.Launch(nil, config(1), r.slots()), r.check(nil))
}

// Goroutines launches from many, each with a stream of its own and all with one.
func Goroutines(t harness.T, d *device.Device) {
	const goroutines = 4
	shared := harness.Must(d.NewStream())(t)
	defer harness.Close(t, shared)
	var work [goroutines]*rounding
	for i := range work {
		if work[i] = newRounding(t, d, 400, float32(i)); work[i] == nil {
			return
		}
	}
	times := harness.Pick(harness.SizeFor(t, d), 2, 5, 5, 100)
	errs := make([]error, goroutines)
	var all sync.WaitGroup
	for i, r := range work {
		all.Add(1)
		go func() {
			defer all.Done()
			own, err := d.NewStream()
			if err != nil {
				errs[i] = err
				return
			}
			defer own.Close()
			for range times {
				for _, s := range []*device.Stream{own, shared, nil} {
					if errs[i] = errors.Join(r.to.Zero(s), r.k.Launch(s, config(1), r.slots()), r.check(s)); errs[i] != nil {
						return
					}
				}
			}
		}()
	}
	all.Wait()
	ok(t, errs...)
}

// GraphOfLaunches records zeroing and launches of two kernels' worth of work, and replays it.
func GraphOfLaunches(t harness.T, d *device.Device) {
	a := newRounding(t, d, 300, -7)
	if a == nil {
		return
	}
	b := newRounding(t, d, 500, 70)
	s := harness.Must(d.NewStream())(t)
	defer harness.Close(t, s)
	g := harness.Must(s.Capture(func() error {
		return errors.Join(a.to.Zero(s), a.k.Launch(s, config(1), a.slots()), b.k.Launch(s, config(2), b.slots()))
	}))(t)
	defer harness.Close(t, g)
	for range 3 {
		ok(t, a.to.Zero(s), b.to.Zero(s), g.Launch(s), a.check(s), b.check(s))
	}
	// A replay after one of its buffers is closed is refused, and nothing of it is done.
	ok(t, a.to.Zero(s), b.to.Close())
	refused(t, g.Launch(s), device.ErrClosed, "graph launch", "1000 bytes")
	for i, v := range harness.Must(a.to.Host(s))(t) {
		if v != 0 {
			t.Fatalf("the refused replay has written element %d", i)
		}
	}
}

// LaunchLoop launches from C where there is a driver in C.
func LaunchLoop(t harness.T, d *device.Device) {
	r := newRounding(t, d, 100, 3)
	if r == nil {
		return
	}
	ns, err := r.k.LaunchLoop(nil, config(1), r.slots(), 10)
	if d.Info().Kind != device.GPU {
		refused(t, err, nil, "requires a GPU")
		return
	}
	ok(t, err, r.check(nil))
	if !(ns > 0) {
		t.Errorf("a launch from C took %g ns", ns)
	}
}
