package lemma

import (
	"math/big"
	"strings"

	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// Arithmetic of whole numbers: its types are those that C++ gives it, and it owes that it does not leave them.

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
