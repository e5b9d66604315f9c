package smt

import (
	"fmt"
	"slices"
	"strings"
)

// Premise is what a query takes for true, and where it comes from.
type Premise struct {
	Name string
	Is   Bool
}

// Query asks whether the premises imply the goal.
type Query struct {
	Name     string // for people; no part of what is asked
	Premises []Premise
	Goal     Bool
}

// Verdict is what became of a query.
type Verdict string

// The verdicts.
const (
	Proved  Verdict = "proved"
	Refuted Verdict = "refuted"
	Unknown Verdict = "unknown"
)

// Answer is a verdict and what it rests on.
type Answer struct {
	Verdict
	Model  Model  // of a refuted query
	Reason string // of an unknown one
}

// variables are all that the query mentions; one name may not be declared in two ways.
func (q *Query) variables() ([]node, error) {
	var vars []node
	for _, p := range q.Premises {
		vars = merged(vars, p.Is.variables())
	}
	vars = merged(vars, q.Goal.variables())
	seen := map[string]node{}
	for _, v := range vars {
		if strings.ContainsAny(v.name, "|\\\n") {
			return nil, fmt.Errorf("query %q: %q is no name of a variable", q.Name, v.name)
		}
		if _, ok := seen[v.name]; ok {
			return nil, fmt.Errorf("query %q: %s has two ranges", q.Name, v.name)
		}
		seen[v.name] = v
	}
	return vars, nil
}

// ranges are the premises that the variables' declarations are.
func ranges(vars []node) []Bool {
	var out []Bool
	for _, v := range vars {
		x := Int{v}
		if v.low != nil {
			out = append(out, x.AtLeastTerm(Big(v.low)))
		}
		if v.high != nil {
			out = append(out, x.AtMost(Big(v.high)))
		}
	}
	return out
}

// empty says that the range of a variable has no value.
func empty(vars []node) bool {
	return slices.ContainsFunc(vars, func(v node) bool { return v.low != nil && v.high != nil && v.low.Cmp(v.high) > 0 })
}

// text is the query in SMT-LIB: satisfiable if the goal can fail.
func (q *Query) text(vars []node) string { return q.named(vars, 0) }

// named is the text of a query whose first premises have names, p0, p1, ..., so that z3 can say which it took.
func (q *Query) named(vars []node, count int) string {
	var b strings.Builder
	for _, v := range vars {
		sort := "Int"
		if v.named {
			sort = "Bool"
		}
		fmt.Fprintf(&b, "(declare-const %s %s)\n", quoted(v.name), sort)
	}
	for _, r := range ranges(vars) {
		fmt.Fprintf(&b, "(assert %s)\n", r)
	}
	for i, p := range q.Premises {
		if i < count {
			fmt.Fprintf(&b, "(assert (! %s :named p%d))\n", p.Is, i)
		} else {
			fmt.Fprintf(&b, "(assert %s)\n", p.Is)
		}
	}
	fmt.Fprintf(&b, "(assert %s)\n", Not(q.Goal))
	return b.String()
}

// check computes a refutation again.
func (q *Query) check(m Model, vars []node) error {
	for _, r := range ranges(vars) {
		if ok, err := m.Holds(r); err != nil || !ok {
			return fmt.Errorf("query %q: z3's values break %s: %v", q.Name, r, err)
		}
	}
	for _, p := range q.Premises {
		if ok, err := m.Holds(p.Is); err != nil || !ok {
			return fmt.Errorf("query %q: z3's values break the premise %q (%s): %v", q.Name, p.Name, p.Is, err)
		}
	}
	if ok, err := m.Holds(q.Goal); err != nil || ok {
		return fmt.Errorf("query %q: z3's values keep the goal %s: %v", q.Name, q.Goal, err)
	}
	return nil
}
