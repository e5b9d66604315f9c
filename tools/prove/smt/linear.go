package smt

import (
	"math/big"
	"slices"
	"sort"
	"strings"
)

// Linear is a query that z3 decides soon, and whose proof is one of q: each product of variables is a variable of its own, of
// which only the following is stated. What it refutes is nothing, for it knows too little.
//
//	of a * c and b * c, with c not negative:  a <= b implies a * c <= b * c,  a < b implies a * c + c <= b * c
//	of a * c:                                 it is 0 if a is, not negative if neither is, and at least c if a is positive, too
//	of a / n and a % n, with n positive:      a = n * (a / n) + a % n, and a % n is below n
//	of divisors:                              what divides a divisor divides, and what divides a factor divides the product
func Linear(q Query) Query {
	l := &linear{products: map[string][]node{}, names: map[string]string{}}
	out := Query{Name: q.Name, Goal: Bool{l.truth(q.Goal.node)}}
	for _, p := range q.Premises {
		out.Premises = append(out.Premises, Premise{p.Name, Bool{l.truth(p.Is.node)}})
	}
	l.divisions()
	for _, f := range l.facts {
		out.Premises = append(out.Premises, Premise{"arithmetic", Bool{f}})
	}
	out.Premises = append(out.Premises, l.order()...)
	return out
}

type linear struct {
	products map[string][]node // by the name of the variable that stands for it
	names    map[string]string // what such variables stand for
	facts    []node
	pending  []division
}

type division struct {
	name             string
	a, b             polynomial
	quotient, remain node
}

// monomial is a number times a product of atoms: variables, and what is no polynomial.
type monomial struct {
	by    *big.Int
	atoms []node // in the order of their texts
}

// polynomial is a sum, by the texts of its products.
type polynomial map[string]monomial

// text tells polynomials apart.
func text(p polynomial) string {
	var out []string
	for k, m := range p {
		out = append(out, m.by.String()+" "+k)
	}
	sort.Strings(out)
	return strings.Join(out, " + ")
}

func key(atoms []node) string {
	var out []string
	for _, a := range atoms {
		out = append(out, a.String())
	}
	return strings.Join(out, " ")
}

func (p polynomial) plus(o polynomial, by *big.Int) polynomial {
	out := polynomial{}
	for k, m := range p {
		out[k] = m
	}
	for k, m := range o {
		sum := new(big.Int).Mul(m.by, by)
		if old, ok := out[k]; ok {
			sum.Add(sum, old.by)
		}
		if sum.Sign() == 0 {
			delete(out, k)
		} else {
			out[k] = monomial{sum, m.atoms}
		}
	}
	return out
}

func (p polynomial) times(o polynomial) polynomial {
	out := polynomial{}
	for _, a := range p {
		for _, b := range o {
			atoms := slices.Concat(a.atoms, b.atoms)
			sort.SliceStable(atoms, func(i, j int) bool { return atoms[i].String() < atoms[j].String() })
			one := polynomial{key(atoms): {new(big.Int).Mul(a.by, b.by), atoms}}
			out = out.plus(one, big.NewInt(1))
		}
	}
	return out
}

func (p polynomial) number() (*big.Int, bool) {
	switch len(p) {
	case 0:
		return new(big.Int), true
	case 1:
		if m, ok := p[""]; ok {
			return m.by, true
		}
	}
	return nil, false
}

func (l *linear) polynomial(n node) polynomial {
	switch {
	case n.value != nil:
		if n.value.Sign() == 0 {
			return polynomial{}
		}
		return polynomial{"": {n.value, nil}}
	case n.name != "":
		return atom(n)
	}
	switch n.op {
	case "+", "-":
		out := l.polynomial(n.args[0])
		by := int64(1)
		if n.op == "-" {
			by = -1
		}
		for _, a := range n.args[1:] {
			out = out.plus(l.polynomial(a), big.NewInt(by))
		}
		return out
	case "*":
		out := l.polynomial(n.args[0])
		for _, a := range n.args[1:] {
			out = out.times(l.polynomial(a))
		}
		return out
	case "div", "mod":
		return l.division(n)
	case "ite":
		c, a, b := l.truth(n.args[0]), l.render(l.polynomial(n.args[1])), l.render(l.polynomial(n.args[2]))
		return atom(operator("ite", c, a, b))
	}
	return atom(n)
}

