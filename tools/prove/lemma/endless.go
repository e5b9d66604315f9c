package lemma

import (
	"slices"

	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// Loops without an end of their own.

// endless is for (;;) { first; if (leave) break; rest }.
type endless struct {
	m           *machine
	at          cxx.Place
	first, rest []cxx.Stmt
	exit        cxx.Stmt
	leave       cxx.Expr
	env         *env
}

// newEndless finds the parts of a loop.
func (m *machine) newEndless(s *cxx.For, e *env) *endless {
	if b, ok := s.Body.(*cxx.Block); ok {
		if i := slices.IndexFunc(b.List, func(t cxx.Stmt) bool { return broken(t) != nil }); i >= 0 {
			return &endless{m, s.Place, b.List[:i], b.List[i+1:], b.List[i], broken(b.List[i]), e.inner()}
		}
	}
	m.fail(s.Place, "a loop without an end has one if (...) break;")
	return nil
}

func (l *endless) part(list []cxx.Stmt) {
	for _, t := range list {
		if done, _ := l.m.exec(t, l.env); done {
			l.m.fail(t.At(), "a loop that returns")
		}
	}
}

// left says that the loop is left where it can be.
func (l *endless) left() bool {
	m := l.m
	m.visited[l.exit], m.visited[l.leave] = true, true
	cxx.Walk(l.exit, func(x cxx.Expr) bool {
		m.visited[x] = true
		return true
	})
	return m.decide(l.exit.At(), cxx.Print(l.leave), m.condition(l.leave, l.env))
}

// run executes the loop for any number of rounds at once. In each round a variable grows by the same, or becomes what a number less it was, or
// is of no matter.
func (l *endless) run() {
	m := l.m
	if m.rehearsal {
		m.rehearse(func() bool {
			l.part(l.first)
			if l.left() {
				return true
			}
			l.part(l.rest)
			return false
		})
		return
	}
	m.guards++
	since, phase, events := m.guards, m.phase, len(m.events) // what is born earlier was there before the loop
	start, changes := m.round(l.at, since, func() { l.part(l.first); l.part(l.rest) })
	l.reached(start, changes)
	done := map[*cell]change{}
	m.logs = append(m.logs, done)
	l.part(l.first)
	if l.left() {
		m.logs = m.logs[:len(m.logs)-1]
		return
	}
	l.part(l.rest)
	m.logs = m.logs[:len(m.logs)-1]
	m.keeps(l.at, since, start, changes, done)
	if m.phase > phase && len(m.events) > events {
		m.fail(l.at, "memory is accessed in a loop with a barrier, and the rounds are not told apart")
	}
	panic(stopped{}) // the next round is like this one
}

// reached puts the variables into the state of some round, which is the first one or whose round before did not leave the loop.
func (l *endless) reached(start map[*cell]value, changes map[*cell]change) {
	m := l.m
	k := smt.Var(m.fresh("round")).AtLeast(0)
	sides := map[*cell]smt.Int{}
	for c, d := range changes {
		if v, ok := start[c].(number); ok && d.op == "=" {
			sides[c] = m.variable(m.fresh("side"), v.t)
			was, other := compare("==", sides[c], v.v), compare("==", sides[c], d.by.(number).v)
			m.suppose("it is the one or the other", or(was, other))
		}
	}
	enter := func(before bool) {
		for c, d := range changes {
			v, ok := start[c].(number)
			switch {
			case !ok:
				c.v = start[c]
			case d.op == "=":
				c.v = number{t: v.t, v: sides[c]}
			case before:
				c.v = number{t: v.t, v: sub(add(v.v, mul(k, d.by.(number).v)), d.by.(number).v)}
			default:
				c.v = number{t: v.t, v: add(v.v, mul(k, d.by.(number).v))}
			}
		}
	}
	enter(true)
	var ended truth
	m.guessing(func() {
		l.part(l.first)
		ended = m.condition(l.leave, l.env)
	})
	enter(false)
	m.suppose("the round is reached", or(compare("==", k, smt.Number(0)), not(ended)))
	for c := range changes {
		if v, ok := c.v.(number); ok {
			m.suppose("the round before did not wrap", within(v.v, v.t))
		}
	}
}

// keeps says that a round does on every path what was found of it on the first.
func (m *machine) keeps(at cxx.Place, since int, start map[*cell]value, changes, done map[*cell]change) {
	for c, is := range changes {
		if _, ok := done[c]; !ok && is.op != "=" && !isOpaque(c.v) {
			m.fail(at, "the loop changes a number on its first path alone")
		}
	}
	for c, d := range done {
		v, ok := c.v.(number)
		if c.born >= since || isOpaque(c.v) {
			continue
		}
		is := changes[c]
		switch {
		case !ok || d.num != is.num || d.op != is.op || d.op != "=" && text(d.by) != text(is.by):
			m.fail(at, "the loop changes a number on one path in another way than on the first")
		case d.op == "=":
			one, other := start[c].(number).v, is.by.(number).v
			m.owe(at, or(compare("==", v.v, one), compare("==", v.v, other)), "a number that turns is %s or %s", one, other)
		}
	}
}

// broken is the condition of if (c) break;
func broken(s cxx.Stmt) cxx.Expr {
	i, ok := s.(*cxx.If)
	if !ok || i.Else != nil || i.Constexpr {
		return nil
	}
	d, ok := i.Then.(*cxx.Do)
	if !ok || cxx.Print(d.X) != "break" {
		return nil
	}
	return i.Cond
}

// round finds what one round changes of the variables that were there before it.
func (m *machine) round(at cxx.Place, since int, f func()) (map[*cell]value, map[*cell]change) {
	start, log := map[*cell]value{}, map[*cell]change{}
	m.before = start
	m.logs = append(m.logs, log)
	m.guessing(f)
	m.logs = m.logs[:len(m.logs)-1]
	m.before = nil
	again := map[*cell]change{} // what a second round does
	for c, v := range start {
		c.v = v
		if d := log[c]; c.born < since && d.op == "=" {
			c.v = m.convert(at, d.by, m.typeOf(v), "the next round")
		}
	}
	m.logs = append(m.logs, again)
	m.guessing(f)
	m.logs = m.logs[:len(m.logs)-1]
	out := map[*cell]change{}
	for c, v := range start {
		c.v = v
		d, ok := log[c]
		if c.born >= since || !ok {
			continue
		}
		if n, ok := v.(number); ok {
			by, known := d.by.(number)
			next, also := again[c].by.(number)
			plus := d.op == "+=" && d.num == 1 && known && also && next.v.String() == by.v.String()
			turns := d.op == "=" && d.num == 1 && known && also && next.v.String() == n.v.String() // 0, 1, 0, ...
			if !plus && !turns {
				m.fail(at, "the loop changes a number in a way that the reader does not know")
			}
		} else if _, ok := v.(opaque); !ok {
			m.fail(at, "the loop changes what is neither a number nor a value")
		}
		out[c] = d
	}
	return start, out
}

// guessing runs f to see what it does to variables: nothing is owed, and where it branches it goes the first way.
func (m *machine) guessing(f func()) {
	old, path := m.guess, len(m.path)
	m.guess = true
	m.quietly(f)
	m.guess = old
	m.path = m.path[:path]
}
