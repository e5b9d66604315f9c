package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/warpwright/warpwright/bench/peer"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/gemm"
	"github.com/warpwright/warpwright/go/ref"
)

// GemmOptions is what Gemm measures. Defaults fills what is zero.
type GemmOptions struct {
	Sides   []int  `json:"sides"` // of the matrices, which are square
	Warm    int    `json:"warm"`
	Repeat  int    `json:"repeat"` // calls of small products; large ones are called less often
	Seed    uint64 `json:"seed"`
	NoPeers bool   `json:"no_peers,omitempty"`
	// More are measured beside ours and the peers.
	More []GemmMore `json:"-"`
	// Progress is told each step before it begins; nil for silence.
	Progress func(step string) `json:"-"`
}

// GemmMore is another way to compute the product.
type GemmMore struct {
	Name   string
	Launch func(s *device.Stream, p *Product) error
	tier   gemm.Tier // of ours
}

// Product is C = Alpha A B + Beta C of f32, of M by N with K between, row by row in memory.
type Product struct {
	M, N, K     int
	Alpha, Beta float32
	A, B, C     device.Slice[float32]
}

// Defaults returns the options with what the project reports by on a GPU, less where a product takes a thousand times as
// long, and next to nothing on an emulator, where times mean nothing.
func (o GemmOptions) Defaults(dev *device.Device) GemmOptions {
	sides, repeat, warm := []int{32, 100}, 30, 3
	switch dev.Info().Kind {
	case device.GPU:
		sides = []int{100, 512, 1000, 1024, 2048, 4096, 8192}
	case device.Emu:
		sides, repeat, warm = []int{17, 48}, 2, 1
	}
	if len(o.Sides) == 0 {
		o.Sides = sides
	}
	if o.Repeat == 0 {
		o.Repeat = repeat
	}
	if o.Warm == 0 {
		o.Warm = warm
	}
	if o.Seed == 0 {
		o.Seed = 1
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	return o
}

func (o *GemmOptions) check() error {
	if o.Repeat < 1 || o.Warm < 0 {
		return fmt.Errorf("bench: %d measured calls after %d: requires measured >= 1, warm >= 0", o.Repeat, o.Warm)
	}
	for _, n := range o.Sides {
		if n < 1 || n > 32768 {
			return fmt.Errorf("bench: matrices of %d a side: requires 1 to 32768", n)
		}
	}
	return nil
}

// repeat is how many calls of a product are measured: those of large ones last longer, and differ less.
func (o *GemmOptions) repeat(side int) int {
	switch {
	case side > 4096:
		return max(1, o.Repeat/6)
	case side > 2048:
		return max(1, o.Repeat/3)
	}
	return o.Repeat
}

// GemmReport is all that one run of Gemm found. Times are seconds.
type GemmReport struct {
	Schema  int         `json:"schema"`
	Device  Device      `json:"device"`
	Peer    string      `json:"peer"` // cuBLAS and its version, or why it is absent
	Options GemmOptions `json:"options"`
	Cases   []GemmCase  `json:"cases"`
	Notes   []string    `json:"notes,omitempty"` // what a peer could not do, or did wrong
}

// GemmCase is the product of square matrices.
type GemmCase struct {
	Side   int       `json:"side"`
	Chosen string    `json:"chosen"` // the entry that a plan takes
	Reason string    `json:"reason"`
	Ways   []GemmWay `json:"ways"`
}

// GemmKind says whose a way is.
type GemmKind string

// The kinds.
const (
	GemmOurs GemmKind = "ours"
	GemmOdd  GemmKind = "ours, unaligned" // the same tiers where they take another entry for such matrices
	GemmPeer GemmKind = "peer"
	GemmElse GemmKind = "more" // of GemmOptions.More
)

// GemmWay is one way to compute a case.
type GemmWay struct {
	Name string   `json:"name"` // of ours, the entry
	Kind GemmKind `json:"kind"`
	// Tier is that of ours.
	Tier  gemm.Tier `json:"tier"`
	Calls int       `json:"calls"`
	Figures
	Rate float64 `json:"flops_a_second"`
}

// Gemm measures products of square f32 matrices, C = A B. What the last call of every way left is compared with float64;
// a wrong answer is an error, never a time. If a peer alone is at fault, the report comes with the error.
//
// All calls of a case multiply the same matrices: a product of any size does enough with what it has loaded.
func Gemm(ctx context.Context, dev *device.Device, o GemmOptions) (report *GemmReport, err error) {
	o = o.Defaults(dev)
	if err := o.check(); err != nil {
		return nil, err
	}
	r := &gemmRunner{GemmOptions: o, dev: dev, report: &GemmReport{Schema: Schema, Options: o, Device: DeviceOf(dev)}}
	if r.clock, err = NewClock(dev, o.Warm, o.Repeat); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.clock.Close()) }()
	if err := r.openPeer(); err != nil {
		return nil, err
	}
	if r.gpu != nil {
		defer func() { err = errors.Join(err, r.gpu.Close()) }()
	}
	for _, side := range o.Sides {
		if err := r.measure(ctx, side); err != nil {
			return nil, fmt.Errorf("bench: gemm of %d a side: %w", side, err)
		}
	}
	return r.report, r.failures.err()
}