func atom(n node) polynomial { return polynomial{n.String(): {big.NewInt(1), []node{n}}} }

func (l *linear) division(n node) polynomial {
	d := l.divide(l.polynomial(n.args[0]), l.polynomial(n.args[1]))
	if n.op == "div" {
		return atom(d.quotient)
	}
	return atom(d.remain)
}

// divide notes a division, and names its quotient and its remainder.
func (l *linear) divide(a, b polynomial) division {
	name := text(a) + " by " + text(b)
	for _, d := range l.pending {
		if d.name == name {
			return d
		}
	}
	d := division{name: name, a: a, b: b}
	if by, ok := b.number(); ok && by.Sign() > 0 { // z3's own
		x, y := Int{l.render(a)}, Big(by)
		d.quotient, d.remain = x.Divide(y).node, x.Modulo(y).node
	} else {
		d.quotient, d.remain = l.variable("quotient of ", name).node, l.variable("remainder of ", name).node
		sum := b.times(atom(d.quotient)).plus(atom(d.remain), big.NewInt(1))
		y, r := Int{l.render(b)}, Int{d.remain}
		l.facts = append(l.facts, Implies(y.Greater(Number(0)), And(Int{l.render(a)}.Equal(Int{l.render(sum)}), r.In(Number(0), y.Minus(Number(1))))).node)
	}
	l.pending = append(l.pending, d)
	return d
}

// divisions states that what divides a divisor divides, and that what divides a factor divides the product.
func (l *linear) divisions() {
	for i := 0; i < len(l.pending); i++ {
		for j := 0; j < len(l.pending); j++ {
			d, e := l.pending[i], l.pending[j]
			if text(d.b) != text(e.a) || i == j {
				continue
			}
			f := l.divide(d.a, e.b)
			zero := func(n node) Bool { return Int{n}.Equal(Number(0)) }
			positive := And(Int{l.render(d.b)}.Greater(Number(0)), Int{l.render(e.b)}.Greater(Number(0)))
			l.facts = append(l.facts, Implies(And(positive, zero(d.remain), zero(e.remain)), zero(f.remain)).node)
		}
	}
	for i := 0; i < len(l.pending); i++ {
		d := l.pending[i]
		if by, ok := d.b.number(); !ok || by.Sign() <= 0 || len(d.a) != 1 {
			continue
		}
		var factor node
		for _, m := range d.a {
			if len(m.atoms) != 1 || m.by.Cmp(big.NewInt(1)) != 0 {
				break
			}
			factor = m.atoms[0]
		}
		if factor.term == nil {
			continue
		}
		var names []string
		for name := range l.products {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			atoms := l.products[name]
			if !slices.ContainsFunc(atoms, func(n node) bool { return n.String() == factor.String() }) {
				continue
			}
			f := l.divide(polynomial{key(atoms): {big.NewInt(1), atoms}}, d.b)
			l.facts = append(l.facts, Implies(Int{d.remain}.Equal(Number(0)), Int{f.remain}.Equal(Number(0))).node)
		}
	}
}

