package lemma

import (
	"context"
	"maps"
	"slices"

	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// untrue lists the facts that the headers state of every extent of which nothing is known, and that are not so. What an entry knows more of an
// extent, it owes itself.
func (p *prover) untrue(ctx context.Context) ([]opening, error) {
	var out []opening
	for _, name := range slices.Sorted(maps.Keys(facts())) {
		for _, c := range p.v.consts[name] {
			if c.Args != nil {
				continue
			}
			n, ok := c.Value.(*cxx.Number)
			if !ok {
				out = append(out, opening{name, where(c.Place), "it is stated of every extent, and is no number"})
				continue
			}
			a, err := p.solver.Prove(ctx, smt.Query{Name: name, Goal: facts()[name](decimal(n.Text), smt.Var("D").AtLeast(0))})
			if err != nil {
				return nil, err
			}
			if a.Verdict != smt.Proved {
				out = append(out, opening{name, where(c.Place), "it is stated of every extent, and is not so of each: " + values(a.Model)})
			}
		}
	}
	return out, nil
}

// uncovered lists the code that no lemma has executed: every expression of every function of the vocabulary
// must be part of one, but for what compiles for no argument, what asks for the token, and what is taken as it is.
func (p *prover) uncovered(only *anchor) []opening {
	var out []opening
	check := func(f *cxx.Function, what string, body any) {
		cxx.Walk(body, func(x cxx.Expr) bool {
			if p.visited[x] {
				return true
			}
			out = append(out, opening{what, where(x.At()), "no lemma covers " + cxx.Print(x)})
			return false
		})
	}
	function := func(c *cxx.Class, f *cxx.Function) {
		if only != nil && anchored(f.Place) != *only {
			return
		}
		switch p.v.kind(c, f) {
		case refusal, unchecked, primary:
			return
		}
		u := unit{class: c, fn: f}
		for _, i := range f.Inits {
			for _, a := range i.Args {
				check(f, u.name(), a)
			}
		}
		check(f, u.name(), f.Body)
	}
	var class func(c *cxx.Class)
	class = func(c *cxx.Class) {
		for _, f := range c.Methods {
			function(c, f)
		}
		for _, n := range c.Classes {
			if n.Defined {
				class(n)
			}
		}
	}
	for _, c := range p.v.unit.Classes {
		if c.Defined {
			class(c)
		}
	}
	for _, f := range p.v.unit.Functions {
		function(nil, f)
	}
	return out
}
