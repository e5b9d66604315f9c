package decide

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"time"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device/backend"
	"github.com/warpwright/warpwright/go/device/emu"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/internal/obligations"
)

// What the emulator runs of a shape in a second or two; larger ones are computed only. A thread may go through all of an extent, and meet its block
// at a barrier in every round.
const (
	mostBytes = 2 << 20
	mostWork  = 1 << 20 // threads times the largest extent
	patience  = time.Minute
)

// machine is an emulator with the kernels of a spec. It launches by hand: what a contract admits is the solver's to say.
type machine struct {
	dev     *emu.Device
	module  backend.Module
	spec    *manifest.Spec
	reverse bool // threads run in reverse, buffers begin one alignment further on, arrays hold other indices
}

// start starts an emulator.
func start(ctx context.Context, path string, spec *manifest.Spec, reverse bool) (*machine, error) {
	o := emu.Options{Path: path, Schedule: "fwd", Deadline: patience}
	if reverse {
		o.Schedule = "rev"
	}
	d, err := emu.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	m, err := d.Load(spec.Family, nil)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return &machine{d, m, spec, reverse}, nil
}

// errTooLarge is a shape that is not run.
var errTooLarge = errors.New("it is too large to be run")

// run launches a shape. A *emu.Report is what the kernel did wrong; errTooLarge says that nothing was run.
func (m *machine) run(s *shape) (err error) {
	k, entry, err := m.find(s.e.Name)
	if err != nil {
		return err
	}
	config, err := s.config()
	if err != nil {
		return err
	}
	var bytes uint64
	for _, p := range s.e.Params {
		if p.Argument != nil {
			n := s.number("len(" + p.Name + ")")
			if n > mostBytes {
				return errTooLarge
			}
			bytes += n * p.Size
		}
	}
	if bytes > mostBytes {
		return errTooLarge
	}
	var slots []uint64
	var taken []backend.Memory
	defer func() {
		for _, b := range taken {
			err = errors.Join(err, b.Free())
		}
	}()
	for i := range k.Params {
		p := &k.Params[i]
		switch p.Kind {
		case "dim":
			slots = append(slots, s.number(p.Extent))
		case "scalar":
			t, err := manifest.Elem(p.Elem, entry.Types)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", entry.Name, p.Name, err)
			}
			w := binary.LittleEndian.Uint64(append(one(t), make([]byte, 8)...))
			if _, ok := s.model[p.Name]; ok {
				w = s.number(p.Name)
			}
			slots = append(slots, w)
		case "buffer":
			at, b, err := m.buffer(s, p.Name)
			if err != nil {
				return err
			}
			if b != nil {
				taken = append(taken, b)
			}
			slots = append(slots, at)
		}
	}
	kernel, err := m.module.Kernel(s.e.Name)
	if err != nil {
		return err
	}
	return kernel.Launch(nil, config, slots)
}

// find is an entry and its kernel.
func (m *machine) find(name string) (*manifest.Kernel, *manifest.Entry, error) {
	i := slices.IndexFunc(m.spec.Entries, func(e manifest.Entry) bool { return e.Name == name })
	if i < 0 {
		return nil, nil, fmt.Errorf("the spec of %s has no entry %s", m.spec.Family, name)
	}
	e := &m.spec.Entries[i]
	k := m.spec.Kernel(e.Kernel)
	if k == nil {
		return nil, nil, fmt.Errorf("the spec of %s has no kernel %s", m.spec.Family, e.Kernel)
	}
	return k, e, nil
}

// number is a value of the shape; what no relation names is 0, but of shape's own arguments all are named.
func (s *shape) number(name string) uint64 {
	if n, ok := s.e.Numbers[name]; ok {
		return n
	}
	v := s.model[name]
	if v == nil || !v.IsUint64() {
		return 0
	}
	return v.Uint64()
}

