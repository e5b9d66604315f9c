// Package arith puts contracts into the solver's terms, with the meaning that go/contract gives them: unsigned 64-bit
// arithmetic, in which a result above 2^64-1 or below 0 and a division by zero refuse the launch.
package arith

import (
	"fmt"
	"math/big"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// Scope knows what names stand for: a number, or a variable of 64 bits.
type Scope struct{ numbers contract.Env }

// NewScope makes a scope in which some names are numbers.
func NewScope(numbers map[string]uint64) *Scope { return &Scope{numbers} }

// Max is 2^64-1.
func Max() *big.Int { return new(big.Int).SetUint64(1<<64 - 1) }

// Name is what a name stands for.
func (s *Scope) Name(name string) smt.Int {
	if n, ok := s.numbers[name]; ok {
		return smt.Unsigned(n)
	}
	return smt.Var(name).WithinBig(new(big.Int), Max())
}

// Expr is the value of an expression over whole numbers without bounds, and the condition under which the checked
// arithmetic computes it.
func (s *Scope) Expr(e contract.Expr) (value smt.Int, computable smt.Bool) {
	if n, err := e.Eval(s.numbers); err == nil {
		return smt.Unsigned(n), smt.True()
	}
	switch e := e.(type) {
	case contract.Name:
		return s.Name(string(e)), smt.True()
	case *contract.Binary:
		x, xs := s.Expr(e.X)
		y, ys := s.Expr(e.Y)
		switch e.Op {
		case '+':
			return within(x.Plus(y), xs, ys)
		case '-':
			return within(x.Minus(y), xs, ys)
		case '*':
			return within(x.Times(y), xs, ys)
		case '/':
			return x.Divide(y), all(xs, ys, positive(y))
		default:
			return x.Modulo(y), all(xs, ys, positive(y))
		}
	case *contract.Call:
		x, xs := s.Expr(e.X)
		y, ys := s.Expr(e.Y)
		up := x.Plus(y).Minus(smt.Number(1)).Divide(y)
		switch e.Func {
		case "min":
			return smt.Min(x, y), all(xs, ys)
		case "max":
			return smt.Max(x, y), all(xs, ys)
		case "cdiv":
			return up, all(xs, ys, positive(y))
		default: // align
			return within(up.Times(y), xs, ys, positive(y))
		}
	}
	return s.Name("addr(" + e.String() + ")"), smt.True() // a contract.Buffer
}

// within is a value that the checked arithmetic computes if it has 64 bits.
func within(value smt.Int, when ...smt.Bool) (smt.Int, smt.Bool) {
	return value, all(append(when, value.In(smt.Number(0), smt.Big(Max())))...)
}

// positive says that a divisor is one.
func positive(y smt.Int) smt.Bool {
	if n, ok := y.IsNumber(); ok && n.Sign() > 0 {
		return smt.True()
	}
	return y.Greater(smt.Number(0))
}

// all is And without what always holds.
func all(terms ...smt.Bool) smt.Bool {
	var some []smt.Bool
	for _, t := range terms {
		if t.String() != smt.True().String() {
			some = append(some, t)
		}
	}
	return smt.And(some...)
}

// Relation is what is known once a launcher has checked a relation: its sides are computable, and it holds.
func (s *Scope) Relation(text string) (smt.Bool, error) {
	r, err := contract.ParseRelation(text)
	if err != nil {
		return smt.Bool{}, fmt.Errorf("relation %q: %w", text, err)
	}
	left, computable := s.Expr(r.Left)
	if r.Right == nil { // fits32
		return all(computable, left.AtMost(smt.Number(contract.Max32))), nil
	}
	right, also := s.Expr(r.Right)
	computable = all(computable, also)
	switch r.Op {
	case ">=":
		return all(computable, left.AtLeastTerm(right)), nil
	case ">":
		return all(computable, left.Greater(right)), nil
	case "<=":
		return all(computable, left.AtMost(right)), nil
	case "<":
		return all(computable, left.Less(right)), nil
	case "==":
		return all(computable, left.Equal(right)), nil
	case "!=":
		return all(computable, left.Differs(right)), nil
	case contract.Divides:
		return all(computable, positive(left), right.Modulo(left).Equal(smt.Number(0))), nil
	case contract.Aligned:
		return all(computable, positive(right), left.Modulo(right).Equal(smt.Number(0))), nil
	case contract.Disjoint:
		// As go/contract has it: an empty buffer shares no byte, wherever it begins.
		x, xs := s.end(r.Left)
		y, ys := s.end(r.Right)
		return all(xs, ys, smt.Max(left, right).AtLeastTerm(smt.Min(x, y))), nil
	}
	return smt.Bool{}, fmt.Errorf("relation %q: %s is no comparison", text, r.Op)
}

// end is the address behind a buffer.
func (s *Scope) end(x contract.Expr) (smt.Int, smt.Bool) {
	of := func(what string) contract.Expr { return contract.Name(what + "(" + x.String() + ")") }
	bytes := &contract.Binary{Op: '*', X: of("len"), Y: of("sizeof")}
	return s.Expr(&contract.Binary{Op: '+', X: of("addr"), Y: bytes})
}
