package bench

import (
	"context"
	"errors"
	"time"

	"github.com/warpwright/warpwright/go/csr"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/kernels/csrkernels"
	"github.com/warpwright/warpwright/go/valid"
)

// launches is how many launches are enqueued in a row: well below what a driver holds before it makes
// the host wait.
const launches = 256

// launch measures what enqueuing costs the host, on a kernel that has next to nothing to do.
func (r *runner) launch(ctx context.Context) (l *Launch, err error) {
	if !r.dev.Launches() {
		return nil, nil
	}
	r.Progress("launch overhead")
	s := shape{rows: 256, cols: 256, perRow: 1, at: csr.Gather}
	h := s.draw(r.Seed, 0)
	o, err := s.upload(r.dev, h, false)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, o.close()) }()
	tier := csr.Tiers(csr.Gather)[0]
	p, err := csr.NewPlan(o.matrix, csr.Only(csr.Gather), csr.WithTier(csr.Gather, tier))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	l = &Launch{}
	l.Ours, err = r.host(ctx, func() error { return p.MulVec(r.clock.stream, o.y.All(), o.x.All()) })
	if err != nil {
		return nil, err
	}
	a, done, err := r.launcher(h, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	if l.Check, err = r.host(ctx, func() error { return a.CheckExact(r.dev) }); err != nil {
		return nil, err
	}
	l.Bare, err = r.bare(ctx, h, a)
	return l, err
}

// launcher fills in the same launch by hand; done frees its arrays.
func (r *runner) launcher(h *host, o *operands) (a *csrkernels.MvThread[float32, int32], done func() error, err error) {
	var closers []func() error
	done = func() error {
		var errs []error
		for _, c := range closers {
			errs = append(errs, c())
		}
		return errors.Join(errs...)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, done())
		}
	}()
	rows, err := valid.NewOffsets(r.dev, h.Offsets, len(h.Columns))
	if err != nil {
		return nil, done, err
	}
	closers = append(closers, rows.Close)
	cols, err := valid.NewColumns(r.dev, h.Columns, h.Cols)
	if err != nil {
		return nil, done, err
	}
	closers = append(closers, cols.Close)
	weights, err := device.Upload(r.dev, h.Weights)
	if err != nil {
		return nil, done, err
	}
	closers = append(closers, weights.Close)
	return &csrkernels.MvThread[float32, int32]{
		V: csrkernels.Each, Rows: rows, Cols: cols, Weights: weights.All(), X: o.x.All(), Y: o.y.All(),
	}, done, nil
}

// bare measures the driver's call alone, from a loop in C, for the same launch; 0 on a device that has no such loop.
func (r *runner) bare(ctx context.Context, h *host, a *csrkernels.MvThread[float32, int32]) (float64, error) {
	if r.dev.Info().Kind != device.GPU {
		return 0, nil
	}
	k, err := r.dev.Kernel("csr_mv_thread_f32_i32_each")
	if err != nil {
		return 0, err
	}
	config, err := a.Config(r.dev)
	if err != nil {
		return 0, err
	}
	slots := []uint64{
		uint64(h.Rows), address(a.Rows.Slice().Range()), address(a.Cols.Slice().Range()),
		address(a.Weights.Range()), address(a.X.Range()), address(a.Y.Range()),
	}
	var means []float64
	for i := range r.Warm + r.Repeat {
		ns, err := k.LaunchLoop(r.clock.stream, config, slots, launches)
		if err == nil {
			err = r.clock.stream.Wait(ctx)
		}
		if err != nil {
			return 0, err
		}
		if i >= r.Warm {
			means = append(means, ns/1e9)
		}
	}
	return Median(means), nil
}

// host returns the median over the repeats of the mean host time of a call, launches of them in a row.
func (r *runner) host(ctx context.Context, call func() error) (float64, error) {
	var means []float64
	for i := range r.Warm + r.Repeat {
		start := time.Now()
		for range launches {
			if err := call(); err != nil {
				return 0, err
			}
		}
		took := time.Since(start).Seconds() / launches
		if err := r.clock.stream.Wait(ctx); err != nil {
			return 0, err
		}
		if i >= r.Warm {
			means = append(means, took)
		}
	}
	return Median(means), nil
}