// gemmRunner is one run of Gemm.
type gemmRunner struct {
	GemmOptions
	dev      *device.Device
	clock    *Clock
	gpu      *peer.Peer // nil where there is no cuBLAS
	report   *GemmReport
	failures failures
}

// openPeer opens cuBLAS. Where there is none, the report says why.
func (r *gemmRunner) openPeer() error {
	p, absent, err := openPeer(r.dev, r.NoPeers)
	if p == nil {
		r.report.Peer = absent
		return err
	}
	if err := p.CuBLAS(); err != nil {
		err = errors.Join(err, p.Close())
		if errors.Is(err, peer.ErrAbsent) {
			r.report.Peer = "none: " + err.Error()
			return nil
		}
		return err
	}
	v := p.CuBLASVersion()
	r.report.Peer = fmt.Sprintf("cuBLAS %d.%d.%d", v/10000, v/100%100, v%100)
	r.gpu = p
	return nil
}

// gemmOperands are a case's on a device.
type gemmOperands struct {
	Product
	a, b    []float32
	buffers [3]*device.Buffer[float32]
	open    int // buffers
	at      int // cells before each matrix
}

func (r *gemmRunner) upload(side int) (*gemmOperands, error) {
	o := &gemmOperands{Product: Product{M: side, N: side, K: side, Alpha: 1}}
	for i, host := range []*[]float32{&o.a, &o.b} {
		*host = make([]float32, side*side)
		fill(*host, r.Seed, uint64(side)<<4|uint64(i), symmetric)
	}
	for range o.buffers {
		b, err := device.Alloc[float32](r.dev, side*side+1)
		if err != nil {
			return nil, errors.Join(err, o.close())
		}
		o.buffers[o.open] = b
		o.open++
	}
	return o, o.place(0)
}

// place puts the matrices so many cells behind the beginnings of their buffers: 0, where they are as aligned as allocations, or 1,
// where they are aligned to their cells alone.
func (o *gemmOperands) place(at int) error {
	o.at = at
	n := o.M * o.N
	for i, to := range []*device.Slice[float32]{&o.A, &o.B, &o.C} {
		part, err := o.buffers[i].All().Slice(at, at+n)
		if err != nil {
			return err
		}
		*to = part
	}
	return errors.Join(o.buffers[0].Write(nil, at, o.a), o.buffers[1].Write(nil, at, o.b))
}

func (o *gemmOperands) close() error {
	var errs []error
	for _, b := range o.buffers[:o.open] {
		errs = append(errs, b.Close())
	}
	return errors.Join(errs...)
}

// poison fills C with what no cell of a product of these matrices comes to, so that one left unwritten is a wrong one. It is
// a number, since raw kernels multiply what was there by a beta of 0.
func (o *gemmOperands) poison() error {
	p := make([]float32, o.M*o.N)
	for i := range p {
		p[i] = 1e30
	}
	return o.buffers[2].Write(nil, o.at, p)
}

// Rows are at most n of m rows, two at least where there are two: the first, the last, and others between them.
func Rows(m, n int) []int {
	n = max(2, min(m, n))
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i * (m - 1) / (n - 1)
	}
	return slices.Compact(rows)
}

// gemmTruth is some rows of the product in float64.
type gemmTruth struct {
	rows []int
	truth
}

// truth computes as many rows as take seconds: the first, the last, and others between them.
func (o *gemmOperands) truth() (gemmTruth, error) {
	t := gemmTruth{rows: Rows(o.M, min(64, (1<<28)/(o.N*o.K)))}
	g := ref.Gemm[float32]{M: len(t.rows), N: o.N, K: o.K, Alpha: 1, B: o.b, C: make([]float32, len(t.rows)*o.N)}
	for _, row := range t.rows {
		g.A = append(g.A, o.a[row*o.K:(row+1)*o.K]...)
	}
	p, err := g.Product()
	if err != nil {
		return t, err
	}
	t.truth = truth{p.Y, p.Bound(dtype.F32)}
	return t, nil
}

// verify compares what is in C.
func (w *GemmWay) verify(o *gemmOperands, want *gemmTruth) error {
	var got []float32
	for _, row := range want.rows {
		part := make([]float32, o.N)
		if err := o.buffers[2].Read(nil, o.at+row*o.N, part); err != nil {
			return err
		}
		got = append(got, part...)
	}
	return w.Figures.verify(got, want.truth)
}

