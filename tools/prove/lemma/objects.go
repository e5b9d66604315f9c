package lemma

import (
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/tools/internal/source"
	"github.com/warpwright/warpwright/tools/internal/syntax"
	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/promise"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// says evaluates an expression of a law about an object.
func (m *machine) says(at cxx.Place, text string, o *object) value {
	x, err := cxx.Expression(source.NewFile("the law of "+o.t.decl.String(), text))
	if err != nil {
		panic(failure{err})
	}
	math, silent := m.math, m.silent
	m.math, m.silent = true, true
	v := m.rvalue(at, m.eval(x, &env{in: o.t, this: o}))
	m.math, m.silent = math, silent
	return v
}

func (m *machine) fact(at cxx.Place, text string, o *object) truth {
	t, ok := m.says(at, text, o).(truth)
	if !ok {
		m.fail(at, "law of %s: %s is neither true nor false", o.t, text)
	}
	return t
}

// amount is a number that a law states; of a pointer its offset.
func (m *machine) amount(at cxx.Place, text string, o *object) smt.Int {
	switch v := m.says(at, text, o).(type) {
	case number:
		return v.v
	case pointer:
		return v.off
	}
	m.fail(at, "law of %s: %s is no number", o.t, text)
	return smt.Int{}
}

// symbolic is any value of a type. What its type promises is a premise.
func (m *machine) symbolic(at cxx.Place, t typ, name string, shared bool) value {
	mark := m.mark
	if shared {
		mark = ""
	}
	switch t := t.(type) {
	case *intType:
		return number{t: t, v: m.variable(name+mark, t)}
	case boolType:
		return truth{v: smt.Fact(name + mark)}
	case *class:
		return m.any(at, t, name, shared || m.v.rows[t.decl.String()] != nil)
	case *pointerType:
		m.fail(at, "%s: nothing is known of a pointer", name)
	}
	return opaque{t: t, kernel: true}
}

// any is any object of a class.
func (m *machine) any(at cxx.Place, t *class, name string, shared bool) *object {
	row := m.v.rows[t.decl.String()]
	for _, a := range attributes(row, "index") {
		to := a.Args[0].Type.Name
		if b := t.bind[to]; b.t != nil {
			to = b.t.String()
		}
		m.indices(t, m.calls(t.decl, row, a.Args[0].Key), to)
	}
	if l := m.v.laws[t.decl.String()]; l != nil {
		for _, x := range l.index {
			m.indices(t, x, "i32")
		}
	}
	o := &object{t, map[string]*cell{}}
	m.fill(at, o, t, name, shared)
	return m.lawful(at, o)
}

// indices settles the type of the indices of an extent, which a row or a law names.
func (m *machine) indices(t *class, name, to string) {
	d, ok := t.bind[name].t.(*extent)
	if !ok {
		return
	}
	if rep, ok := m.assign["rep("+d.name+")"]; ok && rep != to {
		panic(infeasible{})
	}
	m.assign = m.assign.with("rep("+d.name+")", to)
}

// lawful takes the law of an object for true.
func (m *machine) lawful(at cxx.Place, o *object) *object {
	t := o.t
	l := m.v.laws[t.decl.String()]
	if l == nil {
		return o
	}
	for _, text := range l.holds {
		if m.settled(at, text, o) {
			continue
		}
		m.require("law of "+t.decl.String()+": "+text, m.fact(at, text, o))
	}
	if l.owner != nil {
		m.hold(at, o, &m.held)
	}
	return o
}

// settled gives a member the value that the law says it has: name == value.
func (m *machine) settled(at cxx.Place, text string, o *object) bool {
	name, value, ok := strings.Cut(text, " == ")
	c := o.fields[name]
	if !ok || c == nil {
		return false
	}
	n, ok := c.v.(number)
	if !ok {
		return false
	}
	v := m.amount(at, value, o)
	law := "law of " + o.t.decl.String() + ": " + text
	if !m.takes(law) {
		return true
	}
	if f := within(v, n.t); f.c == 0 {
		m.assume(law, f.v)
	}
	c.v = number{t: n.t, v: v}
	return true
}

func (m *machine) fill(at cxx.Place, o *object, t *class, name string, shared bool) {
	e := &env{in: t}
	for _, b := range m.bases(t) {
		m.fill(at, o, b, name, shared)
	}
	for _, f := range t.decl.Fields {
		ft := m.typ(f.Type, e)
		label := name + "." + f.Name
		switch p := ft.(type) {
		case *pointerType:
			o.fields[f.Name] = m.place(m.buffer(at, o, p, label, shared))
		default:
			if f.Size != nil {
				o.fields[f.Name] = m.place(array{m.integer(f.Size, e).v, ft})
				continue
			}
			o.fields[f.Name] = m.place(m.symbolic(at, ft, label, shared))
		}
	}
}

// buffer is the pointer of a view: what its row or its law says lies there.
func (m *machine) buffer(at cxx.Place, o *object, p *pointerType, name string, shared bool) pointer {
	t := o.t
	need, row, law := m.room(at, o)
	to := &region{name: name, elem: p.elem, of: t.decl, written: attribute(row, "in") == nil}
	to.len = smt.Var("len(" + name + ")").AtLeast(0)
	if law == nil || law.owner == nil {
		m.assume("promise of "+t.decl.String()+": it has the elements that its row names", promise.Length(to.len, need))
	}
	m.assume("memory: its bytes are a number that an int holds", promise.Memory(name, to.len, 1).Is)
	if a := attribute(row, "align"); a != nil {
		size := m.size(at, p.elem)
		bytes := m.contract(at, expression(a.Args[0].Type), t, map[string]smt.Int{"sizeof(" + p.elem.String() + ")": smt.Number(size)})
		n := m.must(at, bytes)
		if n%size != 0 || n < size {
			m.fail(at, "%s is aligned to %d bytes, where an element has %d", name, n, size)
		}
		to.align, to.aligned = smt.Number(n/size), true
	}
	if attribute(row, "shared") != nil {
		to.shared = true
		if o, ok := p.elem.(*opaqueType); ok && m.assign["sizeof("+o.name+")"] != "" { // the launcher lays out in steps of 16 bytes
			to.align, to.aligned = smt.Number(16/m.size(at, p.elem)), true
		}
	}
	m.validate(at, to, row, t)
	out := pointer{to: to, off: smt.Number(0), elem: p.elem}
	if law != nil && law.owner != nil { // a place inside of a buffer
		mark := m.mark
		out.off = smt.Var(name + mark).AtLeast(0)
		m.assume("law of "+t.decl.String()+": its places lie inside", add(out.off, need).AtMost(to.len))
		if law.align != "" {
			n := m.amount(at, law.align, o)
			to.align, to.aligned = n, true
			m.assume("law of "+t.decl.String()+": it is aligned", mod(out.off, n).Equal(smt.Number(0)))
		}
	}
	return out
}

// validate says what package valid has found in the array.
func (m *machine) validate(at cxx.Place, to *region, row *syntax.View, t *class) {
	a := attribute(row, "validated")
	if a == nil {
		return
	}
	to.validated = a.Args[0].Type.Name
	carries := attribute(row, "carries")
	which := 0
	if to.validated == "offsets" {
		which = 1
	}
	if carries == nil || len(carries.Args) <= which {
		m.fail(at, "%s is validated and carries no extent", t)
	}
	to.below = m.contract(at, contract.Name(carries.Args[which].Type.Name), t, nil)
}

// room is how many elements lie at the pointer of a class, by its row or its law.
func (m *machine) room(at cxx.Place, o *object) (smt.Int, *syntax.View, *law) {
	name := o.t.decl.String()
	row, l := m.v.rows[name], m.v.laws[name]
	if a := attribute(row, "len"); a != nil {
		return m.contract(at, expression(a.Args[0].Type), o.t, nil), row, l
	}
	if a := attribute(row, "shared"); a != nil {
		return m.contract(at, expression(a.Args[1].Type), o.t, nil), row, l
	}
	if l == nil || l.room == "" {
		m.fail(at, "%s has a pointer and neither a WW_VIEW row nor a law: how many elements lie there?", name)
	}
	return m.amount(at, l.room, o), row, l
}

func expression(t *syntax.Type) contract.Expr {
	if t.Expr != nil {
		return t.Expr
	}
	return contract.Name(t.Name)
}

// contract evaluates an expression of a row. A row names the parameters of its class; integers in small letters.
func (m *machine) contract(at cxx.Place, x contract.Expr, t *class, also map[string]smt.Int) smt.Int {
	if v, ok := also[x.String()]; ok {
		return v
	}
	switch x := x.(type) {
	case contract.Number:
		return smt.Unsigned(uint64(x))
	case contract.Name:
		return m.named(at, string(x), t)
	case *contract.Binary:
		a, b := m.contract(at, x.X, t, also), m.contract(at, x.Y, t, also)
		switch x.Op {
		case '+':
			return add(a, b)
		case '-':
			return sub(a, b)
		case '*':
			return mul(a, b)
		case '/':
			return div(a, b)
		case '%':
			return mod(a, b)
		}
	case *contract.Call:
		a, b := m.contract(at, x.X, t, also), m.contract(at, x.Y, t, also)
		switch x.Func {
		case "max":
			return smt.Max(a, b)
		case "min":
			return smt.Min(a, b)
		}
	}
	m.fail(at, "the row of %s: %s is not known", t, x)
	return smt.Int{}
}

func (m *machine) named(at cxx.Place, name string, t *class) smt.Int {
	if t == nil {
		m.fail(at, "a row names %s", name)
	}
	switch name {
	case "block.x", "block.y", "block.z":
		return m.block(name[len("block."):])
	}
	for i, h := range t.decl.Head {
		label := h.Name
		row := m.v.rows[t.decl.String()]
		if row != nil && !t.decl.Special && i < len(row.Pattern.Args) {
			label = row.Pattern.Args[i].Name
		} else if h.Type != nil && len(h.Name) == 1 && name == string(h.Name[0]|0x20) {
			label = name
		}
		if label != name {
			continue
		}
		b := t.bind[h.Name]
		if b.t != nil {
			if n := m.extentSize(b.t); n != nil {
				return *n
			}
		}
		if n, ok := b.n.(number); ok {
			return n.v
		}
	}
	m.fail(at, "the row of %s names %s, which is no extent and no number of it", t, name)
	return smt.Int{}
}

// escape gives a value to the kernel: what its type promises must hold.
func (m *machine) escape(at cxx.Place, v value, what string) {
	if m.silent {
		return
	}
	switch v := m.rvalueless(v).(type) {
	case number, truth, opaque, closure, slot, builtin, nil:
	case memory:
		m.access(at, v.p, true, false, v.text)
	case pack:
		for _, e := range v.list {
			m.escape(at, e, what)
		}
	case *object:
		m.leaves(at, v, what)
	default:
		m.fail(at, "%s: what is handed out is of no kind that the reader knows", what)
	}
}

func (m *machine) rvalueless(v value) value {
	if c, ok := v.(*cell); ok {
		return c.v
	}
	return v
}

// leaves says that an object keeps the law of its class.
func (m *machine) leaves(at cxx.Place, o *object, what string) {
	name := o.t.decl.String()
	if name == "Mint" {
		m.owe(at, fact(false), "%s: nobody hands out the right to make indices", what)
	}
	if name == "WholeBlock<S>" && !m.blockwide() {
		m.owe(at, fact(false), "%s: only what a block has shows that the whole block is there", what)
	}
	l, row := m.v.laws[name], m.v.rows[name]
	isRange := m.methods(o.t, "begin") != nil && m.methods(o.t, "end") != nil
	for _, f := range o.t.decl.Fields {
		c, ok := o.fields[f.Name]
		if !ok {
			m.fail(at, "%s: %s has no member %s", what, o.t, f.Name)
		}
		switch v := c.v.(type) {
		case *object:
			if !isRange || l != nil { // the pieces of a range are seen as it is run through
				m.leaves(at, v, what)
			}
		case pointer:
			m.lies(at, o, v, what)
		case number, truth:
			if l == nil && row == nil && !isRange {
				m.fail(at, "%s has no law: what does it promise of %s?", name, f.Name)
			}
		case nil:
			m.fail(at, "%s: member %s of %s has no value", what, f.Name, o.t)
		}
	}
	if l != nil {
		for _, name := range l.index {
			if d, ok := o.t.bind[name].t.(*extent); ok && m.rep(d).name != "i32" {
				m.owe(at, fact(false), "%s: the indices of %s, of which %s is made, are i32", what, name, o.t.decl)
			}
		}
		for _, text := range l.holds {
			m.owe(at, m.fact(at, text, o), "%s: %s keeps its law: %s", what, o.t.decl, text)
		}
		if l.owner != nil {
			m.hold(at, o, &m.given)
		}
	}
	if isRange {
		m.each(at, o, func(v value) { m.escape(at, v, what) })
	}
}

// blockwide says that the function at hand is a member of what one block has.
func (m *machine) blockwide() bool {
	c := m.proving.Class
	if c == nil {
		return false
	}
	l := m.v.laws[c.String()]
	return l != nil && l.owner != nil && len(l.owner.who) == len(block())
}

// lies says that the elements which a class promises lie at its pointer.
func (m *machine) lies(at cxx.Place, o *object, p pointer, what string) {
	need, row, l := m.room(at, o)
	if p.null {
		m.owe(at, fact(false), "%s: %s holds a null pointer", what, o.t)
		return
	}
	fits := and(compare(">=", p.off, smt.Number(0)), compare("<=", add(p.off, need), p.to.len))
	m.owe(at, or(compare("==", need, smt.Number(0)), fits), "%s: what %s names lies inside %s", what, o.t.decl, p.to.name)
	if l != nil && l.align != "" {
		n := m.amount(at, l.align, o)
		m.owe(at, and(m.aligned(p.to, n, m.bytes(at, n, p.elem)), compare("==", mod(p.off, n), smt.Number(0))), "%s: %s is aligned", what, o.t.decl)
	}
	if attribute(row, "align") != nil && !p.to.aligned {
		m.fail(at, "%s: nothing is known of the alignment of %s", what, p.to.name)
	}
}

// bytes is how many bytes so many elements are; 0 if that is not known.
func (m *machine) bytes(at cxx.Place, n smt.Int, elem typ) int64 {
	c, ok := n.IsNumber()
	if !ok || !c.IsInt64() || c.Int64() == 1 {
		return 0
	}
	return c.Int64() * m.size(at, elem)
}

func kindOf(class string, o *owner) string {
	if o.kind != "" {
		return o.kind
	}
	return class
}

// hold notes who has an object.
func (m *machine) hold(at cxx.Place, o *object, to *[]holding) {
	l := m.v.laws[o.t.decl.String()]
	if l == nil || l.owner == nil || m.silent {
		return
	}
	h := holding{at: at, class: kindOf(o.t.decl.Name, l.owner), law: l.owner, when: smt.True(), count: smt.Number(1), path: slices.Clone(m.path)}
	if l.owner.when != "" {
		h.when = m.fact(at, l.owner.when, o).v
	}
	for _, text := range l.owner.from {
		if p, ok := m.says(at, text, o).(pointer); ok {
			if p.null {
				return // owed already
			}
			h.to = p.to
		}
		h.from = append(h.from, m.amount(at, text, o))
	}
	if l.owner.count != "" {
		h.count = m.amount(at, l.owner.count, o)
	}
	for _, text := range l.owner.who {
		h.who = append(h.who, m.amount(at, text, o))
	}
	*to = append(*to, h)
}
