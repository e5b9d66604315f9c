// Package twins launches computations that are written three times: through views (Safe), by hand (Raw),
// and by hand with a test at every access (Checked). Results must be equal bit for bit, and the first two
// must cost the same; what differs is who keeps them inside their buffers.
package twins

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/kernels/launch"
	"github.com/warpwright/warpwright/go/ref"
	"github.com/warpwright/warpwright/tests/twins/safely"
)

// Variant is one of the ways in which a twin is written.
type Variant string

// The variants.
const (
	Safe    Variant = "safe"
	Raw     Variant = "raw"
	Checked Variant = "checked"
)

// Base is the safe kernel's entry that relies on its contract alone, launched by hand. It is no further way to write a twin: where
// Safe takes an entry that relies on facts besides, results must be equal bit for bit and times can be compared.
const Base Variant = "base"

// Twin is one computation: entries twin_NAME_f32, raw_NAME_f32 and checked_NAME_f32; or a kernel that ships, as NAME has it.
type Twin struct {
	Name string
	Form string // what the numbers of a shape are: "m n k"
	Of   string // the twin whose raw and checked kernels serve it too; empty where it has its own, or none
	// raw and checked find the entries; nil where nobody has written them. Each name stands as a constant, for the build to see.
	raw, checked func(d *device.Device) (*device.Kernel, error)
	base         func(d *device.Device) (*device.Kernel, error) // of a safe kernel that has more entries; else nil
	build        func(b *builder, shape []int)
	vector       bool // whether the arrays must begin at a multiple of 16 bytes
}

// Variants are the ways in which the twin is written.
func (t *Twin) Variants() []Variant {
	if t.raw == nil {
		return []Variant{Safe}
	}
	return []Variant{Safe, Raw, Checked}
}

// All are the twins.
func All() []*Twin {
	all := []*Twin{
		{
			Name: "saxpy", Form: "n", build: saxpy,
			raw:     func(d *device.Device) (*device.Kernel, error) { return d.Kernel("raw_saxpy_f32") },
			checked: func(d *device.Device) (*device.Kernel, error) { return d.Kernel("checked_saxpy_f32") },
			base:    func(d *device.Device) (*device.Kernel, error) { return d.Kernel("twin_saxpy_f32") },
		},
		{
			Name: "saxpy4", Form: "n", build: saxpy4, vector: true,
			raw:     func(d *device.Device) (*device.Kernel, error) { return d.Kernel("raw_saxpy4_f32") },
			checked: func(d *device.Device) (*device.Kernel, error) { return d.Kernel("checked_saxpy4_f32") },
			base:    func(d *device.Device) (*device.Kernel, error) { return d.Kernel("twin_saxpy4_f32") },
		},
		{
			Name: "gemm", Form: "m n k", build: gemm,
			raw:     func(d *device.Device) (*device.Kernel, error) { return d.Kernel("raw_gemm_f32") },
			checked: func(d *device.Device) (*device.Kernel, error) { return d.Kernel("checked_gemm_f32") },
			base:    func(d *device.Device) (*device.Kernel, error) { return d.Kernel("twin_gemm_f32") },
		},
		{
			Name: "gemm_tiled", Form: "m n k", build: gemmTiled,
			raw:     func(d *device.Device) (*device.Kernel, error) { return d.Kernel("raw_gemm_tiled_f32") },
			checked: func(d *device.Device) (*device.Kernel, error) { return d.Kernel("checked_gemm_tiled_f32") },
			base:    func(d *device.Device) (*device.Kernel, error) { return d.Kernel("twin_gemm_tiled_f32") },
		},
		{
			// Whole tiles apart from clipped ones; the sums are those of gemm_tiled, in the same order.
			Name: "gemm_split16", Form: "m n k", Of: "gemm_tiled", build: gemmSplit(16),
			raw:     func(d *device.Device) (*device.Kernel, error) { return d.Kernel("raw_gemm_tiled_f32") },
			checked: func(d *device.Device) (*device.Kernel, error) { return d.Kernel("checked_gemm_tiled_f32") },
		},
		{
			Name: "gemm_split64", Form: "m n k", Of: "gemm_tiled", build: gemmSplit(64),
			raw:     func(d *device.Device) (*device.Kernel, error) { return d.Kernel("raw_gemm_tiled_f32") },
			checked: func(d *device.Device) (*device.Kernel, error) { return d.Kernel("checked_gemm_tiled_f32") },
		},
		{
			Name: "csr_thread", Form: "rows columns entries-a-row", build: csrThread,
			raw:     func(d *device.Device) (*device.Kernel, error) { return d.Kernel("raw_csr_thread_f32") },
			checked: func(d *device.Device) (*device.Kernel, error) { return d.Kernel("checked_csr_thread_f32") },
			base:    func(d *device.Device) (*device.Kernel, error) { return d.Kernel("twin_csr_thread_f32") },
		},
		{
			Name: "csr_warp", Form: "rows columns entries-a-row", build: csrWarp,
			raw:     func(d *device.Device) (*device.Kernel, error) { return d.Kernel("raw_csr_warp_f32") },
			checked: func(d *device.Device) (*device.Kernel, error) { return d.Kernel("checked_csr_warp_f32") },
			base:    func(d *device.Device) (*device.Kernel, error) { return d.Kernel("twin_csr_warp_f32") },
		},
		{
			Name: "colsum", Form: "groups rows", build: colsum,
			raw:     func(d *device.Device) (*device.Kernel, error) { return d.Kernel("raw_colsum_f32") },
			checked: func(d *device.Device) (*device.Kernel, error) { return d.Kernel("checked_colsum_f32") },
		},
		{
			Name: "colsum_tiled", Form: "m n", build: colsumTiled,
			raw:     func(d *device.Device) (*device.Kernel, error) { return d.Kernel("raw_colsum_tiled_f32") },
			checked: func(d *device.Device) (*device.Kernel, error) { return d.Kernel("checked_colsum_tiled_f32") },
		},
		// What ships, beside what is written by hand for csr_thread and csr_warp: the sums are those of them, in the same order.
		{
			Name: "csr_mv_thread", Form: "rows columns entries-a-row", Of: "csr_thread", build: mvThread,
			base: func(d *device.Device) (*device.Kernel, error) { return d.Kernel("csr_mv_thread_f32_i32_each") },
		},
		{
			Name: "csr_mv_group_4", Form: "rows columns entries-a-row", build: mvGroup(4),
			base: func(d *device.Device) (*device.Kernel, error) { return d.Kernel("csr_mv_group_f32_i32_each_4") },
		},
		{
			Name: "csr_mv_group_8", Form: "rows columns entries-a-row", build: mvGroup(8),
			base: func(d *device.Device) (*device.Kernel, error) { return d.Kernel("csr_mv_group_f32_i32_each_8") },
		},
		{
			Name: "csr_mv_group_32", Form: "rows columns entries-a-row", Of: "csr_warp", build: mvGroup(32),
			base: func(d *device.Device) (*device.Kernel, error) { return d.Kernel("csr_mv_group_f32_i32_each_32") },
		},
	}
	for _, t := range all {
		if i := slices.IndexFunc(all, func(o *Twin) bool { return o.Name == t.Of }); i >= 0 {
			t.raw, t.checked = all[i].raw, all[i].checked
		}
	}
	return all
}

