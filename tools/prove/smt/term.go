package smt

import (
	"math/big"
	"slices"
	"strings"
)

// Int is a term that stands for a whole number.
type Int struct{ node }

// Bool is a term that stands for a truth value.
type Bool struct{ node }

// node is a number, a variable or an operator with arguments. Terms are for one goroutine: a node keeps what is asked of it often.
type node struct{ *term }

type term struct {
	op    string
	args  []node
	value *big.Int // of a number
	name  string   // of a variable
	low   *big.Int // a variable's range; nil for none
	high  *big.Int
	named bool // a variable of truth

	text  string // as SMT-LIB has it, once it has been printed
	whole string // with the ranges of its variables, likewise
	vars  []node // what it mentions, likewise
}

func operator(op string, args ...node) node { return node{&term{op: op, args: args}} }

// Number is a number.
func Number(n int64) Int { return Big(big.NewInt(n)) }

// Unsigned is a number.
func Unsigned(n uint64) Int { return Big(new(big.Int).SetUint64(n)) }

// Big is a number.
func Big(n *big.Int) Int { return Int{node{&term{value: n}}} }

// Power is 2 to the n-th.
func Power(n uint) Int { return Big(new(big.Int).Lsh(big.NewInt(1), n)) }

// Var is a variable without a range. A name may have any letters but | and \.
func Var(name string) Int { return Int{node{&term{name: name}}} }

// Fact is a variable that is true or false.
func Fact(name string) Bool { return Bool{node{&term{name: name, named: true}}} }

// AtLeast is the variable, never below low. Of anything but a variable it has no meaning, as have Within and
// WithinBig.
func (a Int) AtLeast(low int64) Int { return a.WithinBig(big.NewInt(low), nil) }

// Within is the variable, from low to high.
func (a Int) Within(low, high int64) Int { return a.WithinBig(big.NewInt(low), big.NewInt(high)) }

// WithinBig is the variable, from low to high; nil is no bound.
func (a Int) WithinBig(low, high *big.Int) Int {
	return Int{node{&term{name: a.name, low: low, high: high}}}
}

// IsNumber returns the number that the term is, if it is one as it stands.
func (a Int) IsNumber() (*big.Int, bool) { return a.value, a.value != nil }

func ints(op string, terms ...Int) node {
	n := operator(op)
	for _, t := range terms {
		n.args = append(n.args, t.node)
	}
	return n
}

func bools(op string, terms ...Bool) node {
	n := operator(op)
	for _, t := range terms {
		n.args = append(n.args, t.node)
	}
	return n
}

// Plus is a + b.
func (a Int) Plus(b Int) Int { return Int{ints("+", a, b)} }

// Minus is a - b.
func (a Int) Minus(b Int) Int { return Int{ints("-", a, b)} }

// Times is a * b.
func (a Int) Times(b Int) Int { return Int{ints("*", a, b)} }

// Divide is a / b: for a positive b, the greatest whole number that is not above it.
func (a Int) Divide(b Int) Int { return Int{ints("div", a, b)} }

// Modulo is a - b * (a / b), never negative.
func (a Int) Modulo(b Int) Int { return Int{ints("mod", a, b)} }

// Less is a < b.
func (a Int) Less(b Int) Bool { return Bool{ints("<", a, b)} }

// AtMost is a <= b.
func (a Int) AtMost(b Int) Bool { return Bool{ints("<=", a, b)} }

// Greater is a > b.
func (a Int) Greater(b Int) Bool { return Bool{ints(">", a, b)} }

// AtLeastTerm is a >= b.
func (a Int) AtLeastTerm(b Int) Bool { return Bool{ints(">=", a, b)} }

// Equal is a == b.
func (a Int) Equal(b Int) Bool { return Bool{ints("=", a, b)} }

// Differs is a != b.
func (a Int) Differs(b Int) Bool { return Not(a.Equal(b)) }

