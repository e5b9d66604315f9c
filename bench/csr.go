package bench

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/warpwright/warpwright/bench/peer"
	"github.com/warpwright/warpwright/go/csr"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/ref"
)

// Options is what to measure. Defaults fills what is zero.
type Options struct {
	Rows     int    `json:"rows"` // and columns
	PerRow   []int  `json:"entries_a_row"`
	Warm     int    `json:"warm"`
	Repeat   int    `json:"repeat"`
	Seed     uint64 `json:"seed"`
	NoPeers  bool   `json:"no_peers,omitempty"`
	NoLaunch bool   `json:"no_launch,omitempty"` // leave the launch overhead out
	// Progress is told each step before it begins; nil for silence.
	Progress func(step string) `json:"-"`
}

// Defaults returns the options with what the project reports by on a GPU, and less where a product
// takes a thousand times as long.
func (o Options) Defaults(dev *device.Device) Options {
	gpu := dev.Info().Kind == device.GPU
	if o.Rows == 0 {
		o.Rows = 4096
		if gpu {
			o.Rows = 65536
		}
	}
	if len(o.PerRow) == 0 {
		last := 64
		if gpu {
			last = 1024
		}
		for n := 2; n <= last; n *= 2 {
			o.PerRow = append(o.PerRow, n)
		}
	}
	if o.Repeat == 0 {
		o.Repeat = 30
	}
	if o.Warm == 0 {
		o.Warm = 3
	}
	if o.Seed == 0 {
		o.Seed = 1
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	return o
}

func (o *Options) check() error {
	if o.Rows < 1 || o.Repeat < 1 || o.Warm < 0 {
		return fmt.Errorf("bench: %d rows, %d measured calls after %d: requires rows >= 1, measured >= 1, warm >= 0", o.Rows, o.Repeat, o.Warm)
	}
	for _, n := range o.PerRow {
		if n < 1 || int64(n)*int64(o.Rows) > math.MaxInt32/2 {
			return fmt.Errorf("bench: %d entries a row in %d rows: requires 1 <= entries, and at most %d in all", n, o.Rows, math.MaxInt32/2)
		}
	}
	return nil
}

// CSR measures the products of f32 matrices. Every way to compute one is first compared with float64;
// a wrong answer is an error, never a time. If a peer alone is at fault, the report comes with the error.
func CSR(ctx context.Context, dev *device.Device, o Options) (report *Report, err error) {
	o = o.Defaults(dev)
	if err := o.check(); err != nil {
		return nil, err
	}
	r := &runner{dev: dev, Options: o, report: &Report{Schema: Schema, Options: o, Device: DeviceOf(dev)}}
	defer func() { err = errors.Join(err, r.close()) }()
	if r.clock, err = NewClock(dev, o.Warm, o.Repeat); err != nil {
		return nil, err
	}
	if err := r.openPeer(); err != nil {
		return nil, err
	}
	if !o.NoLaunch {
		if r.report.Launch, err = r.launch(ctx); err != nil {
			return nil, fmt.Errorf("bench: launch overhead: %w", err)
		}
	}
	for _, at := range []csr.Direction{csr.Gather, csr.Scatter} {
		for _, perRow := range o.PerRow {
			for _, one := range []bool{false, true} {
				s := shape{o.Rows, o.Rows, perRow, at, one}
				if err := r.measure(ctx, s); err != nil {
					return nil, fmt.Errorf("bench: %s, %d entries a row: %w", at, perRow, err)
				}
			}
		}
	}
	return r.report, r.failures.err()
}

// runner is one run of CSR.
type runner struct {
	Options
	dev      *device.Device
	clock    *Clock
	gpu      *peer.Peer // nil where the device is no GPU or the program has no peers
	sparse   bool       // the GPU's cuSPARSE is there
	report   *Report
	failures failures
}

func (r *runner) close() error {
	var errs []error
	if r.gpu != nil {
		errs = append(errs, r.gpu.Close())
	}
	if r.clock != nil {
		errs = append(errs, r.clock.Close())
	}
	return errors.Join(errs...)
}

// openPeer opens the GPU's peers and measures its copy. Where there are none, the report says why.
func (r *runner) openPeer() error {
	p, absent, err := openPeer(r.dev, r.NoPeers)
	if p == nil {
		r.report.Peer = absent
		return err
	}
	r.gpu = p
	r.Progress("copy on the device")
	if err := errors.Join(r.copyRate(p), r.empty(p)); err != nil {
		return err
	}
	if err := p.CuSPARSE(); err != nil {
		r.report.Peer = "none: " + err.Error()
		return nil
	}
	v := p.CuSPARSEVersion()
	r.report.Peer = fmt.Sprintf("cuSPARSE %d.%d.%d", v/1000, v/100%10, v%100)
	r.sparse = true
	return nil
}

func (r *runner) copyRate(p *peer.Peer) error {
	bytes := min(1<<30, r.dev.Info().MemoryBytes/8)
	a, err := device.Alloc[uint8](r.dev, int(bytes))
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := device.Alloc[uint8](r.dev, int(bytes))
	if err != nil {
		return err
	}
	defer b.Close()
	seconds, err := p.Copy(address(a.All().Range()), address(b.All().Range()), uint64(bytes), r.clock.plan)
	if err != nil {
		return err
	}
	r.report.CopyRate = 2 * float64(bytes) / Median(seconds)
	return nil
}

func (r *runner) empty(p *peer.Peer) error {
	seconds, err := p.Empty(r.clock.plan)
	if err == nil {
		r.report.Empty = Median(seconds)
	}
	return err
}

// measure runs one case: draws its inputs, checks and times every tier, then the peers.
func (r *runner) measure(ctx context.Context, s shape) (err error) {
	c := Case{Direction: s.at, PerRow: s.perRow, OneWeight: s.one, Sets: s.sets(r.Repeat), Bytes: s.bytes(), Ours: []Measured{}, Peers: []Measured{}}
	weights := "a weight each"
	if s.one {
		weights = "one weight"
	}
	say := func(what string) {
		r.Progress(fmt.Sprintf("%s, %d entries a row, %s: %s", s.at, s.perRow, weights, what))
	}
	say(fmt.Sprintf("drawing %d sets of inputs", c.Sets))
	forPeer := r.sparse && !s.one
	var sets []*operands
	defer func() {
		for _, o := range sets {
			err = errors.Join(err, o.close())
		}
	}()
	var want truth
	for i := range c.Sets {
		if err := ctx.Err(); err != nil {
			return err
		}
		h := s.draw(r.Seed, i)
		if i == 0 {
			if want, err = s.truth(h); err != nil {
				return err
			}
		}
		o, err := s.upload(r.dev, h, forPeer)
		if err != nil {
			return err
		}
		sets = append(sets, o)
	}
	for _, t := range r.tiers(s.at) {
		say(t.String())
		m, err := r.tier(ctx, s, sets, &want, t)
		if err != nil {
			return fmt.Errorf("%v: %w", t, err)
		}
		c.Ours = append(c.Ours, m)
	}
	if err := c.choose(sets[0], s); err != nil {
		return err
	}
	if forPeer {
		for _, a := range peer.Algorithms() {
			say(a.String())
			m, err := r.algorithm(s, sets, &want, a)
			if err == nil {
				c.Peers = append(c.Peers, m)
				continue
			}
			r.failures.note(&r.report.Notes, fmt.Errorf("%s, %d entries a row: %v: %w", s.at, s.perRow, a, err))
		}
	}
	r.report.Cases = append(r.report.Cases, c)
	return nil
}

// tiers is what to measure: all of them on a device that launches kernels, else the one Go body.
func (r *runner) tiers(at csr.Direction) []csr.Tier {
	all := csr.Tiers(at)
	if !r.dev.Launches() {
		return all[:1]
	}
	return all
}

// choose notes which way the device's own table takes.
func (c *Case) choose(o *operands, s shape) error {
	p, err := csr.NewPlan(o.matrix, csr.Only(s.at))
	if err != nil {
		return err
	}
	choice := p.Choice(s.at)
	c.Chosen, c.Reason = choice.Tier.String(), choice.Reason
	if choice.Entry == "" {
		c.Chosen = c.Ours[0].Name
	}
	return p.Close()
}

// tier checks and times one of our ways.
func (r *runner) tier(ctx context.Context, s shape, sets []*operands, want *truth, t csr.Tier) (m Measured, err error) {
	plans := make([]*csr.Plan[float32], len(sets))
	defer func() {
		for _, p := range plans {
			if p != nil {
				err = errors.Join(err, p.Close())
			}
		}
	}()
	for i, o := range sets {
		if plans[i], err = csr.NewPlan(o.matrix, csr.Only(s.at), csr.WithTier(s.at, t)); err != nil {
			return Measured{}, err
		}
	}
	call := func(i int) error {
		i %= len(sets)
		x, y := sets[i].x.All(), sets[i].y.All()
		if s.at == csr.Scatter {
			return plans[i].MulVecT(r.clock.stream, y, x)
		}
		return plans[i].MulVec(r.clock.stream, y, x)
	}
	m = Measured{Name: t.String(), Tier: t, Entry: plans[0].Choice(s.at).Entry}
	if !r.dev.Launches() {
		m.Name = "Go"
	}
	if err := sets[0].poison(); err != nil {
		return m, err
	}
	if err := call(0); err != nil {
		return m, err
	}
	if err := m.verify(sets[0], r.clock.stream, want); err != nil {
		return m, err
	}
	seconds, err := r.clock.Time(ctx, call)
	if err != nil {
		return m, err
	}
	r.note(&m, s, seconds)
	return m, nil
}

// algorithm checks and times one of cuSPARSE's.
func (r *runner) algorithm(s shape, sets []*operands, want *truth, a peer.Algorithm) (Measured, error) {
	m := Measured{Name: a.String()}
	in := make([]peer.SpMV, len(sets))
	for i, o := range sets {
		in[i] = o.peer(s)
	}
	if err := sets[0].poison(); err != nil {
		return m, err
	}
	once := r.clock.plan
	once.Warm, once.Repeat = 0, 1
	if _, err := r.gpu.SpMV(a, in[:1], once); err != nil {
		return m, err
	}
	if err := m.verify(sets[0], nil, want); err != nil {
		return m, err
	}
	t, err := r.gpu.SpMV(a, in, r.clock.plan)
	if err != nil {
		return m, err
	}
	r.note(&m, s, t.Seconds)
	m.Preprocess, m.Workspace = t.Preprocess, t.Workspace
	return m, nil
}

func (r *runner) note(m *Measured, s shape, seconds []float64) {
	m.timed(seconds)
	if r.report.CopyRate > 0 {
		m.Share = float64(s.bytes()) / m.Median / r.report.CopyRate
	}
}

// truth is the answer to the first set.
func (s shape) truth(h *host) (truth, error) {
	a := ref.CSR[float32, int32]{Rows: h.Rows, Cols: h.Cols, Offsets: h.Offsets, Columns: h.Columns, Weights: h.Weights}
	product, err := a.MulVec, error(nil)
	if s.at == csr.Scatter {
		product = a.MulVecT
	}
	p, err := product(h.x)
	if err != nil {
		return truth{}, err
	}
	return truth{p.Y, p.Bound(dtype.F32)}, nil
}

// poison fills y with NaN, so that an element left unwritten is a wrong one.
func (o *operands) poison() error {
	p := make([]float32, o.y.Len())
	for i := range p {
		p[i] = float32(math.NaN())
	}
	return o.y.Write(nil, 0, p)
}

func (m *Measured) verify(o *operands, s *device.Stream, want *truth) error {
	got, err := o.y.Host(s)
	if err != nil {
		return err
	}
	return m.Figures.verify(got, *want)
}
