package uniform

import (
	"slices"
	"strings"

	"github.com/warpwright/warpwright/tools/audit/flow"
	"github.com/warpwright/warpwright/tools/audit/ptx"
)

// Result is what was found of one function.
type Result struct {
	g         *ptx.Graph
	shape     [3]int
	values    []value
	undefined []bool
	joins     [][]int // the choices whose ways meet at a block
	rounds    []round
	decides   [][]int
	tangled   bool // there are cycles that are no loops
}

// Analyze analyses a function that runs in blocks of this shape.
func Analyze(g *ptx.Graph, shape [3]int) *Result {
	r := &Result{
		g: g, shape: shape,
		values:    make([]value, len(g.Values)),
		undefined: make([]bool, len(g.Values)),
		joins:     make([][]int, len(g.Blocks)),
		rounds:    rounds(g),
		decides:   g.Decides(),
		tangled:   g.Tangled,
	}
	for _, v := range g.Values {
		r.undefined[v.ID] = v.Def == nil && v.Phi == nil
	}
	for b := range g.Blocks {
		if !g.Blocks[b].Reachable || g.Conditional(b) == nil {
			continue
		}
		for _, j := range g.Joins(b) {
			r.joins[j] = append(r.joins[j], b)
		}
	}
	for changed := true; changed; {
		changed = false
		for b := range g.Blocks {
			if g.Blocks[b].Reachable && r.step(b) {
				changed = true
			}
		}
	}
	return r
}

// round is what a thread passes from a loop's header to one of its ways back. Loops that share a header are told apart so: threads may leave the
// inner one at different times without leaving the outer one.
type round struct {
	blocks map[int]bool
	leaves []int // the choices that lead out of it
}

// rounds returns one for each way back to the header of a loop.
func rounds(g *ptx.Graph) []round {
	var out []round
	for b := range g.Blocks {
		if !g.Blocks[b].Reachable {
			continue
		}
		for _, header := range g.Blocks[b].Succs {
			if !flow.Dominates(g.Idom, header, b) {
				continue
			}
			one := round{blocks: map[int]bool{header: true}}
			for work := []int{b}; len(work) > 0; {
				n := work[len(work)-1]
				work = work[:len(work)-1]
				if !one.blocks[n] {
					one.blocks[n] = true
					work = append(work, g.Blocks[n].Preds...)
				}
			}
			for n := range g.Blocks {
				if one.blocks[n] && slices.ContainsFunc(g.Blocks[n].Succs, func(s int) bool { return !one.blocks[s] }) {
					one.leaves = append(one.leaves, n)
				}
			}
			out = append(out, one)
		}
	}
	return out
}

// step computes a block's values anew and says whether one has changed.
func (r *Result) step(b int) bool {
	changed := false
	set := func(v *ptx.Value, to value) {
		if !r.values[v.ID].equal(to) {
			r.values[v.ID], changed = to, true
		}
	}
	for _, phi := range r.g.Blocks[b].Phis {
		set(phi, r.phi(b, phi))
	}
	for _, in := range r.g.Func.Instructions[r.g.Blocks[b].First:r.g.Blocks[b].End] {
		for i, v := range in.Defs {
			to := r.result(in, i)
			if in.Guard != nil && to.set {
				to = r.guarded(in, to, r.read(in.Kept[i], b))
			}
			set(v, to)
		}
	}
	return changed
}

// phi is what a register may hold where ways meet.
func (r *Result) phi(b int, phi *ptx.Value) value {
	out, same := r.values[phi.ID], true
	for _, v := range phi.Phi {
		same = same && v == phi.Phi[0]
	}
	choice := Block
	if !same {
		for _, at := range r.joins[b] {
			choice = max(choice, r.choice(at))
		}
	}
	for _, v := range phi.Phi {
		if !r.undefined[v.ID] {
			out = join(out, r.read(v, b), choice)
		}
	}
	return out
}

// guarded is a result that the register takes only where the guard holds.
func (r *Result) guarded(in *ptx.Instruction, to, kept value) value {
	guard := r.operand(in.Guard, in.Block)
	if guard.known && to.known && kept.known && kept.set {
		return mapped(func(a ...uint64) uint64 {
			if (a[0] != 0) != in.Negated {
				return a[1]
			}
			return a[2]
		}, guard, to, kept)
	}
	return join(to, kept, guard.Level())
}

// choice is the level at which the threads of a block's end agree where to go.
func (r *Result) choice(b int) Level {
	in := r.g.Conditional(b)
	if in == nil {
		return Block
	}
	level := Block
	if in.Guard != nil {
		level = r.operand(in.Guard, b).Level()
	}
	if in.Kind() == "brx" {
		level = max(level, r.operand(&in.Srcs[0], b).Level())
	}
	return level
}

