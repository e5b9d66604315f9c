package emit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/tools/kernelspec/internal/family"
)

// times is how far a variant's entries lie behind those of the base, as Go; of says which variant.
func (l *launcher) times(of string) string {
	n := len(l.k.Base())
	if n == 1 {
		return of
	}
	return fmt.Sprintf("%d*%s", n, of)
}

// variant writes the choice among the variants: one condition each, small enough for a few nanoseconds.
func (l *launcher) variant() {
	if l.k.Prefers == nil {
		return
	}
	outer := l.writer
	l.writer = &writer{}
	checked := false // whether c has seen an operation
	for i, p := range l.k.Prefers {
		arith := false
		var tests []string
		for _, f := range p.Facts {
			tests = append(tests, l.holds(f, &arith)...)
		}
		if arith {
			tests = append(tests, "c.OK()")
			if checked {
				l.f("c = contract.Checked{}\n")
			}
			checked = true
		}
		l.f("if %s {\nreturn %d\n}\n", strings.Join(tests, " &&\n"), i+1)
	}
	text := l.String()
	l.writer = outer
	l.f("\n// variant says which variant a launch of this shape takes, counted from 1: the first whose facts hold; 0 is none.\n")
	l.f("func (a *%s) variant(config *device.Config) int {\n", l.typ)
	l.readExtents(ignore, text, false)
	if checked {
		l.f("var c contract.Checked\n")
	}
	l.f("%sreturn 0\n}\n", text)
}

// holds are the Go conditions under which a fact holds, overflow aside. Its number is small in every instance, and so is gridDim.x
// times it.
func (l *launcher) holds(f family.Fact, arith *bool) []string {
	n, extent := "", l.vars[f.Extent]
	if f.N != nil {
		n = l.constant(f.N, arith)
	}
	switch f.Kind {
	case family.Aligned:
		var addresses []string
		for _, p := range l.buffers() {
			addresses = append(addresses, l.bufferRange(p)+".Lo")
		}
		return []string{fmt.Sprintf("launch.Multiple(%s, %s)", strings.Join(addresses, "|"), n)}
	case family.Multiple:
		return []string{fmt.Sprintf("%s %% %s == 0", extent, n)}
	case family.Fits32:
		r := f.Relations[0]
		return []string{fmt.Sprintf("%s <= %s", l.expr(r.Left, arith), r.Right)}
	}
	all := "uint64(config.Grid.X) * " + n
	if f.Kind == family.Exact {
		return []string{all + " == " + extent}
	}
	out := []string{all + " >= " + extent}
	if len(f.Relations) > 1 {
		out = append(out, fmt.Sprintf("%s <= %d", all, contract.Max32))
	}
	return out
}

// constant is an expression that is a number in each instance, as a number if it is the same in all.
func (l *launcher) constant(e contract.Expr, arith *bool) string {
	values := map[uint64]bool{}
	var last uint64
	for _, in := range l.k.Instances {
		last = l.k.Number(e, in)
		values[last] = true
	}
	switch {
	case len(values) == 1:
		return strconv.FormatUint(last, 10)
	case calls(e):
		return l.expr(e, arith)
	}
	return l.product(e)
}

// calls says that an expression has a function in it.
func calls(e contract.Expr) bool {
	switch e := e.(type) {
	case *contract.Call:
		return true
	case *contract.Binary:
		return calls(e.X) || calls(e.Y)
	}
	return false
}

// chosen writes the method that says which entry a launch takes.
func (l *launcher) chosen() {
	locals, values := l.dtypes()
	l.f("\n// Chosen says which entry a launch on d takes that keeps the contract")
	if l.k.Prefers != nil {
		l.f(", and why none that relies on more")
	}
	l.f(".\nfunc (a *%s) Chosen(d *device.Device) (launch.Choice, error) {\n", l.typ)
	l.f("if d == nil {\nreturn launch.Choice{}, launch.Missing(%q, \"device\")\n}\n", l.k.Name)
	if len(l.k.Types) > 0 {
		if locals != nil {
			l.f("%s := %s\n", strings.Join(locals, ", "), strings.Join(values, ", "))
		}
		args := strings.Join(locals, ", ")
		l.f("if a.index(%s) < 0 {\nreturn launch.Choice{}, a.noInstance(%s)\n}\n", args, args)
	}
	if l.k.Prefers == nil {
		l.f("return launch.Choice{Entry: a.entry()}, nil\n}\n")
		return
	}
	l.f("config, err := a.Config(d)\nif err != nil {\nreturn launch.Choice{}, err\n}\n")
	var relations []*contract.Relation
	l.f("return launch.Chosen(a.entry(), a.variant(&config), []manifest.Prefer{\n")
	for _, p := range l.k.Prefers {
		l.f("{Name: %q, Facts: []manifest.Fact{\n", p.Name)
		for _, f := range p.Facts {
			var texts []string
			for _, r := range f.Relations {
				texts = append(texts, strconv.Quote(r.String()))
			}
			relations = append(relations, f.Relations...)
			l.f("{Text: %q, Relations: []string{%s}},\n", f.String(), strings.Join(texts, ", "))
		}
		l.f("}},\n")
	}
	l.f("}, a.values(d), %s), nil\n}\n", l.terms(relations...))
}
