package smt

import (
	"fmt"
	"math/big"
	"slices"
)

// Model gives variables their values; a variable of truth is 1 or 0.
type Model map[string]*big.Int

// Value computes a term; a variable without a value and a division by zero are errors.
func (m Model) Value(t Int) (*big.Int, error) { return m.value(t.node) }

// Holds computes a truth value.
func (m Model) Holds(t Bool) (bool, error) {
	v, err := m.value(t.node)
	return err == nil && v.Sign() != 0, err
}

func (m Model) value(n node) (*big.Int, error) {
	switch {
	case n.value != nil:
		return n.value, nil
	case n.name != "":
		v, ok := m[n.name]
		if !ok {
			return nil, fmt.Errorf("%s has no value", n.name)
		}
		return v, nil
	}
	args := make([]*big.Int, len(n.args))
	for i, a := range n.args {
		// The arm that is not taken may divide by zero.
		if n.op == "ite" && i > 0 && (args[0].Sign() != 0) != (i == 1) {
			continue
		}
		v, err := m.value(a)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	return apply(n.op, args)
}

func apply(op string, args []*big.Int) (*big.Int, error) {
	truth := func(b bool) (*big.Int, error) {
		if b {
			return big.NewInt(1), nil
		}
		return new(big.Int), nil
	}
	some := func(holds bool) bool {
		return slices.ContainsFunc(args, func(a *big.Int) bool { return (a.Sign() != 0) == holds })
	}
	switch op {
	case "true", "false":
		return truth(op == "true")
	case "and":
		return truth(!some(false))
	case "or":
		return truth(some(true))
	case "not":
		return truth(args[0].Sign() == 0)
	case "=>":
		return truth(args[0].Sign() == 0 || args[1].Sign() != 0)
	case "ite":
		if args[1] != nil {
			return args[1], nil
		}
		return args[2], nil
	}
	a, b := args[0], args[1]
	switch op {
	case "+":
		return new(big.Int).Add(a, b), nil
	case "-":
		return new(big.Int).Sub(a, b), nil
	case "*":
		return new(big.Int).Mul(a, b), nil
	case "div", "mod":
		if b.Sign() == 0 {
			return nil, fmt.Errorf("%s %s 0", a, op)
		}
		q, r := new(big.Int).DivMod(a, b, new(big.Int)) // Euclid's, as SMT-LIB has it
		if op == "div" {
			return q, nil
		}
		return r, nil
	case "<":
		return truth(a.Cmp(b) < 0)
	case "<=":
		return truth(a.Cmp(b) <= 0)
	case ">":
		return truth(a.Cmp(b) > 0)
	case ">=":
		return truth(a.Cmp(b) >= 0)
	case "=":
		return truth(a.Cmp(b) == 0)
	}
	return nil, fmt.Errorf("%s is no operator", op)
}