// guard is how many elements on each side of an array are watched. For what must begin at a multiple of
// 16 bytes it is one, else it is odd, so that arrays begin where no allocation does.
func (t *Twin) guard() int {
	if t.vector {
		return 8
	}
	return 5
}

// Problem is a twin's operands on a device.
type Problem struct {
	Twin  *Twin
	Shape []int

	dev    *device.Device
	config device.Config // of raw and checked; the contract gives that of safe
	args   []arg
	safe   launcher
	truth  func() ref.Product

	arrays  []*Array
	out     *Array
	closers []func() error

	raw, checked, base *device.Kernel // found at the first launch
}

// launcher is a generated launcher with its fields filled in, on a device that has its family.
type launcher interface {
	Check(d *device.Device) error
	Chosen(d *device.Device) (launch.Choice, error)
	Launch(s *device.Stream) error
}

// twin is a launcher of the safe twins.
type twin struct {
	safely.Launcher
	on safely.Kernels
}

func (t twin) Launch(s *device.Stream) error { return t.on.Launch(t.Launcher, s) }

// arg is one argument of the raw entry; the checked one has the length behind each array.
type arg struct {
	word  uint64
	array bool
	n     int
}

// Array is an operand of floats, between guards of NaN.
type Array struct {
	Name   string
	Buffer *device.Buffer[float32]
	host   []float32 // as it is uploaded, guards included
	guard  int
}

// First is what the array holds at first, without its guards.
func (a *Array) First() []float32 { return a.host[a.guard : len(a.host)-a.guard] }

// Slice is the array without its guards.
func (a *Array) Slice() device.Slice[float32] {
	s, err := a.Buffer.All().Slice(a.guard, len(a.host)-a.guard)
	if err != nil {
		panic(err) // a buffer is as long as its host copy
	}
	return s
}

// New draws the operands of a twin; the same seed gives the same. With guards, each array of floats stands
// in a larger one whose ends must stay as they are.
func (t *Twin) New(d *device.Device, shape []int, seed uint64, guards bool) (*Problem, error) {
	b := &builder{p: &Problem{Twin: t, Shape: shape, dev: d}, d: d, seed: seed}
	if guards {
		b.guard = t.guard()
	}
	t.build(b, shape)
	if b.err != nil {
		return nil, errors.Join(fmt.Errorf("twins: %s %v: %w", t.Name, shape, b.err), b.p.Close())
	}
	return b.p, nil
}

