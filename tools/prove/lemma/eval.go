package lemma

import (
	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// eval evaluates an expression; what it returns may be a place.
func (m *machine) eval(x cxx.Expr, e *env) value {
	if !m.silent {
		m.visited[x] = true
	}
	switch x := x.(type) {
	case *cxx.Number:
		return m.literal(x)
	case *cxx.Text:
		return opaque{t: &opaqueType{name: "text"}}
	case *cxx.Word:
		return m.word(x, e)
	case *cxx.Name:
		return m.name(x, e)
	case *cxx.Member:
		return m.member(x, e)
	case *cxx.Call:
		return m.call(x, e)
	case *cxx.Construct:
		return m.construct(x.Place, m.typ(x.Type, e), m.evals(x.Args, e))
	case *cxx.Braces:
		args := m.evals(x.Args, e)
		if x.Type == nil {
			return list{x.Place, args}
		}
		return m.construct(x.Place, m.typ(x.Type, e), args)
	case *cxx.Index:
		return m.index(x, e)
	case *cxx.Unary:
		return m.unary(x, e)
	case *cxx.Binary:
		return m.binary(x, e)
	case *cxx.Cond:
		return m.cond(x, e)
	case *cxx.Cast:
		return m.cast(x, e)
	case *cxx.SizeOf:
		return m.sizeOf(x, e)
	case *cxx.Lambda:
		return closure{x, e}
	}
	m.fail(x.At(), "%s is no expression that the reader knows", cxx.Print(x))
	return nil
}

// evals evaluates arguments; a pack gives as many as it has.
func (m *machine) evals(args []cxx.Expr, e *env) []value {
	var out []value
	all := func() {
		for _, a := range args {
			x, ok := a.(*cxx.Expand)
			if !ok {
				out = append(out, m.rvalue(a.At(), m.eval(a, e)))
				continue
			}
			m.visited[a] = true
			for i := range m.packLength(x.X, e) {
				inner := e.inner()
				m.unpack(x.X, e, inner, i)
				out = append(out, m.rvalue(a.At(), m.eval(x.X, inner)))
			}
		}
	}
	if len(args) == 1 {
		all()
	} else {
		m.guarded("an argument, which may be evaluated before the others or after them,", all)
	}
	return out
}

// pack is the value of a parameter pack.
type pack struct{ list []value }

// packs finds the parameter packs that an expression names.
func (m *machine) packs(x cxx.Expr, e *env, found map[string]pack) {
	switch x := x.(type) {
	case *cxx.Name:
		if len(x.Path) == 1 {
			if c := e.variable(x.Path[0].Name); c != nil {
				if p, ok := c.v.(pack); ok {
					found[x.Path[0].Name] = p
				}
			}
		}
	case *cxx.Member:
		m.packs(x.X, e, found)
	case *cxx.Index:
		m.packs(x.X, e, found)
		m.packs(x.I, e, found)
	case *cxx.Call:
		m.packs(x.Fn, e, found)
		for _, a := range x.Args {
			m.packs(a, e, found)
		}
	}
}

func (m *machine) packLength(x cxx.Expr, e *env) int {
	found := map[string]pack{}
	m.packs(x, e, found)
	for _, p := range found {
		return len(p.list)
	}
	m.fail(x.At(), "%s... names no pack", cxx.Print(x))
	return 0
}

func (m *machine) unpack(x cxx.Expr, e, inner *env, i int) {
	found := map[string]pack{}
	m.packs(x, e, found)
	for name, p := range found {
		if i >= len(p.list) {
			m.fail(x.At(), "packs of different lengths")
		}
		inner.vars[name] = m.place(p.list[i])
	}
}

func (m *machine) word(x *cxx.Word, e *env) value {
	switch x.Name {
	case "true", "false":
		return fact(x.Name == "true")
	case "nullptr":
		return pointer{null: true}
	}
	o := e.object()
	if o == nil {
		m.fail(x.Place, "this in a static member")
	}
	return thisPointer{o}
}

// thisPointer is the value of this.
type thisPointer struct{ o *object }

// rvalue takes the value out of a place.
func (m *machine) rvalue(at cxx.Place, v value) value {
	switch v := v.(type) {
	case *cell:
		return v.v
	case memory:
		return m.load(at, v.p, v.text)
	case slot:
		if t, ok := v.elem.(*intType); ok {
			m.fail(at, "a number of %s from an array", t)
		}
		return opaque{t: v.elem}
	}
	return v
}

// integer evaluates to a whole number.
func (m *machine) integer(x cxx.Expr, e *env) number {
	v := m.rvalue(x.At(), m.eval(x, e))
	switch v := v.(type) {
	case number:
		return v
	case truth:
		return m.convert(x.At(), v, m.v.ints["i32"], cxx.Print(x)).(number)
	}
	m.fail(x.At(), "%s is no whole number", cxx.Print(x))
	return number{}
}

func (m *machine) condition(x cxx.Expr, e *env) truth {
	v := m.rvalue(x.At(), m.eval(x, e))
	switch v := v.(type) {
	case truth:
		return v
	case number:
		return compare("!=", v.v, smt.Number(0))
	}
	m.fail(x.At(), "%s is neither true nor false", cxx.Print(x))
	return truth{}
}

func (m *machine) index(x *cxx.Index, e *env) value {
	v := m.rvalue(x.At(), m.eval(x.X, e))
	switch v := v.(type) {
	case pointer:
		m.elementwise(x.Place, v, cxx.Print(x))
		i := m.integer(x.I, e)
		p := v
		p.off = add(p.off, i.v)
		return memory{p, cxx.Print(x)}
	case array:
		i := m.integer(x.I, e)
		m.owe(x.Place, and(compare(">=", i.v, smt.Number(0)), compare("<", i.v, v.len)), "%s is an element of the array", cxx.Print(x))
		return slot{v.elem}
	case *object:
		return m.invoke(x.Place, method{this: v, in: v.t, name: "operator[]", env: e}, m.evals([]cxx.Expr{x.I}, e))
	case opaque:
		for _, a := range m.evals([]cxx.Expr{x.I}, e) {
			m.escape(x.Place, a, "the index of "+cxx.Print(x))
		}
		return opaque{t: &opaqueType{name: "element"}, kernel: v.kernel}
	}
	m.fail(x.Place, "%s has no elements that the reader knows", cxx.Print(x.X))
	return nil
}

// address is the address of a place, which only copies of bytes take.
type address struct {
	of   value
	text string
}

func isOpaque(v value) bool {
	_, ok := v.(opaque)
	return ok
}
