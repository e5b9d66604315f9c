package csr

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/internal/plain"
	"github.com/warpwright/warpwright/go/kernels/csrkernels"
	"github.com/warpwright/warpwright/go/kernels/launch"
	"github.com/warpwright/warpwright/go/valid"
)

// product is one direction of a plan.
type product[W dtype.Float] struct {
	choice Choice
	// run checks the launch contracts, which refuse what no kernel may be given, and then launches, or
	// computes in Go where the device launches nothing. A product of several steps has all of them checked
	// before the first.
	run   func(s *device.Stream, y, x device.Slice[W]) error
	close func() error // frees the workspace; nil where there is none
}

// newProduct resolves the two types that a matrix chooses at run time, offsets and accumulator. k is nil
// where the device launches nothing. Of the choice, direction, tier and its reason are there; what serves the tier, the product adds.
func newProduct[W dtype.Float](m *Matrix[W], k *csrkernels.Kernels, c Choice) (*product[W], error) {
	c.Kernel = c.Tier.Kernel
	double := dtype.Of[W]().Accumulator() == dtype.F64
	switch {
	case m.wide != nil && double:
		return productOf[W, int64, float64](m, m.wide, k, c)
	case m.wide != nil:
		return productOf[W, int64, float32](m, m.wide, k, c)
	case double:
		return productOf[W, int32, float64](m, m.narrow, k, c)
	default:
		return productOf[W, int32, float32](m, m.narrow, k, c)
	}
}

func productOf[W dtype.Float, P dtype.Offset, A plain.Accumulator](m *Matrix[W], rows *valid.Offsets[P], k *csrkernels.Kernels, c Choice) (*product[W], error) {
	var b *body[W, P, A]
	if k == nil {
		b = newBody[W, P, A](m, rows.Slice().Host(), c.Direction)
		b.proved = func() error { return errors.Join(rows.Proved(), m.columns.Proved()) }
	}
	switch {
	case c.Direction == Gather:
		return newGather(m, rows, b, k, c)
	case dtype.Of[A]() == dtype.Of[W]():
		return newScatter(m, rows, b, k, c)
	default:
		return newHalfScatter(m, rows, b, k, c)
	}
}

func (m *Matrix[W]) tag() csrkernels.V {
	if m.one {
		return csrkernels.One
	}
	return csrkernels.Each
}

func newGather[W dtype.Float, P dtype.Offset, A plain.Accumulator](m *Matrix[W], rows *valid.Offsets[P], b *body[W, P, A], k *csrkernels.Kernels, c Choice) (*product[W], error) {
	d, p := m.dev, &product[W]{}
	var entry launch.Choice
	var err error
	// inGo is what follows a check where no kernel does.
	inGo := func(checked error, s *device.Stream, y, x device.Slice[W]) error {
		if checked != nil {
			return checked
		}
		return run(d, s, b.proved, b.gather, y, x)
	}
	// One case a launcher: their types differ, and a common interface would cost each launch an allocation.
	switch c.Kernel {
	case mvThread:
		base := csrkernels.MvThread[W, P]{V: m.tag(), Rows: rows, Cols: m.columns, Weights: m.weights.All()}
		entry, err = base.Chosen(d)
		p.run = func(s *device.Stream, y, x device.Slice[W]) error {
			a := base
			a.X, a.Y = x, y
			if k == nil {
				return inGo(a.CheckExact(d), s, y, x)
			}
			return a.LaunchExact(k, s)
		}
	case mvGroup:
		base := csrkernels.MvGroup[W, P]{V: m.tag(), S: c.Tier.Lanes, Rows: rows, Cols: m.columns, Weights: m.weights.All()}
		entry, err = base.Chosen(d)
		p.run = func(s *device.Stream, y, x device.Slice[W]) error {
			a := base
			a.X, a.Y = x, y
			if k == nil {
				return inGo(a.CheckExact(d), s, y, x)
			}
			return a.LaunchExact(k, s)
		}
	case mvBlock:
		base := csrkernels.MvBlock[W, P]{V: m.tag(), Rows: rows, Cols: m.columns, Weights: m.weights.All()}
		entry, err = base.Chosen(d)
		p.run = func(s *device.Stream, y, x device.Slice[W]) error {
			a := base
			a.X, a.Y = x, y
			if k == nil {
				return inGo(a.CheckExact(d), s, y, x)
			}
			return a.LaunchExact(k, s)
		}
	default:
		return nil, fmt.Errorf("no launcher for tier %v", c.Tier)
	}
	p.choice = c.taking(entry)
	return p, err
}

// newScatter is for types that sum in themselves: the kernel adds to y.
func newScatter[W dtype.Float, P dtype.Offset, A plain.Accumulator](m *Matrix[W], rows *valid.Offsets[P], b *body[W, P, A], k *csrkernels.Kernels, c Choice) (*product[W], error) {
	if c.Kernel != mvtGroup {
		return nil, fmt.Errorf("no launcher for tier %v", c.Tier)
	}
	d := m.dev
	base := csrkernels.MvtGroup[W, P, A]{V: m.tag(), S: c.Tier.Lanes, Rows: rows, Cols: m.columns, Weights: m.weights.All()}
	entry, err := base.Chosen(d)
	p := &product[W]{choice: c.taking(entry)}
	p.run = func(s *device.Stream, y, x device.Slice[W]) error {
		a := base
		a.X = x
		a.Sums, _ = any(y).(device.Slice[A]) // A is W here
		if k == nil {
			if err := a.CheckExact(d); err != nil {
				return sumsIsY(err)
			}
			return run(d, s, b.proved, b.scatter, y, x)
		}
		ready, err := a.ReadyExact(k)
		if err != nil {
			return sumsIsY(err)
		}
		if err := y.Zero(s); err != nil {
			return err
		}
		return ready.Launch(s)
	}
	return p, err
}

