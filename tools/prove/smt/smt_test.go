package smt_test

import (
	"context"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/warpwright/warpwright/tools/prove/smt"
	"github.com/warpwright/warpwright/tools/prove/smt/smttest"
)

func TestVerdicts(t *testing.T) {
	s := smttest.Start(t, smt.Limits{})
	r, i := smt.Var("r").AtLeast(0), smt.Var("i").AtLeast(0)
	m, k, n := smt.Var("M").AtLeast(0), smt.Var("K").AtLeast(0), smt.Var("len(a)").AtLeast(0)
	minted := []smt.Premise{{"r < M", r.Less(m)}, {"i < K", i.Less(k)}}
	inside := r.Times(k).Plus(i).Less(n)
	tests := []struct {
		name     string
		premises []smt.Premise
		goal     smt.Bool
		want     smt.Verdict
	}{
		{"a matrix is as long as its rows", append(minted, smt.Premise{"len(a) >= M * K", n.AtLeastTerm(m.Times(k))}), inside, smt.Proved},
		{"a matrix of M elements is too short", append(minted, smt.Premise{"len(a) >= M", n.AtLeastTerm(m)}), inside, smt.Refuted},
		{"nothing follows from nothing", nil, smt.False(), smt.Refuted},
		{"all follows from false", []smt.Premise{{"false", smt.False()}}, smt.False(), smt.Proved},
		{"a fact", []smt.Premise{{"a fact", smt.Fact("f")}, {"what it says", smt.Implies(smt.Fact("f"), m.Equal(smt.Number(3)))}}, m.In(smt.Number(3), smt.Number(3)), smt.Proved},
		{"negative values", nil, smt.Var("z").AtLeastTerm(smt.Number(-7)), smt.Refuted},
		{"quotient", nil, m.Divide(smt.Number(4)).Times(smt.Number(4)).Plus(m.Modulo(smt.Number(4))).Equal(m), smt.Proved},
		{"least and greatest", nil, smt.And(smt.Min(m, k).AtMost(smt.Max(m, k)), smt.Implies(m.Differs(k), smt.Min(m, k).Less(smt.Max(m, k)))), smt.Proved},
		{"range", nil, smt.Var("b").Within(-3, 3).Times(smt.Var("b").Within(-3, 3)).AtMost(smt.Number(9)), smt.Proved},
		{"wide range", nil, smt.Var("w").WithinBig(new(big.Int), new(big.Int).Lsh(big.NewInt(1), 64)).Less(smt.Power(64)), smt.Refuted},
	}
	for _, test := range tests {
		a, err := s.Prove(context.Background(), smt.Query{test.name, test.premises, test.goal})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if a.Verdict != test.want {
			t.Errorf("%s: %s (%s), want %s", test.name, a.Verdict, a.Reason, test.want)
		}
		if (a.Verdict == smt.Refuted) != (a.Model != nil) {
			t.Errorf("%s: %s with the values %v", test.name, a.Verdict, a.Model)
		}
	}
}

func TestRefutationsAreSmall(t *testing.T) {
	s := smttest.Start(t, smt.Limits{})
	m, k, n := smt.Var("M").AtLeast(0), smt.Var("K").AtLeast(0), smt.Var("len").AtLeast(0)
	a, err := s.Prove(context.Background(), smt.Query{"short", []smt.Premise{{"len >= M", n.AtLeastTerm(m)}, {"two", m.Times(k).Greater(smt.Number(5))}}, n.AtLeastTerm(m.Times(k))})
	if err != nil || a.Verdict != smt.Refuted {
		t.Fatalf("%+v, %v", a, err)
	}
	for name, v := range a.Model {
		if v.CmpAbs(big.NewInt(16)) > 0 {
			t.Errorf("%s = %s, and there are values below 16", name, v)
		}
	}
}

func TestKnownQueriesAreNotAsked(t *testing.T) {
	s := smttest.Start(t, smt.Limits{})
	for _, name := range []string{"first", "second"} {
		if a, err := s.Prove(context.Background(), smt.Query{Name: name, Goal: smt.Var("x").Within(0, 3).Less(smt.Number(4))}); err != nil || a.Verdict != smt.Proved {
			t.Fatalf("%s: %+v, %v", name, a, err)
		}
	}
	if s.Asked() != 1 {
		t.Errorf("z3 was asked %d times", s.Asked())
	}
}

// What followed from some premises follows from more, and is not asked; what has fewer, or others by the same words, is.
func TestWhatWasEnoughIsEnough(t *testing.T) {
	s := smttest.Start(t, smt.Limits{})
	x, y, z := smt.Var("x").AtLeast(0), smt.Var("y").AtLeast(0), smt.Var("z").AtLeast(0)
	enough := smt.Premise{"x <= y", x.AtMost(y)}
	goal := x.Times(z).AtMost(y.Times(z))
	ask := func(goal smt.Bool, want bool, premises ...smt.Premise) int {
		t.Helper()
		before := s.Asked()
		got, err := s.Follows(t.Context(), smt.Query{Premises: premises, Goal: goal})
		if err != nil || got != want {
			t.Errorf("from %v follows %s: %v, %v", premises, goal, got, err)
		}
		return s.Asked() - before
	}
	ask(goal, true, smt.Premise{"z < 9", z.Less(smt.Number(9))}, enough)
	if n := ask(goal, true, smt.Premise{"y < 7", y.Less(smt.Number(7))}, enough); n != 0 {
		t.Errorf("z3 was asked %d times for what needs no premise more", n)
	}
	if n := ask(goal, false, smt.Premise{"y < 7", y.Less(smt.Number(7))}); n == 0 {
		t.Error("z3 was not asked without the premise")
	}
	z = smt.Var("z").AtLeast(-5)
	if n := ask(x.Times(z).AtMost(y.Times(z)), false, enough); n == 0 {
		t.Error("z3 was not asked of a variable with another range")
	}
}

