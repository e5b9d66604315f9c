package smt

import (
	"math"
	"math/big"
	"slices"
)

// Domain is the values that a variable can have, Low to High.
type Domain struct{ Low, High int64 }

// most is how many values a variable can have so that trying all of them is quick.
const most = 4096

// Domains finds the variables that premises bound by numbers on both sides, if they have few values.
func Domains(premises []Premise) map[string]Domain {
	low, high := map[string]*big.Int{}, map[string]*big.Int{}
	bound := func(name string, l, h *big.Int) {
		if l != nil && (low[name] == nil || l.Cmp(low[name]) > 0) {
			low[name] = l
		}
		if h != nil && (high[name] == nil || h.Cmp(high[name]) < 0) {
			high[name] = h
		}
	}
	var read func(n node)
	read = func(n node) {
		if n.op == "and" {
			for _, a := range n.args {
				read(a)
			}
		}
		if len(n.args) != 2 {
			return
		}
		x, y, op := n.args[0], n.args[1], n.op
		if x.value != nil {
			x, y = y, x
			op = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]
		}
		if x.name == "" || y.value == nil {
			return
		}
		one := big.NewInt(1)
		switch op {
		case "<":
			bound(x.name, nil, new(big.Int).Sub(y.value, one))
		case "<=":
			bound(x.name, nil, y.value)
		case ">":
			bound(x.name, new(big.Int).Add(y.value, one), nil)
		case ">=":
			bound(x.name, y.value, nil)
		}
	}
	for _, p := range premises {
		read(p.Is.node)
		for _, v := range p.Is.variables() {
			bound(v.name, v.low, v.high)
		}
	}
	out := map[string]Domain{}
	for name, l := range low {
		h := high[name]
		if h != nil && l.IsInt64() && h.IsInt64() && new(big.Int).Sub(h, l).Cmp(big.NewInt(most)) < 0 {
			out[name] = Domain{l.Int64(), h.Int64()}
		}
	}
	return out
}

// Mentions are the names of the variables of a term.
func (n node) Mentions() []string {
	var out []string
	for _, v := range n.variables() {
		out = append(out, v.name)
	}
	return out
}

// With is the term with terms in place of variables, and of the variables of those.
func (a Int) With(terms map[string]Int) Int { return Int{a.with(terms)} }

// With is the same of a truth value.
func (a Bool) With(terms map[string]Int) Bool { return Bool{a.with(terms)} }

func (n node) with(terms map[string]Int) node {
	if t, ok := terms[n.name]; ok && n.name != "" {
		return t.with(terms)
	}
	out := operator(n.op)
	changed := false
	for _, a := range n.args {
		b := a.with(terms)
		changed = changed || a.term != b.term
		out.args = append(out.args, b)
	}
	if !changed {
		return n
	}
	return out
}

// Apart takes a sum apart: what mentions only the variables of some domains, and the rest.
func (a Int) Apart(few map[string]Domain) (rest, of Int) {
	rest, of = Number(0), Number(0)
	var take func(n node)
	take = func(n node) {
		if n.op == "+" {
			for _, b := range n.args {
				take(b)
			}
			return
		}
		for _, v := range n.variables() {
			if _, ok := few[v.name]; !ok {
				rest = rest.Plus(Int{n})
				return
			}
		}
		of = of.Plus(Int{n})
	}
	take(a.node)
	return rest, of
}

// Computed is a term that is computed often, from the values of its variables.
type Computed func(values []int64) int64

// largest bounds what is computed on the way, so that nothing wraps.
const largest = 1 << 60

// Compile makes a term, or a truth value (1 or 0), computable from the values of its variables in the order of names; not ok if it
// has others, if its numbers are large, or if it could divide by what is not positive.
func (n node) Compile(names []string, few map[string]Domain) (Computed, bool) {
	f, size := n.compile(names, few)
	return f, f != nil && size < largest
}

// compile also returns how far from 0 the value can be.
func (n node) compile(names []string, few map[string]Domain) (Computed, float64) {
	switch {
	case n.value != nil:
		c := n.value.Int64()
		size, _ := new(big.Float).SetInt(n.value).Float64()
		return func([]int64) int64 { return c }, math.Abs(size)
	case n.name != "":
		at := slices.Index(names, n.name)
		if at < 0 || n.named {
			return nil, 0
		}
		d := few[n.name]
		return func(v []int64) int64 { return v[at] }, math.Max(math.Abs(float64(d.Low)), math.Abs(float64(d.High)))
	}
	var of []Computed
	var sizes []float64
	for _, a := range n.args {
		f, size := a.compile(names, few)
		if f == nil {
			return nil, 0
		}
		of, sizes = append(of, f), append(sizes, size)
	}
	f := combined(n, of)
	switch {
	case len(sizes) == 0:
		return f, 1
	case n.op == "*":
		return f, sizes[0] * sizes[1]
	}
	size := 0.0
	for _, s := range sizes {
		size += s
	}
	if size >= largest {
		return nil, 0
	}
	return f, size
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// combined is an operator of computed arguments; nil if that is not computable.
func combined(n node, of []Computed) Computed {
	fold := func(end int64) Computed { // end, if one of them is
		return func(v []int64) int64 {
			for _, f := range of {
				if f(v) == end {
					return end
				}
			}
			return 1 - end
		}
	}
	switch n.op {
	case "true", "false":
		return func([]int64) int64 { return truth(n.op == "true") }
	case "and":
		return fold(0)
	case "or":
		return fold(1)
	case "not":
		return func(v []int64) int64 { return 1 - of[0](v) }
	case "ite":
		return func(v []int64) int64 {
			if of[0](v) == 1 {
				return of[1](v)
			}
			return of[2](v)
		}
	}
	if len(of) != 2 {
		return nil
	}
	x, y := of[0], of[1]
	switch n.op {
	case "+":
		return func(v []int64) int64 { return x(v) + y(v) }
	case "-":
		return func(v []int64) int64 { return x(v) - y(v) }
	case "*":
		return func(v []int64) int64 { return x(v) * y(v) }
	case "div", "mod":
		by := n.args[1].value
		if by == nil || by.Sign() <= 0 {
			return nil
		}
		return func(v []int64) int64 {
			a, b := x(v), y(v)
			r := (a%b + b) % b
			if n.op == "mod" {
				return r
			}
			return (a - r) / b
		}
	case "<":
		return func(v []int64) int64 { return truth(x(v) < y(v)) }
	case "<=":
		return func(v []int64) int64 { return truth(x(v) <= y(v)) }
	case ">":
		return func(v []int64) int64 { return truth(x(v) > y(v)) }
	case ">=":
		return func(v []int64) int64 { return truth(x(v) >= y(v)) }
	case "=":
		return func(v []int64) int64 { return truth(x(v) == y(v)) }
	case "=>":
		return func(v []int64) int64 { return truth(x(v) == 0 || y(v) == 1) }
	}
	return nil
}
