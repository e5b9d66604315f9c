package lemma

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/warpwright/warpwright/tools/prove/smt"
)

// owners proves that two threads hold different places, whichever functions of a class they call.
func (p *prover) owners(ctx context.Context, name string, units []unit) (l Lemma, err error) {
	begin := time.Now()
	l = Lemma{Name: "owners: " + name, File: units[0].fn.File.Name, Line: units[0].fn.Line(), Verdict: smt.Proved}
	defer func() { l.Took = time.Since(begin) }()
	cases := map[string]bool{}
	for i, u := range units {
		for _, w := range units[i:] {
			l.Statement = append(l.Statement, u.name()+" in one thread and "+w.name()+" in another hold and write different places")
			f, err := p.cases(u, func(from assignment) (*finding, error) {
				return p.both(ctx, u, w, from, &l, cases)
			})
			if err != nil {
				return l, err
			}
			if f != nil {
				l.Verdict, l.Reason = f.answer.Verdict, f.String()
				return l, nil
			}
		}
	}
	l.Cases = len(cases)
	return l, nil
}

// both proves of two functions that two threads which call them do not meet.
func (p *prover) both(ctx context.Context, u, w unit, from assignment, l *Lemma, cases map[string]bool) (*finding, error) {
	runs, err := p.explore(u, "", from)
	if err != nil {
		return nil, err
	}
	var order []assignment
	by, explored := map[string][]run{}, map[string][]run{}
	for _, r := range runs {
		key := r.m.assign.String()
		if by[key] == nil {
			order = append(order, r.m.assign)
		}
		by[key] = append(by[key], r)
	}
	for _, a := range order {
		// Who a thread is depends on the shape of the launch, which a function need not ask for.
		if a["shape"] == "" && a["axes"] == "" {
			for _, shape := range shapes() {
				if f, err := p.both(ctx, u, w, a.with("shape", shape), l, cases); f != nil || err != nil {
					return f, err
				}
			}
			continue
		}
		shared := a.shared()
		others, ok := explored[shared.String()]
		if !ok {
			if others, err = p.explore(w, "'", shared); err != nil {
				return nil, err
			}
			explored[shared.String()] = others
		}
		for _, r := range by[a.String()] {
			for _, o := range others {
				cases[a.String()+o.m.assign.String()] = true
				if apart(r, o) {
					continue
				}
				t := &two{p: p, a: r, b: o}
				f, err := t.pair(ctx)
				l.Goals += t.goals
				if f != nil || err != nil {
					return f, err
				}
			}
		}
	}
	return nil, nil
}

// two is a pair of runs, in two threads.
type two struct {
	p     *prover
	a, b  run
	base  []smt.Premise // of both; see premises
	goals int
}

// same says that they are one thread.
func (t *two) same() smt.Bool { return alike(t.a.m, t.b.m, thread()) }

// apart says that two runs went ways that exclude each other, whichever threads they are: a fact of an extent holds for the one and not
// for the other.
func apart(a, b run) bool {
	taken := map[string]bool{}
	for _, q := range a.m.path {
		taken[q.Is.String()] = true
	}
	return slices.ContainsFunc(b.m.path, func(q smt.Premise) bool { return taken[smt.Not(q.Is).String()] })
}

// premises are those of both threads, and that two places of theirs, which lie so, meet.
func (t *two) premises(m meeting, x, y []smt.Int) []smt.Premise {
	if t.base == nil {
		t.base = together(t.a, t.b)
	}
	out := append(slices.Clip(t.base), smt.Premise{Name: "they are at one place", Is: m.met(x, y)})
	if m.block {
		out = append(out, smt.Premise{Name: "one block", Is: alike(t.a.m, t.b.m, block())})
	}
	return out
}

// meeting is two places, and what must follow if they meet.
type meeting struct {
	x, y  place
	block bool // they lie in one block's memory
	met   func(x, y []smt.Int) smt.Bool
	goal  func() smt.Bool
}

// prove proves that two places which meet have one owner.
func (t *two) prove(ctx context.Context, m meeting) (smt.Answer, error) {
	t.goals++
	if ok, err := t.dealt(ctx, m); ok || err != nil {
		return smt.Answer{Verdict: smt.Proved}, err
	}
	return t.p.ask(ctx, t.about(), slices.Concat(t.premises(m, m.x.from, m.y.from), m.x.path, m.y.path), m.goal())
}

func (t *two) about() string { return t.a.unit.name() + " and " + t.b.unit.name() }

// pair proves that two runs, in two threads, do not meet: neither in memory nor in what they hand out as owned.
func (t *two) pair(ctx context.Context) (*finding, error) {
	a, b := t.a, t.b
	for i := range a.m.events {
		for j := range b.m.events {
			x, y := &a.m.events[i], &b.m.events[j]
			if x.to.shared && !a.beside(x, b, y) {
				continue
			}
			if !t.p.v.one(x.to, y.to) || !x.write && !y.write || x.atomic && y.atomic {
				continue
			}
			met := func(a, b []smt.Int) smt.Bool { return overlap(a[0], x.count, b[0], y.count) }
			answer, err := t.prove(ctx, meeting{a.at(x, x.path, x.count, x.off), b.at(y, y.path, y.count, y.off), x.to.shared, met, t.same})
			if err != nil {
				return nil, err
			}
			if answer.Verdict != smt.Proved {
				return &finding{x.at, fmt.Sprintf("no other thread is at the element of %s that one writes (see %s)", x.to.name, where(y.at)), answer, b.m.assign}, nil
			}
		}
	}
	if f, err := t.held(ctx, a, b); f != nil || err != nil {
		return f, err
	}
	if f, err := t.held(ctx, b, a); f != nil || err != nil {
		return f, err
	}
	for i := range a.m.given {
		x := &a.m.given[i]
		if handed(x, a.m.held) {
			continue
		}
		for j := range b.m.given {
			y := &b.m.given[j]
			if x.class != y.class || handed(y, b.m.held) || x.to != nil && !t.p.v.one(x.to, y.to) {
				continue
			}
			met := func(a, b []smt.Int) smt.Bool { return meet(x, a, y, b) }
			owner := func() smt.Bool { return equal(x.who, y.who) }
			answer, err := t.prove(ctx, meeting{a.at(x, x.path, x.count, x.from...), b.at(y, y.path, y.count, y.from...), false, met, owner})
			if err != nil {
				return nil, err
			}
			if answer.Verdict != smt.Proved {
				return &finding{x.at, fmt.Sprintf("what a %s holds is held by one owner (see %s)", x.class, where(y.at)), answer, b.m.assign}, nil
			}
		}
	}
	return nil, nil
}

