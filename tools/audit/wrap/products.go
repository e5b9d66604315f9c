package wrap

import (
	"slices"
	"strings"

	"github.com/warpwright/warpwright/tools/audit/flow"
	"github.com/warpwright/warpwright/tools/audit/ptx"
)

// Product is a bound on a product of parameters, which says more than bounds on each: of a box it is the number of cells that fits.
type Product struct {
	Params []string // by name, in order
	Most   int64
}

// monomial is a number times some parameters.
type monomial struct {
	factor int64
	params []string // in order
}

func (m *monomial) times(n *monomial) *monomial {
	params := append(slices.Clone(m.params), n.params...)
	slices.Sort(params)
	return &monomial{times(m.factor, n.factor), params}
}

func (m *monomial) equal(n *monomial) bool {
	return m.factor == n.factor && slices.Equal(m.params, n.params)
}

// monomialOf is what a value is, if it is a monomial.
func (a *analysis) monomialOf(o *ptx.Operand) *monomial {
	if o.Kind == ptx.Immediate && o.Number > 0 {
		return &monomial{factor: o.Number}
	}
	if o.Value == nil || o.Value.Def == nil || o.Value.Def.Guard != nil || len(o.Value.Def.Defs) != 1 {
		return nil
	}
	in := o.Value.Def
	switch kind := in.Kind(); {
	case kind == "ld" && in.Has("param") && len(in.Srcs[0].Parts) == 1 && in.Srcs[0].Number == 0:
		return &monomial{1, []string{in.Srcs[0].Parts[0].Text}}
	case (kind == "mov" || kind == "cvt") && typeOf(in.Type()) >= 32:
		return a.monomialOf(&in.Srcs[0])
	case kind == "mul" && in.Has("lo"):
		if x, y := a.monomialOf(&in.Srcs[0]), a.monomialOf(&in.Srcs[1]); x != nil && y != nil {
			return x.times(y)
		}
	}
	return nil
}

// below returns a monomial that a value, which is not negative, is less than in block b: a guard says so, or it is x * P + y with x < M and y < P,
// which is less than M * P.
func (a *analysis) below(o *ptx.Operand, b int) *monomial {
	if o.Value == nil {
		if o.Kind == ptx.Immediate && o.Number >= 0 {
			return &monomial{factor: o.Number + 1}
		}
		return nil
	}
	if m := a.guarded(o.Value, b); m != nil {
		return m
	}
	in := o.Value.Def
	if in == nil || in.Guard != nil {
		return nil
	}
	switch kind := in.Kind(); {
	case (kind == "mov" || kind == "cvt") && len(in.Srcs) == 1:
		return a.below(&in.Srcs[0], b)
	case kind == "mul" && in.Has("lo"):
		return a.scaled(in, nil, b)
	case kind == "mad" && in.Has("lo"):
		return a.scaled(in, &in.Srcs[2], b)
	case kind == "add" && len(in.Srcs) == 2:
		for i := range in.Srcs {
			if mul := sole(in.Srcs[i].Value, "mul"); mul != nil && mul.Has("lo") {
				if m := a.scaled(mul, &in.Srcs[1-i], b); m != nil {
					return m
				}
			}
		}
	}
	return nil
}

// scaled is below for x * P or x * P + y.
func (a *analysis) scaled(in *ptx.Instruction, y *ptx.Operand, b int) *monomial {
	for i := range 2 {
		p, x := a.monomialOf(&in.Srcs[1-i]), a.below(&in.Srcs[i], b)
		if p == nil || x == nil {
			continue
		}
		if y == nil {
			return x.times(p)
		}
		if rest := a.below(y, b); rest != nil && (rest.equal(p) || len(rest.params)+len(p.params) == 0 && rest.factor <= p.factor) {
			return x.times(p)
		}
	}
	return nil
}

// guarded returns the monomial that a test on every way to block b found a value to be less than.
func (a *analysis) guarded(v *ptx.Value, b int) *monomial {
	for at := b; at != flow.None && at != v.Block; at = a.g.Idom[at] {
		preds := a.g.Blocks[at].Preds
		if len(preds) != 1 {
			continue
		}
		predicate, holds, ok := a.taken(preds[0], at)
		if !ok {
			continue
		}
		if m := a.lessThan(v, predicate, holds); m != nil {
			return m
		}
	}
	return nil
}

// lessThan reads off a predicate which monomial a value is less than.
func (a *analysis) lessThan(v, predicate *ptx.Value, holds bool) *monomial {
	in := predicate.Def
	if in == nil || in.Guard != nil || len(in.Defs) != 1 {
		return nil
	}
	switch {
	case in.Op == "not.pred" && in.Srcs[0].Value != nil:
		return a.lessThan(v, in.Srcs[0].Value, !holds)
	case in.Op == "and.pred" && holds, in.Op == "or.pred" && !holds:
		for i := range in.Srcs {
			if of := in.Srcs[i].Value; of != nil {
				if m := a.lessThan(v, of, holds); m != nil {
					return m
				}
			}
		}
	case in.Kind() == "setp" && len(in.Srcs) == 2:
		parts := strings.Split(in.Op, ".")
		if len(parts) != 3 || typeOf(parts[2]) < 32 {
			return nil
		}
		if relation, other := relationOf(v, in, parts[1], holds); relation == "lt" || relation == "lo" {
			return a.monomialOf(other)
		}
	}
	return nil
}

// most is the largest that a monomial can be in block b.
func (a *analysis) most(m *monomial, b int) int64 {
	least := m.factor
	for _, p := range m.params {
		least = times(least, a.param(p, b).Hi)
	}
	for _, known := range a.bounds.Products {
		rest := slices.Clone(known.Params)
		inside := true
		for _, p := range m.params {
			i := slices.Index(rest, p)
			if inside = i >= 0; !inside {
				break
			}
			rest = slices.Delete(rest, i, i+1)
		}
		// Factors that are left out must not be 0.
		for _, p := range rest {
			inside = inside && a.param(p, b).Lo >= 1
		}
		if inside {
			least = min(least, times(m.factor, known.Most))
		}
	}
	return least
}

// param is a parameter as block b sees it.
func (a *analysis) param(name string, b int) Interval {
	for _, v := range a.g.Values {
		if in := v.Def; in != nil && in.Kind() == "ld" && in.Has("param") && len(in.Srcs[0].Parts) == 1 && in.Srcs[0].Parts[0].Text == name {
			return a.read(v, b)[signed]
		}
	}
	return everything
}
