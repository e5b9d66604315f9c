// Package smt asks z3 whether premises imply a goal, over whole numbers.
//
// Terms are of two Go types, Int and Bool, so that what has no sense does not compile. All are without
// quantifiers. A variable is named and may have a range, which every query that mentions it assumes:
//
//	r := smt.Var("r").AtLeast(0)
//	m := smt.Var("M").Within(0, math.MaxInt32)
//	k, n := smt.Var("K").AtLeast(0), smt.Var("len(x)").AtLeast(0)
//	q := smt.Query{
//		Name: "x[r * K] is inside",
//		Premises: []smt.Premise{
//			{Name: "minted", Is: r.Less(m)},
//			{Name: "len(x) >= M * K", Is: n.AtLeastTerm(m.Times(k))},
//		},
//		Goal: smt.Or(k.Equal(smt.Number(0)), r.Times(k).Less(n)),
//	}
//	s, err := smt.Start(ctx, "z3", smt.Limits{})
//	defer s.Close()
//	answer, err := s.Prove(ctx, q)
//
// The answer is Proved; Refuted, with a value for every variable that makes all premises true and the goal
// false, as small as z3 finds them; or Unknown, with a reason. A refutation is computed again here before it is
// returned. Divide and Modulo are those of SMT-LIB, which are C's where the dividend is not negative and the
// divisor is positive: who writes a goal with them states that the divisor is positive, too.
//
// One z3 process answers all queries, one after another. Each is bounded by steps (z3's rlimit) and not by
// time, so that the same queries in the same order have the same answers on every machine. A query that was asked before, letter for
// letter but for its names, is not asked again.
package smt
