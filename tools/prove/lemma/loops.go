package lemma

import (
	"slices"

	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// Loops, for any number of rounds at once.

func (m *machine) forLoop(s *cxx.For, e *env) {
	inner := e.inner()
	if s.Init != nil {
		m.exec(s.Init, inner)
	}
	if s.Cond == nil && s.Step == nil {
		m.newEndless(s, inner).run()
		return
	}
	if s.Cond == nil || s.Step == nil {
		m.fail(s.Place, "a loop without a test or a step")
	}
	m.loop(s.Place,
		func() truth { return m.condition(s.Cond, inner) },
		func() { m.body(s.Body, inner) },
		func() { m.eval(s.Step, inner) })
}

func (m *machine) body(s cxx.Stmt, e *env) {
	if done, _ := m.exec(s, e.inner()); done {
		m.fail(s.At(), "a loop that returns")
	}
}

func (m *machine) rangeFor(s *cxx.RangeFor, e *env) {
	if s.Names != nil {
		m.fail(s.Place, "a structured binding is not known")
	}
	m.referred(s.Place, s.Type, s.Name)
	o, ok := m.rvalue(s.Range.At(), m.eval(s.Range, e)).(*object)
	if !ok {
		m.fail(s.Place, "%s is no range that the reader knows", cxx.Print(s.Range))
	}
	if !m.lawfulRange(s.Range, e) {
		m.fail(s.Place, "nobody has shown what %s gives: it is no call of a function with a lemma", cxx.Print(s.Range))
	}
	m.each(s.Place, o, func(v value) {
		if x, ok := v.(*object); ok {
			m.hold(s.Place, x, &m.held)
		}
		inner := e.inner()
		inner.vars[s.Name] = m.place(v)
		m.body(s.Body, inner)
	})
}

// lawfulRange says that a range comes from a function with a lemma of its own, which shows who owns what it gives.
func (m *machine) lawfulRange(x cxx.Expr, e *env) bool {
	call, ok := x.(*cxx.Call)
	if !ok {
		return false
	}
	var found []*cxx.Function
	m.guarded("what is not evaluated", func() {
		m.quietly(func() {
			switch f := m.eval(call.Fn, e).(type) {
			case method:
				if found = f.free; f.in != nil {
					found = m.methods(f.in, f.name)
				}
			}
		})
	})
	return len(found) > 0 && !slices.ContainsFunc(found, func(f *cxx.Function) bool { return m.v.kind(f.Class, f) != lemmaOf })
}

// each runs through a range as the compiler does: begin, !=, *, ++.
func (m *machine) each(at cxx.Place, o *object, body func(value)) {
	call := func(on *object, name string, args ...value) value {
		return m.rvalue(at, m.invoke(at, method{this: on, in: on.t, name: name, env: &env{}}, args))
	}
	it, ok := call(o, "begin").(*object)
	if !ok {
		m.fail(at, "the iterator of %s is no object", o.t)
	}
	end := call(o, "end")
	m.loop(at,
		func() truth {
			t, ok := call(it, "operator!=", end).(truth)
			if !ok {
				m.fail(at, "the iterator's test of %s is neither true nor false", o.t)
			}
			return t
		},
		func() { body(call(it, "operator*")) },
		func() { call(it, "operator++") })
}

// change is what one step of a loop does to a variable.
type change struct {
	op  string
	by  value
	num int
}

// wrote notes a store, for loops that want to know.
func (m *machine) wrote(c *cell, op string, by value) {
	for _, l := range m.logs {
		if old, ok := l[c]; ok {
			l[c] = change{op, by, old.num + 1}
		} else {
			l[c] = change{op, by, 1}
		}
	}
}

// loop executes a loop for any number of rounds at once. Its step adds the same to each variable in every round (or sets it
// to the same), so that round k finds start + k * step. A round is reached if the round before it passed the test.
func (m *machine) loop(at cxx.Place, test func() truth, body, step func()) {
	if m.silent {
		m.fail(at, "a loop where only a type is wanted")
	}
	start, changes, ok := m.steps(step)
	if !ok {
		m.rounds(at, test, body, step)
		return
	}
	enter := func(name string) (k smt.Int, n int) {
		k = smt.Var(m.fresh(name)).AtLeast(0)
		n = len(m.path)
		var before truth
		set(start, changes, k, true)
		m.quietly(func() { before = test() })
		set(start, changes, k, false)
		m.suppose("round "+name+" is reached", or(compare("==", k, smt.Number(0)), before))
		for c := range changes {
			if v, ok := c.v.(number); ok {
				m.suppose("the round before did not wrap", within(v.v, v.t))
			}
		}
		return k, n
	}
	_, n := enter("round")
	t := test()
	m.suppose("the loop's test", t)
	if t.c >= 0 {
		m.guarded("the body of a loop", body)
		step()
	}
	m.path = m.path[:n]
	_, _ = enter("rounds")
	m.quietly(func() { t = test() })
	m.suppose("the loop has ended", not(t))
}

// set puts the variables of a loop into the state of round k, or of the one before it.
func set(start map[*cell]value, changes map[*cell]change, k smt.Int, before bool) {
	for c, d := range changes {
		switch v := start[c].(type) {
		case number:
			by := d.by.(number).v
			at := add(v.v, mul(k, by))
			if before {
				at = sub(at, by)
			}
			c.v = number{t: v.t, v: at}
		case truth:
			first := compare("==", k, smt.Number(0))
			if before {
				first = compare("==", k, smt.Number(1))
			}
			c.v = or(and(first, v), and(not(first), d.by.(truth)))
		}
	}
}

// steps finds what a step changes; not ok if that is not the same in every round.
func (m *machine) steps(step func()) (map[*cell]value, map[*cell]change, bool) {
	try := func() map[*cell]change {
		log := map[*cell]change{}
		m.logs = append(m.logs, log)
		m.quietly(step)
		m.logs = m.logs[:len(m.logs)-1]
		return log
	}
	start := map[*cell]value{}
	restore := func() {
		for c, v := range start {
			c.v = v
		}
	}
	// The first try finds the variables; their values before it are noted as they are overwritten.
	m.before = start
	first := try()
	m.before = nil
	restore()
	for c, d := range first {
		if d.num != 1 {
			return nil, nil, false
		}
		switch v := start[c].(type) {
		case number:
			by, ok := d.by.(number)
			if d.op == "-=" && ok {
				by.v = sub(smt.Number(0), by.v)
				first[c] = change{"+=", by, 1}
			} else if d.op != "+=" || !ok {
				return nil, nil, false
			}
			c.v = number{t: v.t, v: smt.Var("another").WithinBig(v.t.least(), v.t.most())}
		case truth:
			if by, ok := d.by.(truth); d.op != "=" || !ok || !by.known() {
				return nil, nil, false
			}
			c.v = truth{v: smt.Fact("another truth")}
		default:
			restore()
			return nil, nil, false
		}
	}
	second := try()
	restore()
	if len(second) != len(first) {
		return nil, nil, false
	}
	for c, d := range second {
		by, ok := d.by.(number)
		if d.op == "-=" && ok {
			by.v = sub(smt.Number(0), by.v)
			d.by = by
		}
		if f, ok := first[c]; !ok || text(f.by) != text(d.by) {
			return nil, nil, false
		}
	}
	return start, first, true
}

func text(v value) string {
	switch v := v.(type) {
	case number:
		return v.v.String()
	case truth:
		return v.v.String()
	}
	return "?"
}

// rounds executes a loop whose test is known in every round.
func (m *machine) rounds(at cxx.Place, test func() truth, body, step func()) {
	for range 64 {
		t := test()
		if !t.known() {
			m.must(at, smt.Var("rounds"))
		}
		if !t.holds() {
			return
		}
		body()
		step()
	}
	m.fail(at, "a loop of more than 64 rounds whose step is no sum")
}
