package lemma

import (
	"strings"

	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// What becomes of a value where one of another type is wanted, or where it is stored.

func (m *machine) cast(x *cxx.Cast, e *env) value {
	t := m.typ(x.Type, e)
	v := m.rvalue(x.At(), m.eval(x.X, e))
	if x.Reinterpret {
		p, ok := v.(pointer)
		to, also := t.(*pointerType)
		if !ok || !also {
			m.fail(x.Place, "%s: only pointers are reinterpreted", cxx.Print(x))
		}
		p.word = m.size(x.Place, to.elem)
		p.elem = to.elem
		return p
	}
	if n, ok := v.(number); ok && !m.math {
		if to, ok := t.(*intType); ok && !m.fitsAll(n.t, to) {
			if n.power || n.below != nil || n.clear != nil { // a mask that loses something is none
				m.owe(x.Place, within(n.v, to), "%s keeps its value as %s", cxx.Print(x), to)
			}
			return m.cut(n, to)
		}
	}
	return m.convert(x.Place, v, t, cxx.Print(x))
}

// fitsAll says that every number of one type is one of another.
func (m *machine) fitsAll(from, to *intType) bool {
	return from.least().Cmp(to.least()) >= 0 && from.most().Cmp(to.most()) <= 0
}

// cut is what static_cast makes of a number: the same where the type has it, and anything where it has not. So a cast that loses
// something is found where the number is used.
func (m *machine) cut(n number, to *intType) value {
	in := within(n.v, to)
	if in.c > 0 || m.known["fits "+n.v.String()+" "+to.name] {
		n.t = to
		return n
	}
	lost := m.variable(m.fresh("what is left of "+strings.ReplaceAll(n.v.String(), "|", "")), to)
	n.t, n.v = to, smt.If(in.v, n.v, lost)
	return n
}

func (m *machine) sizeOf(x *cxx.SizeOf, e *env) value {
	u64 := m.v.ints["u64"]
	if x.Pack != "" {
		if b, ok := e.binding(x.Pack); ok && b.many {
			return number{t: u64, v: smt.Number(int64(len(b.pack)))}
		}
		m.fail(x.Place, "sizeof...(%s) of no pack", x.Pack)
	}
	if x.Type != nil {
		if n, ok := x.X.(*cxx.Name); !ok || m.isType(n, e) {
			return number{t: u64, v: smt.Number(m.size(x.Place, m.typ(x.Type, e)))}
		}
	}
	var v value
	m.guarded("what is not evaluated", func() { m.quietly(func() { v = m.eval(x.X, e) }) })
	return number{t: u64, v: smt.Number(m.sizeOfValue(x.Place, v))}
}

func (m *machine) sizeOfValue(at cxx.Place, v value) int64 {
	if c, ok := v.(*cell); ok {
		v = c.v
	}
	if a, ok := v.(array); ok {
		return m.must(at, a.len) * m.size(at, a.elem)
	}
	return m.size(at, m.typeOf(v))
}

// typeOf is the type of a value.
func (m *machine) typeOf(v value) typ {
	switch v := v.(type) {
	case number:
		return v.t
	case truth:
		return boolType{}
	case *object:
		return v.t
	case opaque:
		return v.t
	case pointer:
		return &pointerType{v.elem}
	case closure:
		return &opaqueType{name: "lambda"}
	case typeName:
		return v.t
	case list, pack:
		return &opaqueType{name: "list"}
	}
	return &opaqueType{name: "value"}
}

// store stores into a place.
func (m *machine) store(at cxx.Place, op string, place, v value, text string) value {
	if o, ok := place.(*object); ok && op == "=" { // a proxy: y[i] = v
		return m.invoke(at, method{this: o, in: o.t, name: "operator=", env: &env{}}, []value{v})
	}
	switch p := place.(type) {
	case *cell:
		if m.before != nil {
			if _, ok := m.before[p]; !ok {
				m.before[p] = p.v
			}
		}
		if o, ok := p.v.(*object); ok && op == "=" && m.methods(o.t, "operator=") != nil {
			return m.invoke(at, method{this: o, in: o.t, name: "operator=", env: &env{}}, []value{v})
		}
		m.changes(at, p, text)
		m.wrote(p, op, v)
		if op != "=" {
			old := p.v
			v = m.operate(at, op[:len(op)-1], old, v, text, &env{})
			if n, ok := old.(number); ok {
				v = m.convert(at, v, n.t, text)
			}
		} else {
			v = m.convert(at, v, m.typeOf(p.v), text)
		}
		p.v = v
		return p
	case memory:
		if op != "=" {
			m.load(at, p.p, text)
		}
		m.access(at, p.p, true, false, p.text)
		return p
	case slot, opaque:
		return p
	}
	m.fail(at, "%s: nothing can be assigned to that", text)
	return nil
}

// convert makes a value one of type t; nil is any.
func (m *machine) convert(at cxx.Place, v value, t typ, text string) value {
	var out value
	switch t := t.(type) {
	case nil:
		return v
	case *intType:
		out = m.toNumber(at, v, t, text)
	case boolType:
		switch v := v.(type) {
		case truth:
			return v
		case number:
			return compare("!=", v.v, smt.Number(0))
		}
	case *class:
		out = m.toObject(at, v, t, text)
	case *pointerType:
		if p, ok := v.(pointer); ok {
			if !p.null && p.elem.String() != t.elem.String() {
				m.fail(at, "%s: a pointer to %s becomes one to %s", text, p.elem, t.elem)
			}
			return p
		}
	case *opaqueType:
		switch v := v.(type) {
		case opaque, number, truth, pointer, closure, *object, array, slot:
			if o, ok := v.(opaque); ok || t.elem {
				return opaque{t: t, kernel: o.kernel}
			}
			return v
		case list:
			return opaque{t: t}
		}
	}
	if out == nil && isOpaque(v) {
		return v
	}
	if out == nil {
		m.fail(at, "%s: no %s can be made of %s", text, t, m.typeOf(v))
	}
	return out
}

// toNumber makes a value a number; nil if it is none of those that can be.
func (m *machine) toNumber(at cxx.Place, v value, t *intType, text string) value {
	switch v := v.(type) {
	case number:
		if v.t != t && !m.math && !(t.bits > v.t.bits && (t.signed || !v.t.signed)) {
			m.owe(at, within(v.v, t), "%s keeps its value as %s", text, t)
		}
		v.t = t
		return v
	case truth:
		if v.known() {
			return number{t: t, v: smt.Number(map[bool]int64{true: 1, false: 0}[v.holds()])}
		}
		return number{t: t, v: smt.If(v.v, smt.Number(1), smt.Number(0))}
	case *object:
		for _, f := range v.t.decl.Methods {
			if f.Conversion && m.typ(f.Result, &env{in: v.t}) == typ(t) {
				return m.run(at, f, v, v.t, nil, map[string]binding{})
			}
		}
	case list:
		if len(v.args) == 0 {
			return number{t: t, v: smt.Number(0)}
		}
	}
	return nil
}

// toObject makes a value an object of a class; nil if it is none of those that can be.
func (m *machine) toObject(at cxx.Place, v value, t *class, text string) value {
	switch v := v.(type) {
	case *object:
		if v.t.key == t.key {
			return m.copied(v)
		}
		for _, f := range v.t.decl.Methods {
			if f.Conversion {
				if r, ok := m.typ(f.Result, &env{in: v.t}).(*class); ok && r.key == t.key {
					return m.run(at, f, v, v.t, nil, map[string]binding{})
				}
			}
		}
		for _, b := range m.bases(v.t) {
			if b.key == t.key {
				return v
			}
		}
		if m.assign["at.H"] != "" { // the tile is not as wide as the strip
			panic(infeasible{})
		}
		m.fail(at, "%s: %s is no %s", text, v.t, t)
	case list:
		return m.construct(v.at, t, v.args)
	case opaque:
		if !v.kernel {
			m.fail(at, "%s: nobody knows that this is a lawful %s: it comes from what is not read", text, t)
		}
		return m.symbolic(at, t, m.fresh("value"), false)
	}
	return nil
}

// copied is a copy of an object.
func (m *machine) copied(o *object) *object {
	out := &object{o.t, map[string]*cell{}}
	for name, c := range o.fields {
		v := c.v
		if inner, ok := v.(*object); ok {
			v = m.copied(inner)
		}
		out.fields[name] = m.place(v)
	}
	return out
}
