package lemma

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/tools/internal/source"
	"github.com/warpwright/warpwright/tools/internal/syntax"
	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/promise"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// use is how a function comes to be executed.
type use uint8

const (
	inline    use = iota // only within others: a kernel cannot call it
	lemmaOf              // a kernel can call it, or the generated entry
	refusal              // it compiles for no argument
	unchecked            // it asks for the token
	primary              // taken as it is
)

// unit is one function that a kernel, or the generated entry, calls.
type unit struct {
	class *cxx.Class // nil of a free function
	fn    *cxx.Function
	entry bool // the constructor of a view, which only the entry calls
}

// name says which function it is.
func (u unit) name() string {
	var params []string
	for _, p := range u.fn.Params {
		params = append(params, p.Type.String())
	}
	name := u.fn.Name
	if u.fn.Conversion {
		name += " " + u.fn.Result.String()
	}
	out := name + "(" + strings.Join(params, ", ") + ")"
	if u.class != nil {
		return u.class.String() + "::" + out
	}
	return out
}

// kind says how a function comes to be executed.
func (v *Vocabulary) kind(c *cxx.Class, f *cxx.Function) use {
	if primitive(f) {
		return primary
	}
	if f.Body == nil {
		return refusal
	}
	for _, p := range f.Params {
		switch {
		case p.Type.Held:
			return unchecked
		case p.Type.String() == "Mint":
			return inline
		}
	}
	if v.refused(c, f) {
		return refusal
	}
	entry := f.Ctor && !f.Public && c != nil && v.rows[c.String()] != nil
	for _, p := range f.Params {
		if p.Type.Pointer > 0 && !entry { // a kernel has no pointers
			return inline
		}
	}
	if c != nil {
		switch c.Name {
		case "Sealed": // it has nothing that could be wrong
			return primary
		case "Mint", "Shape", "Facts", "Const", "Unchecked":
			return inline
		}
		if c.Outer != nil && c.Name == "Iterator" {
			return inline // run through with the range whose it is
		}
		switch f.Name {
		case "begin", "end", "operator!=", "operator++", "operator*":
			return inline
		}
		if !f.Public && !entry && (f.Ctor || !v.onUnknown[fmt.Sprint(f.Name, len(f.Params))]) {
			return inline
		}
	}
	return lemmaOf
}

// refused says that a function compiles for no arguments that choose it: it asserts of a parameter what its own requires
// clause denies, or what another function of the name, which fits better, takes; or it asserts what is never so.
func (v *Vocabulary) refused(c *cxx.Class, f *cxx.Function) bool {
	if len(f.Head) == 0 || f.Body == nil || len(f.Body.List) == 0 {
		return false
	}
	var asserted []string
	for _, s := range f.Body.List {
		if a, ok := s.(cxx.Asserted); ok {
			asserted = append(asserted, cxx.Print(a.Cond))
			if b, ok := a.Cond.(*cxx.Binary); ok && b.Op == "==" && strings.HasPrefix(cxx.Print(b.X), "sizeof(") && cxx.Print(b.Y) == "0" {
				return true
			}
		}
	}
	if len(asserted) == 0 {
		return false
	}
	if f.Requires != nil {
		return denied(f.Requires, asserted)
	}
	name, ok := f.Body.List[0].(cxx.Asserted).Cond.(*cxx.Name)
	if !ok || len(name.Path) != 2 || name.Path[1].Name != "is_same_v" || len(name.Path[1].Args) != 2 || c == nil {
		return false
	}
	param, want := name.Path[1].Args[0].String(), name.Path[1].Args[1].String()
	for i, p := range f.Params {
		if p.Type.String() != param {
			continue
		}
		return slices.ContainsFunc(c.Methods, func(o *cxx.Function) bool {
			return o != f && o.Name == f.Name && len(o.Params) == len(f.Params) && preferred(o, f, i, want)
		})
	}
	return false
}

// preferred says that for an argument of type want a function fits better than the template f, or as well without being one: none
// of its other parameters asks for a conversion that f does without.
func preferred(o, f *cxx.Function, i int, want string) bool {
	for j, p := range o.Params {
		if is := f.Params[j].Type.String(); j == i && p.Type.String() != want || j != i && p.Type.String() != is {
			return false
		}
	}
	return true
}

// denied says that a requires clause is the denial of some of what is asserted: !A, or !A || !B.
func denied(x cxx.Expr, asserted []string) bool {
	switch x := x.(type) {
	case *cxx.Unary:
		return x.Op == "!" && slices.Contains(asserted, cxx.Print(x.X))
	case *cxx.Binary:
		return x.Op == "||" && denied(x.X, asserted) && denied(x.Y, asserted)
	}
	return false
}