// From a variable without values anything follows, but only where it is.
func TestNothingIsEnoughOfNoValues(t *testing.T) {
	s := smttest.Start(t, smt.Limits{})
	x, none := smt.Var("x"), smt.Var("none").Within(3, 2)
	goal := x.Less(smt.Number(5))
	if ok, err := s.Follows(t.Context(), smt.Query{Premises: []smt.Premise{{"x <= none", x.AtMost(none)}}, Goal: goal}); err != nil || !ok {
		t.Errorf("of no values: %t, %v", ok, err)
	}
	if ok, err := s.Follows(t.Context(), smt.Query{Goal: goal}); err != nil || ok {
		t.Errorf("of all values: %t, %v", ok, err)
	}
}

// That Follows does not see why something would follow is no answer of Prove.
func TestFollowsIsNotProve(t *testing.T) {
	s := smttest.Start(t, smt.Limits{})
	q := smt.Query{Goal: smt.Var("x").Less(smt.Number(5))}
	if ok, err := s.Follows(t.Context(), q); err != nil || ok {
		t.Errorf("follows: %t, %v", ok, err)
	}
	if a, err := s.Prove(t.Context(), q); err != nil || a.Verdict != smt.Refuted {
		t.Errorf("prove: %+v, %v", a, err)
	}
}

func TestTwoRangesAreRefused(t *testing.T) {
	s := smttest.Start(t, smt.Limits{})
	_, err := s.Prove(context.Background(), smt.Query{Name: "two", Goal: smt.Var("x").AtLeast(0).Less(smt.Var("x").AtLeast(1))})
	if err == nil || !strings.Contains(err.Error(), "two ranges") {
		t.Errorf("%v", err)
	}
	if _, err := s.Prove(context.Background(), smt.Query{Name: "bad", Goal: smt.Var("a|b").Less(smt.Number(1))}); err == nil {
		t.Error("a name with | was taken")
	}
}

// hard is a question that no solver answers soon: whether a sum of three cubes is 42.
func hard() smt.Query {
	sum := smt.Number(0)
	for _, name := range []string{"x", "y", "z"} {
		v := smt.Var(name)
		sum = sum.Plus(v.Times(v).Times(v))
	}
	return smt.Query{Name: "cubes", Goal: sum.Differs(smt.Number(42))}
}

func TestUnknownTakesAsManyStepsEachTime(t *testing.T) {
	s := smttest.Start(t, smt.Limits{Steps: 200_000})
	first, err := s.Prove(context.Background(), hard())
	if err != nil || first.Verdict != smt.Unknown || !strings.Contains(first.Reason, "200000 steps") {
		t.Fatalf("%+v, %v", first, err)
	}
	// The same answer after others and in a process of its own.
	other := smttest.Start(t, smt.Limits{Steps: 200_000})
	for _, q := range []smt.Query{{Name: "easy", Goal: smt.Var("a").AtLeast(1).Greater(smt.Number(0))}, hard()} {
		if first, err = other.Prove(context.Background(), q); err != nil {
			t.Fatal(err)
		}
	}
	if first.Verdict != smt.Unknown {
		t.Errorf("%+v", first)
	}
}

func TestTimeIsAGuard(t *testing.T) {
	s := smttest.Start(t, smt.Limits{Steps: 1<<32 - 1, Time: 300 * time.Millisecond})
	a, err := s.Prove(context.Background(), hard())
	if err != nil || a.Verdict != smt.Unknown || !strings.Contains(a.Reason, "300ms") {
		t.Fatalf("%+v, %v", a, err)
	}
	// A fresh z3 answers the next one.
	if a, err = s.Prove(context.Background(), smt.Query{Name: "easy", Goal: smt.Var("a").AtLeast(1).Greater(smt.Number(0))}); err != nil || a.Verdict != smt.Proved {
		t.Fatalf("%+v, %v", a, err)
	}
}

func TestStartNamesWhatIsMissing(t *testing.T) {
	if _, err := smt.Start(context.Background(), "no/such/z3", smt.Limits{}); err == nil || !strings.Contains(err.Error(), "no/such/z3") {
		t.Errorf("%v", err)
	}
}

// A fork knows what was answered before, and asks what was not by itself.
func TestForkKnowsWhatWasAsked(t *testing.T) {
	s := smttest.Start(t, smt.Limits{})
	x := smt.Var("x").AtLeast(0)
	q := smt.Query{Name: "q", Premises: []smt.Premise{{"x < 5", x.Less(smt.Number(5))}}, Goal: x.Less(smt.Number(6))}
	if a, err := s.Prove(t.Context(), q); err != nil || a.Verdict != smt.Proved {
		t.Fatalf("got %v, %v", a, err)
	}
	f, err := s.Fork(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if a, err := f.Prove(t.Context(), q); err != nil || a.Verdict != smt.Proved || f.Asked() != 0 {
		t.Errorf("got %v, %v after %d questions, want proved after none", a, err, f.Asked())
	}
	q.Goal = x.Less(smt.Number(4))
	if a, err := f.Prove(t.Context(), q); err != nil || a.Verdict != smt.Refuted || f.Asked() == 0 {
		t.Errorf("got %v, %v after %d questions, want refuted", a, err, f.Asked())
	}
}
