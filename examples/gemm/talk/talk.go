package talk

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/warpwright/warpwright/bench"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/numtest"
	"github.com/warpwright/warpwright/go/ref"
)

// Options is what to show. Defaults fills what is zero.
type Options struct {
	Side   int // of the large matrices
	Warm   int
	Repeat int
	Code   []Code // of the entries; nil where nobody has looked at them
	// Progress is told each step before it begins; nil for silence.
	Progress func(step string)
}

// Defaults returns the options with what the talk is about on a GPU, and with little on an emulator.
func (o Options) Defaults(d *device.Device) Options {
	gpu := d.Info().Kind == device.GPU
	if o.Side == 0 {
		o.Side = 128
		if gpu {
			o.Side = 1024
		}
	}
	if o.Repeat == 0 {
		o.Repeat = 2
		if gpu {
			o.Repeat = 50
		}
	}
	if o.Warm == 0 {
		o.Warm = 1
		if gpu {
			o.Warm = 5
		}
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	return o
}

// Report is all that the talk shows.
type Report struct {
	Device   bench.Device `json:"device"`
	Timed    bool         `json:"timed"` // whether times mean anything: on a GPU
	Launches int          `json:"launches"`
	Shapes   []Shape      `json:"shapes"`
	Rejected Rejected     `json:"rejected"`
	Code     []Code       `json:"code,omitempty"`
}

// Shape is the ladder on matrices of one shape.
type Shape struct {
	M     int   `json:"m"`
	N     int   `json:"n"`
	K     int   `json:"k"`
	Rungs []Row `json:"rungs"`
	// Beyond are go/gemm's own launches of the same product.
	Beyond []Row `json:"beyond"`
}

// Row is one way to compute a shape's product.
type Row struct {
	Name    string  `json:"name"`
	Entry   string  `json:"entry"`
	Seconds float64 `json:"seconds"` // the median of its measured launches
	// Largest is the largest error after the first launch, of the rows that were compared with float64, and Bound what that
	// cell had to stay under.
	Largest float64 `json:"largest_error"`
	Bound   float64 `json:"its_bound"`
	// Same says that after all launches every bit is as the first rung left it.
	Same bool `json:"same_bits"`
}

// Rejected is a launch that the contract does not allow.
type Rejected struct {
	K     int    `json:"k"`
	Error string `json:"error"`
}

// Run climbs down the ladder. A wrong result, results that differ between rungs, and a bad launch that is not refused are
// errors.
func Run(ctx context.Context, d *device.Device, o Options) (r *Report, err error) {
	o = o.Defaults(d)
	info := d.Info()
	if !d.Launches() {
		return nil, fmt.Errorf("talk: %s launches no kernels: requires a GPU or an emulator", info.Name)
	}
	rungs, err := Rungs(d)
	if err != nil {
		return nil, err
	}
	clock, err := bench.NewClock(d, o.Warm, o.Repeat)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, clock.Close()) }()
	r = &Report{
		Device: bench.DeviceOf(d),
		Timed:  info.Kind == device.GPU, Launches: 1 + o.Warm + o.Repeat, Code: o.Code,
	}
	for _, side := range []int{o.Side, 100} {
		s, err := show(ctx, d, clock, rungs, side, o.Progress)
		if err != nil {
			return nil, fmt.Errorf("talk: %d x %d x %d: %w", side, side, side, err)
		}
		r.Shapes = append(r.Shapes, s)
	}
	o.Progress("a launch that the contract does not allow")
	if r.Rejected, err = reject(d, rungs, o.Side); err != nil {
		return nil, fmt.Errorf("talk: %w", err)
	}
	return r, nil
}

// operands are a product's on a device, with what its cells were at first.
type operands struct {
	Product
	a, b, c []float32
	buffers []*device.Buffer[float32]
}

func upload(d *device.Device, side int) (o *operands, err error) {
	o = &operands{Product: Product{M: side, N: side, K: side, Alpha: 1.5, Beta: -0.75}}
	rng := rand.New(rand.NewPCG(1, uint64(side)))
	for _, to := range []struct {
		host *[]float32
		at   *device.Slice[float32]
	}{{&o.a, &o.A}, {&o.b, &o.B}, {&o.c, &o.C}} {
		*to.host = make([]float32, side*side)
		for i := range *to.host {
			(*to.host)[i] = float32(rng.NormFloat64())
		}
		b, err := device.Upload(d, *to.host)
		if err != nil {
			return nil, errors.Join(err, o.close())
		}
		o.buffers = append(o.buffers, b)
		*to.at = b.All()
	}
	return o, nil
}

func (o *operands) close() error {
	var errs []error
	for _, b := range o.buffers {
		errs = append(errs, b.Close())
	}
	return errors.Join(errs...)
}