// units are all functions that have a lemma, in the order of the headers.
func (v *Vocabulary) units() []unit {
	var out []unit
	var of func(c *cxx.Class)
	of = func(c *cxx.Class) {
		for _, f := range c.Methods {
			if v.kind(c, f) == lemmaOf {
				out = append(out, unit{c, f, f.Ctor && !f.Public})
			}
		}
		for _, n := range c.Classes {
			if n.Defined {
				of(n)
			}
		}
	}
	for _, c := range v.unit.Classes {
		if c.Defined {
			of(c)
		}
	}
	for _, f := range v.unit.Functions {
		if !strings.Contains(f.Name, "::") && v.kind(nil, f) == lemmaOf {
			out = append(out, unit{nil, f, false})
		}
	}
	return out
}

// open is what a parameter of a template stands for where nothing more is known.
func (m *machine) open(h cxx.TemplateParam, free bool) binding {
	if differs()[h.Name] {
		h.Name += m.mark
	}
	switch {
	case h.Type != nil && h.Type.String() == "bool":
		return binding{n: fact(m.settle(h.Name, "false", "true") == "true")}
	case h.Type != nil:
		t, ok := m.typ(h.Type, &env{}).(*intType)
		if !ok {
			m.fail(h.Place, "parameter %s is of no type that the reader knows", h.Name)
		}
		m.symbolNames = append(m.symbolNames, h.Name)
		s, ok := m.assign[h.Name]
		if ok && s != other {
			return binding{n: number{t: t, v: decimal(s)}}
		}
		n := m.variable(h.Name, t)
		if ok {
			m.unusual(h.Name, n)
		}
		return binding{n: number{t: t, v: n}}
	case h.Pack:
		return binding{pack: m.several(h.Name), many: true}
	case h.Name == "P" && !free: // the type of offsets
		return binding{t: m.v.ints[m.settle("P", "i32", "i64")]}
	case elementName(h.Name) && !(free && h.Name == "P"):
		return binding{t: &opaqueType{name: h.Name, elem: true}}
	case extentName(h.Name) && !(free && h.Name == "A"):
		e := &extent{h.Name, smt.Var(h.Name).AtLeast(0)}
		return binding{t: e}
	case h.Name == "At" && m.proving != nil && wants()["Strip::"+m.proving.Name] != nil: // who walks strips has a tile
		return binding{t: m.tile(h.Place)}
	case h.Name == "S":
		return binding{t: m.shapeOf(h.Place)}
	}
	return binding{t: &opaqueType{name: h.Name}}
}

// several are the types of a pack: none, one or two.
func (m *machine) several(name string) []binding {
	var out []binding
	for i := range int(known(decimal(m.settle("sizeof...("+name+")", "0", "1", "2")))) {
		out = append(out, binding{t: &opaqueType{name: fmt.Sprint(name, ".", i+1)}})
	}
	m.empty = m.empty || out == nil
	return out
}

// tile is a class of tiles, with numbers of its own.
func (m *machine) tile(at cxx.Place) *class {
	c := m.primary(at, "BlockTile")
	bind := map[string]binding{}
	for _, h := range c.Head {
		h.Name = "at." + h.Name
		switch {
		case h.Type != nil:
			bind[h.Name[3:]] = m.open(h, false)
		default:
			e := &extent{h.Name, smt.Var(h.Name).AtLeast(0)}
			bind[h.Name[3:]] = binding{t: e}
		}
	}
	return m.make(at, c, nil, bind)
}

// generic is a class whose parameters stand for anything.
func (m *machine) generic(c *cxx.Class) *class {
	var outer *class
	if c.Outer != nil {
		outer = m.generic(c.Outer)
	}
	// The index types that the row fixes.
	row := m.v.rows[c.String()]
	for _, a := range attributes(row, "index") {
		name, t := a.Args[0].Key, a.Args[0].Type.Name
		if t == "P" {
			t = m.settle("P", "i32", "i64")
		}
		m.assign = m.assign.with("rep("+m.calls(c, row, name)+")", t)
	}
	bind := map[string]binding{}
	for _, h := range c.Head {
		bind[h.Name] = m.open(h, false)
	}
	return m.make(c.Place, c, outer, bind)
}

// calls is the class's own name for what its row calls so.
func (m *machine) calls(c *cxx.Class, row *syntax.View, name string) string {
	if !c.Special {
		for i, h := range c.Head {
			if i < len(row.Pattern.Args) && row.Pattern.Args[i].Name == name {
				return h.Name
			}
		}
	}
	return name
}

