package lemma

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/tools/prove/smt"
)

// Who deals a tile of so many cells to so many threads divides and takes remainders of ranks, and z3 gets lost in that. But the threads
// of a block, the rounds of an unrolled loop and the sides of a double buffer are few: where the numbers of a shape are known, what a
// thread takes is computed for all of them, and that no two threads take one place is seen. What remains of a place (where the tile
// begins) is z3's again.

// place is where something begins, a coordinate each, and how many elements along the last one belong to it.
type place struct {
	r     run
	of    any // an event or a holding
	path  []smt.Premise
	count int64 // 0 if it is no number
	from  []smt.Int
}

func (r run) at(of any, path []smt.Premise, count smt.Int, from ...smt.Int) place {
	return place{r, of, path, max(known(count), 0), from}
}

// share is a place, split: what the thread decides of each coordinate is computed for every thread of a block.
type share struct {
	rest []smt.Int // what is left of the coordinates
	*taking
}

// taking is who takes which elements, as if all began at 0.
type taking struct {
	low, high []int64 // the least and the greatest coordinates
	by        map[[2]int64]int64
}

// several threads take an element.
const several = -1

// most is how often a place is computed at most.
const most = 1 << 22

// share computes a place for all threads; nil if that is no matter of few values.
func (p *prover) share(at place) *share {
	s, ok := at.r.shares[at.of]
	if !ok {
		s = p.computed(at)
		at.r.shares[at.of] = s
	}
	return s
}

func (p *prover) computed(at place) *share {
	m := at.r.m
	few := smt.Domains(slices.Concat(m.base, at.path))
	var names []string
	for _, axis := range []string{"x", "y", "z"} {
		names = append(names, m.builtin("threadIdx", axis).Mentions()...)
	}
	ranks := len(names)
	s := &share{}
	var parts []smt.Int
	for _, from := range at.from {
		rest, part := from.With(m.terms).Apart(few)
		s.rest, parts = append(s.rest, rest), append(parts, part)
		for _, name := range part.Mentions() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	key := fmt.Sprint(at.count)
	total := int64(1)
	for _, name := range names {
		d, ok := few[name]
		total *= d.High - d.Low + 1
		if !ok || total <= 0 || total > most {
			return nil
		}
		key += fmt.Sprint(" ", name, d)
	}
	var computed, tests []smt.Computed
	for _, part := range parts {
		f, ok := part.Compile(names, few)
		if !ok {
			return nil
		}
		key += " " + part.String()
		computed = append(computed, f)
	}
	for _, q := range at.path { // a thread that does not come here takes nothing
		is := q.Is.With(m.terms)
		if f, ok := is.Compile(names, few); ok {
			key += " " + is.String()
			tests = append(tests, f)
		}
	}
	key = strings.ReplaceAll(key, "'", "")
	if p.takings[key] == nil {
		p.takings[key] = take(names, few, ranks, computed, tests, at.count)
	}
	s.taking = p.takings[key]
	return s
}

// take runs through all values. The first variables are the thread's place in the block.
func take(names []string, few map[string]smt.Domain, ranks int, parts, tests []smt.Computed, count int64) *taking {
	t := &taking{low: make([]int64, len(parts)), high: make([]int64, len(parts)), by: map[[2]int64]int64{}}
	values := make([]int64, len(names))
	one := func(who int64) {
		for _, f := range tests {
			if f(values) == 0 {
				return
			}
		}
		var at [2]int64
		for i, f := range parts {
			at[i] = f(values)
			if len(t.by) == 0 {
				t.low[i], t.high[i] = at[i], at[i]
			}
			t.low[i], t.high[i] = min(t.low[i], at[i]), max(t.high[i], at[i])
		}
		for range count {
			if old, ok := t.by[at]; ok && old != who {
				who = several
			}
			t.by[at] = who
			at[len(parts)-1]++
		}
	}
	var all func(n int, who int64)
	all = func(n int, who int64) {
		if n == len(names) {
			one(who)
			return
		}
		for v := few[names[n]].Low; v <= few[names[n]].High; v++ {
			values[n] = v
			if n < ranks {
				all(n+1, who<<10|v)
			} else {
				all(n+1, who)
			}
		}
	}
	all(0, 0)
	return t
}

// disjoint says that an element which both take is of one thread.
func (p *prover) disjoint(a, b *taking) bool {
	key := [2]*taking{a, b}
	yes, ok := p.disjoints[key]
	if !ok {
		yes = true
		for at, who := range a.by {
			if other, ok := b.by[at]; ok && (who == several || other != who) {
				yes = false
				break
			}
		}
		p.disjoints[key] = yes
	}
	return yes
}

// dealt says that two threads whose places meet are one owner, since what one block deals to its threads is dealt to each alone.
func (t *two) dealt(ctx context.Context, m meeting) (bool, error) {
	if t.a.m.assign["block.x"] == "" || len(m.x.from) > 2 || m.x.count == 0 || m.y.count == 0 {
		return false, nil
	}
	a, b := t.p.share(m.x), t.p.share(m.y)
	if a == nil || b == nil || !t.p.disjoint(a.taking, b.taking) {
		return false, nil
	}
	if m.block && equal(a.rest, b.rest).String() == smt.True().String() {
		return true, nil
	}
	var parts, places [2][]smt.Int
	for side, s := range []*share{a, b} {
		for i := range s.rest {
			v := smt.Var(fmt.Sprintf("dealt %d%s", i, []string{"", "'"}[side])).Within(s.low[i], s.high[i])
			parts[side], places[side] = append(parts[side], v), append(places[side], add(s.rest[i], v))
		}
	}
	premises := slices.DeleteFunc(t.premises(m, places[0], places[1]), func(q smt.Premise) bool { // z3 sees the parts alone
		return slices.ContainsFunc(q.Is.Mentions(), func(name string) bool {
			_, mine := t.a.m.terms[name]
			_, other := t.b.m.terms[name]
			return mine || other
		})
	})
	premises = append(premises, smt.Premise{Name: "what is dealt to a thread is dealt to no other one", Is: smt.Implies(m.met(parts[0], parts[1]), alike(t.a.m, t.b.m, thread()[3:]))})
	answer, err := t.p.ask(ctx, "dealt: "+t.about(), premises, m.goal())
	return answer.Verdict == smt.Proved, err
}