// reset gives C its first contents, result reads it.
func (o *operands) reset() error               { return o.buffers[2].Write(nil, 0, o.c) }
func (o *operands) result() ([]float32, error) { return o.buffers[2].Host(nil) }

// compared is how many rows are compared with float64: enough to meet every part of a tile, and few, since that takes long.
const compared = 16

// rows are those, spread over the matrix.
func (o *operands) rows() []int { return bench.Rows(o.M, compared) }

// truth is their product in float64.
func (o *operands) truth() (ref.Product, error) {
	g := ref.Gemm[float32]{N: o.N, K: o.K, Alpha: float64(o.Alpha), Beta: float64(o.Beta), B: o.b}
	for _, r := range o.rows() {
		g.M++
		g.A = append(g.A, o.a[r*o.K:(r+1)*o.K]...)
		g.C = append(g.C, o.c[r*o.N:(r+1)*o.N]...)
	}
	return g.Product()
}

// show has every rung compute the product of one shape, as often as the others.
func show(ctx context.Context, d *device.Device, clock *bench.Clock, rungs []Rung, side int, progress func(string)) (s Shape, err error) {
	s = Shape{M: side, N: side, K: side}
	progress(fmt.Sprintf("%d x %d x %d in float64", side, side, side))
	o, err := upload(d, side)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, o.close()) }()
	truth, err := o.truth()
	if err != nil {
		return s, err
	}
	var first []float32
	climb := func(rung Rung) (Row, error) {
		progress(fmt.Sprintf("%d x %d x %d, checked %s: %s", side, side, side, rung.Name, rung.Entry))
		row, last, err := measure(ctx, clock, rung, o, truth)
		if err != nil {
			return row, fmt.Errorf("%s: %w", rung.Entry, err)
		}
		if first == nil {
			first = last
		}
		row.Same = different(first, last) < 0
		return row, nil
	}
	for _, rung := range rungs {
		row, err := climb(rung)
		if err != nil {
			return s, err
		}
		if !row.Same {
			return s, fmt.Errorf("%s and %s leave different bits: requires equal ones", s.Rungs[0].Entry, row.Entry)
		}
		s.Rungs = append(s.Rungs, row)
	}
	beyond, err := Beyond(d, &o.Product)
	if err != nil {
		return s, err
	}
	for _, rung := range beyond {
		row, err := climb(rung)
		if err != nil {
			return s, err
		}
		s.Beyond = append(s.Beyond, row)
	}
	return s, nil
}

// measure launches a rung once and compares, then again and again for the time. It returns what C is at last.
func measure(ctx context.Context, clock *bench.Clock, rung Rung, o *operands, truth ref.Product) (row Row, last []float32, err error) {
	row = Row{Name: rung.Name, Entry: rung.Entry}
	if err := o.reset(); err != nil {
		return row, nil, err
	}
	if err := rung.Launch(nil, &o.Product); err != nil {
		return row, nil, err
	}
	got, err := o.result()
	if err != nil {
		return row, nil, err
	}
	var some []float32
	for _, r := range o.rows() {
		some = append(some, got[r*o.N:(r+1)*o.N]...)
	}
	check := numtest.Check(some, truth.Y, truth.Bound(dtype.F32))
	if err := check.Err(); err != nil {
		return row, nil, fmt.Errorf("a wrong answer: %w", err)
	}
	row.Largest, row.Bound = check.Largest.Err, check.Largest.Bound
	seconds, err := clock.Time(ctx, func(int) error { return rung.Launch(clock.Stream(), &o.Product) })
	if err != nil {
		return row, nil, err
	}
	row.Seconds = bench.Median(seconds)
	last, err = o.result()
	return row, last, err
}

// different is the first place where two results are not the same bits, or -1.
func different(a, b []float32) int {
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			return i
		}
	}
	return -1
}

// reject asks for twice as many terms as there are: the rung that checks once a launch must refuse, and change nothing.
func reject(d *device.Device, rungs []Rung, side int) (r Rejected, err error) {
	o, err := upload(d, side)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, o.close()) }()
	o.K *= 2
	r.K = o.K
	at := slices.IndexFunc(rungs, func(r Rung) bool { return r.Name == OnceALaunch })
	entry := rungs[at].Entry
	before := d.LaunchCounts()[entry]
	refused := rungs[at].Launch(nil, &o.Product)
	if refused == nil {
		return r, fmt.Errorf("a launch with %d terms, of which the arrays hold %d, was not refused", o.K, side)
	}
	r.Error = refused.Error()
	if after := d.LaunchCounts()[entry]; after != before {
		return r, fmt.Errorf("a refused launch was launched")
	}
	got, err := o.result()
	if err == nil && different(got, o.c) >= 0 {
		err = errors.New("a refused launch has changed C")
	}
	return r, err
}
