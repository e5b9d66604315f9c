package lemma

import (
	"math/big"
	"path"

	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// env is what names stand for at some place of the code.
type env struct {
	outer *env
	vars  map[string]*cell
	types map[string]binding
	in    *class  // its members are in reach
	this  *object // the object whose they are; nil in a static member
}

func (e *env) inner() *env {
	return &env{outer: e, vars: map[string]*cell{}, types: map[string]binding{}, in: nil, this: nil}
}

func (e *env) object() *object {
	for ; e != nil; e = e.outer {
		if e.this != nil {
			return e.this
		}
	}
	return nil
}

func (e *env) class() *class {
	for ; e != nil; e = e.outer {
		if e.in != nil {
			return e.in
		}
	}
	return nil
}

// binding finds a template parameter or alias.
func (e *env) binding(name string) (binding, bool) {
	for ; e != nil; e = e.outer {
		if b, ok := e.types[name]; ok {
			return b, true
		}
		for c := e.in; c != nil; c = c.outer {
			if b, ok := c.bind[name]; ok {
				return b, true
			}
		}
	}
	return binding{}, false
}

func (e *env) variable(name string) *cell {
	for ; e != nil; e = e.outer {
		if c, ok := e.vars[name]; ok {
			return c
		}
	}
	return nil
}

func decimal(s string) smt.Int {
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		n = new(big.Int)
	}
	return smt.Big(n)
}

func known(v smt.Int) int64 {
	n, ok := v.IsNumber()
	if !ok || !n.IsInt64() {
		return -1
	}
	return n.Int64()
}

// typ resolves a type; nil is auto.
func (m *machine) typ(t *cxx.Type, e *env) typ {
	out := m.plain(t, e)
	for range t.Pointer {
		out = &pointerType{out}
	}
	return out
}

func (m *machine) plain(t *cxx.Type, e *env) typ {
	if t.Decltype != nil {
		var out typ
		m.guarded("what is not evaluated", func() {
			m.quietly(func() { out = m.typeOf(m.rvalue(t.Decltype.At(), m.eval(t.Decltype, e))) })
		})
		return out
	}
	if len(t.Path) == 1 && t.Path[0].Name == "auto" {
		return nil
	}
	at := t.Place
	path := t.Path
	for len(path) > 1 && (path[0].Name == "ww" || path[0].Name == "detail") {
		path = path[1:]
	}
	if path[0].Name == "std" {
		return m.standard(at, path[1:], e)
	}
	cur := m.first(at, path[0], e)
	if cur == nil {
		m.fail(at, "no type %s", path[0].Name)
	}
	for _, p := range path[1:] {
		cur = m.memberType(at, cur, p, e)
	}
	return cur
}

func (m *machine) standard(at cxx.Place, path []cxx.Part, e *env) typ {
	if t, ok := m.v.ints["std::"+path[0].Name]; ok {
		return t
	}
	if path[0].Name == "conditional_t" && len(path[0].Args) == 3 {
		c := m.argument(at, path[0].Args[0], e)
		b, ok := c.n.(truth)
		if !ok {
			m.fail(at, "std::conditional_t of what is neither true nor false")
		}
		if m.decide(at, path[0].Args[0].String(), b) {
			return m.typ(path[0].Args[1].Type, e)
		}
		return m.typ(path[0].Args[2].Type, e)
	}
	m.fail(at, "std::%s is not known", path[0].Name)
	return nil
}

// first resolves the first name of a path to a type; nil if it is none.
func (m *machine) first(at cxx.Place, p cxx.Part, e *env) typ {
	if b, ok := e.binding(p.Name); ok && !p.Has {
		return b.t
	}
	for s := e; s != nil; s = s.outer {
		for c := s.in; c != nil; c = c.outer {
			if c.decl.Name == p.Name && !p.Has {
				return c
			}
			if t := m.nested(at, c, p, e); t != nil {
				return t
			}
		}
	}
	if t, ok := m.v.ints[p.Name]; ok {
		return t
	}
	switch p.Name {
	case "bool":
		return boolType{}
	case "void", "float", "double", "uint4", "uint2", "__half", "__nv_bfloat16":
		return &opaqueType{name: p.Name}
	}
	if a, ok := m.v.aliases[p.Name]; ok {
		return m.alias(at, a, p, &env{types: map[string]binding{}}, e)
	}
	if len(m.v.classes[p.Name]) > 0 {
		return m.specialised(at, p.Name, m.arguments(at, p.Args, e))
	}
	return nil
}