// config is grid, block and shared bytes.
func (s *shape) config() (backend.Config, error) {
	c := backend.Config{Grid: backend.Dim3{X: 1, Y: 1, Z: 1}, Block: backend.Dim3{X: s.e.Block[0], Y: s.e.Block[1], Z: s.e.Block[2]}}
	work := new(big.Int).SetUint64(c.Block.Count())
	for i, axis := range []*uint32{&c.Grid.X, &c.Grid.Y, &c.Grid.Z} {
		if n := s.model["gridDim."+"xyz"[i:i+1]]; n != nil {
			work.Mul(work, n)
			*axis = uint32(min(n.Uint64(), math.MaxUint32))
		}
	}
	largest := uint64(1)
	for _, x := range s.e.Extents {
		largest = max(largest, s.number(x.Name))
	}
	if work.Mul(work, new(big.Int).SetUint64(largest)).Cmp(big.NewInt(mostWork)) > 0 {
		return c, errTooLarge
	}
	env := contract.Env(s.e.Numbers)
	x, err := contract.Parse(s.e.Shared)
	if err != nil {
		return c, fmt.Errorf("%s: shared: %w", s.e.Name, err)
	}
	shared, err := x.Eval(env)
	if err != nil {
		return c, fmt.Errorf("%s: shared: %w", s.e.Name, err)
	}
	c.Shared = uint32(min(shared, math.MaxUint32))
	return c, nil
}

// buffer is memory for an argument: exactly its bytes, with the emulator's guards around them. An empty one is of no memory.
func (m *machine) buffer(s *shape, name string) (at uint64, b backend.Memory, err error) {
	i := slices.IndexFunc(s.e.Params, func(p obligations.Param) bool { return p.Name == name })
	if i < 0 || s.e.Params[i].Argument == nil {
		return 0, nil, fmt.Errorf("%s: nothing is owed of the buffer %s", s.e.Name, name)
	}
	p := &s.e.Params[i]
	n := s.number("len(" + name + ")")
	if n == 0 {
		return 0, nil, nil
	}
	data, err := m.content(s, p, n)
	if err != nil {
		return 0, nil, err
	}
	before := int64(0)
	if m.reverse { // it begins where its alignment lets it, and not where memory does
		before = int64(max(p.Argument.Align, s.e.Align))
	}
	if b, err = m.dev.Alloc(before + int64(len(data))); err != nil {
		return 0, nil, err
	}
	if err := b.Write(nil, before, data); err != nil {
		return 0, nil, errors.Join(err, b.Free())
	}
	return b.Addr() + uint64(before), b, nil
}

// content is what a buffer holds: indices as far out as the array was validated for, of what is no index a one in every element.
func (m *machine) content(s *shape, p *obligations.Param, n uint64) ([]byte, error) {
	t, err := dtype.Parse(p.Elem)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", s.e.Name, p.Name, err)
	}
	if p.Argument.Proof == "" {
		return slices.Repeat(one(t), int(n)), nil
	}
	first, second := s.number(p.Carries[0].Own), s.number(p.Carries[1].Own)
	var value func(i uint64) uint64
	switch p.Argument.Proof {
	case "offsets": // all entries in the first row, or in the last
		if first == 0 && second > 0 {
			return nil, errTooLarge // nobody can have validated it
		}
		value = func(i uint64) uint64 {
			if i == 0 || m.reverse && i < first {
				return 0
			}
			return second
		}
	case "columns":
		if first == 0 {
			return nil, errTooLarge
		}
		value = func(i uint64) uint64 {
			if m.reverse {
				return i % first
			}
			return first - 1
		}
	default: // a permutation
		value = func(i uint64) uint64 {
			if m.reverse {
				return i
			}
			return n - 1 - i
		}
	}
	var out []byte
	for i := range n {
		out = append(out, binary.LittleEndian.AppendUint64(nil, value(i))[:t.Size()]...)
	}
	return out, nil
}

// one is the number 1 as an element.
func one(t dtype.Type) []byte {
	bits := uint64(1)
	switch t {
	case dtype.F64:
		bits = dtype.Bits(1.0)
	case dtype.F32:
		bits = dtype.Bits(float32(1))
	case dtype.F16:
		bits = dtype.Bits(dtype.FromFloat64[dtype.Float16](1))
	case dtype.BF16:
		bits = dtype.Bits(dtype.FromFloat64[dtype.BFloat16](1))
	}
	return binary.LittleEndian.AppendUint64(nil, bits)[:t.Size()]
}

// close ends the emulator.
func (m *machine) close() error { return errors.Join(m.module.Close(), m.dev.Close()) }
