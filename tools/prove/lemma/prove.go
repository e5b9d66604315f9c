package lemma

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// Lemma is what was found of one function.
type Lemma struct {
	Took      time.Duration
	Name      string
	File      string
	Line      int
	Statement []string // what was shown, in words
	Verdict   smt.Verdict
	Reason    string // of a refuted or an undecided one: the place, what fails, and values for which it does
	Cases     int    // how many settings of types and numbers it was shown for
	Goals     int

	mints map[string]bool // the kinds of what it hands out and has not got, of which each has one owner
}

// run is one path of a unit, under one assignment.
type run struct {
	unit   unit
	m      *machine
	shares map[any]*share // of its events and of what it hands out
}

// prover asks z3 about units.
type prover struct {
	v       *Vocabulary
	solver  *smt.Solver
	visited map[any]bool // what was executed
	rests                // of the lemma at hand
	without string       // a premise that is not taken for true, to see what it is good for

	takings   map[string]*taking // what is computed of places, by what they are
	disjoints map[[2]*taking]bool
}

func newProver(v *Vocabulary, s *smt.Solver) *prover {
	return &prover{v: v, solver: s, visited: map[any]bool{}, rests: resting(), takings: map[string]*taking{}, disjoints: map[[2]*taking]bool{}}
}

// explore runs a unit along all its paths, under all assignments that it asks for.
func (p *prover) explore(u unit, mark string, from assignment) ([]run, error) {
	return p.explored(u, from, func(m *machine) { m.mark = mark })
}

// explored is explore with machines that are set up so.
func (p *prover) explored(u unit, from assignment, set func(*machine)) ([]run, error) {
	var out []run
	todo := []assignment{from}
	for len(todo) > 0 {
		a := todo[0]
		todo = todo[1:]
		runs, s, err := p.paths(u, a, set)
		switch {
		case err != nil:
			return nil, err
		case s != nil:
			for _, o := range s.options {
				todo = append(todo, a.with(s.name, o))
			}
		default:
			out = append(out, runs...)
		}
		if len(todo) > 5000 {
			return nil, fmt.Errorf("%s: more than 5000 cases", u.name())
		}
	}
	return out, nil
}

// paths runs a unit along all paths under one assignment, or says what must be settled first.
func (p *prover) paths(u unit, a assignment, set func(*machine)) ([]run, *split, error) {
	var out []run
	var chosen []bool
	for {
		m := &machine{v: p.v, assign: a, chosen: chosen, known: map[string]bool{}, decided: map[string]bool{}, names: map[string]int{}, terms: map[string]smt.Int{}, consts: map[string]value{}, visited: p.visited, rests: p.rests, without: p.without}
		set(m)
		s, feasible, err := m.caught(func() { m.start(u) })
		if err != nil || s != nil {
			return nil, s, err
		}
		if feasible {
			out = append(out, run{u, m, map[any]*share{}})
		}
		// The next path: the last decision for yes becomes a no.
		made := m.made
		for len(made) > 0 && !made[len(made)-1] {
			made = made[:len(made)-1]
		}
		if len(made) == 0 {
			return out, nil, nil
		}
		chosen = slices.Clone(made)
		chosen[len(chosen)-1] = false
		if len(out) > 200 {
			return nil, nil, fmt.Errorf("%s: more than 200 paths", u.name())
		}
	}
}

// caught turns what a machine throws into values.
func (m *machine) caught(f func()) (s *split, feasible bool, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.err
		case split:
			s = &r
		case infeasible:
		case stopped:
			feasible = true
		default:
			panic(r)
		}
	}()
	f()
	return nil, true, nil
}

// finding is a goal that does not follow.
type finding struct {
	at     cxx.Place
	what   string
	answer smt.Answer
	assign assignment
}

func (f *finding) String() string {
	out := fmt.Sprintf("%s: %s", where(f.at), f.what)
	if len(f.assign) > 0 {
		out += " [" + f.assign.String() + "]"
	}
	if f.answer.Verdict == smt.Refuted {
		return out + ": not so for " + values(f.answer.Model)
	}
	return out + ": " + f.answer.Reason
}

// values prints a model.
func values(m smt.Model) string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	var out []string
	for _, name := range names {
		out = append(out, name+" = "+m[name].String())
	}
	return strings.Join(out, ", ")
}

// ask proves one goal.
func (p *prover) ask(ctx context.Context, about string, premises []smt.Premise, goal smt.Bool) (smt.Answer, error) {
	text := goal.String()
	for _, q := range premises {
		if q.Is.String() == text {
			return smt.Answer{Verdict: smt.Proved}, nil
		}
	}
	q := smt.Query{Name: about, Premises: premises, Goal: goal}
	if ok, err := p.solver.Follows(ctx, q); err != nil || ok {
		return smt.Answer{Verdict: smt.Proved}, err
	}
	a, err := p.solver.Prove(ctx, q)
	switch parts := goal.Parts(); {
	case err != nil && ctx.Err() == nil: // values for which a premise has none, as of a division by zero
		return smt.Answer{Verdict: smt.Unknown, Reason: err.Error()}, nil
	case err != nil || a.Verdict != smt.Unknown || len(parts) == 1:
		return a, err
	default: // what is not seen at once may be seen part by part, each on the strength of those before it
		for i, part := range parts {
			a, err := p.ask(ctx, fmt.Sprint(about, " ", i), premises, part)
			if err != nil || a.Verdict != smt.Proved {
				return a, err
			}
			premises = append(slices.Clip(premises), smt.Premise{Name: "shown", Is: part})
		}
		return smt.Answer{Verdict: smt.Proved}, nil
	}
}