// beside says that two accesses to shared memory can be at one time: between the same barriers of a collective, or behind the last one of a
// collective and before the first one of the next.
func (r run) beside(x *event, o run, y *event) bool {
	last, first := x.phase == r.m.phase && r.m.phase > 0, x.phase == 0
	also, begin := y.phase == o.m.phase && o.m.phase > 0, y.phase == 0
	return r.unit.fn == o.unit.fn && x.phase == y.phase || last && begin && o.m.phase > 0 || also && first && r.m.phase > 0
}

// one says that two regions may be one: by their names, or since both are what a view of one kind has, of which a function takes two.
func (v *Vocabulary) one(a, b *region) bool {
	return a.name == b.name || a.of == b.of && !a.shared && v.rows[a.of.String()] != nil
}

// held proves that what is accessed in one thread is no other thread's to write through what it was handed there.
func (t *two) held(ctx context.Context, a, b run) (*finding, error) {
	for i := range a.m.events {
		for j := range b.m.given {
			x, y := &a.m.events[i], &b.m.given[j]
			if y.to == nil || x.to.shared || !t.p.v.one(x.to, y.to) {
				continue
			}
			met := func(a, b []smt.Int) smt.Bool { return smt.And(y.when, overlap(a[0], x.count, b[0], y.count)) }
			answer, err := t.prove(ctx, meeting{a.at(x, x.path, x.count, x.off), b.at(y, y.path, y.count, y.from...), false, met, t.same})
			if err != nil {
				return nil, err
			}
			if answer.Verdict != smt.Proved {
				return &finding{x.at, fmt.Sprintf("no other thread holds the element of %s that is accessed (a %s, see %s)", x.to.name, y.class, where(y.at)), answer, b.m.assign}, nil
			}
		}
	}
	return nil, nil
}

// handed says that an owned object is one that came in, in other words: its owner is settled where that was made.
func handed(h *holding, held []holding) bool {
	return slices.ContainsFunc(held, func(o holding) bool {
		if o.class != h.class || o.when.String() != h.when.String() || len(o.from) != len(h.from) || (o.to == nil) != (h.to == nil) || o.to != nil && o.to.name != h.to.name {
			return false
		}
		for i := range o.from {
			if o.from[i].String() != h.from[i].String() {
				return false
			}
		}
		return o.count.String() == h.count.String()
	})
}

// together are the premises of two threads of one launch.
func together(a, b run) []smt.Premise {
	seen := map[string]bool{}
	var out []smt.Premise
	for _, p := range slices.Concat(a.m.base, b.m.base) {
		if key := p.Is.String(); !seen[key] {
			seen[key] = true
			out = append(out, p)
		}
	}
	add := func(name string, is smt.Bool) {
		if a.m.takes(name) {
			out = append(out, smt.Premise{Name: name, Is: is})
		}
	}
	for _, x := range a.m.reads {
		for _, y := range b.m.reads {
			if x.to.name == y.to.name {
				add("validated "+x.to.validated, related(x, y))
			}
		}
	}
	for _, x := range a.m.held {
		for _, y := range b.m.held {
			if x.class == y.class && (x.to == nil || x.to.name == y.to.name) {
				add("a "+x.class+" has one owner", smt.Implies(meet(&x, x.from, &y, y.from), equal(x.who, y.who)))
			}
		}
	}
	return out
}

// meet says that two owned places, which begin at a and b, have an element in common.
func meet(x *holding, a []smt.Int, y *holding, b []smt.Int) smt.Bool {
	last := len(a) - 1
	return smt.And(x.when, y.when, equal(a[:last], b[:last]), overlap(a[last], x.count, b[last], y.count))
}

func overlap(a, n, b, k smt.Int) smt.Bool {
	one := func(v smt.Int) bool { return known(v) == 1 }
	if one(n) && one(k) {
		return a.Equal(b)
	}
	return smt.And(a.Less(add(b, k)), b.Less(add(a, n)))
}

func equal(a, b []smt.Int) smt.Bool {
	var all []smt.Bool
	for i := range a {
		if a[i].String() != b[i].String() {
			all = append(all, a[i].Equal(b[i]))
		}
	}
	return smt.And(all...)
}

// alike says that two threads are the same by some measure.
func alike(a, b *machine, who []string) smt.Bool {
	var x, y []smt.Int
	for _, text := range who {
		name, axis, _ := strings.Cut(text, ".")
		x, y = append(x, a.builtin(name, axis)), append(y, b.builtin(name, axis))
	}
	return equal(x, y)
}
