package lemma

import (
	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// Operators, of numbers, truths, pointers and objects.

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