// single proves what one run owes.
func (p *prover) single(ctx context.Context, r run) (*finding, int, error) {
	goals := len(r.m.owed)
	if goals == 0 {
		return nil, 0, nil
	}
	for _, o := range r.m.owed {
		a, err := p.ask(ctx, where(o.at)+o.what, append(slices.Clone(r.m.base), o.path...), o.goal)
		if err != nil {
			return nil, goals, err
		}
		if a.Verdict != smt.Proved {
			return &finding{o.at, o.what, a, r.m.assign}, goals, nil
		}
	}
	return nil, goals, nil
}

// passes says what a function does that only hands its arguments on, to a function or a constructor that a kernel could call as well.
func passes(f *cxx.Function) string {
	if f.Class != nil || len(f.Body.List) != 1 || len(f.Params) == 0 || results()[f.Name] != "" {
		return ""
	}
	var x cxx.Expr
	switch s := f.Body.List[0].(type) {
	case *cxx.Return:
		x = s.X
	case *cxx.Do:
		x = s.X
	}
	call, ok := x.(*cxx.Call)
	if !ok {
		return ""
	}
	if _, ok := call.Fn.(*cxx.Name); !ok || len(call.Args) != len(f.Params) {
		return ""
	}
	for i, a := range call.Args {
		if cxx.Print(a) != f.Params[i].Name {
			return ""
		}
	}
	return cxx.Print(call.Fn)
}

// lemma proves one function in one thread.
func (p *prover) lemma(ctx context.Context, u unit) (l Lemma, owners bool, err error) {
	begin := time.Now()
	l = Lemma{Name: u.name(), File: u.fn.File.Name, Line: u.fn.Line(), Verdict: smt.Proved, mints: map[string]bool{}}
	defer func() { l.Took = time.Since(begin) }()
	return p.proved(ctx, l, u)
}

// proved fills in a lemma.
func (p *prover) proved(ctx context.Context, l Lemma, u unit) (Lemma, bool, error) {
	owners := false
	said := map[string]bool{}
	cases := map[string]bool{}
	nothing := true
	f, err := p.cases(u, func(from assignment) (*finding, error) {
		runs, err := p.explore(u, "", from)
		if err != nil {
			return nil, err
		}
		for _, r := range runs {
			cases[r.m.assign.String()] = true
			owners = owners || len(r.m.given) > 0 || slices.ContainsFunc(r.m.events, event.meets)
			if f := p.foreign(r); f != nil {
				return f, nil
			}
			for i := range r.m.given {
				if h := &r.m.given[i]; h.to == nil && !handed(h, r.m.held) {
					l.mints[h.class] = true
				}
			}
			for _, o := range r.m.owed {
				if !said[o.what] {
					said[o.what] = true
					l.Statement = append(l.Statement, o.what)
				}
			}
		}
		if slices.ContainsFunc(runs, func(r run) bool { return len(r.m.used) > 0 }) {
			const apart = "between two barriers no side of shared memory is written and accessed besides"
			if !said[apart] {
				said[apart] = true
				l.Statement = append(l.Statement, apart)
			}
			if f, err := p.unguarded(u, from); f != nil || err != nil {
				return f, err
			}
		}
		for _, r := range runs {
			nothing = false
			f, n, err := p.single(ctx, r)
			l.Goals += n
			if f != nil || err != nil {
				return f, err
			}
		}
		return nil, nil
	})
	if nothing && f == nil && err == nil {
		err = fmt.Errorf("%s: no case of it compiles", u.name())
	}
	if f != nil {
		l.Verdict, l.Reason = f.answer.Verdict, f.String()
	}
	l.Cases = len(cases)
	return l, owners, err
}

// foreign finds an access to what a view lets threads write, in a function that is not the view's own: who meets whom there is
// shown of the view's functions alone.
func (p *prover) foreign(r run) *finding {
	for _, e := range r.m.events {
		if e.to.written && !e.to.shared && e.to.of != r.unit.class && p.v.rows[e.to.of.String()] != nil {
			return &finding{at: e.at, what: fmt.Sprintf("%s is accessed by members of %s alone", e.to.name, e.to.of), assign: r.m.assign,
				answer: smt.Answer{Verdict: smt.Unknown, Reason: "what other threads write there is not compared with what is accessed here"}}
		}
	}
	return nil
}

// cases proves something for all numbers at once, or for the instances of its class, if there are some.
func (p *prover) cases(u unit, show func(assignment) (*finding, error)) (*finding, error) {
	of := instances()[u.fn.Name]
	if u.class != nil {
		if of = instances()[u.class.Name]; of == nil {
			of = instances()[u.class.Name+"::"+u.fn.Name]
		}
	}
	if of == nil {
		return show(nil)
	}
	for _, a := range of {
		if f, err := show(a); f != nil || err != nil {
			return f, err
		}
	}
	return nil, nil
}
