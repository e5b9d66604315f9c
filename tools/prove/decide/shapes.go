package decide

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/warpwright/warpwright/tools/internal/obligations"
	"github.com/warpwright/warpwright/tools/prove/arith"
	"github.com/warpwright/warpwright/tools/prove/owed"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// steps bound a query about sizes that are numbers, since what is left to choose then is little; fewer one for sizes beside a given one.
const (
	steps  = 1_000_000
	glance = 200_000
)

// shape is a launch that an entry's contract admits, chosen to break it.
type shape struct {
	model  smt.Model          // a value for all that the contract names
	breaks *owed.Obligation   // what does not hold there, if something does not
	held   map[string]bool    // the names of those obligations that hold wherever the contract admits these sizes
	ran    bool               // the emulator has run it, and found nothing
	e      *obligations.Entry // whose it is
}

// shapes are launches that the contract of an entry admits, at the sizes that are tried: one at which something that it owes does not hold, or if
// there is none, one whose buffers are as short as they can be. After the first that breaks something it looks no further.
func shapes(ctx context.Context, s *smt.Solver, e *obligations.Entry, owes []owed.Obligation) (out []shape, tried int, err error) {
	f := finder{s: s, e: e, owes: owes, scope: arith.NewScope(e.Numbers), seen: map[string]bool{}}
	if f.premises, err = owed.Launch(e); err != nil {
		return nil, 0, err
	}
	unlawful := map[string]bool{}
	key := func(extent string, v uint64) string { return fmt.Sprint(extent, " = ", v) }
	s.Limit(glance)
	single := alone(e)
	for _, at := range single {
		admitted, err := f.admit(ctx, at)
		if err != nil {
			return nil, 0, err
		}
		for name, v := range at {
			unlawful[key(name, v)] = admitted.Verdict == smt.Proved
		}
	}
	all := append(combined(e, func(extent string, v uint64) bool { return !unlawful[key(extent, v)] }), single...)
	for _, at := range all {
		if len(at) == len(e.Extents) {
			s.Limit(steps)
		} else {
			s.Limit(glance)
		}
		found, err := f.look(ctx, at)
		if err != nil {
			return nil, 0, err
		}
		if found == nil {
			continue
		}
		out = append(out, *found)
		if found.breaks != nil {
			break
		}
	}
	return out, len(all), nil
}

// finder looks for shapes of one entry.
type finder struct {
	s        *smt.Solver
	e        *obligations.Entry
	owes     []owed.Obligation
	scope    *arith.Scope
	premises []smt.Premise
	seen     map[string]bool // sizes
}

// admit asks whether the contract admits sizes.
func (f *finder) admit(ctx context.Context, at map[string]uint64) (smt.Answer, error) {
	return f.s.Satisfiable(ctx, slices.Concat(pinned(f.e, f.scope, at), f.premises))
}

// look makes a shape of sizes; nil if the contract admits none that are new.
func (f *finder) look(ctx context.Context, at map[string]uint64) (*shape, error) {
	admitted, err := f.admit(ctx, at)
	if err != nil || admitted.Verdict != smt.Refuted {
		return nil, err
	}
	found := &shape{e: f.e, model: admitted.Model, held: map[string]bool{}}
	at = map[string]uint64{}
	for _, x := range f.e.Extents {
		at[x.Name] = found.number(x.Name)
	}
	key := fmt.Sprint(at)
	if f.seen[key] {
		return nil, nil
	}
	f.seen[key] = true
	f.s.Limit(steps)
	pins := pinned(f.e, f.scope, at)
	for i := range f.owes {
		o := &f.owes[i]
		// What is owed before the device has seen the launch has fewer premises: its own.
		a, err := f.s.Prove(ctx, smt.Query{Name: o.Name, Premises: slices.Concat(pins, o.Premises), Goal: o.Goal})
		if err != nil {
			return nil, err
		}
		switch a.Verdict {
		case smt.Proved:
			found.held[o.Name] = true
		case smt.Refuted:
			found.breaks = o
			found.model, err = broken(ctx, f.s, f.e, f.scope, o, pins, f.premises, a.Model)
			return found, err
		}
	}
	found.model, err = tightest(ctx, f.s, f.e, f.scope, slices.Concat(pins, f.premises), found.model)
	return found, err
}

// pinned says that extents have their values.
func pinned(e *obligations.Entry, scope *arith.Scope, at map[string]uint64) []smt.Premise {
	var out []smt.Premise
	for _, x := range e.Extents {
		if v, ok := at[x.Name]; ok {
			out = append(out, smt.Premise{Name: fmt.Sprintf("%s = %d", x.Name, v), Is: scope.Name(x.Name).Equal(smt.Unsigned(v))})
		}
	}
	return out
}

// broken is a launch at which an obligation does not hold: if there is one, such that a device takes it, with buffers as short as they can be.
func broken(ctx context.Context, s *smt.Solver, e *obligations.Entry, scope *arith.Scope, o *owed.Obligation, pins, premises []smt.Premise, m smt.Model) (smt.Model, error) {
	premises = slices.Concat(pins, premises, []smt.Premise{{Name: o.Name + ": not so", Is: smt.Not(o.Goal)}})
	a, err := s.Satisfiable(ctx, premises)
	if err != nil || a.Verdict != smt.Refuted {
		return m, err
	}
	return tightest(ctx, s, e, scope, premises, a.Model)
}

// tightest makes one buffer after another as short as the premises let it be, beginning with a model of them: a kernel that reaches past what its contract
// has asked for so reaches past a buffer's end.
func tightest(ctx context.Context, s *smt.Solver, e *obligations.Entry, scope *arith.Scope, premises []smt.Premise, m smt.Model) (smt.Model, error) {
	fewer := func(name string, most *big.Int) (bool, error) {
		a, err := s.Satisfiable(ctx, slices.Concat(premises, []smt.Premise{{Name: name + " is short", Is: scope.Name(name).AtMost(smt.Big(most))}}))
		if err == nil && a.Verdict == smt.Refuted {
			m = a.Model
		}
		return a.Verdict == smt.Refuted, err
	}
	switch one, err := fewer("sms", big.NewInt(1)); {
	case err != nil:
		return nil, err
	case one: // a contract that wants more of them has its way
		premises = slices.Concat(premises, []smt.Premise{{Name: "few multiprocessors: a loop over the grid goes round", Is: scope.Name("sms").AtMost(smt.Number(1))}})
	}
	for i := range e.Params {
		if e.Params[i].Argument == nil {
			continue
		}
		name := "len(" + e.Params[i].Name + ")"
		for low := new(big.Int); m[name] != nil && m[name].Cmp(low) > 0; {
			// Mostly there is no shorter one, so that is asked first.
			if ok, err := fewer(name, new(big.Int).Sub(m[name], big.NewInt(1))); err != nil {
				return nil, err
			} else if !ok {
				break
			}
			half := new(big.Int).Add(low, m[name])
			half.Rsh(half, 1)
			if ok, err := fewer(name, half); err != nil {
				return nil, err
			} else if !ok {
				low = half.Add(half, big.NewInt(1))
			}
		}
		if m[name] != nil {
			premises = slices.Concat(premises, []smt.Premise{{Name: name, Is: scope.Name(name).Equal(smt.Big(m[name]))}})
		}
	}
	return m, nil
}