// nested finds an alias or class among the members of c.
func (m *machine) nested(at cxx.Place, c *class, p cxx.Part, e *env) typ {
	for _, a := range c.decl.Aliases {
		if a.Name == p.Name {
			return m.alias(at, a, p, &env{in: c}, e)
		}
	}
	for _, n := range c.decl.Classes {
		if n.Name == p.Name && n.Defined {
			return m.instance(at, n, c, m.arguments(at, p.Args, e))
		}
	}
	for _, base := range m.bases(c) {
		if t := m.nested(at, base, p, e); t != nil {
			return t
		}
	}
	return nil
}

func (m *machine) alias(at cxx.Place, a *cxx.Alias, p cxx.Part, in, e *env) typ {
	if a.Head == nil {
		return m.typ(a.Type, in)
	}
	inner := in.inner()
	for i, b := range m.arguments(at, p.Args, e) {
		if i < len(a.Head) {
			inner.types[a.Head[i].Name] = b
		}
	}
	return m.typ(a.Type, inner)
}

func (m *machine) memberType(at cxx.Place, t typ, p cxx.Part, e *env) typ {
	switch t := t.(type) {
	case *extent:
		switch p.Name {
		case "rep":
			return m.rep(t)
		case "shape":
			return m.shapeOf(at)
		}
	case *class:
		if t.decl.Name == "Const" && p.Name == "shape" {
			return m.shapeOf(at)
		}
		if n := m.nested(at, t, p, e); n != nil {
			return n
		}
	case *opaqueType:
		return &opaqueType{name: t.name + "::" + p.Name}
	}
	m.fail(at, "%s has no type %s", t, p.Name)
	return nil
}

// arguments evaluates template arguments.
func (m *machine) arguments(at cxx.Place, args []cxx.Arg, e *env) []binding {
	var out []binding
	for _, a := range args {
		out = append(out, m.argument(at, a, e))
	}
	return out
}

func (m *machine) argument(at cxx.Place, a cxx.Arg, e *env) binding {
	if a.Expr != nil {
		return binding{n: m.rvalue(at, m.eval(a.Expr, e))}
	}
	t := a.Type
	if t.Decltype == nil && len(t.Path) >= 1 && t.Pointer == 0 {
		// A name may be that of a value.
		name := t.Path[len(t.Path)-1].Name
		if len(t.Path) == 1 && !t.Path[0].Has {
			if b, ok := e.binding(name); ok {
				return b
			}
			if c := e.variable(name); c != nil {
				switch c.v.(type) {
				case number, truth:
					return binding{n: c.v}
				}
			}
			if name == "true" || name == "false" {
				return binding{n: fact(name == "true")}
			}
		}
		if v := m.constant(&cxx.Name{Place: at, Path: t.Path}, e); v != nil {
			return binding{n: v}
		}
	}
	return binding{t: m.typ(t, e)}
}

// specialised finds the class that stands for a template with these arguments: the specialisation that says most.
func (m *machine) specialised(at cxx.Place, name string, args []binding) typ {
	var best *cxx.Class
	var bound map[string]binding
	score := -1
	for _, c := range m.v.classes[name] {
		if !c.Special {
			continue
		}
		bind := map[string]binding{}
		if len(c.Args) != len(args) {
			continue
		}
		ok, fixed := true, 0
		for i, a := range c.Args {
			n, matched := m.unify(a, args[i], c.Head, bind)
			ok = ok && matched
			fixed += n
		}
		if ok && fixed > score {
			best, bound, score = c, bind, fixed
		}
	}
	if best != nil {
		return m.make(at, best, nil, bound)
	}
	return m.instance(at, m.primary(at, name), nil, args)
}

