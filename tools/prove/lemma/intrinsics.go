package lemma

import (
	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// The functions of the language and of CUDA, and those of platform.h that are known by name.

// copyBeside is copy_beside<bytes>(to, from, there): it reads what is there, and writes in any case.
func (m *machine) copyBeside(x *cxx.Call, fn method, e *env) value {
	args := m.evals(x.Args, e)
	n, ok := m.argument(x.Place, fn.args[0], e).n.(number)
	to, also := args[0].(pointer)
	from, both := args[1].(pointer)
	if !ok || !also || !both {
		m.fail(x.Place, "%s is not understood", cxx.Print(x))
	}
	to.word = m.must(x.Place, n.v)
	m.owe(x.Place, fact(to.word == 4 || to.word == 8 || to.word == 16), "%d bytes are copied at once, which the device does of 4, 8 or 16", to.word)
	from.word = to.word
	if there := m.condition(x.Args[2], e); there.c >= 0 {
		m.under("something is there", there, func() { m.access(x.Place, from, false, false, "what is copied") })
	}
	m.access(x.Place, to, true, false, "where it is copied to")
	return opaque{t: &opaqueType{name: "void"}}
}

// unrolled<N>(f) calls f with each number below N.
func (m *machine) unrolled(x *cxx.Call, fn method, e *env) value {
	n, ok := m.argument(x.Place, fn.args[0], e).n.(number)
	args := m.evals(x.Args, e)
	if !ok || len(args) != 1 {
		m.fail(x.Place, "%s is not understood", cxx.Print(x))
	}
	f, ok := args[0].(closure)
	if !ok {
		m.fail(x.Place, "unrolled takes a lambda")
	}
	at := len(m.path)
	i := smt.Var(m.fresh("place")).AtLeast(0)
	if called := compare("<", i, n.v); called.c >= 0 {
		m.suppose("a call of "+cxx.Print(x.Fn), called)
		m.guarded("a lambda that is called again", func() { m.enter(x.Place, f, []value{number{t: m.v.ints["i32"], v: i}}) })
	}
	m.path = m.path[:at]
	return opaque{t: &opaqueType{name: "void"}}
}

func intrinsic(name string) bool {
	switch name {
	case "__ldg", "__ldcs", "atomicAdd", "__syncthreads", "__syncwarp", "__shfl_xor_sync", "__shfl_down_sync", "__builtin_memcpy":
		return true
	}
	return false
}

func (m *machine) intrinsic(at cxx.Place, name string, args []value) value {
	want := map[string]int{"__ldg": 1, "__ldcs": 1, "atomicAdd": 2, "__syncthreads": 0, "__syncwarp": 0, "__shfl_xor_sync": 3, "__shfl_down_sync": 3, "__builtin_memcpy": 3}[name]
	if len(args) != want {
		m.fail(at, "%s takes %d arguments", name, want)
	}
	switch name {
	case "__syncthreads":
		if m.guard.since > 0 {
			m.fail(at, "a barrier in %s", m.guard.what)
		}
		if !m.silent {
			m.phase++
		}
	case "__ldg", "__ldcs", "atomicAdd":
		p, ok := args[0].(pointer)
		if !ok {
			m.fail(at, "%s takes a pointer", name)
		}
		if name == "atomicAdd" {
			m.access(at, p, true, true, "the sum")
			return opaque{t: p.elem}
		}
		return m.load(at, p, "p")
	case "__builtin_memcpy":
		to, ok := args[0].(address)
		from, also := args[1].(address)
		n, counted := args[2].(number)
		if !ok || !also || !counted {
			m.fail(at, "__builtin_memcpy copies between two variables")
		}
		if c, ok := to.of.(*cell); ok && !isOpaque(c.v) {
			if _, ok := c.v.(array); !ok {
				m.fail(at, "bytes are copied into %s, whose value is known", to.text)
			}
		}
		for _, a := range []address{to, from} {
			size := m.sizeOfValue(at, a.of)
			m.owe(at, compare("==", n.v, smt.Number(size)), "%s bytes are copied, and %s has %d", n.v, a.text, size)
		}
	case "__shfl_xor_sync", "__shfl_down_sync":
		return args[1]
	}
	return opaque{t: &opaqueType{name: "void"}}
}
