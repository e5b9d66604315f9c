package dynamic

import (
	"math"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/kernels/launch"
)

// handles returns an error if one is missing.
func (b *bound) handles() error {
	for _, p := range b.k.Params {
		if m := b.buffers[p.Name]; m != nil && m.missing {
			return launch.Missing(b.k.Name, p.Name)
		}
	}
	return nil
}

// constants are the names that an alignment may use: they are numbers in an instance.
func (b *bound) constants(param string, size uint64) contract.Env {
	env := contract.Env{"block": b.k.threads(), "sizeof(" + param + ")": size}
	for _, t := range b.k.Types {
		if t.Kind == "int" {
			env[t.Name] = b.k.ints[b.types[t.Name]]
		}
	}
	return env
}

// env gives every name of the contract its value.
func (b *bound) env() contract.Env {
	env := contract.Env{"block": b.k.threads(), "sms": uint64(b.dev.Info().Multiprocessors)}
	for i, n := range b.k.Block {
		env["block."+"xyz"[i:i+1]] = uint64(n)
	}
	for _, t := range b.k.Types {
		if t.Kind == "int" {
			env[t.Name] = b.k.ints[b.types[t.Name]]
		}
	}
	for _, p := range b.k.Params {
		switch p.Kind {
		case "scalar":
			env[p.Name] = b.words[p.Name]
		case "shared":
			env["sizeof("+p.Name+")"] = uint64(elem(p.Elem, b.types).Size())
		case "buffer":
			m := b.buffers[p.Name]
			env["len("+p.Name+")"], env["sizeof("+p.Name+")"], env["addr("+p.Name+")"] = m.n, m.size, m.r.Lo
			for i, x := range p.Carries {
				env[p.Name+"."+x] = m.carried[i]
			}
		}
	}
	for _, x := range b.k.Extents {
		if v, ok := env[x.From+"."+x.Name]; ok {
			env[x.Name] = v
		} else if m := b.buffers[x.From]; m != nil {
			env[x.Name] = m.n
		} else {
			env[x.Name] = b.words[x.From]
		}
	}
	return env
}

// check is the contract, in the order of generated code: relations, then each buffer, then proofs, then
// pairs. A raw kernel has no contract.
func (b *bound) check() error {
	if b.k.Raw {
		return nil
	}
	if err := b.handles(); err != nil {
		return err
	}
	env := b.env()
	for _, r := range b.k.relations {
		if r.param != "" && b.types[r.param] != r.value {
			continue
		}
		if b.lengths == contract.Unknown && !r.length && r.OfBuffers() {
			continue
		}
		rel := *r.Relation
		if r.length {
			rel.Op = b.lengths.String()
		}
		v := launch.Check(&rel, env, b.k.terms)
		if v == nil || b.lengths == contract.Unknown && r.length && v.Err == nil { // a length that there can be
			continue
		}
		v.Kernel = b.entry
		return v
	}
	if b.lengths == contract.Unknown {
		return nil
	}
	var args []launch.Argument
	for _, p := range b.k.Params {
		if m := b.buffers[p.Name]; m != nil {
			args = append(args, launch.Argument{Param: p.Name, Memory: m.r, Align: m.align, Proved: m.proved, Written: m.written()})
		}
	}
	return launch.Arguments(b.entry, b.dev, args...)
}

// choose takes the first variant whose facts hold, of a call that keeps the contract.
func (b *bound) choose() launch.Choice {
	out := launch.Choice{Entry: b.entry}
	if b.k.variants == nil {
		return out
	}
	env := b.env()
	for _, v := range b.k.variants {
		lacks := v.Lacks(b.entry, env, b.k.terms)
		if lacks == nil {
			out.Variant = v.Name
			out.Entry += "_" + v.Name
			return out
		}
		out.Passed = append(out.Passed, *lacks)
	}
	return out
}

// config evaluates the shape.
func (b *bound) config() (device.Config, error) {
	if b.raw != nil {
		return *b.raw, nil
	}
	if err := b.handles(); err != nil {
		return device.Config{}, err
	}
	env := b.env()
	fact := func(what string, e contract.Expr) (uint32, error) {
		v, err := e.Eval(env)
		if err != nil || v > math.MaxUint32 {
			return 0, launch.TooLarge(b.entry, what, e.String(), env)
		}
		return uint32(v), nil
	}
	c := device.Config{Block: device.Dim3{X: b.k.Block[0], Y: b.k.Block[1], Z: b.k.Block[2]}}
	var err error
	for i, axis := range []*uint32{&c.Grid.X, &c.Grid.Y, &c.Grid.Z} {
		if *axis, err = fact("grid."+"xyz"[i:i+1], b.k.grid[i]); err != nil {
			return device.Config{}, err
		}
	}
	if b.k.shared != nil {
		if c.Shared, err = fact("shared", b.k.shared); err != nil {
			return device.Config{}, err
		}
	}
	return c, nil
}

// slots are the entry's words. A written buffer loses its proofs here, right before the launch.
func (b *bound) slots() []uint64 {
	var out []uint64
	env := b.env()
	for _, p := range b.k.Params {
		switch p.Kind {
		case "dim":
			out = append(out, env[p.Extent])
		case "scalar":
			out = append(out, b.words[p.Name])
		case "buffer":
			m := b.buffers[p.Name]
			if m.written() {
				m.r.Touch()
			}
			out = append(out, m.r.Lo)
		}
	}
	return out
}
