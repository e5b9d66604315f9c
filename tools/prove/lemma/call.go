package lemma

import (
	"slices"
	"strings"

	"github.com/warpwright/warpwright/tools/prove/cxx"
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