// read is a value as a block sees it: outside a loop that threads leave at different times, what one of its rounds gave is no longer
// the same for all.
func (r *Result) read(v *ptx.Value, b int) value {
	out := r.values[v.ID]
	if r.undefined[v.ID] {
		return divergent(0)
	}
	if !out.set || out.known {
		return out
	}
	for _, l := range r.rounds {
		if !l.blocks[v.Block] || l.blocks[b] {
			continue
		}
		for _, at := range l.leaves {
			switch r.choice(at) {
			case Warp:
				out = out.perWarp()
			case Neither:
				return divergent(0)
			}
		}
	}
	return out
}

func (r *Result) operand(o *ptx.Operand, b int) value {
	switch o.Kind {
	case ptx.Register:
		if o.Value == nil {
			return divergent(0) // in code that nothing reaches
		}
		return r.read(o.Value, b)
	case ptx.Immediate:
		return constant(uint64(o.Number))
	case ptx.Special:
		return r.special(o.Text)
	case ptx.Symbol:
		return unknown(Block)
	}
	// An address or a vector is as uniform as what it is made of.
	level, same := Block, uint8(allBits)
	for i := range o.Parts {
		part := r.operand(&o.Parts[i], b)
		if !part.set {
			return bottom
		}
		level, same = max(level, part.Level()), same&part.bitsOf()
	}
	if level == Neither {
		return divergent(same)
	}
	return unknown(level)
}

// special is the value of a special register.
func (r *Result) special(name string) value {
	x, y := r.shape[0], r.shape[1]
	each := func(f func(t int) uint64) value {
		out := make([]uint64, x*y*r.shape[2])
		for t := range out {
			out[t] = f(t)
		}
		return perThread(shortened(out))
	}
	lane := func(t int) uint { return uint(t % lanesInWarp) }
	switch name {
	case "%tid.x":
		return each(func(t int) uint64 { return uint64(t % x) })
	case "%tid.y":
		return each(func(t int) uint64 { return uint64(t / x % y) })
	case "%tid.z":
		return each(func(t int) uint64 { return uint64(t / x / y) })
	case "%ntid.x":
		return constant(uint64(x))
	case "%ntid.y":
		return constant(uint64(y))
	case "%ntid.z":
		return constant(uint64(r.shape[2]))
	case "%laneid":
		return each(func(t int) uint64 { return uint64(lane(t)) })
	case "%lanemask_eq":
		return each(func(t int) uint64 { return 1 << lane(t) })
	case "%lanemask_lt":
		return each(func(t int) uint64 { return 1<<lane(t) - 1 })
	case "%lanemask_le":
		return each(func(t int) uint64 { return 2<<lane(t) - 1 })
	case "%lanemask_gt":
		return each(func(t int) uint64 { return (1<<32 - 1) &^ (2<<lane(t) - 1) })
	case "%lanemask_ge":
		return each(func(t int) uint64 { return (1<<32 - 1) &^ (1<<lane(t) - 1) })
	case "WARP_SZ":
		return constant(lanesInWarp)
	}
	for _, uniform := range []string{"%ctaid", "%nctaid", "%gridid", "%smid", "%nsmid", "%cluster", "%nclusterid", "%is_explicit_cluster", "%dynamic_smem_size", "%total_smem_size", "%aggr_smem_size", "%envreg"} {
		if strings.HasPrefix(name, uniform) {
			return unknown(Block)
		}
	}
	// %warpid and %nwarpid may change while a thread runs, clocks do.
	return divergent(0)
}

// Level returns which threads hold an operand alike, where the instruction reads it.
func (r *Result) Level(in *ptx.Instruction, o *ptx.Operand) Level {
	return r.operand(o, in.Block).Level()
}

// Constant returns an operand's value if it is the same known number in all threads.
func (r *Result) Constant(in *ptx.Instruction, o *ptx.Operand) (uint64, bool) {
	return r.operand(o, in.Block).single()
}

// Together returns which threads come by a block together, and where that is not the whole block, the choice that parts them: the
// first one in the text at which the threads of a warp, or else those of the block, go different ways.
func (r *Result) Together(b int) (Level, *ptx.Instruction) {
	if r.tangled {
		// Who goes round such a cycle with whom is not looked into.
		for at := range r.g.Blocks {
			if in := r.g.Conditional(at); in != nil && r.g.Blocks[at].Reachable {
				return Neither, in
			}
		}
	}
	level, by := Block, flow.None
	seen := map[int]bool{}
	for work := slices.Clone(r.decides[b]); len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		if choice := r.choice(at); choice > level || choice == level && level > Block && at < by {
			level, by = choice, at
		}
		work = append(work, r.decides[at]...)
	}
	if by == flow.None {
		return level, nil
	}
	return level, r.g.Conditional(by)
}
