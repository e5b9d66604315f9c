package lemma

import (
	"math/big"
	"strings"

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

func (m *machine) unary(x *cxx.Unary, e *env) value {
	switch x.Op {
	case "++", "--":
		return m.step(x, e)
	case "&":
		v := m.eval(x.X, e)
		return address{v, cxx.Print(x.X)}
	}
	v := m.rvalue(x.At(), m.eval(x.X, e))
	switch x.Op {
	case "*":
		switch v := v.(type) {
		case pointer:
			return memory{v, cxx.Print(x)}
		case thisPointer:
			return v.o
		case *object:
			return m.invoke(x.Place, method{this: v, in: v.t, name: "operator*", env: e}, nil)
		case opaque:
			return v
		}
	case "!":
		switch v := v.(type) {
		case truth:
			return not(v)
		case number:
			return compare("==", v.v, smt.Number(0))
		}
	case "~":
		if n, ok := v.(number); ok && n.below != nil {
			return number{t: m.common(n.t, n.t), clear: n.below}
		}
	case "-", "+":
		switch v := v.(type) {
		case number:
			if x.Op == "+" {
				return v
			}
			return m.arithmetic(x.Place, "-", number{t: m.v.ints["i32"], v: smt.Number(0)}, v, cxx.Print(x))
		case opaque:
			return v
		}
	}
	m.fail(x.Place, "%s is not known", cxx.Print(x))
	return nil
}

// address is the address of a place, which only copies of bytes take.
type address struct {
	of   value
	text string
}

// step is ++ and -- of numbers and iterators.
func (m *machine) step(x *cxx.Unary, e *env) value {
	p := m.eval(x.X, e)
	if o, ok := m.rvalue(x.At(), p).(*object); ok {
		return m.invoke(x.Place, method{this: o, in: o.t, name: "operator" + x.Op, env: e}, nil)
	}
	op := x.Op[:1]
	old := m.rvalue(x.At(), p)
	m.store(x.Place, op+"=", p, number{t: m.v.ints["i32"], v: smt.Number(1)}, cxx.Print(x))
	if x.Post {
		return old
	}
	return p
}

func (m *machine) binary(x *cxx.Binary, e *env) value {
	switch x.Op {
	case "&&", "||":
		return m.logical(x, e)
	case "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=":
		v := m.rvalue(x.At(), m.eval(x.Y, e)) // before the place
		return m.store(x.Place, x.Op, m.eval(x.X, e), v, cxx.Print(x))
	}
	var a, b value
	m.guarded("an operand, which may be evaluated before the other one or after it,", func() {
		a, b = m.rvalue(x.X.At(), m.eval(x.X, e)), m.rvalue(x.Y.At(), m.eval(x.Y, e))
	})
	return m.operate(x.Place, x.Op, a, b, cxx.Print(x), e)
}

func (m *machine) operate(at cxx.Place, op string, a, b value, text string, e *env) value {
	if o, ok := a.(*object); ok {
		if m.methods(o.t, "operator"+op) == nil {
			m.fail(at, "%s: %s has no operator%s", text, o.t, op)
		}
		return m.invoke(at, method{this: o, in: o.t, name: "operator" + op, env: e}, []value{b})
	}
	if p, ok := a.(pointer); ok && (op == "+" || op == "-") {
		n, ok := b.(number)
		if !ok {
			m.fail(at, "%s: a pointer takes a whole number", text)
		}
		m.elementwise(at, p, text)
		if op == "+" {
			p.off = add(p.off, n.v)
		} else {
			p.off = sub(p.off, n.v)
		}
		return p
	}
	if x, ok := a.(truth); ok {
		if y, ok := b.(truth); ok {
			switch op {
			case "&":
				return and(x, y)
			case "|":
				return or(x, y)
			case "==":
				return or(and(x, y), and(not(x), not(y)))
			case "!=", "^":
				return not(or(and(x, y), and(not(x), not(y))))
			}
		}
	}
	if isOpaque(a) || isOpaque(b) {
		switch op {
		case "<", "<=", ">", ">=", "==", "!=":
			m.fail(at, "%s: a comparison of values decides nothing here", text)
		}
		return opaque{t: m.typeOf(a)}
	}
	x, y := m.whole(at, a, text), m.whole(at, b, text)
	if v, ok := m.bits(at, op, x, y, text); ok {
		return v
	}
	switch op {
	case "<", "<=", ">", ">=", "==", "!=":
		t := m.common(x.t, y.t)
		return compare(op, m.widen(at, x, t, text), m.widen(at, y, t, text))
	}
	return m.arithmetic(at, op, x, y, text)
}

// elementwise refuses to count from a pointer in other steps than those of the elements that lie there.
func (m *machine) elementwise(at cxx.Place, p pointer, text string) {
	if p.word != 0 {
		m.fail(at, "%s: a step of that pointer is no element of what lies there", text)
	}
}

func isOpaque(v value) bool {
	_, ok := v.(opaque)
	return ok
}

func (m *machine) whole(at cxx.Place, v value, text string) number {
	switch v := v.(type) {
	case number:
		return v
	case truth:
		return m.convert(at, v, m.v.ints["i32"], text).(number)
	}
	m.fail(at, "%s: an operand is no whole number", text)
	return number{}
}

// common is the type in which two operands meet.
func (m *machine) common(a, b *intType) *intType {
	promote := func(t *intType) *intType {
		if t.bits < 32 {
			return m.v.ints["i32"]
		}
		return t
	}
	a, b = promote(a), promote(b)
	switch {
	case a.bits > b.bits:
		return a
	case b.bits > a.bits:
		return b
	case !a.signed:
		return a
	}
	return b
}

// widen converts an operand, which must keep its value.
func (m *machine) widen(at cxx.Place, n number, t *intType, text string) smt.Int {
	if m.math || n.t == t || t.bits > n.t.bits && (t.signed || !n.t.signed) || t.bits >= n.t.bits && t.signed == n.t.signed {
		return n.v
	}
	m.owe(at, within(n.v, t), "%s: an operand of %s keeps its value as %s", text, n.t, t)
	return n.v
}

func within(v smt.Int, t *intType) truth {
	if n, ok := v.IsNumber(); ok {
		return fact(n.Cmp(t.least()) >= 0 && n.Cmp(t.most()) <= 0)
	}
	return truth{v: v.In(smt.Big(t.least()), smt.Big(t.most()))}
}

func (m *machine) arithmetic(at cxx.Place, op string, a, b number, text string) value {
	t := m.common(a.t, b.t)
	if op == "<<" || op == ">>" {
		t = m.common(a.t, a.t)
	}
	x, y := m.widen(at, a, t, text), b.v
	if op != "<<" && op != ">>" {
		y = m.widen(at, b, t, text)
	}
	var v smt.Int
	switch op {
	case "+":
		v = add(x, y)
	case "-":
		v = sub(x, y)
	case "*":
		v = mul(x, y)
	case "/", "%":
		m.owe(at, and(compare(">", y, smt.Number(0)), compare(">=", x, smt.Number(0))), "%s divides what is not negative by what is positive", text)
		if op == "/" {
			return number{t: t, v: div(x, y)}
		}
		return number{t: t, v: mod(x, y)}
	case "&":
		return number{t: t, v: m.masked(at, x, y, text)}
	case "<<", ">>":
		n := known(y)
		if n < 0 || n >= int64(t.bits) {
			m.fail(at, "%s: a shift by what is no number of bits", text)
		}
		m.owe(at, compare(">=", x, smt.Number(0)), "%s shifts what is not negative", text)
		if op == ">>" {
			return number{t: t, v: div(x, smt.Power(uint(n)))}
		}
		v = mul(x, smt.Power(uint(n)))
	default:
		m.fail(at, "%s: operator %s is not known", text, op)
	}
	m.owe(at, within(v, t), "%s does not wrap (%s)", text, t)
	return number{t: t, v: v}
}

// bits knows what code does with powers of two: x & -x, p - 1, and n & ~(p - 1).
func (m *machine) bits(at cxx.Place, op string, x, y number, text string) (value, bool) {
	switch {
	case op == "&" && x.clear != nil || op != "&" && (x.clear != nil || y.clear != nil):
		m.fail(at, "%s: a mask is not used as a mask", text)
	case op == "&" && y.clear != nil:
		t := m.common(x.t, y.t)
		if y.t.bits < t.bits && !y.t.signed {
			m.fail(at, "%s: the mask has fewer bits than what it masks", text)
		}
		v := m.widen(at, x, t, text)
		m.owe(at, compare(">=", v, smt.Number(0)), "%s masks what is not negative", text)
		return number{t: t, v: sub(v, mod(v, *y.clear))}, true
	case op == "&" && y.v.String() == sub(smt.Number(0), x.v).String():
		if _, ok := x.known(); ok {
			return nil, false
		}
		p := smt.Var("lowest bit of " + strings.ReplaceAll(x.v.String(), "|", "")).AtLeast(0)
		one := smt.Number(1)
		m.define("the lowest bit divides", smt.Implies(x.v.Greater(smt.Number(0)), smt.And(p.AtLeastTerm(one), p.AtMost(x.v), x.v.Modulo(p).Equal(smt.Number(0)))))
		m.owe(at, compare(">", x.v, smt.Number(0)), "%s is of what is positive", text)
		return number{t: m.common(x.t, y.t), v: p, power: true}, true
	case op == "-" && x.power && known(y.v) == 1:
		v := m.arithmetic(at, op, x, y, text).(number)
		v.below = &x.v
		return v, true
	}
	return nil, false
}

// masked is x & y where that is a remainder, or where both are known.
func (m *machine) masked(at cxx.Place, x, y smt.Int, text string) smt.Int {
	a, ok := x.IsNumber()
	b, also := y.IsNumber()
	switch {
	case ok && also && a.Sign() >= 0 && b.Sign() >= 0:
		return smt.Big(new(big.Int).And(a, b))
	case also && b.Sign() >= 0:
		next := new(big.Int).Add(b, big.NewInt(1))
		if new(big.Int).And(b, next).Sign() == 0 {
			m.owe(at, compare(">=", x, smt.Number(0)), "%s masks what is not negative", text)
			return mod(x, smt.Big(next))
		}
	}
	if y.String() == sub(x, smt.Number(1)).String() { // x & (x - 1) is 0 of powers of two alone
		for _, name := range m.symbolNames {
			if x.String() != m.variable(name, m.v.ints["i32"]).String() {
				continue
			}
			if m.assign[name] != other {
				panic(split{name, powers()})
			}
			rest := smt.Var(m.fresh("mask")).AtLeast(0)
			m.define("what is no power of two has two bits", smt.Implies(x.In(smt.Number(1), smt.Number(1024)), rest.Greater(smt.Number(0))))
			return rest
		}
	}
	m.fail(at, "%s: a mask that is no power of two", text)
	return x
}

func (m *machine) logical(x *cxx.Binary, e *env) value {
	a := m.condition(x.X, e)
	if a.known() && a.holds() == (x.Op == "||") {
		return a
	}
	when, text := a, cxx.Print(x.X)
	if x.Op == "||" {
		when, text = not(a), "not "+text
	}
	var b truth
	m.under(text, when, func() { m.guarded("what may not be evaluated", func() { b = m.condition(x.Y, e) }) })
	if x.Op == "||" {
		return or(a, b)
	}
	return and(a, b)
}

func (m *machine) cond(x *cxx.Cond, e *env) value {
	c := m.condition(x.C, e)
	if c.known() {
		if c.holds() {
			return m.rvalue(x.X.At(), m.eval(x.X, e))
		}
		return m.rvalue(x.Y.At(), m.eval(x.Y, e))
	}
	if m.folding {
		if m.decide(x.Place, cxx.Print(x.C), c) {
			return m.rvalue(x.X.At(), m.eval(x.X, e))
		}
		return m.rvalue(x.Y.At(), m.eval(x.Y, e))
	}
	var a, b value
	text := cxx.Print(x.C)
	m.guarded("what may not be evaluated", func() {
		m.under(text, c, func() { a = m.rvalue(x.X.At(), m.eval(x.X, e)) })
		m.under("not "+text, not(c), func() { b = m.rvalue(x.Y.At(), m.eval(x.Y, e)) })
	})
	switch a := a.(type) {
	case opaque:
		return a
	case truth:
		if b, ok := b.(truth); ok {
			return or(and(c, a), and(not(c), b))
		}
	case number:
		if y, ok := b.(number); ok {
			t := m.common(a.t, y.t)
			return number{t: t, v: smt.If(c.v, m.widen(x.Place, a, t, cxx.Print(x)), m.widen(x.Place, y, t, cxx.Print(x)))}
		}
	}
	m.fail(x.Place, "%s: the two values are of no kind that the reader knows", cxx.Print(x))
	return nil
}

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

func (m *machine) isType(n *cxx.Name, e *env) bool {
	if len(n.Path) == 1 && e.variable(n.Path[0].Name) != nil {
		return false
	}
	if o := e.object(); o != nil && o.fields[n.Path[0].Name] != nil {
		return false
	}
	return true
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
	switch t := t.(type) {
	case nil:
		return v
	case *intType:
		switch v := v.(type) {
		case number:
			if v.t != t {
				if !m.math && !(t.bits > v.t.bits && (t.signed || !v.t.signed)) {
					m.owe(at, within(v.v, t), "%s keeps its value as %s", text, t)
				}
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
	case boolType:
		switch v := v.(type) {
		case truth:
			return v
		case number:
			return compare("!=", v.v, smt.Number(0))
		}
	case *class:
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
	if isOpaque(v) {
		return v
	}
	m.fail(at, "%s: no %s can be made of %s", text, t, m.typeOf(v))
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
