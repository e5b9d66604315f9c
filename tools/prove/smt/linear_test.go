package smt_test

import (
	"context"
	"testing"

	"github.com/warpwright/warpwright/tools/prove/smt"
	"github.com/warpwright/warpwright/tools/prove/smt/smttest"
)

// What Linear proves is so; what is not so it does not prove.
func TestLinear(t *testing.T) {
	s := smttest.Start(t, smt.Limits{Steps: 2_000_000})
	at := func(name string) smt.Int { return smt.Var(name).AtLeast(0) }
	r, c, m, k, a, n := at("r"), at("c"), at("M"), at("K"), at("a"), at("n")
	one := smt.Number(1)
	inside := []smt.Premise{{Name: "row", Is: r.Less(m)}, {Name: "column", Is: c.Less(k)}}
	for _, test := range []struct {
		name     string
		premises []smt.Premise
		goal     smt.Bool
		want     bool
	}{
		{"a cell lies inside", inside, r.Times(k).Plus(c).Less(m.Times(k)), true},
		{"the one behind the last does not", inside, r.Times(k).Plus(c).Plus(one).Less(m.Times(k)), false},
		{"by the other width", inside, r.Times(m).Plus(c).Less(m.Times(k)), false},
		{"cells are different", append(inside, smt.Premise{Name: "same", Is: r.Times(k).Plus(c).Equal(a.Times(k).Plus(n))}, smt.Premise{Name: "other", Is: n.Less(k)}), smt.And(r.Equal(a), c.Equal(n)), true},
		{"three dimensions", append(inside, smt.Premise{Name: "matrix", Is: a.Less(n)}), a.Times(m.Times(k)).Plus(r.Times(k)).Plus(c).Less(n.Times(m).Times(k)), true},
		{"a multiple has no remainder", []smt.Premise{{Name: "positive", Is: n.AtLeastTerm(one)}}, a.Times(n).Modulo(n).Equal(smt.Number(0)), true},
		{"another number may have one", []smt.Premise{{Name: "positive", Is: n.AtLeastTerm(one)}}, a.Times(n).Plus(r).Modulo(n).Equal(smt.Number(0)), false},
		{"a negative factor", nil, smt.Var("x").Times(k).AtMost(smt.Var("x").Plus(one).Times(k)), true},
		{"a negative factor in common", []smt.Premise{{Name: "order", Is: r.Less(m)}}, r.Times(smt.Var("x")).AtMost(m.Times(smt.Var("x"))), false},
	} {
		answer, err := s.Prove(context.Background(), smt.Linear(smt.Query{Premises: test.premises, Goal: test.goal}))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if (answer.Verdict == smt.Proved) != test.want {
			t.Errorf("%s: %s", test.name, answer.Verdict)
		}
	}
}
