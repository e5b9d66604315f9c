package csr

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/kernels/csrkernels"
)

// PlanOption is a setting of NewPlan.
type PlanOption func(*planOptions)

type planOptions struct {
	only *Direction
	tier [2]*Tier
	errs []error
}

// Only makes a plan for one direction, without the other's workspace.
func Only(at Direction) PlanOption {
	return func(o *planOptions) {
		if Tiers(at) == nil {
			o.errs = append(o.errs, fmt.Errorf("Only: there is no %s", at))
			return
		}
		o.only = &at
	}
}

// WithTier sets the tier of a direction instead of letting the device's table choose. Tiers lists them.
func WithTier(at Direction, t Tier) PlanOption {
	return func(o *planOptions) {
		if err := checkTier(at, t); err != nil {
			o.errs = append(o.errs, fmt.Errorf("WithTier: %w", err))
			return
		}
		o.tier[at] = &t
	}
}

// Plan holds what the products of a matrix need: the choice of kernels and the workspace. Nothing is
// allocated on the device after NewPlan.
//
// Its methods may be called from any goroutine and with any stream. A scatter in half precision sums in
// the plan's workspace: such products of one plan follow one another on the device even when they were
// enqueued on different streams. A graph that such a product was captured into uses the workspace at each
// replay, of which the plan does not know: put replays in order with the plan's other products yourself.
// Plans of the same matrix share nothing but the matrix.
type Plan[W dtype.Float] struct {
	m      *Matrix[W]
	at     [2]*product[W] // by direction; nil where the plan leaves one out
	closed atomic.Bool
}

var _ io.Closer = (*Plan[float32])(nil)

// NewPlan chooses kernels for a matrix and takes the workspace for its products.
func NewPlan[W dtype.Float](m *Matrix[W], opts ...PlanOption) (*Plan[W], error) {
	p, err := newPlan(m, opts)
	if err != nil {
		return nil, fmt.Errorf("csr: new plan: %w", err)
	}
	return p, nil
}

func newPlan[W dtype.Float](m *Matrix[W], opts []PlanOption) (*Plan[W], error) {
	var o planOptions
	for _, opt := range opts {
		opt(&o)
	}
	if err := errors.Join(o.errs...); err != nil {
		return nil, err
	}
	if m == nil || m.dev == nil {
		return nil, &contract.ArgError{Kernel: "csr.NewPlan", Param: "m", Rule: "must be a matrix that New returned"}
	}
	if m.closed.Load() {
		return nil, fmt.Errorf("matrix: %w", device.ErrClosed)
	}
	var kernels *csrkernels.Kernels
	if m.dev.Launches() {
		var err error
		if kernels, err = csrkernels.Load(m.dev); err != nil {
			return nil, err
		}
	}
	p := &Plan[W]{m: m}
	for _, at := range []Direction{Gather, Scatter} {
		if o.only != nil && *o.only != at {
			continue
		}
		tier, reason, err := m.choose(at, o.tier[at])
		if err == nil {
			p.at[at], err = newProduct(m, kernels, Choice{Direction: at, Tier: tier, Reason: reason})
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", at, err), p.Close())
		}
		if !m.dev.Launches() {
			p.at[at].choice = Choice{Direction: at, Kernel: "Go", Tier: tier, Reason: m.dev.Info().Name + ": this device launches no kernels"}
		}
	}
	return p, nil
}

// choose returns the tier for a direction and why.
func (m *Matrix[W]) choose(at Direction, forced *Tier) (Tier, string, error) {
	if forced != nil {
		return *forced, "asked for by WithTier", nil
	}
	operator := "csr_mv"
	if at == Scatter {
		operator = "csr_mvt"
	}
	arch := m.dev.Info().Arch
	table, ok := csrkernels.Tiers(operator, arch)
	if !ok {
		// One tier for all then: a whole warp a row, which is never far off.
		kernel := mvGroup
		if at == Scatter {
			kernel = mvtGroup
		}
		return Tier{kernel, 32}, fmt.Sprintf("there is no tier table of %s for sm_%d", operator, arch), nil
	}
	return pick(table, m.rows, m.Entries())
}

// Matrix is what the plan multiplies with.
func (p *Plan[W]) Matrix() *Matrix[W] { return p.m }

// Choice says what serves a direction, and why. It is zero for a direction that the plan leaves out.
func (p *Plan[W]) Choice(at Direction) Choice {
	if at < 0 || int(at) >= len(p.at) || p.at[at] == nil {
		return Choice{}
	}
	return p.at[at].choice
}

// MulVec sets y = A x, where x has Cols elements and y Rows, on a stream (nil: the device's default one).
// What it refuses it refuses before anything is launched, with an error that wraps
// contract.ErrContract and says which rule is broken by which values. y may be uninitialised, and
// must not overlap x.
func (p *Plan[W]) MulVec(s *device.Stream, y, x device.Slice[W]) error {
	return p.multiply(Gather, s, y, x)
}

// MulVecT sets y = Aᵀ x, where x has Rows elements and y Cols, like MulVec. Where entries of a column
// come from many rows, they are added in any order, so the last bits may differ from call to call on
// a GPU, whose f32 additions in memory also take numbers below the normal range (2^-126) for zero.
func (p *Plan[W]) MulVecT(s *device.Stream, y, x device.Slice[W]) error {
	return p.multiply(Scatter, s, y, x)
}

func (p *Plan[W]) multiply(at Direction, s *device.Stream, y, x device.Slice[W]) error {
	err := p.ready(at, s)
	if err == nil {
		err = p.at[at].run(s, y, x)
	}
	if err == nil {
		return nil
	}
	var m *Matrix[W]
	if p != nil {
		m = p.m
	}
	return m.failed(at, "", err)
}

func (p *Plan[W]) ready(at Direction, s *device.Stream) error {
	if p == nil || p.m == nil {
		return &contract.ArgError{Kernel: at.operator(), Param: "plan", Rule: "must be one that NewPlan returned"}
	}
	if p.closed.Load() {
		return &contract.ArgError{Kernel: at.operator(), Param: "plan", Rule: "must be open", Err: device.ErrClosed}
	}
	if p.at[at] == nil {
		return &contract.ArgError{Kernel: at.operator(), Param: "plan", Rule: "must hold this direction: it was made with Only the other"}
	}
	if err := s.Usable(p.m.dev); err != nil {
		return &contract.ArgError{Kernel: at.operator(), Param: "stream", Rule: "must be open and of the matrix's device", Err: err}
	}
	return nil
}

// Close frees the workspace. Closing twice is harmless.
func (p *Plan[W]) Close() error {
	if p.closed.Swap(true) {
		return nil
	}
	var errs []error
	for _, at := range p.at {
		if at != nil && at.close != nil {
			errs = append(errs, at.close())
		}
	}
	return errors.Join(errs...)
}
