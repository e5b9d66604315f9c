package lemma

import (
	"slices"

	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// exec executes a statement; it says whether the function has returned, and with what.
func (m *machine) exec(s cxx.Stmt, e *env) (bool, value) {
	if !m.silent {
		m.visited[s] = true
	}
	switch s := s.(type) {
	case *cxx.Block:
		inner := e.inner()
		for _, t := range s.List {
			if done, v := m.exec(t, inner); done {
				return true, v
			}
		}
	case *cxx.Decls:
		for _, d := range s.List {
			m.declare(d, e)
		}
	case *cxx.If:
		if m.decide(s.Place, cxx.Print(s.Cond), m.condition(s.Cond, e)) {
			return m.exec(s.Then, e)
		}
		if s.Else != nil {
			return m.exec(s.Else, e)
		}
	case *cxx.Return:
		if s.X == nil {
			return true, opaque{t: &opaqueType{name: "void"}}
		}
		return true, m.eval(s.X, e)
	case *cxx.Do:
		m.eval(s.X, e)
	case *cxx.For:
		m.forLoop(s, e)
	case *cxx.RangeFor:
		m.rangeFor(s, e)
	case cxx.Using:
		e.types[s.Name] = binding{t: m.typ(s.Type, e)}
	case cxx.Asserted:
		m.asserted(s.Assert, e)
	default:
		m.fail(s.At(), "no statement that the reader knows")
	}
	return false, opaque{t: &opaqueType{name: "void"}}
}

func (m *machine) declare(d *cxx.Decl, e *env) {
	t := m.typ(d.Type, e)
	if d.Names != nil {
		m.fail(d.Place, "a structured binding is not known")
	}
	if d.Type.Ref {
		m.fail(d.Place, "%s is a reference, and the reader would make it a copy", d.Name)
	}
	if d.Size != nil {
		e.vars[d.Name] = m.place(array{m.integer(d.Size, e).v, t})
		return
	}
	old := m.folding
	m.folding = d.Constexpr
	args := m.evals(d.Args, e)
	m.folding = old
	switch {
	case t == nil && len(args) == 1:
		v := args[0]
		if o, ok := v.(*object); ok {
			v = m.copied(o)
		}
		e.vars[d.Name] = m.place(v)
	case d.Assigned:
		e.vars[d.Name] = m.place(m.convert(d.Place, args[0], t, d.Name))
	case d.Args == nil:
		c := m.place(nil)
		switch t := t.(type) {
		case *class:
			c.v = m.construct(d.Place, t, nil)
		case *opaqueType, *intType: // to be filled by copying bytes
			c.v = opaque{t: t}
		default:
			m.fail(d.Place, "%s is declared without a value", d.Name)
		}
		e.vars[d.Name] = c
	default:
		e.vars[d.Name] = m.place(m.construct(d.Place, t, args))
	}
}

func (m *machine) forLoop(s *cxx.For, e *env) {
	inner := e.inner()
	if s.Init != nil {
		m.exec(s.Init, inner)
	}
	if s.Cond == nil && s.Step == nil {
		m.endless(s, inner)
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

// endless executes for (;;) { first; if (c) break; rest } for any number of rounds at once. In each round a variable grows by the same, or
// becomes what a number less it was, or is of no matter.
func (m *machine) endless(s *cxx.For, e *env) {
	block, ok := s.Body.(*cxx.Block)
	at := -1
	if ok {
		at = slices.IndexFunc(block.List, func(t cxx.Stmt) bool { return broken(t) != nil })
	}
	if at < 0 {
		m.fail(s.Place, "a loop without an end has one if (...) break;")
	}
	leave := broken(block.List[at])
	inner := e.inner()
	part := func(list []cxx.Stmt) {
		for _, t := range list {
			if done, _ := m.exec(t, inner); done {
				m.fail(t.At(), "a loop that returns")
			}
		}
	}
	if m.rehearsal {
		m.rehearse(func() bool {
			part(block.List[:at])
			if m.decide(block.List[at].At(), cxx.Print(leave), m.condition(leave, inner)) {
				return true
			}
			part(block.List[at+1:])
			return false
		})
		return
	}
	m.guards++
	since, phase, events := m.guards, m.phase, len(m.events) // what is born earlier was there before the loop
	start, changes := m.round(s.Place, since, func() { part(block.List[:at]); part(block.List[at+1:]) })
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
			switch v := start[c].(type) {
			case number:
				if d.op == "=" {
					c.v = number{t: v.t, v: sides[c]}
					continue
				}
				at := add(v.v, mul(k, d.by.(number).v))
				if before {
					at = sub(at, d.by.(number).v)
				}
				c.v = number{t: v.t, v: at}
			default:
				c.v = start[c]
			}
		}
	}
	enter(true)
	var ended truth
	m.guessing(func() {
		part(block.List[:at])
		ended = m.condition(leave, inner)
	})
	enter(false)
	m.suppose("the round is reached", or(compare("==", k, smt.Number(0)), not(ended)))
	for c := range changes {
		if v, ok := c.v.(number); ok {
			m.suppose("the round before did not wrap", within(v.v, v.t))
		}
	}
	done := map[*cell]change{}
	m.logs = append(m.logs, done)
	part(block.List[:at])
	m.visited[block.List[at]] = true
	m.visited[leave] = true
	cxx.Walk(block.List[at], func(x cxx.Expr) bool {
		m.visited[x] = true
		return true
	})
	if m.decide(block.List[at].At(), cxx.Print(leave), m.condition(leave, inner)) {
		m.logs = m.logs[:len(m.logs)-1]
		return
	}
	part(block.List[at+1:])
	m.logs = m.logs[:len(m.logs)-1]
	m.keeps(s.Place, since, start, changes, done)
	if m.phase > phase && len(m.events) > events {
		m.fail(s.Place, "memory is accessed in a loop with a barrier, and the rounds are not told apart")
	}
	panic(stopped{}) // the next round is like this one
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
