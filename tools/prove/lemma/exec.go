package lemma

import (
	"github.com/warpwright/warpwright/tools/prove/cxx"
)

// exec executes a statement; it says whether the function has returned, and with what.
func (m *machine) exec(s cxx.Stmt, e *env) (bool, value) {
	if !m.silent {
		m.visited[s] = true
	}
	switch s := s.(type) {
	case *cxx.Block:
		inner := e.inner()
		for _, t := range s.List {
			if done, v := m.exec(t, inner); done {
				return true, v
			}
		}
	case *cxx.Decls:
		for _, d := range s.List {
			m.declare(d, e)
		}
	case *cxx.If:
		if m.decide(s.Place, cxx.Print(s.Cond), m.condition(s.Cond, e)) {
			return m.exec(s.Then, e)
		}
		if s.Else != nil {
			return m.exec(s.Else, e)
		}
	case *cxx.Return:
		if s.X == nil {
			return true, opaque{t: &opaqueType{name: "void"}}
		}
		return true, m.eval(s.X, e)
	case *cxx.Do:
		m.eval(s.X, e)
	case *cxx.For:
		m.forLoop(s, e)
	case *cxx.RangeFor:
		m.rangeFor(s, e)
	case cxx.Using:
		e.types[s.Name] = binding{t: m.typ(s.Type, e)}
	case cxx.Asserted:
		m.asserted(s.Assert, e)
	default:
		m.fail(s.At(), "no statement that the reader knows")
	}
	return false, opaque{t: &opaqueType{name: "void"}}
}

func (m *machine) declare(d *cxx.Decl, e *env) {
	t := m.typ(d.Type, e)
	if d.Names != nil {
		m.fail(d.Place, "a structured binding is not known")
	}
	if d.Type.Ref {
		m.fail(d.Place, "%s is a reference, and the reader would make it a copy", d.Name)
	}
	if d.Size != nil {
		e.vars[d.Name] = m.place(array{m.integer(d.Size, e).v, t})
		return
	}
	old := m.folding
	m.folding = d.Constexpr
	args := m.evals(d.Args, e)
	m.folding = old
	switch {
	case t == nil && len(args) == 1:
		v := args[0]
		if o, ok := v.(*object); ok {
			v = m.copied(o)
		}
		e.vars[d.Name] = m.place(v)
	case d.Assigned:
		e.vars[d.Name] = m.place(m.convert(d.Place, args[0], t, d.Name))
	case d.Args == nil:
		c := m.place(nil)
		switch t := t.(type) {
		case *class:
			c.v = m.construct(d.Place, t, nil)
		case *opaqueType, *intType: // to be filled by copying bytes
			c.v = opaque{t: t}
		default:
			m.fail(d.Place, "%s is declared without a value", d.Name)
		}
		e.vars[d.Name] = c
	default:
		e.vars[d.Name] = m.place(m.construct(d.Place, t, args))
	}
}
