package lemma

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/promise"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// Constants: literals, members, variable templates, and what the facts of an extent say.

// constant finds a constant member, a variable template or a template parameter that is a value; nil if there is none.
func (m *machine) constant(n *cxx.Name, e *env) value {
	path := n.Path
	for len(path) > 1 && path[0].Name == "ww" {
		path = path[1:]
	}
	last := path[len(path)-1]
	if len(path) == 1 {
		if b, ok := e.binding(last.Name); ok {
			return b.n
		}
		for s := e; s != nil; s = s.outer {
			for c := s.in; c != nil; c = c.outer {
				if v := m.constOf(c, last.Name); v != nil {
					return v
				}
			}
		}
		if cs := m.v.consts[last.Name]; cs != nil {
			return m.variableTemplate(n.Place, last, e)
		}
		return nil
	}
	if path[0].Name == "std" {
		return nil
	}
	t := m.first(n.Place, path[0], e)
	for _, p := range path[1 : len(path)-1] {
		if t == nil {
			return nil
		}
		t = m.memberType(n.Place, t, p, e)
	}
	switch t := t.(type) {
	case *class:
		return m.constOf(t, last.Name)
	case *opaqueType: // of a class that the function is given: a number that a part or a step could have
		if !m.v.members[last.Name] {
			return nil
		}
		if v, ok := m.assign[t.name+"::"+last.Name]; ok {
			return number{t: m.v.ints["i32"], v: decimal(v)}
		}
		return number{t: m.v.ints["i32"], v: smt.Var(t.name+"::"+last.Name).Within(1, 1024)}
	}
	return nil
}

func (m *machine) constOf(c *class, name string) value {
	for _, k := range c.decl.Consts {
		if k.Name != name {
			continue
		}
		m.touched[anchored(k.Place)] = true
		key := c.key + "::" + name
		if v, ok := m.consts[key]; ok {
			return v
		}
		m.visited[k] = true
		v := m.constantly(func() value {
			return m.convert(k.Place, m.rvalue(k.Place, m.eval(k.Value, &env{in: c})), m.typ(k.Type, &env{in: c}), k.Name)
		})
		m.consts[key] = v
		return v
	}
	for _, base := range m.bases(c) {
		if v := m.constOf(base, name); v != nil {
			return v
		}
	}
	return nil
}

// variableTemplate is a fact of an extent: multiple<D>, once<D>, exact<D>. Its law says what it means.
func (m *machine) variableTemplate(at cxx.Place, p cxx.Part, e *env) value {
	args := m.arguments(at, p.Args, e)
	if facts()[p.Name] == nil {
		return m.computed(at, p.Name, args)
	}
	if len(args) != 1 || args[0].t == nil {
		m.fail(at, "%s wants an extent", p.Name)
	}
	n := m.extentSize(args[0].t)
	if n == nil {
		m.fail(at, "%s of %s, which is no extent", p.Name, args[0])
	}
	i32 := m.v.ints["i32"]
	v := smt.Var(p.Name+"<"+strings.ReplaceAll(args[0].String(), "|", "")+">").WithinBig(big.NewInt(0), i32.most())
	if c, ok := m.assign[p.Name+"<"+args[0].String()+">"]; ok {
		v = decimal(c)
	}
	if p.Name == "alignment" { // of all buffers of the launch
		v = m.alignment()
		return number{t: i32, v: v}
	}
	law := facts()[p.Name]
	m.assume("fact "+p.Name+"<"+args[0].String()+">", law(v, *n))
	if d, ok := args[0].t.(*extent); ok && p.Name == "once" && m.rep(d).name == "i32" {
		m.assume("fact once<"+d.name+">: the places of the only round have indices", promise.Grid("x").Times(v).AtMost(smt.Number(contract.Max32)))
	}
	return number{t: i32, v: v}
}

// alignment is how many bytes every buffer's address is a multiple of.
func (m *machine) alignment() smt.Int { return smt.Var("alignment").Within(1, 1024) }

// computed is a variable template that follows from its arguments, or a variable of one.
func (m *machine) computed(at cxx.Place, name string, args []binding) value {
	c := m.v.consts[name][0]
	m.touched[anchored(c.Place)] = true
	if c.Name == "copies_beside" { // it depends on the device
		return truth{v: smt.Fact(name)}
	}
	if len(m.v.consts[name]) != 1 || len(c.Head) != len(args) {
		m.fail(at, "%s of %d arguments is not known", name, len(args))
	}
	e := &env{types: map[string]binding{}}
	for i, h := range c.Head {
		e.types[h.Name] = args[i]
	}
	m.visited[c] = true
	return m.constantly(func() value {
		return m.convert(at, m.rvalue(at, m.eval(c.Value, e)), m.typ(c.Type, e), name)
	})
}

// constantly evaluates a constant: where it depends on a condition, either is taken on a path of its own, so that types can name it.
func (m *machine) constantly(f func() value) value {
	old := m.folding
	m.folding = true
	v := f()
	m.folding = old
	return v
}

// extentSize is the size of an extent; nil if the type is none.
func (m *machine) extentSize(t typ) *smt.Int {
	switch t := t.(type) {
	case *extent:
		return &t.size
	case *class:
		if t.decl.Name == "Const" {
			if n, ok := t.bind["N"].n.(number); ok {
				return &n.v
			}
		}
	}
	return nil
}

// literal reads a number. It has the first type that C++ tries and that holds it; long has 64 bits.
func (m *machine) literal(n *cxx.Number) value {
	text := strings.ToLower(strings.ReplaceAll(n.Text, "'", ""))
	hex := strings.HasPrefix(text, "0x")
	if strings.Contains(text, ".") || !hex && strings.ContainsAny(text, "fe") {
		return opaque{t: &opaqueType{name: "float"}}
	}
	digits := strings.TrimRight(text, "ul")
	suffix := text[len(digits):]
	v, err := strconv.ParseUint(digits, 0, 64)
	long := strings.ReplaceAll(suffix, "u", "")
	if err != nil || len(suffix)-len(long) > 1 || len(long) > 2 {
		m.fail(n.Place, "%s is no number that the reader knows", n.Text)
	}
	for _, name := range []string{"i32", "u32", "i64", "u64"} {
		t := m.v.ints[name]
		switch {
		case long != "" && t.bits < 64 || suffix != long && t.signed:
		case suffix == long && !t.signed && !strings.HasPrefix(digits, "0"): // a decimal number has a sign
		case new(big.Int).SetUint64(v).Cmp(t.most()) <= 0:
			return number{t: t, v: smt.Unsigned(v)}
		}
	}
	m.fail(n.Place, "%s has no type", n.Text)
	return nil
}
