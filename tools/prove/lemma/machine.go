package lemma

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/promise"
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

// The launch.

// builtins are threadIdx, blockIdx and gridDim.
func (m *machine) builtin(name, axis string) smt.Int {
	switch name {
	case "gridDim":
		return promise.Grid(axis)
	case "blockIdx":
		most := int64(promise.GridYZ)
		if axis == "x" {
			most = promise.GridX
		}
		b := smt.Var("blockIdx."+axis+m.mark).Within(0, most-1)
		m.launch()
		m.assume("blockIdx."+axis+" < gridDim."+axis, b.Less(promise.Grid(axis)))
		return b
	default:
		t := smt.Var("threadIdx."+axis+m.mark).Within(0, 1023)
		size := m.block(axis)
		if n, ok := size.IsNumber(); ok && n.IsInt64() && n.Int64() == 1 {
			return smt.Number(0)
		}
		m.assume("threadIdx."+axis+" < blockDim."+axis, t.Less(size))
		return t
	}
}

// launch adds what the number of the grid's axes says.
func (m *machine) launch() {
	m.assume("a grid has one block along each axis that it has not", promise.Flat(m.axes()))
}

// shapes are the kinds of launch: one row of threads, by a grid of one axis or of more, and blocks of two and of three axes.
func shapes() []string { return []string{"line", "row", "plane", "solid"} }

// The shape of the launch: one of four kinds, whose numbers are symbols unless they are settled.
func (m *machine) block(axis string) smt.Int {
	if v, ok := m.assign["block."+axis]; ok {
		return decimal(v)
	}
	kind := m.settle("shape", shapes()...)
	one := smt.Number(1)
	if axis == "y" && (kind == "line" || kind == "row") || axis == "z" && kind != "solid" {
		return one
	}
	low := int64(1)
	if axis == "y" && kind == "plane" || axis == "z" {
		low = 2
	}
	n := smt.Var("blockDim."+axis).Within(low, 1024)
	if kind == "plane" || kind == "solid" {
		all := smt.Int{}
		x, y := smt.Var("blockDim.x").Within(1, 1024), smt.Var("blockDim.y").Within(map[string]int64{"plane": 2, "solid": 1}[kind], 1024)
		if all = x.Times(y); kind == "solid" {
			all = all.Times(smt.Var("blockDim.z").Within(2, 1024))
		}
		m.assume("a block has at most 1024 threads", all.AtMost(smt.Number(1024)))
	}
	return n
}

func (m *machine) axes() smt.Int {
	if v, ok := m.assign["axes"]; ok {
		return decimal(v)
	}
	switch m.settle("shape", shapes()...) {
	case "line":
		return smt.Number(1)
	case "row":
		return smt.Var("axes").Within(2, 3)
	}
	return smt.Var("axes").Within(1, 3)
}

// shapeOf is the class Shape of the launch.
func (m *machine) shapeOf(at cxx.Place) *class {
	if m.shape == nil {
		u32 := m.v.ints["u32"]
		n := func(v smt.Int) binding { return binding{n: number{t: u32, v: v}} }
		align := smt.Var("align").Within(1, 1024)
		m.shape = m.instance(at, m.primary(at, "Shape"), nil, []binding{n(m.block("x")), n(m.block("y")), n(m.block("z")), n(m.axes()), n(align)})
	}
	return m.shape
}

func (m *machine) primary(at cxx.Place, name string) *cxx.Class {
	for _, c := range m.v.classes[name] {
		if !c.Special {
			return c
		}
	}
	m.fail(at, "no class %s", name)
	return nil
}

// rep is the type of the indices below d.
func (m *machine) rep(d *extent) *intType {
	name := m.settle("rep("+d.name+")", "i32", "i64", "u64")
	m.assume("promise of an extent: an index below it, and a step past it, is a number of its type", promise.Extent(d.size, reps()[name]))
	m.known["fits "+d.size.String()+" "+name] = true
	return m.v.ints[name]
}

// Memory.

