package lemma

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// machine executes one path through one function, in one thread.
type machine struct {
	v      *Vocabulary
	mark   string // behind the names of what differs between threads: ' for the second one
	assign assignment

	chosen []bool // decisions that are prescribed
	made   []bool // decisions, as they came

	decided map[string]bool // the same question has the same answer

	base   []smt.Premise // of the launch and of the types: in force throughout
	known  map[string]bool
	path   []smt.Premise // what has been decided on the way here
	math   bool          // numbers without bounds, as laws have them
	silent bool          // nothing is owed and nothing happens
	depth  int
	names  map[string]int
	terms  map[string]smt.Int // what numbers are that have names of their own
	phase  int                // barriers passed
	shape  *class
	consts map[string]value

	owed    []obligation
	events  []event
	held    []holding // owned objects that came in
	given   []holding // owned objects that are handed out
	reads   []reading
	used    []usage // of shared memory that fills itself
	visited map[any]bool
	rests
	without string // a premise that is not taken for true

	rehearsal   bool          // loops without an end are executed as they stand
	unended     bool          // and this one was not left
	guess       bool          // branches are not recorded
	within      *env          // where the names of a pattern stand
	folding     bool          // a constant is evaluated
	empty       bool          // a pack of a template stands for nothing
	proving     *cxx.Function // the function whose lemma this is
	symbolNames []string      // the numbers of the templates

	guards int                // how many guards there were
	guard  guard              // of what is executed now
	logs   []map[*cell]change // of the loops that are being looked at
	before map[*cell]value    // what a store overwrites, where that is wanted
}

// obligation is what must follow from the premises.
type obligation struct {
	at   cxx.Place
	what string
	path []smt.Premise
	goal smt.Bool
}

// event is an access to memory that a pair of threads may conflict in.
type event struct {
	at     cxx.Place
	to     *region
	off    smt.Int
	count  smt.Int
	write  bool
	atomic bool
	phase  int
	path   []smt.Premise
}

// meets says that another thread's access may be to the same element: what others write, or, in shared memory, what all do at once.
func (e event) meets() bool { return e.to.written && (e.write || !e.to.shared) }

// reading is a number that was read from validated memory.
type reading struct {
	to  *region
	off smt.Int
	v   smt.Int
}

// holding is an owned object.
type holding struct {
	at    cxx.Place
	class string // the template
	law   *owner
	to    *region // of owned places in memory
	when  smt.Bool
	from  []smt.Int
	count smt.Int
	who   []smt.Int
	path  []smt.Premise
}

// failure is how errors travel inside a machine; runs turn it into an error.
type failure struct{ err error }

// split asks for runs in which something is settled, one for each option.
type split struct {
	name    string
	options []string
}

func (m *machine) fail(at cxx.Place, format string, args ...any) {
	panic(failure{at.Errorf(format, args...)})
}

// settle asks for the value of something that must be known.
func (m *machine) settle(name string, options ...string) string {
	if v, ok := m.assign[name]; ok {
		return v
	}
	panic(split{name, options})
}

func (m *machine) owe(at cxx.Place, goal truth, format string, args ...any) {
	if m.math || m.silent || goal.c > 0 {
		return
	}
	m.owed = append(m.owed, obligation{at, fmt.Sprintf(format, args...), slices.Clone(m.path), goal.v})
}

// suppose adds a premise of the path.
func (m *machine) suppose(name string, is truth) {
	if is.c > 0 {
		return
	}
	m.path = append(m.path, smt.Premise{Name: name, Is: is.v})
}

// assume adds a premise that holds throughout, once.
func (m *machine) assume(name string, is smt.Bool) {
	if m.takes(name) {
		m.define(name, is)
	}
}

// takes notes a premise, and says whether it is taken for true.
func (m *machine) takes(name string) bool {
	name = strings.ReplaceAll(name, "'", "")
	m.premises[name] = true
	return name != m.without
}

// define is assume of what is no promise of anybody: what a name stands for, or what is so of all numbers.
func (m *machine) define(name string, is smt.Bool) {
	if key := name + is.String(); !m.known[key] {
		m.known[key] = true
		m.base = append(m.base, smt.Premise{Name: name, Is: is})
	}
}

// fresh makes a name that is used once in this thread.
func (m *machine) fresh(name string) string {
	m.names[name]++
	if n := m.names[name]; n > 1 {
		return fmt.Sprintf("%s.%d%s", name, n, m.mark)
	}
	return name + m.mark
}

// decide chooses a branch.
func (m *machine) decide(at cxx.Place, what string, c truth) bool {
	if c.known() {
		return c.holds()
	}
	if m.guess {
		return true
	}
	key := c.v.String()
	if yes, ok := m.decided[key]; ok {
		return yes
	}
	yes := true
	if n := len(m.made); n < len(m.chosen) {
		yes = m.chosen[n]
	}
	m.made = append(m.made, yes)
	m.decided[key] = yes
	if yes {
		m.suppose(what, c)
	} else {
		m.suppose("not "+what, not(c))
	}
	return yes
}

// quietly runs f without obligations or events, in numbers without bounds.
func (m *machine) quietly(f func()) {
	math, silent := m.math, m.silent
	m.math, m.silent = true, true
	f()
	m.math, m.silent = math, silent
}

// under runs f with another premise.
func (m *machine) under(name string, c truth, f func()) {
	n := len(m.path)
	m.suppose(name, c)
	f()
	m.path = m.path[:n]
}

// guard is around code that is executed once here, and any number of times on a device. What it changes of what was there before it
// would be seen once.
type guard struct {
	since int    // variables of an earlier birth must stay what they are
	what  string // the code
}

// guarded runs f in a guard.
func (m *machine) guarded(what string, f func()) {
	old := m.guard
	m.guards++
	m.guard = guard{m.guards, what}
	f()
	m.guard = old
}

// place makes a variable.
func (m *machine) place(v value) *cell { return &cell{v, m.guards} }

// changes refuses a change of a variable that a guard forbids. A value of which nothing matters may change.
func (m *machine) changes(at cxx.Place, c *cell, text string) {
	if c.born < m.guard.since && !isOpaque(c.v) {
		m.fail(at, "%s: %s changes what was there before it", text, m.guard.what)
	}
}

// stopped ends a run at a place that must not be reached; what was owed until then is proved.
type stopped struct{}

// other is the setting of a number that is none of the candidates.
const other = "other"

// must is a number that has to be known. The numbers of the templates are settled for that: to each power of two up to 1024, and once
// to none of them, where it is to be shown that this cannot be.
func (m *machine) must(at cxx.Place, v smt.Int) int64 {
	if n, ok := v.IsNumber(); ok && n.IsInt64() {
		return n.Int64()
	}
	for _, name := range m.symbolNames {
		if _, ok := m.assign[name]; !ok {
			panic(split{name, powers()})
		}
	}
	math, silent := m.math, m.silent
	m.math, m.silent = false, false
	m.owe(at, fact(false), "a number that must be known is a power of two, 1024 at most")
	m.math, m.silent = math, silent
	panic(stopped{})
}

// powers are the candidates for a number that must be known.
func powers() []string {
	out := []string{other}
	for n := 1; n <= 1024; n *= 2 {
		out = append(out, strconv.Itoa(n))
	}
	return out
}

// unusual is a number that is no power of two up to 1024.
func (m *machine) unusual(name string, v smt.Int) {
	for n := int64(1); n <= 1024; n *= 2 {
		m.define(name+" is no power of two", v.Differs(smt.Number(n)))
	}
}
