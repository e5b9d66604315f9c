package lemma

import (
	"slices"

	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// Memory: what lies where, and what it owes to go there.

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
