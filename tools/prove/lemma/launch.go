package lemma

import (
	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/promise"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// The launch: who a thread is, and how many there are.

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