// render prints a polynomial as a linear term.
func (l *linear) render(p polynomial) node {
	var keys []string
	for k := range p {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	out := Number(0)
	for i, k := range keys {
		t := l.monomial(p[k])
		if i == 0 {
			out = t
		} else {
			out = out.Plus(t)
		}
	}
	return out.node
}

func (l *linear) monomial(m monomial) Int {
	var x Int
	switch len(m.atoms) {
	case 0:
		return Big(m.by)
	case 1:
		x = Int{m.atoms[0]}
	default:
		x = l.product(m.atoms)
	}
	if m.by.Cmp(big.NewInt(1)) == 0 {
		return x
	}
	return Big(m.by).Times(x)
}

// product is the variable that stands for a product.
func (l *linear) product(atoms []node) Int {
	x := l.variable("product of ", key(atoms))
	l.products[x.name] = atoms
	return x
}

// variable is the one that stands for a text. A name has no bars, so two texts could have one: then it has another end.
func (l *linear) variable(kind, text string) Int {
	name := kind + strings.ReplaceAll(text, "|", "")
	for other, ok := l.names[name]; ok && other != text; other, ok = l.names[name] {
		name += "'"
	}
	l.names[name] = text
	return Var(name)
}

func (l *linear) truth(n node) node {
	switch n.op {
	case "and", "or", "not", "=>":
		out := operator(n.op)
		for _, a := range n.args {
			out.args = append(out.args, l.truth(a))
		}
		return out
	case "<", "<=", ">", ">=", "=":
		return operator(n.op, l.render(l.polynomial(n.args[0])), l.render(l.polynomial(n.args[1])))
	}
	return n
}

// order states how the products are ordered. A fact may name a product of fewer factors, which is ordered in turn.
func (l *linear) order() []Premise {
	var out []Premise
	done := map[string]bool{}
	for grown := true; grown; {
		grown = false
		var names []string
		for name := range l.products {
			names = append(names, name)
		}
		sort.Strings(names)
		for i, x := range names {
			for _, y := range names[i:] {
				if done[x+"\n"+y] {
					continue
				}
				done[x+"\n"+y] = true
				grown = true
				a, b := l.products[x], l.products[y]
				if x == y {
					out = append(out, l.alone(a)...)
					continue
				}
				out = append(out, l.ordered(a, b)...)
				out = append(out, l.ordered(b, a)...)
			}
		}
	}
	return out
}

// of is the term of a product; of none it is 1.
func (l *linear) of(atoms []node) Int {
	switch len(atoms) {
	case 0:
		return Number(1)
	case 1:
		return Int{atoms[0]}
	}
	return l.product(atoms)
}

func signs(atoms []node) Bool {
	var all []Bool
	for _, n := range atoms {
		all = append(all, Int{n}.AtLeastTerm(Number(0)))
	}
	return And(all...)
}

// alone states that a product of what is not negative is not negative, and how it is ordered with its factors.
func (l *linear) alone(a []node) []Premise {
	out := []Premise{{"a product of what is not negative", Implies(signs(a), l.of(a).AtLeastTerm(Number(0)))}}
	for i, n := range a {
		rest := slices.Delete(slices.Clone(a), i, i+1)
		c, p := l.of(rest), l.of(a)
		out = append(out, Premise{"a product with 0 and 1", And(
			Implies(Int{n}.Equal(Number(0)), p.Equal(Number(0))),
			Implies(And(signs(rest), Int{n}.AtLeastTerm(Number(1))), c.AtMost(p)))})
	}
	return out
}

// ordered compares two products that have factors in common.
func (l *linear) ordered(a, b []node) []Premise {
	rest := slices.Clone(b)
	var common, mine []node
	for _, n := range a {
		if i := slices.IndexFunc(rest, func(m node) bool { return m.String() == n.String() }); i >= 0 {
			common = append(common, n)
			rest = slices.Delete(rest, i, i+1)
		} else {
			mine = append(mine, n)
		}
	}
	if len(common) == 0 || len(mine) == 0 || len(rest) == 0 || len(mine)+len(rest) > 3 {
		return nil
	}
	x, y := l.of(mine), l.of(rest)
	c, left, right := l.of(common), l.of(a), l.of(b)
	return []Premise{{"products are ordered as their factors", Implies(signs(common), And(
		Implies(x.AtMost(y), left.AtMost(right)),
		Implies(x.Less(y), left.Plus(c).AtMost(right))))}}
}

// Range is the range of a variable that has one; nil elsewhere.
func (a Int) Range() (low, high *big.Int) { return a.low, a.high }
