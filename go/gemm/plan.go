package gemm

import (
	"errors"
	"fmt"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/internal/plain"
	"github.com/warpwright/warpwright/go/kernels/gemmkernels"
	"github.com/warpwright/warpwright/go/kernels/launch"
)

// operator is the product as errors name it.
const operator = "gemm.Multiply"

// PlanOption is a setting of NewPlan.
type PlanOption func(*planOptions)

type planOptions struct{ tier *Tier }

// WithTier sets the tier instead of letting the device's table choose. Tiers lists them.
func WithTier(t Tier) PlanOption { return func(o *planOptions) { o.tier = &t } }

// Plan computes products of one shape on one device. It holds the choice of a kernel and no memory, so there is
// nothing to close. Its methods may be called from any goroutine and with any stream.
type Plan[W dtype.Float] struct {
	dev     *device.Device
	m, n, k int
	choice  Choice
	reason  string // of the tier alone
	// run checks the launch contract, which refuses what no kernel may be given, and then launches, or computes in Go
	// where the device launches nothing.
	run func(s *device.Stream, alpha float64, a, b device.Slice[W], beta float64, c device.Slice[W]) error
	// chosen is the entry that run launches for such operands, among the variants of the kernel.
	chosen func(a, b, c device.Slice[W]) (launch.Choice, error)
}

// NewPlan chooses a kernel for C of m by n, A of m by k and B of k by n. Sizes of which no launch can be are refused here, so before
// anyone takes memory for them.
func NewPlan[W dtype.Float](d *device.Device, m, n, k int, opts ...PlanOption) (*Plan[W], error) {
	p, err := newPlan[W](d, m, n, k, opts)
	if err != nil {
		return nil, fmt.Errorf("gemm: new plan for (%s) * (%s): %w", shape(m, k), shape(k, n), err)
	}
	return p, nil
}

func newPlan[W dtype.Float](d *device.Device, m, n, k int, opts []PlanOption) (*Plan[W], error) {
	const op = "gemm.NewPlan"
	if d == nil {
		return nil, &contract.ArgError{Kernel: op, Param: "d", Rule: "must be a device that Open returned"}
	}
	if !d.Alive() {
		return nil, &contract.ArgError{Kernel: op, Param: "d", Rule: "must be open", Err: device.ErrClosed}
	}
	if m < 0 || n < 0 || k < 0 {
		return nil, &contract.ArgError{Kernel: op, Param: "m, n, k", Rule: fmt.Sprintf("must be >= 0: they are %d, %d and %d", m, n, k)}
	}
	var o planOptions
	for _, opt := range opts {
		opt(&o)
	}
	var kernels *gemmkernels.Kernels
	var err error
	if d.Launches() {
		if kernels, err = gemmkernels.Load(d); err != nil {
			return nil, err
		}
	}
	p := &Plan[W]{dev: d, m: m, n: n, k: k}
	c := &p.choice
	if o.tier != nil {
		c.Tier, c.Reason, err = *o.tier, "asked for by WithTier", checkTier[W](*o.tier)
	} else {
		c.Tier, c.Reason, err = choose[W](d, d.Info().Arch, m, n)
	}
	if err != nil {
		return nil, err
	}
	c.Kernel = c.Tier.Kernel
	if dtype.Of[W]().Accumulator() == dtype.F64 {
		err = bind[W, float64](p, kernels)
	} else {
		err = bind[W, float32](p, kernels)
	}
	if err != nil {
		return nil, err
	}
	var none device.Slice[W]
	chosen, err := p.chosen(none, none, none)
	if err != nil {
		return nil, err
	}
	p.reason = c.Reason
	c.Entry, c.Reason = chosen.Entry, chosen.Because(p.reason)
	if !d.Launches() {
		*c = Choice{Kernel: "Go", Tier: c.Tier, Reason: d.Info().Name + ": this device launches no kernels"}
	}
	return p, nil
}

