package lemma

import (
	"math/big"
	"path"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/promise"
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

// constant finds a constant member, a variable template or a template parameter that is a value; nil if there is none.
func (m *machine) constant(n *cxx.Name, e *env) value {
	path := n.Path
	for len(path) > 1 && path[0].Name == "ww" {
		path = path[1:]
	}
	last := path[len(path)-1]
	if len(path) == 1 {
		if b, ok := e.binding(last.Name); ok {
			return b.n
		}
		for s := e; s != nil; s = s.outer {
			for c := s.in; c != nil; c = c.outer {
				if v := m.constOf(c, last.Name); v != nil {
					return v
				}
			}
		}
		if cs := m.v.consts[last.Name]; cs != nil {
			return m.variableTemplate(n.Place, last, e)
		}
		return nil
	}
	if path[0].Name == "std" {
		return nil
	}
	t := m.first(n.Place, path[0], e)
	for _, p := range path[1 : len(path)-1] {
		if t == nil {
			return nil
		}
		t = m.memberType(n.Place, t, p, e)
	}
	switch t := t.(type) {
	case *class:
		return m.constOf(t, last.Name)
	case *opaqueType: // of a class that the function is given: a number that a part or a step could have
		if !m.v.members[last.Name] {
			return nil
		}
		if v, ok := m.assign[t.name+"::"+last.Name]; ok {
			return number{t: m.v.ints["i32"], v: decimal(v)}
		}
		return number{t: m.v.ints["i32"], v: smt.Var(t.name+"::"+last.Name).Within(1, 1024)}
	}
	return nil
}

func (m *machine) constOf(c *class, name string) value {
	for _, k := range c.decl.Consts {
		if k.Name != name {
			continue
		}
		m.touched[anchored(k.Place)] = true
		key := c.key + "::" + name
		if v, ok := m.consts[key]; ok {
			return v
		}
		m.visited[k] = true
		v := m.constantly(func() value {
			return m.convert(k.Place, m.rvalue(k.Place, m.eval(k.Value, &env{in: c})), m.typ(k.Type, &env{in: c}), k.Name)
		})
		m.consts[key] = v
		return v
	}
	for _, base := range m.bases(c) {
		if v := m.constOf(base, name); v != nil {
			return v
		}
	}
	return nil
}

// variableTemplate is a fact of an extent: multiple<D>, once<D>, exact<D>. Its law says what it means.
func (m *machine) variableTemplate(at cxx.Place, p cxx.Part, e *env) value {
	args := m.arguments(at, p.Args, e)
	if facts()[p.Name] == nil {
		return m.computed(at, p.Name, args)
	}
	if len(args) != 1 || args[0].t == nil {
		m.fail(at, "%s wants an extent", p.Name)
	}
	n := m.extentSize(args[0].t)
	if n == nil {
		m.fail(at, "%s of %s, which is no extent", p.Name, args[0])
	}
	i32 := m.v.ints["i32"]
	v := smt.Var(p.Name+"<"+strings.ReplaceAll(args[0].String(), "|", "")+">").WithinBig(big.NewInt(0), i32.most())
	if c, ok := m.assign[p.Name+"<"+args[0].String()+">"]; ok {
		v = decimal(c)
	}
	if p.Name == "alignment" { // of all buffers of the launch
		v = m.alignment()
		return number{t: i32, v: v}
	}
	law := facts()[p.Name]
	m.assume("fact "+p.Name+"<"+args[0].String()+">", law(v, *n))
	if d, ok := args[0].t.(*extent); ok && p.Name == "once" && m.rep(d).name == "i32" {
		m.assume("fact once<"+d.name+">: the places of the only round have indices", promise.Grid("x").Times(v).AtMost(smt.Number(contract.Max32)))
	}
	return number{t: i32, v: v}
}

// alignment is how many bytes every buffer's address is a multiple of.
func (m *machine) alignment() smt.Int { return smt.Var("alignment").Within(1, 1024) }

// computed is a variable template that follows from its arguments, or a variable of one.
func (m *machine) computed(at cxx.Place, name string, args []binding) value {
	c := m.v.consts[name][0]
	m.touched[anchored(c.Place)] = true
	if c.Name == "copies_beside" { // it depends on the device
		return truth{v: smt.Fact(name)}
	}
	if len(m.v.consts[name]) != 1 || len(c.Head) != len(args) {
		m.fail(at, "%s of %d arguments is not known", name, len(args))
	}
	e := &env{types: map[string]binding{}}
	for i, h := range c.Head {
		e.types[h.Name] = args[i]
	}
	m.visited[c] = true
	return m.constantly(func() value {
		return m.convert(at, m.rvalue(at, m.eval(c.Value, e)), m.typ(c.Type, e), name)
	})
}

// constantly evaluates a constant: where it depends on a condition, either is taken on a path of its own, so that types can name it.
func (m *machine) constantly(f func() value) value {
	old := m.folding
	m.folding = true
	v := f()
	m.folding = old
	return v
}

// extentSize is the size of an extent; nil if the type is none.
func (m *machine) extentSize(t typ) *smt.Int {
	switch t := t.(type) {
	case *extent:
		return &t.size
	case *class:
		if t.decl.Name == "Const" {
			if n, ok := t.bind["N"].n.(number); ok {
				return &n.v
			}
		}
	}
	return nil
}

// literal reads a number. It has the first type that C++ tries and that holds it; long has 64 bits.
func (m *machine) literal(n *cxx.Number) value {
	text := strings.ToLower(strings.ReplaceAll(n.Text, "'", ""))
	hex := strings.HasPrefix(text, "0x")
	if strings.Contains(text, ".") || !hex && strings.ContainsAny(text, "fe") {
		return opaque{t: &opaqueType{name: "float"}}
	}
	digits := strings.TrimRight(text, "ul")
	suffix := text[len(digits):]
	v, err := strconv.ParseUint(digits, 0, 64)
	long := strings.ReplaceAll(suffix, "u", "")
	if err != nil || len(suffix)-len(long) > 1 || len(long) > 2 {
		m.fail(n.Place, "%s is no number that the reader knows", n.Text)
	}
	for _, name := range []string{"i32", "u32", "i64", "u64"} {
		t := m.v.ints[name]
		switch {
		case long != "" && t.bits < 64 || suffix != long && t.signed:
		case suffix == long && !t.signed && !strings.HasPrefix(digits, "0"): // a decimal number has a sign
		case new(big.Int).SetUint64(v).Cmp(t.most()) <= 0:
			return number{t: t, v: smt.Unsigned(v)}
		}
	}
	m.fail(n.Place, "%s has no type", n.Text)
	return nil
}
