package family

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/tools/internal/syntax"
)

// instances counts out the values of the instance parameters, the last one fastest.
func (r *resolver) instances() error {
	r.out.Instances = []Instance{{Entry: r.out.Name, Values: map[string]string{}}}
	for _, t := range r.out.Types {
		var next []Instance
		for _, in := range r.out.Instances {
			for _, v := range t.Values {
				values := maps.Clone(in.Values)
				values[t.Name] = v
				next = append(next, Instance{Entry: in.Entry + "_" + strings.ToLower(v), Values: values})
			}
		}
		if len(next) > 4096 {
			return r.fail(r.src.Name.Offset, "%s has more than 4096 instances", r.out.Name)
		}
		r.out.Instances = next
	}
	return nil
}

// constants evaluates all that is a number in each instance, so that a division by zero or too much
// shared memory is found here and not at a launch.
func (r *resolver) constants() error {
	for _, in := range r.out.Instances {
		env := r.out.Env(in)
		for _, p := range r.out.Params {
			if err := numbers(p.Src.Type, env); err != nil {
				return r.fail(p.Src.Type.Offset, "in %s: the type of %s: %v", in.Entry, p.Name, err)
			}
			for _, e := range p.Each {
				if n, err := e.Eval(env); err != nil || n == 0 || n > Step {
					return r.fail(p.Src.Type.Offset, "in %s: a block has from 1 to %d indices of an extent; %s is %d", in.Entry, Step, e, n)
				}
			}
			for _, e := range p.Strides {
				if n, err := e.Eval(env); err == nil && n == 0 {
					return r.fail(p.Src.Type.Offset, "in %s: the rows of %s are %s apart, which is 0", in.Entry, p.Name, e)
				}
			}
		}
		for i, t := range r.src.Annotation.Grid {
			if err := foldable(r.out.Grid[i], env); err != nil {
				return r.fail(t.Offset, "in %s: %v", in.Entry, err)
			}
		}
		if err := r.decided(in, env); err != nil {
			return err
		}
		for _, p := range r.out.Params {
			if p.Align != nil {
				if n, err := p.Align.Eval(env); err != nil || n == 0 || n&(n-1) != 0 || n > 256 {
					return r.fail(p.Src.Type.Offset, "in %s: %s begins at a multiple of %s = %d bytes; a power of two up to 256 is what a device's memory can promise", in.Entry, p.Name, p.Align, n)
				}
			}
			if p.Kind != Shared {
				continue
			}
			n, err := p.Count.Eval(env)
			if err == nil && n == 0 {
				err = errors.New("no elements of shared memory")
			}
			if err != nil {
				return r.fail(p.Src.Type.Offset, "in %s: %v", in.Entry, err)
			}
		}
		if r.out.Shared != nil {
			if n, err := r.out.Shared.Eval(env); err != nil || n > math.MaxUint32 {
				return r.fail(r.src.Name.Offset, "in %s: shared memory of %s bytes does not fit 32 bits", in.Entry, r.out.Shared)
			}
		}
	}
	return nil
}

// numbers evaluates the numbers in a type; not all of them stand in a view's attributes.
func numbers(t *syntax.Type, env contract.Env) error {
	if t.Expr != nil {
		_, err := InBlocks(t.Expr).Eval(env)
		return err
	}
	for _, a := range t.Args {
		if err := numbers(a, env); err != nil {
			return err
		}
	}
	return nil
}

// decided fails if a relation of requires(...) can never hold in an instance, because both of its sides are
// numbers there or one of them has no value.
func (r *resolver) decided(in Instance, env contract.Env) error {
	for i, t := range r.src.Annotation.Requires {
		rel := r.out.Relations[len(r.out.Relations)-len(r.src.Annotation.Requires)+i].Relation.Replace(r.out.Terms())
		for _, e := range []contract.Expr{rel.Left, rel.Right} {
			if e == nil {
				continue
			}
			if err := foldable(e, env); err != nil {
				return r.fail(t.Offset, "in %s: %v", in.Entry, err)
			}
		}
		if slices.ContainsFunc(rel.Names(), func(name string) bool { _, ok := env[name]; return !ok }) {
			continue
		}
		if v := rel.Check(env); v != nil {
			v.Kernel, v.Relation = in.Entry, t.Text
			return r.fail(t.Offset, "no launch can keep this: %v", v)
		}
	}
	return nil
}

// Terms are the names that stand for expressions in requires(...): the shape of a launch.
func (k *Kernel) Terms() map[string]contract.Expr {
	out := map[string]contract.Expr{"shared": contract.Number(0)}
	if k.Shared != nil {
		out["shared"] = k.Shared
	}
	for i, axis := range []string{"x", "y", "z"} {
		out["grid."+axis], out["block."+axis] = k.Grid[i], contract.Number(k.Block[i])
	}
	return out
}

// Env are the names that are numbers in an instance: block, integers, sizes of elements.
func (k *Kernel) Env(in Instance) contract.Env {
	env := contract.Env{
		"block": uint64(k.Threads()), "block.x": uint64(k.Block[0]), "block.y": uint64(k.Block[1]), "block.z": uint64(k.Block[2]),
	}
	for _, t := range k.Types {
		if t.Kind == Int {
			env[t.Name], _ = strconv.ParseUint(in.Values[t.Name], 10, 64)
		}
	}
	for _, p := range k.Params {
		if p.Kind == Buffer || p.Kind == Shared {
			env["sizeof("+p.Name+")"] = uint64(p.Elem.In(in.Values).Size())
		}
	}
	return env
}

// foldable evaluates the parts of e whose names all have values.
func foldable(e contract.Expr, env contract.Env) error {
	for _, name := range contract.Names(e) {
		if _, ok := env[name]; ok {
			continue
		}
		switch e := e.(type) {
		case *contract.Binary:
			return errors.Join(foldable(e.X, env), foldable(e.Y, env), zero(e.Op == '/' || e.Op == '%', e.Y, env))
		case *contract.Call:
			return errors.Join(foldable(e.X, env), foldable(e.Y, env), zero(e.Func == "cdiv", e.Y, env))
		}
		return nil
	}
	_, err := e.Eval(env)
	return err
}

// zero is an error if a divisor is a number and 0.
func zero(divides bool, e contract.Expr, env contract.Env) error {
	if n, err := e.Eval(env); divides && err == nil && n == 0 {
		return fmt.Errorf("%s is 0: %w", e, contract.ErrZero)
	}
	return nil
}