// bind resolves the accumulator's type and the launcher, and refuses sizes that it cannot have. k is nil where the device launches nothing.
func bind[W dtype.Float, A plain.Accumulator](p *Plan[W], k *gemmkernels.Kernels) error {
	d := p.dev
	// inGo is what follows a check where no kernel does.
	inGo := func(checked error, s *device.Stream, alpha float64, a, b device.Slice[W], beta float64, c device.Slice[W]) error {
		if checked != nil {
			return checked
		}
		return run(d, s, product[W, A]{p.m, p.n, p.k, A(alpha), A(beta)}, a, b, c)
	}
	m, n, depth := uint64(p.m), uint64(p.n), uint64(p.k)
	// One case a launcher: their types differ, and a common interface would cost each launch an allocation.
	switch p.choice.Kernel {
	case cellKernel:
		base := gemmkernels.Cell[W, A]{M: m, N: n, K: depth}
		if err := base.CheckSizes(d); err != nil {
			return err
		}
		p.chosen = func(a, b, c device.Slice[W]) (launch.Choice, error) {
			l := base
			l.A, l.B, l.C = a, b, c
			return l.Chosen(d)
		}
		p.run = func(s *device.Stream, alpha float64, a, b device.Slice[W], beta float64, c device.Slice[W]) error {
			l := base
			l.Alpha, l.A, l.B, l.Beta, l.C = A(alpha), a, b, A(beta), c
			if k == nil {
				return inGo(l.CheckExact(d), s, alpha, a, b, beta, c)
			}
			return l.LaunchExact(k, s)
		}
	case tileKernel:
		base := gemmkernels.Tile[W]{H: p.choice.Tier.Rows, M: m, N: n, K: depth}
		if err := base.CheckSizes(d); err != nil {
			return err
		}
		p.chosen = func(a, b, c device.Slice[W]) (launch.Choice, error) {
			l := base
			l.A, l.B, l.C = a, b, c
			return l.Chosen(d)
		}
		p.run = func(s *device.Stream, alpha float64, a, b device.Slice[W], beta float64, c device.Slice[W]) error {
			l := base
			l.Alpha, l.A, l.B, l.Beta, l.C = float32(alpha), a, b, float32(beta), c
			if k == nil {
				return inGo(l.CheckExact(d), s, alpha, a, b, beta, c)
			}
			return l.LaunchExact(k, s)
		}
	case wideKernel:
		base := gemmkernels.Wide[W]{M: m, N: n, K: depth}
		if err := base.CheckSizes(d); err != nil {
			return err
		}
		p.chosen = func(a, b, c device.Slice[W]) (launch.Choice, error) {
			l := base
			l.A, l.B, l.C = a, b, c
			return l.Chosen(d)
		}
		p.run = func(s *device.Stream, alpha float64, a, b device.Slice[W], beta float64, c device.Slice[W]) error {
			l := base
			l.Alpha, l.A, l.B, l.Beta, l.C = float32(alpha), a, b, float32(beta), c
			if k == nil {
				return inGo(l.CheckExact(d), s, alpha, a, b, beta, c)
			}
			return l.LaunchExact(k, s)
		}
	default:
		return fmt.Errorf("no launcher for tier %v", p.choice.Tier)
	}
	return nil
}

// Choice says what serves the plan, and why. Where a kernel has a variant for operands that begin at a multiple of some
// bytes, it is that for such operands: ChoiceFor knows them.
func (p *Plan[W]) Choice() Choice { return p.choice }

// ChoiceFor is Choice for these very operands.
func (p *Plan[W]) ChoiceFor(a, b, c Matrix[W]) (Choice, error) {
	if err := p.check(nil, a, b, c); err != nil {
		return Choice{}, fmt.Errorf("gemm: (%v) * (%v): %w", a, b, err)
	}
	out := p.choice
	if !p.dev.Launches() {
		return out, nil
	}
	chosen, err := p.chosen(a.cells, b.cells, c.cells)
	if err != nil {
		return Choice{}, fmt.Errorf("gemm: (%v) * (%v): %w", a, b, err)
	}
	out.Entry, out.Reason = chosen.Entry, chosen.Because(p.reason)
	return out, nil
}

// Multiply sets C = alpha A B + beta C on a stream (nil: the device's default one). What it refuses it refuses before
// anything is launched, with an error that wraps contract.ErrContract and says which rule is broken by which
// values. C must not overlap A or B; where beta is 0 it may be uninitialised.
//
// alpha and beta are rounded to the accumulator's type: float64 for float64 matrices, float32 for all others.
func (p *Plan[W]) Multiply(s *device.Stream, alpha float64, a, b Matrix[W], beta float64, c Matrix[W]) error {
	err := p.check(s, a, b, c)
	if err == nil {
		err = p.run(s, alpha, a.cells, b.cells, beta, c.cells)
	}
	if err != nil {
		return fmt.Errorf("gemm: (%v) * (%v): %w", a, b, err)
	}
	return nil
}

// check compares the shapes with each other and with the plan's.
func (p *Plan[W]) check(s *device.Stream, a, b, c Matrix[W]) error {
	if p == nil || p.run == nil {
		return &contract.ArgError{Kernel: operator, Param: "plan", Rule: "must be one that NewPlan returned"}
	}
	refuse := func(param, rule string, args ...any) error {
		return &contract.ArgError{Kernel: operator, Param: param, Rule: fmt.Sprintf(rule, args...)}
	}
	switch {
	case a.cols != b.rows:
		return refuse("b", "must have as many rows as a has columns: a is %v, b is %v", a, b)
	case c.rows != a.rows || c.cols != b.cols:
		return refuse("c", "must have the rows of a and the columns of b: a is %v, b is %v, c is %v", a, b, c)
	case a.rows != p.m || a.cols != p.k:
		return refuse("a", "must be as the plan was made for, %s: it is %v", shape(p.m, p.k), a)
	case b.cols != p.n:
		return refuse("b", "must be as the plan was made for, %s: it is %v", shape(p.k, p.n), b)
	}
	if err := s.Usable(p.dev); err != nil {
		return &contract.ArgError{Kernel: operator, Param: "stream", Rule: "must be open and of the plan's device", Err: err}
	}
	return nil
}

// run computes a product in Go, in the order of the stream. A replay of captured work comes back to it long after
// the check, so it looks once more whether the matrices are there.
func run[W dtype.Float, A plain.Accumulator](d *device.Device, s *device.Stream, p product[W, A], a, b, c device.Slice[W]) error {
	return d.Run(s, func() error {
		ar, br, cr := a.Range(), b.Range(), c.Range()
		if err := errors.Join(ar.Usable(d), br.Usable(d), cr.Usable(d)); err != nil {
			return fmt.Errorf("a, b or c: %w", err)
		}
		cr.Touch()
		p.multiply(a.Host(), b.Host(), c.Host())
		return nil
	})
}
