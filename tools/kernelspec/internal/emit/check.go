package emit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/tools/kernelspec/internal/family"
)

func (l *launcher) check() {
	l.f("\n// Check returns an error unless the launch keeps the kernel's contract on d.\n")
	l.f("func (a *%s) Check(d *device.Device) error {\n_, err := a.check(d, contract.AtLeast)\nreturn err\n}\n", l.typ)
	l.f("\n// CheckExact is Check, but every buffer must be exactly as long as the contract names.\n")
	l.f("func (a *%s) CheckExact(d *device.Device) error {\n_, err := a.check(d, contract.Exact)\nreturn err\n}\n", l.typ)
	l.f("\n// CheckSizes is Check without the buffers: an error says that there are none with which a launch would keep the contract.\n")
	l.f("func (a *%s) CheckSizes(d *device.Device) error {\n_, err := a.check(d, contract.Unknown)\nreturn err\n}\n", l.typ)
	l.f("\n// check returns the place of the entry in Entries if the contract holds.\n")
	l.f("func (a *%s) check(d *device.Device, lengths contract.Lengths) (int, error) {\n", l.typ)
	l.f("if d == nil {\nreturn 0, launch.Missing(%q, \"device\")\n}\n", l.k.Name)
	locals, values := l.dtypes()
	if locals != nil {
		l.f("%s := %s\n", strings.Join(locals, ", "), strings.Join(values, ", "))
	}
	l.f("i := a.index(%s)\n", strings.Join(locals, ", "))
	if len(l.k.Types) > 0 {
		l.f("if i < 0 {\nreturn 0, a.noInstance(%s)\n}\n", strings.Join(locals, ", "))
	}

	outer := l.writer
	l.writer = &writer{}
	arith := l.relations()
	l.glance()
	text := l.String()
	l.writer = outer

	l.readExtents("0, ", text, true)
	if arith {
		l.f("var c contract.Checked\n")
	}
	l.f("%s}\n", text)
}

// decided says that kernelspec itself has found the relation to hold in every instance, since all of its
// names are numbers there.
func decided(k *family.Kernel, r family.Relation) bool {
	env := k.Env(k.Instances[0])
	return r.Kind == family.Required && !slices.ContainsFunc(r.Replace(k.Terms()).Names(), func(name string) bool {
		_, ok := env[name]
		return !ok
	})
}

// relations writes the relations in order; it says whether they use checked arithmetic.
func (l *launcher) relations() (arith bool) {
	for _, r := range l.k.Relations {
		if decided(l.k, r) {
			continue
		}
		checked := false
		fails := l.fails(r, &checked)
		if checked {
			fails += " || !c.OK()"
		}
		if r.Kind == family.Required && r.OfBuffers() {
			fails = "lengths != contract.Unknown && (" + fails + ")"
		}
		text := strconv.Quote(r.Relation.String())
		if r.Kind == family.BufferLen {
			text = fmt.Sprintf("%q+lengths.String()+%q", r.Left.String()+" ", " "+r.Right.String())
		}
		where := l.where(r.Where)
		if where != "" {
			l.f("if %s {\n", where)
		}
		l.f("if %s {\nreturn 0, launch.Violated(a.entry(), %s, a.values(d), %s)\n}\n", fails, text, l.terms(r.Relation))
		if where != "" {
			l.f("}\n")
		}
		arith = arith || checked
	}
	return arith
}

// fails is the Go condition under which a relation does not hold, overflow aside.
func (l *launcher) fails(r family.Relation, arith *bool) string {
	rel := r.Replace(l.k.Terms())
	switch {
	case r.Op == contract.Divides:
		*arith = true
		return fmt.Sprintf("c.Mod(%s, %s) != 0", l.expr(rel.Right, arith), l.expr(rel.Left, arith))
	case r.Op == contract.Fits32:
		return fmt.Sprintf("%s > %d", l.expr(rel.Left, arith), contract.Max32)
	case r.Op == contract.Aligned:
		*arith = true
		return fmt.Sprintf("c.Mod(%s, %s) != 0", l.expr(rel.Left, arith), l.expr(rel.Right, arith))
	case r.Op == contract.Disjoint:
		x, y := l.param(rel.Left.String()), l.param(rel.Right.String())
		return fmt.Sprintf("launch.Overlap(%s, %s)", l.bufferRange(x), l.bufferRange(y))
	case r.Kind == family.BufferLen:
		return fmt.Sprintf("!lengths.Hold(%s, %s)", l.expr(rel.Left, arith), l.expr(rel.Right, arith))
	default:
		return l.expr(rel.Left, arith) + " " + opposite(r.Op) + " " + l.expr(rel.Right, arith)
	}
}

// terms are what the names of a launch's shape stand for in relations, as Go.
func (l *launcher) terms(relations ...*contract.Relation) string {
	all := l.k.Terms()
	var out, seen []string
	for _, r := range relations {
		for _, name := range r.Names() {
			if e, ok := all[name]; ok && !slices.Contains(seen, name) {
				seen = append(seen, name)
				out = append(out, fmt.Sprintf("%q: %q", name, e.String()))
			}
		}
	}
	if out == nil {
		return "nil"
	}
	return "launch.Terms{" + strings.Join(out, ", ") + "}"
}

func (l *launcher) where(w family.Where) string {
	for _, t := range l.k.Types {
		switch {
		case t.Name != w.Param:
		case t.Kind == family.DType:
			return l.vars["type "+t.Name] + " == dtype." + strings.ToUpper(w.Value)
		default:
			return "a." + t.Name + " == " + w.Value
		}
	}
	return ""
}

