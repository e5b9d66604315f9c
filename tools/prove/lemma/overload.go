package lemma

import (
	"slices"

	"github.com/warpwright/warpwright/tools/prove/cxx"
)

// Which of several functions of a name is called.

// candidate is a function that arguments fit, with what its template's parameters are then.
type candidate struct {
	fn   *cxx.Function
	bind map[string]binding
	in   *class // whose member it is
	fits []fit  // one an argument
}

// fit is how well an argument fits a parameter.
type fit struct {
	how     int
	special int // how much the parameter of a template says of its type
}

const (
	misfit    = iota
	converted // it becomes what the parameter wants
	exact
)

// over says that C++ takes a rather than b: it is as good for each argument and better for one; or it is as good, and no template where
// the other one is, or one that says more.
func (a candidate) over(b candidate) bool {
	better, special := false, 0
	for i := range a.fits {
		if a.fits[i].how < b.fits[i].how {
			return false
		}
		better = better || a.fits[i].how > b.fits[i].how
		special += a.fits[i].special - b.fits[i].special
	}
	if plain, other := len(a.fn.Head) == 0, len(b.fn.Head) == 0; plain != other {
		return better || plain
	}
	return better || special > 0
}

// overload chooses among functions of one name, as C++ does: the one that is over all others. If there is none, it returns all that fit.
func (m *machine) overload(at cxx.Place, functions []*cxx.Function, f method, args []value) []candidate {
	var found []candidate
	for _, fn := range functions {
		c := candidate{fn: fn}
		if f.in != nil {
			c.in = m.home(f.in, fn)
		}
		if m.deduce(at, &c, f, args) {
			found = append(found, c)
		}
	}
	for i, c := range found {
		if !slices.ContainsFunc(slices.Delete(slices.Clone(found), i, i+1), func(o candidate) bool { return !c.over(o) }) {
			return []candidate{c}
		}
	}
	return found
}

// deduce finds what the parameters of a function's template are, and how well the arguments fit; false if they do not.
func (m *machine) deduce(at cxx.Place, c *candidate, call method, args []value) bool {
	f := c.fn
	c.bind = map[string]binding{}
	if call.args != nil {
		given := m.arguments(at, call.args, call.env)
		for i, h := range f.Head {
			if i < len(given) {
				c.bind[h.Name] = given[i]
			}
		}
	}
	packed := len(f.Params) > 0 && f.Params[len(f.Params)-1].Type.Pack
	if len(args) != len(f.Params) && !(packed && len(args) >= len(f.Params)-1) || f.Deleted {
		return false
	}
	e := &env{in: c.in, types: c.bind}
	for i, a := range args {
		p := f.Params[min(i, len(f.Params)-1)]
		how := m.fits(at, p.Type, f.Head, c.bind, a, e)
		if how.how == misfit {
			return false
		}
		c.fits = append(c.fits, how)
	}
	if x, ok := f.Requires.(cxx.Expr); ok && f.Requires != nil {
		if _, text := x.(*cxx.Text); !text {
			var is truth
			m.quietly(func() { is = m.condition(x, e) })
			return is.c >= 0
		}
	}
	return true
}

// fits says how well an argument fits a parameter. One of which nothing is known fits all alike.
func (m *machine) fits(at cxx.Place, t *cxx.Type, head []cxx.TemplateParam, bind map[string]binding, v value, e *env) fit {
	no, any, conversion := fit{misfit, 0}, fit{exact, 0}, fit{converted, 0}
	if t.Held {
		return no
	}
	if t.Decltype != nil || len(t.Path) == 1 && t.Path[0].Name == "auto" {
		return any
	}
	if t.Pointer == 0 {
		if bound, how := m.binds(t, head, bind, v); bound {
			return how
		}
	}
	if t.Pointer > 0 {
		p, ok := v.(pointer)
		if !ok {
			return no
		}
		if len(t.Path) == 1 && !t.Path[0].Has {
			for _, h := range head {
				if h.Name == t.Path[0].Name {
					bind[h.Name] = binding{t: p.elem}
				}
			}
		}
		return fit{exact, 1}
	}
	if m.dependent(t, head) {
		o, ok := v.(*object)
		if !ok {
			if isOpaque(v) {
				return any
			}
			return no
		}
		old := m.within
		m.within = e
		n, ok := m.unify(cxx.Arg{Type: t}, binding{t: o.t}, head, bind)
		m.within = old
		if !ok {
			return no
		}
		return fit{exact, n}
	}
	want := m.typ(t, e)
	switch v := v.(type) {
	case *object:
		if c, ok := want.(*class); ok && c.key == v.t.key {
			return any
		}
		if m.converts(v, want) {
			return conversion
		}
		return no
	case number:
		o, ok := want.(*opaqueType)
		_, whole := want.(*intType)
		switch {
		case want == typ(v.t):
			return any
		case whole, ok && (o.name == "float" || o.name == "double" || o.elem):
			return conversion
		}
		return no
	case truth:
		if _, ok := want.(boolType); ok {
			return any
		}
		return no
	case pointer:
		return no
	}
	return any
}

// binds says how a value fits a parameter whose type is one of the function's template, and what that stands for then; not bound if it is no such
// parameter.
func (m *machine) binds(t *cxx.Type, head []cxx.TemplateParam, bind map[string]binding, v value) (bound bool, how fit) {
	if len(t.Path) != 1 || t.Path[0].Has {
		return false, fit{}
	}
	name := t.Path[0].Name
	if !slices.ContainsFunc(head, func(h cxx.TemplateParam) bool { return h.Name == name && h.Type == nil }) {
		return false, fit{}
	}
	if b, ok := bind[name]; ok && !t.Pack {
		if b.t != nil && b.t.String() == m.typeOf(v).String() || isOpaque(v) {
			return true, fit{how: exact}
		}
		return true, fit{how: misfit}
	}
	bind[name] = binding{t: m.typeOf(v)}
	return true, fit{how: exact}
}

// converts says that an object has an operator that makes it a value of a class, or a number.
func (m *machine) converts(o *object, want typ) bool {
	return slices.ContainsFunc(o.t.decl.Methods, func(f *cxx.Function) bool {
		return f.Conversion && m.typ(f.Result, &env{in: o.t}).String() == want.String()
	})
}

// dependent says that a type names a parameter of the function's own template.
func (m *machine) dependent(t *cxx.Type, head []cxx.TemplateParam) bool {
	for _, p := range t.Path {
		for _, h := range head {
			if h.Name == p.Name {
				return true
			}
		}
		for _, a := range p.Args {
			if a.Type != nil && m.dependent(a.Type, head) {
				return true
			}
			if n, ok := a.Expr.(*cxx.Name); ok && m.dependent(&cxx.Type{Path: n.Path}, head) {
				return true
			}
		}
	}
	return false
}
