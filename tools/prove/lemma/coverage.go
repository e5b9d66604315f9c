package lemma

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/tools/internal/syntax"
	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// minters lists the kinds of owned things that functions of two classes make: that these do not give one thing to two owners is shown of
// the functions of one class alone.
func minters(single []found) []opening {
	var out []opening
	by := map[string]found{}
	for _, f := range single {
		for _, kind := range slices.Sorted(maps.Keys(f.lemma.mints)) {
			name := family(f.units[0])
			before, ok := by[kind]
			switch {
			case slices.Contains(exclusive()[kind], name):
			case !ok && exclusive()[kind] == nil:
				by[kind] = f
			case !ok || family(before.units[0]) != name:
				out = append(out, opening{f.lemma.Name, where(f.units[0].fn.Place), fmt.Sprintf("what it makes (%s) another class makes as well, and nobody compares the two", kind)})
			}
		}
	}
	return out
}

// openings is what none of the lemmas of single threads says and what must be so; of code only what begins at a place, if there is one.
func (p *prover) openings(ctx context.Context, single []found, only *anchor) ([]opening, error) {
	untrue, err := p.untrue(ctx)
	if err != nil {
		return nil, err
	}
	differing, err := p.differing(ctx)
	return slices.Concat(p.uncovered(only), untrue, p.v.unsealed(), differing, minters(single)), err
}

// differing lists the rows of a class that promise something else than its longest one, of which the lemmas are. What a shorter one does not name
// has its default.
func (p *prover) differing(ctx context.Context) ([]opening, error) {
	var out []opening
	for _, c := range p.v.unit.Classes {
		whole := p.v.rows[c.String()]
		for _, row := range p.v.all[c.String()] {
			if row == whole {
				continue
			}
			same, err := p.alike(ctx, c, whole, row)
			if err != nil {
				return nil, err
			}
			if !same {
				out = append(out, opening{row.Pattern.String(), fmt.Sprintf("%s:%d", row.File.Name, row.File.Line(row.Offset)), "it does not promise what the row of " + whole.Pattern.String() + " does"})
			}
		}
	}
	return out, nil
}

// alike says that two rows of a class promise the same.
func (p *prover) alike(ctx context.Context, c *cxx.Class, whole, row *syntax.View) (bool, error) {
	names := map[string]smt.Int{}
	for i, a := range whole.Pattern.Args {
		name := a.String()
		names[name] = smt.Var(name).AtLeast(0)
		if i >= len(row.Pattern.Args) {
			names[name] = decimal(c.Head[i].Default.String())
		} else if row.Pattern.Args[i].String() != name {
			return false, nil
		}
	}
	if len(whole.Attrs) != len(row.Attrs) {
		return false, nil
	}
	m := &machine{v: p.v}
	for i := range whole.Attrs {
		a, b := &whole.Attrs[i], &row.Attrs[i]
		if a.Text != b.Text || len(a.Args) != len(b.Args) {
			return false, nil
		}
		for j, x := range a.Args {
			y := b.Args[j]
			if x.Key != y.Key || x.Const != y.Const {
				return false, nil
			}
			if x.Type.String() == y.Type.String() {
				continue
			}
			var goal smt.Bool
			if _, _, err := m.caught(func() {
				goal = m.contract(c.Place, expression(x.Type), nil, names).Equal(m.contract(c.Place, expression(y.Type), nil, names))
			}); err != nil {
				return false, nil
			}
			if answer, err := p.solver.Prove(ctx, smt.Query{Name: row.Pattern.String(), Goal: goal}); err != nil || answer.Verdict != smt.Proved {
				return false, err
			}
		}
	}
	return true, nil
}

// untrue lists the facts that the headers state of extents, and that are not so: of every extent of which nothing is known, and of Const. What
// an entry knows more of an extent, it owes itself; that has to come from where the entry says it.
func (p *prover) untrue(ctx context.Context) ([]opening, error) {
	var out []opening
	for _, name := range slices.Sorted(maps.Keys(facts())) {
		for _, c := range p.v.consts[name] {
			of, size := "every extent", smt.Var("D").AtLeast(0)
			var v smt.Int
			n, number := c.Value.(*cxx.Number)
			switch said := cxx.Print(c.Value); {
			case len(c.Args) == 1 && c.Args[0].String() == "D":
				if from := "D::facts::" + name; said != from && (name != "alignment" || said != "D::shape::align") {
					out = append(out, opening{name, where(c.Place), "it is stated where an entry says it, and is not " + from})
				}
				continue
			case len(c.Args) == 1 && c.Args[0].String() == "Const<N>":
				of, size = "Const<N>", smt.Var("N").AtLeast(1)
				if v = size; said != "N" && number {
					v = decimal(n.Text)
				}
				number = number || said == "N"
			case number:
				v = decimal(n.Text)
			}
			if !number || len(c.Args) > 1 {
				out = append(out, opening{name, where(c.Place), "it is stated of " + of + ", and is no number"})
				continue
			}
			a, err := p.solver.Prove(ctx, smt.Query{Name: name, Goal: facts()[name](v, size)})
			if err != nil {
				return nil, err
			}
			if a.Verdict != smt.Proved {
				out = append(out, opening{name, where(c.Place), "it is stated of " + of + ", and is not so of each: " + values(a.Model)})
			}
		}
	}
	return append(out, p.v.renamed()...), nil
}

// renamed lists the members of Shape and Facts that are not what the entry has said, which says it by position.
func (v *Vocabulary) renamed() []opening {
	var out []opening
	for class, said := range map[string]string{"Facts": "Multiple Once Exact", "Shape": "X Y Z Axes Align"} {
		for _, c := range v.classes[class] {
			var head []string
			for _, h := range c.Head {
				head = append(head, h.Name)
			}
			if strings.Join(head, " ") != said {
				out = append(out, opening{class, where(c.Place), "its parameters are not " + said})
			}
			for _, k := range c.Consts {
				if name := strings.ToUpper(k.Name[:1]) + k.Name[1:]; slices.Contains(head, name) && cxx.Print(k.Value) != name {
					out = append(out, opening{class, where(k.Place), k.Name + " is not " + name})
				}
			}
		}
	}
	return out
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