// buffers are the parameters in device memory.
func (l *launcher) buffers() []*family.Param {
	var out []*family.Param
	for _, p := range l.k.Params {
		if p.Kind == family.Buffer {
			out = append(out, p)
		}
	}
	return out
}

// glance writes one condition under which all arguments are as they must be; where it does not hold, the
// slow test follows, which knows the rules themselves.
func (l *launcher) glance() {
	buffers := l.buffers()
	if buffers == nil {
		l.f("return i, nil\n")
		return
	}
	tests := l.alive()
	var sizes []string
	addresses := map[string][]string{} // by alignment
	for _, p := range buffers {
		size := l.align(p)
		if addresses[size] == nil {
			sizes = append(sizes, size)
		}
		addresses[size] = append(addresses[size], l.bufferRange(p)+".Lo")
	}
	for _, size := range sizes {
		if size != "1" {
			tests = append(tests, fmt.Sprintf("launch.Multiple(%s, %s)", strings.Join(addresses[size], "|"), size))
		}
	}
	for _, p := range buffers {
		for _, q := range apart(l.k, p) {
			tests = append(tests, fmt.Sprintf("%s.Apart(%s)", l.bufferRange(p), l.bufferRange(q)))
		}
	}
	l.f("if lengths == contract.Unknown ||\n%s {\nreturn i, nil\n}\n", strings.Join(tests, " &&\n"))
	l.f("return i, a.arguments(d)\n")
}

// apart are the buffers that must share no byte with p because p is written; of two that are written the first one
// has the other.
func apart(k *family.Kernel, p *family.Param) []*family.Param {
	var out []*family.Param
	before := true
	for _, q := range k.Params {
		switch {
		case q == p:
			before = false
		case q.Kind == family.Buffer && p.Written() && !(q.Written() && before) && sameElem(k, p, q):
			out = append(out, q)
		}
	}
	return out
}

// alive are the conditions that time can change.
func (l *launcher) alive() []string {
	tests := []string{"d.Alive()"}
	for _, p := range l.buffers() {
		tests = append(tests, l.bufferRange(p)+".On(d)")
	}
	for _, p := range l.handles() {
		tests = append(tests, "a."+goName(p.Name)+".Fresh()")
	}
	return tests
}

// sameElem says that in some instance two buffers have elements of one type. Only then can they share
// memory: a buffer of package device keeps its type.
func sameElem(k *family.Kernel, p, q *family.Param) bool {
	return slices.ContainsFunc(k.Instances, func(in family.Instance) bool { return p.Elem.In(in.Values) == q.Elem.In(in.Values) })
}

// arguments writes the slow test.
func (l *launcher) arguments() {
	if l.buffers() == nil {
		return
	}
	l.f("\n// arguments looks at one argument after the other and says what is wrong.\n")
	l.f("func (a *%s) arguments(d *device.Device) error {\nreturn launch.Arguments(a.entry(), d,\n", l.typ)
	for _, p := range l.buffers() {
		l.f("launch.Argument{Param: %q, Memory: %s, Align: %s", p.Name, l.bufferRange(p), l.align(p))
		if p.Validated != "" {
			l.f(", Proved: a.%s.Proved", goName(p.Name))
		}
		if p.Written() {
			l.f(", Written: true")
		}
		l.f("},\n")
	}
	l.f(")\n}\n")
}

// align is the Go expression of the bytes that a buffer must begin at a multiple of: those of its element,
// unless its view says otherwise; a number if it is the same in every instance.
func (l *launcher) align(p *family.Param) string {
	if p.Align == nil {
		return l.size(p.Elem)
	}
	var checked bool // remains false: no align of a view has a function in it
	return l.constant(p.Align, &checked)
}

// alignment is what l.align prints, in an instance.
func alignment(k *family.Kernel, p *family.Param, in family.Instance) uint64 {
	if p.Align == nil {
		return uint64(p.Elem.In(in.Values).Size())
	}
	return k.Number(p.Align, in)
}

// values writes the function that gives the names of the contract and the shape their values.
func (l *launcher) values() {
	var names []string
	use := func(more []string) {
		for _, name := range more {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, r := range l.k.Relations {
		if !decided(l.k, r) {
			use(r.Replace(l.k.Terms()).Names())
		}
	}
	for _, p := range l.k.Prefers {
		for _, f := range p.Facts {
			for _, r := range f.Relations {
				use(r.Replace(l.k.Terms()).Names())
			}
		}
	}
	for _, e := range l.k.Grid {
		use(contract.Names(e))
	}
	if l.k.Shared != nil {
		use(contract.Names(l.k.Shared))
	}
	if names == nil {
		return
	}
	outer := l.writer
	l.writer = &writer{}
	l.f("return contract.Env{\n")
	for _, name := range names {
		l.f("%q: %s,\n", name, l.value(name))
	}
	l.f("}\n")
	text := l.String()
	l.writer = outer
	l.f("\n// values are those of the names in the contract, for the text of an error.\n")
	l.f("func (a *%s) values(d *device.Device) contract.Env {\n", l.typ)
	l.readExtents(ignore, text, false)
	l.f("%s}\n", text)
}

func (l *launcher) bufferRange(p *family.Param) string {
	if p.Validated != "" {
		return "a." + goName(p.Name) + ".Slice().Range()"
	}
	return "a." + goName(p.Name) + ".Range()"
}
