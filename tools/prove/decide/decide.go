// Package decide settles what the solver did not: whether an entry's contract implies what its views promise is computed at shapes chosen to break
// it, and at each of them the entry is run on the emulator, under the sanitizers, in buffers as short as the contract lets them be. That is no proof,
// and the table calls it by its own name; docs/proofs.md has the whole.
package decide

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"

	"github.com/warpwright/warpwright/go/device/emu"
	"github.com/warpwright/warpwright/go/proof"
	"github.com/warpwright/warpwright/tools/internal/obligations"
	"github.com/warpwright/warpwright/tools/prove/judge"
	"github.com/warpwright/warpwright/tools/prove/owed"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// settles says that a failure is one that runs can settle.
func settles(f *proof.Failure) bool { return f.Verdict == proof.Undecided && f.Name != proof.Lemmas }

// Open names the entries of a table that wait for a decision.
func Open(t *proof.Table) []string {
	var out []string
	for i := range t.Rows {
		if slices.ContainsFunc(t.Rows[i].Failures, func(f proof.Failure) bool { return settles(&f) }) {
			out = append(out, t.Rows[i].Entry)
		}
	}
	return out
}

// Table decides what is undecided in a table, of the entries whose obligations f has.
func (d *Tools) Table(ctx context.Context, t *proof.Table, f *obligations.File) (err error) {
	open := Open(t)
	dir, err := os.MkdirTemp("", "prove-decide-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	program, spec, err := d.emulator(ctx, dir, t.Family, open)
	if err != nil {
		return err
	}
	s, err := smt.Start(ctx, d.Z3, smt.Limits{Steps: steps})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	var machines []*machine
	for _, reverse := range []bool{false, true} {
		m, err := start(ctx, program, spec, reverse)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, m.close()) }()
		machines = append(machines, m)
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		if !slices.Contains(open, r.Entry) {
			continue
		}
		at := slices.IndexFunc(f.Entries, func(e obligations.Entry) bool { return e.Name == r.Entry })
		if at < 0 {
			return fmt.Errorf("entry %s: the table has it, the obligations do not", r.Entry)
		}
		if err := row(ctx, s, machines, r, &f.Entries[at]); err != nil {
			return fmt.Errorf("entry %s: %w", r.Entry, err)
		}
	}
	return nil
}

// row decides what is undecided of one entry.
func row(ctx context.Context, s *smt.Solver, machines []*machine, r *proof.Row, e *obligations.Entry) error {
	all, err := owed.Of(e)
	if err != nil {
		return err
	}
	owes := slices.DeleteFunc(all, func(o owed.Obligation) bool {
		return !slices.ContainsFunc(r.Failures, func(f proof.Failure) bool { return settles(&f) && f.Name == o.Name })
	})
	found, tried, err := shapes(ctx, s, e, owes)
	if err != nil {
		return err
	}
	fault, err := attempt(machines, found)
	if err != nil {
		return err
	}
	settled := *r
	settled.Verdict, settled.Failures = proof.Proved, nil
	for _, f := range r.Failures {
		if settles(&f) {
			if fault != nil && (fault.of == "" || fault.of == f.Name) {
				f, fault = proof.Failure{Name: f.Name, Verdict: proof.Refuted, Says: f.Name + ": " + fault.says}, nil
			} else if f = settle(f, found, tried); f.Verdict == proof.Proved {
				continue
			}
		}
		settled.Fail(f)
	}
	*r = settled
	return nil
}

// fault is what a shape has shown.
type fault struct {
	of   string // the obligation that does not hold there; empty for all that nobody has decided
	says string
}

// attempt runs shapes until something is found. Where an obligation does not hold, nothing else is of interest, and nothing found there is no excuse.
func attempt(machines []*machine, found []shape) (*fault, error) {
	if n := len(found); n > 0 && found[n-1].breaks != nil {
		found = found[n-1:]
	}
	for i := range found {
		s := &found[i]
		out := &fault{says: "the contract admits " + owed.Sizes(s.e, s.breaks, s.model)}
		if s.breaks != nil {
			out.of, out.says = s.breaks.Name, s.breaks.Says(s.e, s.model)
		}
		s.ran = true
		for _, m := range machines {
			err := m.run(s)
			var report *emu.Report
			switch {
			case errors.As(err, &report) && report.Kind != kindDeadline && report.Kind != emu.KindCrash:
				out.says += ": " + addresses().ReplaceAllString(report.Error(), "")
				return out, nil
			case errors.Is(err, errTooLarge):
				s.ran = false
			case err != nil: // what was killed, or took too long, has shown nothing
				return nil, fmt.Errorf("at %s: %w", owed.Sizes(s.e, s.breaks, s.model), err)
			}
		}
		if s.breaks != nil {
			return out, nil
		}
	}
	return nil, nil
}

// kindDeadline is the emulator's word for a launch that it has ended.
const kindDeadline = "deadline"

// addresses are those in a report, which differ from run to run.
func addresses() *regexp.Regexp { return regexp.MustCompile(` \[0x[0-9a-f]+, ?0x[0-9a-f]+\)`) }

// settle is what shapes at which nothing was found make of what is undecided.
func settle(f proof.Failure, found []shape, tried int) proof.Failure {
	switch {
	case len(found) == 0:
		f.Says = fmt.Sprintf("%s; at none of %d sizes that were tried is a launch known that keeps the contract", f.Says, tried)
		return f
	case f.Name == judge.Possible: // each is such a launch
		f.Verdict = proof.Proved
		return f
	}
	held, ran := 0, 0
	for i := range found {
		if found[i].held[f.Name] {
			held++
			if found[i].ran {
				ran++
			}
		}
	}
	f.Says = fmt.Sprintf("%s; it holds at %d of %d shapes chosen to break it, and the emulator, which ran the entry at %d of these, found nothing", f.Says, held, len(found), ran)
	if ran > 0 {
		f.Verdict, f.Shapes, f.Runs = proof.Decided, held, ran
	}
	return f
}