// measure runs one case: draws its matrices, then checks and times every way.
func (r *gemmRunner) measure(ctx context.Context, side int) (err error) {
	say := func(what string) { r.Progress(fmt.Sprintf("%d a side: %s", side, what)) }
	say("the product in float64")
	o, err := r.upload(side)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.close()) }()
	want, err := o.truth()
	if err != nil {
		return err
	}
	clock := r.clock.fewer(r.repeat(side))
	c := GemmCase{Side: side}
	// one times a way, and compares what its last call left.
	one := func(w GemmWay, time func() ([]float64, error)) error {
		say(w.Name)
		err := o.poison()
		if err != nil {
			return err
		}
		seconds, err := time()
		if err == nil {
			err = w.verify(o, &want)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", w.Name, err)
		}
		w.Calls = len(seconds)
		w.timed(seconds)
		w.Rate = 2 * math.Pow(float64(side), 3) / w.Median
		c.Ways = append(c.Ways, w)
		return nil
	}
	run := func(kind GemmKind, ways []GemmMore) error {
		for _, way := range ways {
			err := one(GemmWay{Name: way.Name, Kind: kind, Tier: way.tier}, func() ([]float64, error) {
				return clock.Time(ctx, func(int) error { return way.Launch(clock.Stream(), &o.Product) })
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	ways, err := r.ours(o, &c)
	if err != nil {
		return err
	}
	if err := run(GemmOurs, ways); err != nil {
		return err
	}
	if err := run(GemmElse, r.More); err != nil {
		return err
	}
	if r.gpu != nil {
		for _, mode := range peer.Maths() {
			err := one(GemmWay{Name: mode.String(), Kind: GemmPeer}, func() ([]float64, error) {
				return r.gpu.SGEMM(mode, o.peer(), clock.plan)
			})
			if err != nil {
				r.failures.note(&r.report.Notes, fmt.Errorf("%d a side: %w", side, err))
			}
		}
	}
	if err := o.place(1); err != nil {
		return err
	}
	odd, err := r.ours(o, &GemmCase{})
	if err != nil {
		return err
	}
	odd = slices.DeleteFunc(odd, func(way GemmMore) bool {
		return slices.ContainsFunc(ways, func(even GemmMore) bool { return even.Name == way.Name })
	})
	for i := range odd {
		odd[i].Name += " unaligned"
	}
	if err := run(GemmOdd, odd); err != nil {
		return err
	}
	r.report.Cases = append(r.report.Cases, c)
	return nil
}

// ours are all tiers on a device that launches kernels, else the one Go body; and which of them a plan takes.
func (r *gemmRunner) ours(o *gemmOperands, c *GemmCase) ([]GemmMore, error) {
	plan, err := gemm.NewPlan[float32](r.dev, o.M, o.N, o.K)
	if err != nil {
		return nil, err
	}
	name, choice, err := served(plan, &o.Product)
	if err != nil {
		return nil, err
	}
	c.Chosen, c.Reason = name, choice.Reason
	if !r.dev.Launches() {
		return []GemmMore{{name, MultiplyBy(plan), choice.Tier}}, nil
	}
	var ways []GemmMore
	for _, tier := range gemm.Tiers[float32]() {
		plan, err := gemm.NewPlan[float32](r.dev, o.M, o.N, o.K, gemm.WithTier(tier))
		if err != nil {
			return nil, err
		}
		if name, _, err = served(plan, &o.Product); err != nil {
			return nil, err
		}
		ways = append(ways, GemmMore{name, MultiplyBy(plan), tier})
	}
	return ways, nil
}

// served names what serves a product by a plan, and says why.
func served(plan *gemm.Plan[float32], p *Product) (name string, choice gemm.Choice, err error) {
	a, b, c, err := p.matrices()
	if err != nil {
		return "", choice, err
	}
	choice, err = plan.ChoiceFor(a, b, c)
	return cmp.Or(choice.Entry, choice.Kernel), choice, err
}

// MultiplyBy computes products as a plan does, which was made for their shape.
func MultiplyBy(plan *gemm.Plan[float32]) func(s *device.Stream, p *Product) error {
	return func(s *device.Stream, p *Product) error {
		a, b, c, err := p.matrices()
		if err != nil {
			return err
		}
		return plan.Multiply(s, float64(p.Alpha), a, b, float64(p.Beta), c)
	}
}

// matrices are the operands as go/gemm takes them.
func (p *Product) matrices() (a, b, c gemm.Matrix[float32], err error) {
	a, errA := gemm.NewMatrix(p.M, p.K, p.A)
	b, errB := gemm.NewMatrix(p.K, p.N, p.B)
	c, errC := gemm.NewMatrix(p.M, p.N, p.C)
	return a, b, c, errors.Join(errA, errB, errC)
}

// peer describes the product to cuBLAS.
func (o *gemmOperands) peer() peer.SGEMM {
	return peer.SGEMM{M: o.M, N: o.N, K: o.K, A: address(o.A.Range()), B: address(o.B.Range()), C: address(o.C.Range())}
}

// Way finds a way by its name.
func (c *GemmCase) Way(name string) (GemmWay, bool) {
	for _, w := range c.Ways {
		if w.Name == name {
			return w, true
		}
	}
	return GemmWay{}, false
}

// Best is the fastest way of a kind; ok is false where there is none.
func (c *GemmCase) Best(kind GemmKind) (best GemmWay, ok bool) {
	for _, w := range c.Ways {
		if w.Kind == kind && (!ok || w.Median < best.Median) {
			best, ok = w, true
		}
	}
	return best, ok
}