// start executes the unit: with any object, any arguments.
func (m *machine) start(u unit) {
	f := u.fn
	m.proving = f
	at := f.Place
	var in *class
	if u.class != nil {
		in = m.generic(u.class)
	}
	bind := map[string]binding{}
	for _, h := range f.Head {
		bind[h.Name] = m.open(h, true)
	}
	e := &env{in: in, types: bind}
	var args []value
	for i, p := range f.Params {
		name := p.Name
		if name == "" {
			name = "argument" + strconv.Itoa(i+1)
		}
		m.names[name] = 1 // it is no name of anything else
		if p.Type.Pack {
			args = append(args, m.packed(p, name, in, bind)...)
			continue
		}
		t := m.typ(p.Type, e)
		if pt, ok := t.(*pointerType); ok && u.entry {
			o := &object{in, map[string]*cell{}}
			args = append(args, m.buffer(p.Place, o, pt, name, true))
			continue
		}
		args = append(args, m.symbolic(p.Place, t, name, false))
	}
	if u.entry {
		m.entry(at, in, args)
	}
	if u.class != nil {
		for _, text := range wants()[u.class.Name+"::"+f.Name] {
			if w := m.wanted(f, text, e, args); w.c <= 0 {
				m.assume("argument of "+f.Name+": "+text, w.v)
			}
		}
	}
	switch {
	case f.Ctor:
		o := &object{in, map[string]*cell{}}
		m.build(at, o, in, args)
		m.escape(at, o, "what is constructed")
	case f.Static || u.class == nil:
		v := m.run(at, f, nil, in, args, bind)
		if law := results()[f.Name]; law != "" && u.class == nil {
			n, ok := v.(number)
			if !ok {
				m.fail(at, "%s has a law, and returns no number", f.Name)
			}
			m.owe(at, compare("==", n.v, *m.extentSize(bind[law].t)), "%s returns the size of %s", f.Name, law)
		}
		m.out(f, v)
	default:
		this := m.any(at, in, "this", m.v.rows[in.decl.String()] != nil)
		m.guards++ // its members are older than what happens now
		since, log := m.guards, map[*cell]change{}
		m.logs = append(m.logs, log)
		v := m.run(at, f, this, in, args, bind)
		m.logs = m.logs[:len(m.logs)-1]
		for c := range log {
			if c.born < since {
				m.escape(at, this, "the object behind "+f.Name)
				break
			}
		}
		m.out(f, v)
	}
}

// packed are arguments for a parameter that is a pack: one for each type that the pack stands for.
func (m *machine) packed(p cxx.Param, name string, in *class, bind map[string]binding) []value {
	var out []value
	for of, b := range bind {
		for i := range b.pack {
			one := &env{in: in, types: maps.Clone(bind)}
			one.types[of] = b.pack[i]
			out = append(out, m.symbolic(p.Place, m.typ(p.Type, one), fmt.Sprint(name, ".", i+1), false))
		}
	}
	return out
}

// wanted evaluates what a function wants of its arguments.
func (m *machine) wanted(f *cxx.Function, text string, outer *env, args []value) truth {
	x, err := cxx.Expression(source.NewFile("what "+f.Name+" wants", text))
	if err != nil {
		panic(failure{err})
	}
	e := &env{outer: outer, vars: map[string]*cell{}, types: map[string]binding{}}
	for i, p := range f.Params {
		if i < len(args) {
			e.vars[p.Name] = m.place(args[i])
		}
	}
	var out truth
	m.quietly(func() { out = m.condition(x, e) })
	return out
}

// out hands the result to the kernel.
func (m *machine) out(f *cxx.Function, v value) {
	if _, ok := v.(*cell); ok && f.Result != nil && f.Result.Ref && !f.Result.Const {
		m.fail(f.Place, "%s hands out a member that everybody may change", f.Name)
	}
	m.escape(f.Place, v, "what "+f.Name+" returns")
}

// entry takes for true what a row promises of the launch: the grid that follows from cells.
func (m *machine) entry(at cxx.Place, t *class, args []value) {
	row := m.v.rows[t.decl.String()]
	if a := attribute(row, "dim"); a != nil && len(args) == 1 {
		if n, ok := args[0].(number); ok {
			m.assume("promise of the dim: it has the value of "+a.Args[0].Type.Name, n.v.Equal(m.named(at, a.Args[0].Type.Name, t)))
		}
	}
	a := attribute(row, "cells")
	if a == nil {
		return
	}
	axes := []string{"x", "y", "z"}
	for i, arg := range a.Args {
		axis := axes[len(a.Args)-1-i]
		d := m.named(at, arg.Key, t)
		each := m.contract(at, expression(arg.Type), t, nil)
		grid := promise.Grid(axis)
		m.launch()
		m.assume("promise of the cells: each index of "+arg.Key+" has a block", grid.Times(each).AtLeastTerm(d))
		m.assume("promise of the cells: the grid ends with the last index of "+arg.Key, grid.Times(each).Less(add(d, each)))
	}
}