// In is low <= a && a <= high.
func (a Int) In(low, high Int) Bool { return And(low.AtMost(a), a.AtMost(high)) }

// If is a where c holds and b elsewhere.
func If(c Bool, a, b Int) Int { return Int{operator("ite", c.node, a.node, b.node)} }

// Min is the smaller one.
func Min(a, b Int) Int { return If(a.AtMost(b), a, b) }

// Max is the greater one.
func Max(a, b Int) Int { return If(a.AtMost(b), b, a) }

// True always holds.
func True() Bool { return Bool{operator("true")} }

// False never holds.
func False() Bool { return Bool{operator("false")} }

// And holds if all do; of none it is True.
func And(terms ...Bool) Bool {
	switch len(terms) {
	case 0:
		return True()
	case 1:
		return terms[0]
	}
	return Bool{bools("and", terms...)}
}

// Parts are truth values that all hold if and only if a does.
func (a Bool) Parts() []Bool {
	if a.op != "and" {
		return []Bool{a}
	}
	var out []Bool
	for _, b := range a.args {
		out = append(out, Bool{b}.Parts()...)
	}
	return out
}

// Or holds if one does; of none it is False.
func Or(terms ...Bool) Bool {
	switch len(terms) {
	case 0:
		return False()
	case 1:
		return terms[0]
	}
	return Bool{bools("or", terms...)}
}

// Not holds if a does not.
func Not(a Bool) Bool {
	if a.op == "not" {
		return Bool{a.args[0]}
	}
	return Bool{bools("not", a)}
}

// Implies holds unless a does and b does not.
func Implies(a, b Bool) Bool { return Bool{bools("=>", a, b)} }

// String prints the term as SMT-LIB has it.
func (n node) String() string {
	if n.text == "" {
		var b strings.Builder
		n.write(&b)
		n.text = b.String()
	}
	return n.text
}

func (n node) write(b *strings.Builder) {
	switch {
	case n.text != "":
		b.WriteString(n.text)
	case n.value != nil && n.value.Sign() < 0:
		b.WriteString("(- " + new(big.Int).Neg(n.value).String() + ")")
	case n.value != nil:
		b.WriteString(n.value.String())
	case n.name != "":
		b.WriteString(quoted(n.name))
	case len(n.args) == 0:
		b.WriteString(n.op)
	default:
		b.WriteString("(" + n.op)
		for _, a := range n.args {
			b.WriteByte(' ')
			a.write(b)
		}
		b.WriteByte(')')
	}
}

// quoted prints a name so that it is one word.
func quoted(name string) string { return "|" + name + "|" }

// variables are those of the term, each once, in the order in which they are first named.
func (n node) variables() []node {
	if n.vars == nil {
		switch {
		case n.name != "":
			n.vars = []node{n}
		default:
			n.vars = []node{}
			for _, a := range n.args {
				n.vars = merged(n.vars, a.variables())
			}
		}
	}
	return n.vars
}

// merged adds variables to others; those of one name and two ranges are both there.
func merged(to, more []node) []node {
	if len(to) == 0 {
		return slices.Clip(more)
	}
	for _, v := range more {
		if !slices.ContainsFunc(to, func(o node) bool { return o.term == v.term || o.name == v.name && o.sameAs(v) }) {
			to = append(to, v)
		}
	}
	return to
}

// key tells terms apart: the text, and the ranges of its variables.
func (n node) key() string {
	if n.whole == "" {
		var b strings.Builder
		b.WriteString(n.String())
		for _, r := range ranges(n.variables()) {
			b.WriteString(" " + r.String())
		}
		n.whole = b.String()
	}
	return n.whole
}

// sameAs says that two variables of one name are declared alike.
func (n node) sameAs(o node) bool {
	same := func(a, b *big.Int) bool { return a == b || a != nil && b != nil && a.Cmp(b) == 0 }
	return n.named == o.named && same(n.low, o.low) && same(n.high, o.high)
}