// Check is the contract of the safe variant.
func (p *Problem) Check() error { return p.safe.Check(p.dev) }

// Chosen is the entry that Safe takes.
func (p *Problem) Chosen() (launch.Choice, error) { return p.safe.Chosen(p.dev) }

// Launch computes in one way.
func (p *Problem) Launch(s *device.Stream, v Variant) error {
	switch v {
	case Safe:
		return p.safe.Launch(s)
	case Raw:
		if p.Twin.raw != nil {
			return p.bare(s, &p.raw, p.Twin.raw, false)
		}
	case Checked:
		if p.Twin.checked != nil {
			return p.bare(s, &p.checked, p.Twin.checked, true)
		}
	case Base:
		if p.Twin.base != nil {
			return p.bare(s, &p.base, p.Twin.base, false)
		}
	}
	return fmt.Errorf("twins: %s is not written in the variant %q", p.Twin.Name, v)
}

// bare launches an entry by its arguments.
func (p *Problem) bare(s *device.Stream, k **device.Kernel, find func(*device.Device) (*device.Kernel, error), lengths bool) error {
	if *k == nil {
		found, err := find(p.dev)
		if err != nil {
			return err
		}
		*k = found
	}
	var words [16]uint64
	slots := words[:0]
	for _, a := range p.args {
		slots = append(slots, a.word)
		if a.array && lengths {
			slots = append(slots, uint64(a.n))
		}
	}
	return (*k).Launch(s, p.config, slots)
}

// Reset gives every array its first contents; those of an output that is never read are NaN.
func (p *Problem) Reset() error {
	for _, a := range p.arrays {
		if err := a.Buffer.Write(nil, 0, a.host); err != nil {
			return err
		}
	}
	return nil
}

// Result is the output. An error is one of the device, or names what was written besides.
func (p *Problem) Result() ([]float32, error) {
	var result []float32
	for _, a := range p.arrays {
		got, err := a.Buffer.Host(nil)
		if err != nil {
			return nil, err
		}
		inside := len(a.host) - a.guard
		for i, v := range got {
			if a == p.out && a.guard <= i && i < inside {
				continue
			}
			if math.Float32bits(v) != math.Float32bits(a.host[i]) {
				return nil, fmt.Errorf("%s[%d] of %d has become %v: it is not the result's", a.Name, i-a.guard, inside-a.guard, v)
			}
		}
		if a == p.out {
			result = got[a.guard:inside]
		}
	}
	return result, nil
}

// Output is the array that the computation writes.
func (p *Problem) Output() *Array { return p.out }

// Array is the operand of floats of that name, nil without.
func (p *Problem) Array(name string) *Array {
	for _, a := range p.arrays {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// Arrays is how many arrays an entry takes.
func (p *Problem) Arrays() int {
	n := 0
	for _, a := range p.args {
		if a.array {
			n++
		}
	}
	return n
}

// Short launches the checked variant with the length of array i of Arrays one less than it is: a kernel that
// has its checks traps.
func (p *Problem) Short(s *device.Stream, i int) error {
	q := *p
	q.args = slices.Clone(p.args)
	for at := range q.args {
		if !q.args[at].array {
			continue
		}
		if i == 0 {
			q.args[at].n--
		}
		i--
	}
	return q.Launch(s, Checked)
}

// Truth is the result in float64.
func (p *Problem) Truth() ref.Product { return p.truth() }

// Bytes is the fewest that the computation moves: each operand once, an output that is read twice.
func (p *Problem) Bytes() int64 {
	n := 0
	for _, a := range p.args {
		n += 4 * a.n
	}
	return int64(n)
}

// Close frees the operands.
func (p *Problem) Close() error {
	var errs []error
	for _, c := range p.closers {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}

// Saxpy launches y = a x + y of n elements in one way, whatever the lengths of x and y: a launch that is as bad
// as one likes.
func Saxpy(d *device.Device, s *device.Stream, v Variant, n uint64, a float32, x, y device.Slice[float32]) error {
	kernels, err := safely.Load(d)
	if err != nil {
		return err
	}
	blocks := min((n+255)/256, 32*uint64(d.Info().Multiprocessors))
	p := &Problem{
		Twin: All()[0], dev: d,
		safe:   twin{safely.Saxpy(n, a, x, y), kernels},
		args:   []arg{{word: n}, {word: launch.Word(a)}, of(x), of(y)},
		config: device.Config{Grid: device.Dim3{X: uint32(blocks), Y: 1, Z: 1}, Block: device.Dim3{X: 256, Y: 1, Z: 1}},
	}
	return p.Launch(s, v)
}
