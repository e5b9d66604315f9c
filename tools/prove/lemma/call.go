package lemma

import (
	"slices"
	"strings"

	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// infeasible ends a run whose settled values do not compile.
type infeasible struct{}

func (m *machine) call(x *cxx.Call, e *env) value {
	fn := m.eval(x.Fn, e)
	if c, ok := fn.(*cell); ok {
		fn = c.v
	}
	switch fn := fn.(type) {
	case typeName:
		return m.construct(x.Place, fn.t, m.evals(x.Args, e))
	case method:
		if fn.name == "unrolled" && fn.free != nil && len(fn.args) == 1 {
			return m.unrolled(x, fn, e)
		}
		if fn.name == "copy_beside" && fn.free != nil {
			return m.copyBeside(x, fn, e)
		}
		if fn.name == "copied" && fn.free != nil {
			m.arrived()
		}
		if fn.name == "load_once" && fn.free != nil {
			fn = method{name: "__ldcs", env: e}
		}
		return m.invoke(x.Place, fn, m.evals(x.Args, e))
	case closure:
		return m.enter(x.Place, fn, m.evals(x.Args, e))
	case *object:
		return m.invoke(x.Place, method{this: fn, in: fn.t, name: "operator()", env: e}, m.evals(x.Args, e))
	case opaque:
		return m.hand(x.Place, m.evals(x.Args, e), cxx.Print(x), fn.kernel)
	}
	m.fail(x.Place, "%s is nothing that is called", cxx.Print(x.Fn))
	return nil
}

// hand hands arguments to code that is not read: a kernel's, or what a primitive returns.
func (m *machine) hand(at cxx.Place, args []value, what string, kernel bool) value {
	for _, a := range args {
		m.escape(at, a, what)
	}
	return opaque{t: &opaqueType{name: "value"}, kernel: kernel}
}

// copyBeside is copy_beside<bytes>(to, from).
func (m *machine) copyBeside(x *cxx.Call, fn method, e *env) value {
	args := m.evals(x.Args, e)
	n, ok := m.argument(x.Place, fn.args[0], e).n.(number)
	to, also := args[0].(pointer)
	from, both := args[1].(pointer)
	if !ok || !also || !both {
		m.fail(x.Place, "%s is not understood", cxx.Print(x))
	}
	to.word = m.must(x.Place, n.v)
	m.owe(x.Place, fact(to.word == 4 || to.word == 8 || to.word == 16), "%d bytes are copied at once, which the device does of 4, 8 or 16", to.word)
	from.word = to.word
	m.access(x.Place, from, false, false, "what is copied")
	m.access(x.Place, to, true, false, "where it is copied to")
	return opaque{t: &opaqueType{name: "void"}}
}

// unrolled<N>(f) calls f with each number below N.
func (m *machine) unrolled(x *cxx.Call, fn method, e *env) value {
	n, ok := m.argument(x.Place, fn.args[0], e).n.(number)
	args := m.evals(x.Args, e)
	if !ok || len(args) != 1 {
		m.fail(x.Place, "%s is not understood", cxx.Print(x))
	}
	f, ok := args[0].(closure)
	if !ok {
		m.fail(x.Place, "unrolled takes a lambda")
	}
	at := len(m.path)
	i := smt.Var(m.fresh("place")).AtLeast(0)
	if called := compare("<", i, n.v); called.c >= 0 {
		m.suppose("a call of "+cxx.Print(x.Fn), called)
		m.guarded("a lambda that is called again", func() { m.enter(x.Place, f, []value{number{t: m.v.ints["i32"], v: i}}) })
	}
	m.path = m.path[:at]
	return opaque{t: &opaqueType{name: "void"}}
}

// enter runs a lambda.
func (m *machine) enter(at cxx.Place, f closure, args []value) value {
	e := f.env.inner()
	if len(args) != len(f.fn.Params) {
		m.fail(at, "a lambda of %d parameters is called with %d", len(f.fn.Params), len(args))
	}
	for i, p := range f.fn.Params {
		m.referred(p.Place, p.Type, p.Name)
		e.vars[p.Name] = m.place(m.convert(at, args[i], m.typ(p.Type, e), p.Name))
	}
	_, v := m.exec(f.fn.Body, e)
	return v
}

// invoke calls one of the functions of a name.
func (m *machine) invoke(at cxx.Place, f method, args []value) value {
	if f.in == nil && f.free == nil {
		if intrinsic(f.name) && !f.unknown {
			return m.intrinsic(at, f.name, args)
		}
		m.asks(at, f, args)
		m.uses(at, f, args)
		return m.hand(at, args, f.name+"(...)", f.kernel)
	}
	candidates := f.free
	if f.in != nil {
		candidates = m.methods(f.in, f.name)
	}
	if candidates == nil {
		m.fail(at, "no function %s", f.name)
	}
	if f.free != nil && primitive(candidates[0]) && f.name != "unrolled" {
		for _, a := range args {
			if _, ok := a.(pointer); ok {
				m.fail(at, "%s is given a pointer, and nobody reads what it does with it (%s)", f.name, where(candidates[0].Place))
			}
		}
		return opaque{t: &opaqueType{name: "value"}}
	}
	found := m.overload(at, candidates, f, args)
	if found == nil && m.empty { // of an empty pack: that does not compile
		panic(infeasible{})
	}
	if found == nil {
		m.fail(at, "no %s takes these arguments", f.name)
	}
	if len(found) > 1 || slices.ContainsFunc(found[0].fn.Head, func(h cxx.TemplateParam) bool { _, ok := found[0].bind[h.Name]; return !ok }) {
		// Of an argument of which nothing is known: whichever function takes it has a lemma of its own.
		for _, c := range found {
			if m.v.kind(c.fn.Class, c.fn) != lemmaOf {
				m.fail(at, "%s is called with an argument of which nothing is known, and has no lemma of its own", f.name)
			}
		}
		return m.hand(at, args, f.name+"(...)", true)
	}
	best, bind, in := found[0].fn, found[0].bind, found[0].in
	if law := results()[f.name]; law != "" && f.free != nil && best != m.proving {
		e := &env{types: bind}
		v := number{t: m.typ(best.Result, e).(*intType)}
		b, _ := e.binding(law)
		if n := m.extentSize(b.t); n != nil {
			v.v = *n
			return v
		}
	}
	this := f.this
	if best.Static {
		this = nil
	}
	if v, ok := m.trusted(at, best, this, in, args, bind); ok {
		return v
	}
	return m.run(at, best, this, in, args, bind)
}

// trusted takes a member that gives an element as its own lemma has it: what it wants are an object and arguments that keep
// the laws of their types.
func (m *machine) trusted(at cxx.Place, f *cxx.Function, this *object, in *class, args []value, bind map[string]binding) (value, bool) {
	if this == nil || m.silent || f == m.proving || f.Result == nil || f.Result.Ref || len(args) == 0 || m.v.kind(f.Class, f) != lemmaOf {
		return nil, false
	}
	t, ok := m.typ(f.Result, &env{in: in, types: bind}).(*opaqueType)
	if !ok || !t.elem {
		return nil, false
	}
	for _, a := range args {
		if _, ok := a.(*object); !ok {
			return nil, false
		}
	}
	given := len(m.given)
	m.leaves(at, this, "an object of "+in.key)
	for _, a := range args {
		m.escape(at, a, "an argument of "+f.Name)
	}
	m.given = m.given[:given]
	return opaque{t: t}, true
}

// asks owes what a member of that name wants of its arguments, whichever class it is of.
func (m *machine) asks(at cxx.Place, f method, args []value) {
	for key, texts := range wants() {
		class, name, _ := strings.Cut(key, "::")
		if name != f.name {
			continue
		}
		of := m.v.member(class, name)
		if of == nil || len(of.Params) != len(args) {
			continue
		}
		e := &env{vars: map[string]*cell{}, types: map[string]binding{}}
		if o, ok := f.of.(*opaqueType); ok {
			e.vars["step"] = m.place(m.constant(&cxx.Name{Place: at, Path: []cxx.Part{{Name: o.name}, {Name: "step"}}}, f.env))
		}
		for _, text := range texts {
			m.owe(at, m.wanted(of, text, e, args), "%s wants %s", name, text)
		}
	}
}

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
	if len(t.Path) == 1 && !t.Path[0].Has && t.Pointer == 0 {
		for _, h := range head {
			if h.Name == t.Path[0].Name && h.Type == nil {
				if b, ok := bind[h.Name]; ok && !t.Pack {
					if b.t != nil && b.t.String() == m.typeOf(v).String() || isOpaque(v) {
						return any
					}
					return no
				}
				bind[h.Name] = binding{t: m.typeOf(v)}
				return any
			}
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

// run executes a function.
func (m *machine) run(at cxx.Place, f *cxx.Function, this *object, in *class, args []value, bind map[string]binding) value {
	if f.Body == nil {
		m.fail(at, "%s has no body", f.Name)
	}
	if m.depth++; m.depth > 60 {
		m.fail(at, "%s calls itself too deep", f.Name)
	}
	e := &env{in: in, this: this, types: bind, vars: map[string]*cell{}}
	m.params(at, f, args, e)
	m.touched[anchored(f.Place)] = true
	if !m.silent {
		m.visited[f] = true
	}
	_, v := m.exec(f.Body, e)
	m.depth--
	if f.Result == nil || f.Result.Ref {
		return v
	}
	if t := m.typ(f.Result, e); t != nil {
		if o, ok := t.(*opaqueType); ok && o.name == "void" {
			return opaque{t: o}
		}
		return m.convert(f.Place, m.rvalue(f.Place, v), t, "what "+f.Name+" returns")
	}
	return m.rvalue(f.Place, v)
}

// params binds arguments to parameters.
func (m *machine) params(at cxx.Place, f *cxx.Function, args []value, e *env) {
	for i, p := range f.Params {
		if p.Type.Pack {
			e.vars[p.Name] = m.place(pack{args[min(i, len(args)):]})
			continue
		}
		m.referred(p.Place, p.Type, p.Name)
		t := m.typ(p.Type, e)
		e.vars[p.Name] = m.place(m.convert(at, args[i], t, "argument "+p.Name+" of "+f.Name))
	}
}

// referred refuses a name through which a variable could be changed: arguments are copies here.
func (m *machine) referred(at cxx.Place, t *cxx.Type, name string) {
	if t.Ref && !t.Const {
		m.fail(at, "%s is a reference to what may be changed, and the reader would make it a copy", name)
	}
}

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
		if n, ok := v.(number); ok && c.decl.Name == "Ix" {
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

// The functions of the language and of CUDA.

func intrinsic(name string) bool {
	switch name {
	case "__ldg", "__ldcs", "atomicAdd", "__syncthreads", "__syncwarp", "__shfl_xor_sync", "__shfl_down_sync", "__builtin_memcpy":
		return true
	}
	return false
}

func (m *machine) intrinsic(at cxx.Place, name string, args []value) value {
	want := map[string]int{"__ldg": 1, "__ldcs": 1, "atomicAdd": 2, "__syncthreads": 0, "__syncwarp": 0, "__shfl_xor_sync": 3, "__shfl_down_sync": 3, "__builtin_memcpy": 3}[name]
	if len(args) != want {
		m.fail(at, "%s takes %d arguments", name, want)
	}
	switch name {
	case "__syncthreads":
		if m.guard.since > 0 {
			m.fail(at, "a barrier in %s", m.guard.what)
		}
		if !m.silent {
			m.phase++
		}
	case "__ldg", "__ldcs", "atomicAdd":
		p, ok := args[0].(pointer)
		if !ok {
			m.fail(at, "%s takes a pointer", name)
		}
		if name == "atomicAdd" {
			m.access(at, p, true, true, "the sum")
			return opaque{t: p.elem}
		}
		return m.load(at, p, "p")
	case "__builtin_memcpy":
		to, ok := args[0].(address)
		from, also := args[1].(address)
		n, counted := args[2].(number)
		if !ok || !also || !counted {
			m.fail(at, "__builtin_memcpy copies between two variables")
		}
		if c, ok := to.of.(*cell); ok && !isOpaque(c.v) {
			if _, ok := c.v.(array); !ok {
				m.fail(at, "bytes are copied into %s, whose value is known", to.text)
			}
		}
		for _, a := range []address{to, from} {
			size := m.sizeOfValue(at, a.of)
			m.owe(at, compare("==", n.v, smt.Number(size)), "%s bytes are copied, and %s has %d", n.v, a.text, size)
		}
	case "__shfl_xor_sync", "__shfl_down_sync":
		return args[1]
	}
	return opaque{t: &opaqueType{name: "void"}}
}