// sumsIsY explains an error of a kernel whose sums are what the caller knows as y.
func sumsIsY(err error) error { return fmt.Errorf("%w (sums is y here)", err) }

// newHalfScatter is for types that sum in float32: the kernel adds to the workspace, which a second
// kernel rounds to y.
func newHalfScatter[W dtype.Float, P dtype.Offset, A plain.Accumulator](m *Matrix[W], rows *valid.Offsets[P], b *body[W, P, A], k *csrkernels.Kernels, c Choice) (*product[W], error) {
	if c.Kernel != mvtGroup {
		return nil, fmt.Errorf("no launcher for tier %v", c.Tier)
	}
	d := m.dev
	ws, err := newWorkspace(d, m.cols)
	if err != nil {
		return nil, err
	}
	sums, _ := any(ws.sums.All()).(device.Slice[A]) // A is float32 here
	base := csrkernels.MvtGroup[W, P, A]{V: m.tag(), S: c.Tier.Lanes, Rows: rows, Cols: m.columns, Weights: m.weights.All(), Sums: sums}
	rounding := csrkernels.Round[W]{K: uint64(m.cols), Sums: ws.sums.All()}
	entry, err := base.Chosen(d)
	second, other := rounding.Chosen(d)
	if err := errors.Join(err, other); err != nil {
		return nil, errors.Join(err, ws.close())
	}
	c.Rounding = second.Entry
	p := &product[W]{choice: c.taking(entry), close: ws.close}
	p.run = func(s *device.Stream, y, x device.Slice[W]) error {
		a, r := base, rounding
		a.X, r.Y = x, y
		if k == nil {
			if err := a.CheckExact(d); err != nil {
				return err
			}
			if err := r.CheckExact(d); err != nil {
				return err
			}
			if err := apart(y, x); err != nil {
				return err
			}
			return run(d, s, b.proved, b.scatter, y, x)
		}
		sum, err := a.ReadyExact(k)
		if err != nil {
			return err
		}
		round, err := r.ReadyExact(k)
		if err != nil {
			return err
		}
		if err := apart(y, x); err != nil {
			return err
		}
		return ws.use(s, func() error {
			if err := ws.sums.Zero(s); err != nil {
				return err
			}
			if err := sum.Launch(s); err != nil {
				return err
			}
			return round.Launch(s)
		})
	}
	return p, nil
}

// apart refuses a y that overlaps x. Neither kernel of a half scatter sees both, and the first is done with
// x before the second writes y. But what is legal must not depend on the element type.
func apart[W dtype.Float](y, x device.Slice[W]) error {
	if yr, xr := y.Range(), x.Range(); yr.Overlaps(&xr) {
		return &contract.ArgError{Kernel: Scatter.operator(), Param: "y", Rule: "must not overlap x, which the product reads"}
	}
	return nil
}

// run computes a product in Go, in the order of the stream. A replay of captured work comes back to it long
// after the check, so it looks once more whether the vectors are there and the matrix is as it was validated.
func run[W dtype.Float](d *device.Device, s *device.Stream, proved func() error, product func(y, x []W), y, x device.Slice[W]) error {
	return d.Run(s, func() error {
		yr, xr := y.Range(), x.Range()
		if err := errors.Join(yr.Usable(d), xr.Usable(d)); err != nil {
			return fmt.Errorf("x or y: %w", err)
		}
		if err := proved(); err != nil {
			return err
		}
		yr.Touch()
		product(y.Host(), x.Host())
		return nil
	})
}

// workspace holds the sums of a half-precision scatter. A product has it from its first step to its last;
// the next one waits for that on the device if it runs on another stream.
type workspace struct {
	dev   *device.Device
	sums  *device.Buffer[float32]
	order *device.Event

	mu   sync.Mutex
	used bool
	last *device.Stream // that a product was put on
}

func newWorkspace(d *device.Device, n int) (*workspace, error) {
	sums, err := device.Alloc[float32](d, n)
	if err != nil {
		return nil, err
	}
	order, err := d.NewEvent()
	if err != nil {
		return nil, errors.Join(err, sums.Close())
	}
	return &workspace{dev: d, sums: sums, order: order}, nil
}

// use lets enqueue put one product on a stream.
func (ws *workspace) use(s *device.Stream, enqueue func() error) error {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.used && ws.last != s {
		if err := ws.after(s); err != nil {
			return err
		}
	}
	ws.used, ws.last = true, s
	return enqueue()
}

// after makes s wait for what the last stream holds. A stream that was closed since cannot say; then
// the caller waits for the whole device.
func (ws *workspace) after(s *device.Stream) error {
	err := ws.order.Record(ws.last)
	if errors.Is(err, device.ErrClosed) {
		return ws.dev.Wait(context.Background())
	}
	if err != nil {
		return err
	}
	return s.WaitFor(ws.order)
}

func (ws *workspace) close() error { return errors.Join(ws.sums.Close(), ws.order.Close()) }
