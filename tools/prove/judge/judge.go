// Package judge proves what the entries of a family owe, and writes down what became of it.
package judge

import (
	"context"
	"fmt"
	"slices"

	"github.com/warpwright/warpwright/go/proof"
	"github.com/warpwright/warpwright/tools/internal/obligations"
	"github.com/warpwright/warpwright/tools/prove/owed"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// Family proves what the entries of a family owe, on the strength of what was proved of the vocabulary.
func Family(ctx context.Context, s *smt.Solver, f *obligations.File, v *proof.Vocabulary) (*proof.Table, error) {
	t := &proof.Table{Schema: proof.Schema, Family: f.Family, Solver: s.Version(), Vocabulary: *v, Kernels: []proof.Kernel{}, Rows: []proof.Row{}}
	for i := range f.Entries {
		e := &f.Entries[i]
		row, owes, err := entry(ctx, s, e)
		if err != nil {
			return nil, fmt.Errorf("family %s: %w", f.Family, err)
		}
		if v.Headers != f.Headers {
			row.Fail(proof.Failure{
				Name: proof.Lemmas, Verdict: proof.Undecided,
				Says: fmt.Sprintf("the lemmas are of other headers (%s) than the kernel's (%s), so what its views promise is enough for nothing", v.Headers, f.Headers),
			})
		}
		for _, f := range uncovered(e, v) {
			row.Fail(f)
		}
		t.Rows = append(t.Rows, row)
		k := slices.IndexFunc(t.Kernels, func(k proof.Kernel) bool { return k.Name == e.Kernel })
		if k < 0 {
			k = len(t.Kernels)
			t.Kernels = append(t.Kernels, proof.Kernel{Name: e.Kernel, Source: e.Source, Line: e.Line, Unchecked: e.Unchecked, Views: []string{}, Contract: []string{}})
		}
		gather(&t.Kernels[k], e, owes)
	}
	return t, nil
}

// gather adds to a kernel what one of its entries has.
func gather(k *proof.Kernel, e *obligations.Entry, owes []owed.Obligation) {
	add := func(to *[]string, text string) {
		if !slices.Contains(*to, text) {
			*to = append(*to, text)
		}
	}
	for _, p := range e.Params {
		add(&k.Views, p.View)
	}
	for _, r := range e.Checked {
		add(&k.Contract, r.Text)
	}
	add(&k.Obligations, Possible)
	for _, o := range owes {
		add(&k.Obligations, o.Name)
	}
}

// entry proves what one entry owes.
func entry(ctx context.Context, s *smt.Solver, e *obligations.Entry) (proof.Row, []owed.Obligation, error) {
	row := proof.Row{Entry: e.Name, Kernel: e.Kernel, Prefer: e.Prefer, Verdict: proof.Proved}
	owes, err := owed.Of(e)
	if err != nil {
		return row, nil, err
	}
	row.Obligations = len(owes) + 1 // and that the contract can be kept
	impossible, err := possible(ctx, s, e)
	if err != nil {
		return row, nil, err
	}
	if impossible != nil {
		row.Fail(*impossible)
	}
	for i := range owes {
		o := &owes[i]
		a, err := prove(ctx, s, o)
		if err != nil {
			return row, nil, fmt.Errorf("%s: %w", e.Name, err)
		}
		switch a.Verdict {
		case smt.Refuted:
			row.Fail(proof.Failure{Name: o.Name, Verdict: proof.Refuted, Says: o.Line(e, a.Model)})
		case smt.Unknown:
			row.Fail(proof.Failure{Name: o.Name, Verdict: proof.Undecided, Says: o.Name + ": " + a.Reason})
		}
	}
	return row, owes, nil
}

// Possible is the name of what fails where no launch can keep the contract.
const Possible = "some launch keeps the contract"

// possible fails if no launch can keep the contract: all would follow from it.
func possible(ctx context.Context, s *smt.Solver, e *obligations.Entry) (*proof.Failure, error) {
	premises, err := owed.Launch(e)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name, err)
	}
	a, err := s.Satisfiable(ctx, premises)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name, err)
	}
	switch a.Verdict {
	case smt.Proved:
		return &proof.Failure{Name: Possible, Verdict: proof.Refuted, Says: "no launch of a thread keeps the contract, so whatever it implies is worth nothing"}, nil
	case smt.Unknown:
		return &proof.Failure{Name: Possible, Verdict: proof.Undecided, Says: Possible + ": " + a.Reason}, nil
	}
	return nil, nil
}

// prove asks with few premises first: those that share a variable with the goal. What follows from them follows from all, and other
// entries ask the same. Only all of them refute.
func prove(ctx context.Context, s *smt.Solver, o *owed.Obligation) (smt.Answer, error) {
	q := smt.Query{Name: o.Name, Premises: smt.Near(o.Premises, o.Goal), Goal: o.Goal}
	a, err := s.Prove(ctx, q)
	if err != nil || a.Verdict == smt.Proved || len(q.Premises) == len(o.Premises) {
		return a, err
	}
	q.Premises = o.Premises
	return s.Prove(ctx, q)
}
