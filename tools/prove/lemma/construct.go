package lemma

import (
	"slices"
	"strings"

	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// How objects are made.

// construct makes an object, or converts a value.
func (m *machine) construct(at cxx.Place, t typ, args []value) value {
	c, ok := t.(*class)
	if !ok {
		switch {
		case len(args) == 1:
			return m.convert(at, args[0], t, "a value of "+t.String())
		case len(args) == 0:
			return m.convert(at, list{at, nil}, t, "a value of "+t.String())
		}
		m.fail(at, "%s takes one value", t)
	}
	if len(args) == 1 {
		if o, ok := args[0].(*object); ok && (o.t.key == c.key || m.converts(o, c)) {
			return m.convert(at, o, c, "a value of "+c.key)
		}
	}
	o := &object{c, map[string]*cell{}}
	m.build(at, o, c, args)
	return o
}

// build runs the constructor of c, o's class or a base of it.
func (m *machine) build(at cxx.Place, o *object, c *class, args []value) {
	var ctors []*cxx.Function
	for _, f := range c.decl.Methods {
		if f.Ctor {
			ctors = append(ctors, f)
		}
	}
	if ctors == nil && c.decl.Inherits {
		if len(c.decl.Fields) > 0 {
			m.fail(at, "%s has members that the constructors of its base do not set", c)
		}
		for _, b := range m.bases(c) {
			m.build(at, o, b, args)
		}
		return
	}
	if ctors == nil {
		if len(args) > len(c.decl.Fields) {
			m.fail(at, "%s has %d members, not %d", c, len(c.decl.Fields), len(args))
		}
		for i, f := range c.decl.Fields {
			if i < len(args) {
				o.fields[f.Name] = m.place(m.convert(at, args[i], m.typ(f.Type, &env{in: c}), f.Name))
			} else {
				o.fields[f.Name] = m.place(m.unset(at, f, c))
			}
		}
		return
	}
	found := m.overload(at, ctors, method{in: c, env: &env{in: c}}, args)
	if len(found) != 1 {
		m.fail(at, "%d constructors of %s take these arguments", len(found), c)
	}
	best, bind := found[0].fn, found[0].bind
	if best.Body == nil {
		m.fail(at, "the constructor of %s has no body", c)
	}
	m.depth++
	m.touched[anchored(best.Place)] = true
	if !m.silent {
		m.visited[best] = true
	}
	e := &env{in: c, this: o, types: bind, vars: map[string]*cell{}}
	m.params(at, best, args, e)
	for _, b := range m.bases(c) {
		if len(b.decl.Fields) > 0 {
			m.fail(at, "%s has a base with members that its constructor does not set", c)
		}
	}
	for _, f := range c.decl.Fields {
		o.fields[f.Name] = m.place(m.unset(at, f, c))
	}
	last := -1
	for _, i := range best.Inits {
		n := slices.IndexFunc(c.decl.Fields, func(f *cxx.Field) bool { return f.Name == i.Name })
		if n < 0 {
			m.fail(i.Place, "%s has no member %s", c, i.Name)
		}
		if n <= last {
			m.fail(i.Place, "members are set in the order in which they are declared: %s is before %s", i.Name, c.decl.Fields[last].Name)
		}
		last = n
		f := c.decl.Fields[n]
		v := m.construct(i.Place, m.typ(f.Type, &env{in: c}), m.evals(i.Args, e))
		if n, ok := v.(number); ok && (c.decl.Name == "Ix" || c.decl.Name == "Spot") {
			v = m.called(n)
		}
		o.fields[i.Name].v = v
	}
	m.exec(best.Body, e)
	m.depth--
}

// called gives a number that is computed a name of its own: what is formed of it stays short.
func (m *machine) called(n number) number {
	if m.math || m.silent || !strings.HasPrefix(n.v.String(), "(") {
		return n
	}
	x := smt.Var(m.fresh("index"))
	m.define("a name", x.Equal(n.v))
	m.terms[x.Mentions()[0]] = n.v
	n.v = x
	return n
}

// unset is a member before anything is stored in it.
func (m *machine) unset(at cxx.Place, f *cxx.Field, c *class) value {
	e := &env{in: c}
	t := m.typ(f.Type, e)
	if f.Size != nil {
		return array{m.integer(f.Size, e).v, t}
	}
	if o, ok := t.(*opaqueType); ok {
		return opaque{t: o}
	}
	return nil
}