// unify matches a pattern's argument; it counts the names that are fixed.
func (m *machine) unify(p cxx.Arg, b binding, head []cxx.TemplateParam, bind map[string]binding) (int, bool) {
	if p.Type == nil {
		return 1, m.within != nil && m.argument(p.Expr.At(), p, m.within).same(b)
	}
	name := p.Type.Path[0].Name
	if len(p.Type.Path) == 1 && !p.Type.Path[0].Has {
		for _, h := range head {
			if h.Name != name {
				continue
			}
			if (h.Type != nil) != (b.n != nil) {
				return 0, false
			}
			if before, ok := bind[name]; ok {
				return 0, before.same(b)
			}
			bind[name] = b
			return 0, true
		}
	}
	if v, ok := b.n.(truth); ok && (name == "true" || name == "false") {
		return 1, m.decide(p.Type.Place, name, v) == (name == "true")
	}
	if b.t == nil {
		return 1, m.within != nil && b.n != nil && m.argument(p.Type.Place, p, m.within).same(b)
	}
	if !p.Type.Path[0].Has && m.within != nil && (len(p.Type.Path) > 1 || m.v.ints[name] == nil) {
		return 1, m.argument(p.Type.Place, p, m.within).same(b)
	}
	if !p.Type.Path[0].Has {
		return 1, b.t.String() == name || m.v.ints[name] != nil && typ(m.v.ints[name]) == b.t
	}
	c, ok := b.t.(*class)
	if !ok || c.decl.Name != name {
		return 0, false
	}
	total := 1
	args := m.argsOf(c)
	if len(args) != len(p.Type.Path[0].Args) {
		return 0, false
	}
	for i, a := range p.Type.Path[0].Args {
		n, ok := m.unify(a, args[i], head, bind)
		if !ok {
			return 0, false
		}
		total += n
	}
	return total, true
}

// argsOf are the arguments that a class was named with.
func (m *machine) argsOf(c *class) []binding {
	var out []binding
	if c.decl.Special {
		return m.arguments(c.decl.Place, c.decl.Args, &env{in: c})
	}
	for _, h := range c.decl.Head {
		out = append(out, c.bind[h.Name])
	}
	return out
}

// instance binds the parameters of a class.
func (m *machine) instance(at cxx.Place, c *cxx.Class, outer *class, args []binding) *class {
	bind := map[string]binding{}
	for i, h := range c.Head {
		switch {
		case h.Pack:
			bind[h.Name] = binding{pack: args[min(i, len(args)):], many: true}
		case i < len(args):
			b := args[i]
			if h.Type != nil {
				b.n = m.convert(at, b.n, m.typ(h.Type, &env{types: bind}), "template argument")
			}
			bind[h.Name] = b
		case h.Default != nil:
			bind[h.Name] = m.argument(at, *h.Default, &env{types: bind})
		default:
			m.fail(at, "%s wants %d arguments", c.Name, len(c.Head))
		}
	}
	return m.make(at, c, outer, bind)
}

// make makes the class, and takes its assertions for true: with others it does not compile.
func (m *machine) make(at cxx.Place, c *cxx.Class, outer *class, bind map[string]binding) *class {
	out := &class{decl: c, outer: outer, bind: bind}
	out.key = named(c, outer, bind)
	if !m.known["class "+out.key] {
		m.known["class "+out.key] = true
		if c.Special { // what it is for must compile as well
			m.argsOf(out)
		}
		for _, a := range c.Asserts {
			m.asserted(a, &env{in: out})
		}
	}
	return out
}

// asserted takes an assertion for true.
func (m *machine) asserted(a *cxx.Assert, e *env) {
	math := m.math
	m.math = true
	for _, part := range m.conjuncts(a.Cond) {
		if v, ok := m.rvalue(a.Place, m.eval(part, e)).(truth); ok { // else it is of no number: a type's property
			m.require("static_assert in "+path.Base(a.File.Name)+": "+cxx.Print(part), v)
		}
	}
	m.math = math
}

// conjuncts are what must hold for x to hold.
func (m *machine) conjuncts(x cxx.Expr) []cxx.Expr {
	if b, ok := x.(*cxx.Binary); ok && b.Op == "&&" {
		m.visited[b] = true
		return append(m.conjuncts(b.X), m.conjuncts(b.Y)...)
	}
	return []cxx.Expr{x}
}

// require takes something for true, without which nothing compiles or nothing of a type exists.
func (m *machine) require(name string, is truth) {
	switch {
	case !m.takes(name):
	case is.c < 0:
		panic(infeasible{})
	case is.c == 0:
		m.assume(name, is.v)
	}
}