// access is a read or a write of count elements at p.
func (m *machine) access(at cxx.Place, p pointer, write, atomic bool, what string) {
	if p.null {
		m.owe(at, fact(false), "%s: a null pointer is dereferenced", what)
		return
	}
	count := smt.Number(1)
	if p.word != 0 {
		size := m.size(at, p.to.elem)
		if p.word%size != 0 {
			m.fail(at, "%s takes %d bytes of elements of %d", what, p.word, size)
		}
		count = smt.Number(p.word / size)
		m.owe(at, and(m.aligned(p.to, count, p.word), compare("==", mod(p.off, count), smt.Number(0))), "%s is aligned to %d bytes", what, p.word)
	}
	m.owe(at, and(compare(">=", p.off, smt.Number(0)), compare("<=", add(p.off, count), p.to.len)), "%s lies inside %s", what, p.to.name)
	if !m.silent {
		m.events = append(m.events, event{at, p.to, p.off, count, write, atomic, m.phase, slices.Clone(m.path)})
	}
}

// aligned says that a region begins at a multiple of so many elements, of so many bytes.
func (m *machine) aligned(to *region, count smt.Int, bytes int64) truth {
	if n, ok := count.IsNumber(); ok && n.IsInt64() && n.Int64() == 1 { // of one element it does
		return fact(true)
	}
	out := fact(false)
	if to.aligned {
		out = compare("==", mod(to.align, count), smt.Number(0))
	}
	if bytes > 0 && !to.shared {
		out = or(out, compare("==", mod(m.alignment(), smt.Number(bytes)), smt.Number(0)))
	}
	return out
}

// load reads one value.
func (m *machine) load(at cxx.Place, p pointer, what string) value {
	m.access(at, p, false, false, what)
	if p.to == nil || p.to.validated == "" || m.silent {
		if t, ok := p.elem.(*intType); ok {
			return number{t: t, v: m.variable(m.fresh("*"+what), t)}
		}
		return opaque{t: p.elem}
	}
	t, ok := p.elem.(*intType)
	if !ok {
		m.fail(at, "%s was validated, and is no whole number", what)
	}
	r := reading{p.to, p.off, m.variable(m.fresh("*"+what), t)}
	name := "validated " + p.to.validated
	if p.to.validated == "offsets" {
		m.assume(name, smt.And(r.v.AtLeastTerm(smt.Number(0)), r.v.AtMost(p.to.below)))
	} else {
		m.assume(name, smt.And(r.v.AtLeastTerm(smt.Number(0)), r.v.Less(p.to.below)))
	}
	for _, o := range m.reads {
		if o.to == p.to {
			m.assume(name, related(o, r))
		}
	}
	m.reads = append(m.reads, r)
	return number{t: t, v: r.v}
}

// related is what validation says of two readings.
func related(a, b reading) smt.Bool {
	switch a.to.validated {
	case "offsets":
		return smt.And(smt.Implies(a.off.AtMost(b.off), a.v.AtMost(b.v)), smt.Implies(b.off.AtMost(a.off), b.v.AtMost(a.v)))
	case "permutation":
		return smt.Implies(a.v.Equal(b.v), a.off.Equal(b.off))
	}
	return smt.Implies(a.off.Equal(b.off), a.v.Equal(b.v))
}

// variable is a symbol of a type.
func (m *machine) variable(name string, t *intType) smt.Int {
	return smt.Var(name).WithinBig(t.least(), t.most())
}

// size is the number of bytes of a type.
func (m *machine) size(at cxx.Place, t typ) int64 {
	switch t := t.(type) {
	case *intType:
		return int64(t.bits / 8)
	case *opaqueType:
		if t.elem {
			return known(decimal(m.settle("sizeof("+t.name+")", "1", "2", "4", "8")))
		}
		if n, ok := map[string]int64{"float": 4, "double": 8, "uint4": 16, "uint2": 8, "__half": 2, "__nv_bfloat16": 2}[t.name]; ok {
			return n
		}
	case *class:
		total := int64(0)
		for _, f := range t.decl.Fields {
			e := &env{in: t}
			n := int64(1)
			if f.Size != nil {
				n = m.must(at, m.integer(f.Size, e).v)
			}
			total += n * m.size(at, m.typ(f.Type, e))
		}
		return total
	case *pointerType:
		return 8
	}
	m.fail(at, "the size of %s is not known", t)
	return 0
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
