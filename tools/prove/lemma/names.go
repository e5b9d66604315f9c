package lemma

import (
	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// What names stand for in an expression: variables, members, constants, functions, types.

func (m *machine) name(x *cxx.Name, e *env) value {
	last := x.Path[len(x.Path)-1]
	if len(x.Path) == 1 && !last.Has {
		for s := e; s != nil; s = s.outer {
			if c, ok := s.vars[last.Name]; ok {
				return c
			}
			if s.this != nil {
				if c, ok := s.this.fields[last.Name]; ok {
					return c
				}
			}
		}
		switch last.Name {
		case "threadIdx", "blockIdx", "gridDim":
			return builtin{last.Name}
		}
	}
	if v := m.constant(x, e); v != nil {
		return v
	}
	if m.math && len(x.Path) == 1 {
		if b, ok := e.binding(last.Name); ok && b.t != nil {
			if n := m.extentSize(b.t); n != nil { // a law names an extent for its size
				return number{t: m.v.ints["u64"], v: *n}
			}
		}
	}
	if v, ok := m.concept(x, e); ok {
		return v
	}
	if f := m.function(x, e); f != nil {
		return f
	}
	if len(x.Path) == 2 && m.silent { // Zip::d_ where only its type is asked for
		if c, ok := m.first(x.Place, x.Path[0], e).(*class); ok {
			for _, f := range c.decl.Fields {
				if f.Name == last.Name {
					return m.symbolic(x.Place, m.typ(f.Type, &env{in: c}), "type", true)
				}
			}
		}
	}
	path := x.Path
	if path[0].Name == "std" {
		m.fail(x.Place, "%s is not known", cxx.Print(x))
	}
	if len(path) == 1 || m.first(x.Place, path[0], e) != nil {
		return typeName{m.typ(&cxx.Type{Place: x.Place, Path: path}, e)}
	}
	m.fail(x.Place, "no %s is known here", cxx.Print(x))
	return nil
}

// concept decides what is asked of types.
func (m *machine) concept(x *cxx.Name, e *env) (truth, bool) {
	last := x.Path[len(x.Path)-1]
	if len(x.Path) == 2 && x.Path[0].Name == "std" && last.Name == "is_same_v" && len(last.Args) == 2 {
		a, b := m.argument(x.Place, last.Args[0], e), m.argument(x.Place, last.Args[1], e)
		if unknown(a.t) || unknown(b.t) {
			return truth{v: smt.Fact(cxx.Print(x))}, true
		}
		return fact(a.same(b)), true
	}
	if !m.v.concepts[last.Name] {
		return truth{}, false
	}
	args := m.arguments(x.Place, last.Args, e)
	switch {
	case last.Name == "Below" && len(args) == 2:
		want := "Ix<" + args[1].String() + ">"
		switch t := args[0].t.(type) {
		case *class:
			if t.key == want {
				return fact(true), true
			}
			return fact(m.converts(&object{t: t}, &opaqueType{name: want})), true
		case *opaqueType:
			return truth{v: smt.Fact(cxx.Print(x))}, true
		}
		return fact(false), true
	case last.Name == "BlockWide" && len(args) == 1:
		if t, ok := args[0].t.(*class); ok {
			return fact(m.methods(t, "whole_block") != nil), true
		}
		return truth{v: smt.Fact(cxx.Print(x))}, true
	}
	m.fail(x.Place, "concept %s is not known", last.Name)
	return truth{}, false
}

func unknown(t typ) bool {
	o, ok := t.(*opaqueType)
	return ok && !o.elem
}

// function finds the functions of a name: members, or free ones.
func (m *machine) function(x *cxx.Name, e *env) value {
	path := x.Path
	for len(path) > 1 && (path[0].Name == "ww" || path[0].Name == "std") {
		path = path[1:]
	}
	last := path[len(path)-1]
	if len(path) > 1 {
		t := m.first(x.Place, path[0], e)
		for _, p := range path[1 : len(path)-1] {
			if t == nil {
				return nil
			}
			t = m.memberType(x.Place, t, p, e)
		}
		if c, ok := t.(*class); ok && m.methods(c, last.Name) != nil {
			return method{in: c, name: last.Name, args: last.Args, env: e}
		}
		return nil
	}
	for s := e; s != nil; s = s.outer {
		for c := s.in; c != nil; c = c.outer {
			if m.methods(c, last.Name) != nil {
				return method{this: e.object(), in: c, name: last.Name, args: last.Args, env: e}
			}
		}
	}
	if fs := m.v.functions[last.Name]; fs != nil {
		return method{name: last.Name, args: last.Args, env: e, free: fs}
	}
	if intrinsic(last.Name) {
		return method{name: last.Name, env: e}
	}
	return nil
}

// methods are the functions of a class by name, those of its bases too.
func (m *machine) methods(c *class, name string) []*cxx.Function {
	var out []*cxx.Function
	for _, f := range c.decl.Methods {
		if f.Name == name && !f.Ctor && !f.Conversion {
			out = append(out, f)
		}
	}
	if out == nil {
		for _, b := range m.bases(c) {
			out = append(out, m.methods(b, name)...)
		}
	}
	return out
}

func (m *machine) bases(c *class) []*class {
	var out []*class
	for _, b := range c.decl.Bases { // named before the class's own members are
		if base, ok := m.typ(b, &env{in: c.outer, types: c.bind}).(*class); ok {
			out = append(out, base)
		}
	}
	return out
}

// home is the class among c and its bases that declares f.
func (m *machine) home(c *class, f *cxx.Function) *class {
	if f.Class == c.decl {
		return c
	}
	for _, b := range m.bases(c) {
		if h := m.home(b, f); h != nil {
			return h
		}
	}
	return nil
}

func (m *machine) member(x *cxx.Member, e *env) value {
	v := m.rvalue(x.At(), m.eval(x.X, e))
	switch v := v.(type) {
	case builtin:
		return number{t: m.v.ints["u32"], v: m.builtin(v.name, x.Name.Name)}
	case thisPointer:
		return m.of(x, v.o, e)
	case *object:
		return m.of(x, v, e)
	case opaque:
		return method{name: x.Name.Name, env: e, unknown: true, of: v.t, kernel: v.kernel}
	}
	m.fail(x.Place, "%s has no members that the reader knows", cxx.Print(x.X))
	return nil
}

func (m *machine) of(x *cxx.Member, o *object, e *env) value {
	if c, ok := o.fields[x.Name.Name]; ok {
		return c
	}
	if m.methods(o.t, x.Name.Name) != nil {
		return method{this: o, in: o.t, name: x.Name.Name, args: x.Name.Args, env: e}
	}
	if v := m.constOf(o.t, x.Name.Name); v != nil {
		return v
	}
	m.fail(x.Place, "%s has no member %s", o.t, x.Name.Name)
	return nil
}

func (m *machine) isType(n *cxx.Name, e *env) bool {
	if len(n.Path) == 1 && e.variable(n.Path[0].Name) != nil {
		return false
	}
	if o := e.object(); o != nil && o.fields[n.Path[0].Name] != nil {
		return false
	}
	return true
}
