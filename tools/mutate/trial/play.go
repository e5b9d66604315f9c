package trial

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/device/emu"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/kernels/dynamic"
	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/go/numtest"
	"github.com/warpwright/warpwright/go/valid"
)

// ErrValues is a result that is not what it should be, ErrRefused a contract that refuses a right launch, ErrAccepts one that lets a
// wrong one through.
var (
	ErrValues  = errors.New("wrong result")
	ErrRefused = errors.New("the contract refuses a right launch")
	ErrAccepts = errors.New("the contract accepts a wrong launch")
)

// Options say how a trial is played.
type Options struct {
	Race   bool // the small cases only, once
	Huge   bool // the huge cases only
	Few    bool // with few blocks
	Offset bool // arrays begin one element behind where allocations do, where the contract lets them
	Blind  bool // values are not looked at: a net with a hole, as a control
}

// Round is a way to play a trial.
type Round struct {
	Emulator emu.Options
	Options
}

// Rounds are those for AddressSanitizer: the contract's grid, then a few blocks by other orders of threads and with arrays that begin one element later,
// then what is huge.
func Rounds() []Round {
	return []Round{
		{emu.Options{Schedule: "fwd"}, Options{}},
		{emu.Options{Schedule: "rev"}, Options{Few: true}},
		{emu.Options{Schedule: "rand:7"}, Options{Few: true, Offset: true}},
		{emu.Options{CornerBlocks: true}, Options{Huge: true}},
	}
}

// Races are those for ThreadSanitizer, which are about no values.
func Races() []Round {
	var out []Round
	for _, schedule := range []string{"fwd", "rev"} {
		out = append(out, Round{emu.Options{Schedule: schedule, UnorderedBlocks: true}, Options{Race: true, Few: true, Blind: true}})
	}
	return out
}

// Run plays a round in an emulator program.
func (t *Trial) Run(ctx context.Context, program string, spec *manifest.Spec, r Round) (err error) {
	if r.Huge && !t.Huge() {
		return nil
	}
	r.Emulator.Path, r.Emulator.Multiprocessors, r.Emulator.Deadline = program, 1, 10*time.Second
	d, err := device.Open(ctx, device.WithKind("emu"), device.WithEmulatorOptions(r.Emulator))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return t.Play(ctx, d, spec, r.Options)
}

// Play runs the cases on a device by the contracts of a spec, until the context ends. The error says what was found: one of the errors above, a report of the
// emulator, or something else that went wrong.
func (t *Trial) Play(ctx context.Context, d *device.Device, spec *manifest.Spec, o Options) error {
	for _, in := range t.Instances {
		for _, c := range t.Cases(in) {
			if c.Huge != o.Huge || o.Race && !c.Race || c.Refused && (o.Few || o.Offset) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("%s: before %s: %w", t.Entry(in), c.Name, err)
			}
			p := player{t: t, d: d, in: in, c: &c, o: o, spec: regrid(spec, t.Kernel, t.grid(&c, o))}
			if err := p.play(); err != nil {
				return fmt.Errorf("%s: %s: %w", t.Entry(in), c.Name, err)
			}
		}
	}
	return nil
}

// grid is what stands in place of the contract's grid; empty for nothing.
func (t *Trial) grid(c *Case, o Options) string {
	if c.Grid != "" {
		return c.Grid
	}
	if o.Few {
		return t.Few
	}
	return ""
}

// regrid is a spec whose kernel has another grid.
func regrid(spec *manifest.Spec, kernel, grid string) *manifest.Spec {
	if grid == "" {
		return spec
	}
	out := *spec
	out.Kernels = slices.Clone(spec.Kernels)
	for i := range out.Kernels {
		if out.Kernels[i].Name == kernel {
			out.Kernels[i].Grid[0] = grid
		}
	}
	return &out
}

type player struct {
	t    *Trial
	d    *device.Device
	in   Instance
	c    *Case
	o    Options
	spec *manifest.Spec

	family  *dynamic.Family
	handles map[string]any
	closers []func() error
}

func (p *player) play() (err error) {
	defer func() {
		for _, c := range p.closers {
			if e := c(); err == nil {
				err = e
			}
		}
	}()
	if p.family, err = dynamic.Load(p.d, p.spec); err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	p.handles = map[string]any{}
	for name, v := range p.c.Args {
		if p.handles[name], err = p.handle(v); err != nil {
			return err
		}
	}
	if p.c.Refused {
		return p.refused()
	}
	lengths, err := p.lengths()
	if err != nil {
		return err
	}
	arrays := map[string]memory{}
	for _, name := range p.arrays() {
		before := 0
		if p.o.Offset {
			if before, err = p.before(name); err != nil {
				return err
			}
		}
		m, err := p.upload(p.array(name), lengths[name], before)
		if err == nil {
			err = m.put(p.c.Put[name])
		}
		if err != nil {
			return err
		}
		arrays[name] = m
	}
	call := p.call(func(name string) any { return arrays[name].arg(0, lengths[name]) })
	if err := p.family.Check(call); err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if err := p.family.Launch(nil, call); err != nil {
		return err
	}
	for _, name := range p.arrays() {
		if err := p.judge(name, arrays[name]); err != nil {
			return err
		}
	}
	return nil
}

// upload brings an array to the device for as long as the case is played.
func (p *player) upload(a *Array, n, before int) (memory, error) {
	m, err := upload(p.d, a, n, before)
	if err == nil {
		p.closers = append(p.closers, m.close)
	}
	return m, err
}

// refused asks the contract for a launch that it must refuse.
func (p *player) refused() error {
	arrays := map[string]memory{}
	for _, name := range p.arrays() {
		var err error
		if arrays[name], err = p.upload(p.array(name), p.array(name).Len(), 0); err != nil {
			return err
		}
	}
	err := p.family.Check(p.call(func(name string) any { return arrays[name].arg(0, p.array(name).Len()) }))
	if err == nil {
		return ErrAccepts
	}
	return nil
}

// before is one element for an array that the contract lets begin there, and none for one that it wants aligned.
func (p *player) before(name string) (int, error) {
	call := p.call(func(string) any { return nil })
	for _, other := range p.arrays() {
		before := 0
		if other == name {
			before = 1
		}
		m, err := p.upload(&Array{Elem: p.array(other).Elem}, p.array(other).Len(), before)
		if err != nil {
			return 0, err
		}
		if _, ok := call.Args[other]; ok {
			call.Args[other] = m.arg(0, p.array(other).Len())
		}
	}
	if p.family.Check(call) != nil {
		return 0, nil
	}
	return 1, nil
}

// arrays are the names of the arguments that are plain buffers, in order.
func (p *player) arrays() []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(p.c.Args)) {
		if _, ok := p.c.Args[name].(*Array); ok {
			out = append(out, name)
		}
	}
	return out
}

func (p *player) array(name string) *Array { return p.c.Args[name].(*Array) }

// handle makes an argument that is no plain buffer.
func (p *player) handle(v any) (any, error) {
	switch v := v.(type) {
	case Scalar:
		switch v.Elem {
		case dtype.F64:
			return v.Value, nil
		case dtype.F16:
			return from[dtype.Float16](v.Value), nil
		case dtype.BF16:
			return from[dtype.BFloat16](v.Value), nil
		}
		return float32(v.Value), nil
	case *Offsets:
		entries := int(v.Values[len(v.Values)-1])
		if v.Wide {
			o, err := valid.NewOffsets(p.d, v.Values, entries)
			return p.keep(o, err)
		}
		narrow := make([]int32, len(v.Values))
		for i, x := range v.Values {
			narrow[i] = int32(x)
		}
		o, err := valid.NewOffsets(p.d, narrow, entries)
		return p.keep(o, err)
	case *Columns:
		c, err := valid.NewColumns(p.d, v.Values, v.Bound)
		return p.keep(c, err)
	case *Permutation:
		c, err := valid.NewPermutation(p.d, v.Values)
		return p.keep(c, err)
	}
	return v, nil
}

func (p *player) keep(h interface{ Close() error }, err error) (any, error) {
	if err == nil {
		p.closers = append(p.closers, h.Close)
	}
	return h, err
}

// call is the launch with arrays in place.
func (p *player) call(array func(name string) any) *dynamic.Call {
	call := &dynamic.Call{Kernel: p.t.Kernel, Types: p.in.Types(), Args: map[string]any{}}
	k := p.spec.Kernel(p.t.Kernel)
	for name, v := range p.c.Args {
		switch _, isArray := v.(*Array); {
		case !takes(k, name):
		case isArray:
			call.Args[name] = array(name)
		default:
			call.Args[name] = p.handles[name]
		}
	}
	return call
}

// takes says that a launch of the kernel has such an argument: kernels that compute the same, by cells or by tiles, share their cases. A Dim
// of an extent that a handle carries is none.
func takes(k *manifest.Kernel, name string) bool {
	return k != nil && slices.ContainsFunc(k.Params, func(q manifest.Param) bool {
		return q.Name == name && (q.Kind != "dim" || slices.ContainsFunc(k.Extents, func(x manifest.Extent) bool { return x.From == name }))
	})
}

// lengths are the least ones that the contract accepts, each array by itself. A contract that is weaker than its kernel so runs
// into the end of an array.
func (p *player) lengths() (map[string]int, error) {
	out := map[string]int{}
	whole := map[string]memory{}
	for _, name := range p.arrays() {
		a := p.array(name)
		if p.c.Huge { // there is no room for a second one, and its ends are far from where it is touched
			out[name] = a.Len()
			continue
		}
		m, err := p.upload(&Array{Elem: a.Elem}, a.Len(), 0)
		if err != nil {
			return nil, err
		}
		whole[name], out[name] = m, a.Len()
	}
	check := func(short string, n int) error {
		return p.family.Check(p.call(func(name string) any {
			if name == short {
				return whole[name].arg(0, n)
			}
			return whole[name].arg(0, p.array(name).Len())
		}))
	}
	if p.c.Huge {
		return out, nil
	}
	if err := check("", 0); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	for _, name := range p.arrays() {
		lo, hi := 0, p.array(name).Len()
		for lo < hi {
			mid := (lo + hi) / 2
			err := check(name, mid)
			switch {
			case err == nil:
				hi = mid
			case errors.Is(err, contract.ErrContract):
				lo = mid + 1
			default:
				return nil, err
			}
		}
		out[name] = lo
	}
	return out, nil
}

// judge looks at a buffer after the launch.
func (p *player) judge(name string, m memory) error {
	if p.o.Blind {
		return nil
	}
	if p.c.Huge {
		if err := m.get(p.c.Get[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	got, err := m.read()
	if err != nil {
		return err
	}
	want, ok := p.c.Want[name]
	if !ok {
		want = Truth{Y: p.array(name).Values}
	}
	if want.Bound == nil {
		want.Bound = make([]float64, len(want.Y))
	}
	if len(got) < len(want.Y) { // the contract let a shorter one through, and nothing tripped
		want.Y, want.Bound = want.Y[:len(got)], want.Bound[:len(got)]
	}
	if err := numtest.Check(got, want.Y, want.Bound).Err(); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrValues, name, err)
	}
	return nil
}
