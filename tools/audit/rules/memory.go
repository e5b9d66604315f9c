package rules

import (
	"slices"
	"strings"

	"github.com/warpwright/warpwright/tools/audit/ptx"
)

// unused finds what every launch must bring and the entry never touches: its accesses went when it was compiled, or there never
// were any.
func (e *entry) unused() {
	read, shared := map[string]bool{}, false
	e.reached(func(in *ptx.Instruction) {
		for _, o := range slices.Concat(in.Srcs, in.Dsts) {
			for _, part := range o.Parts {
				read[part.Text] = true
			}
		}
		shared = shared || slices.ContainsFunc(strings.Split(in.Op, "."), func(word string) bool { return strings.HasPrefix(word, "shared") })
	})
	for _, b := range e.launch.Buffers {
		if !read[b.PTX] {
			e.add(UnusedMemory, nil, "its code does not touch buffer %s, which every launch must bring", b.Name)
		}
	}
	if e.launch.Shared && !shared {
		e.add(UnusedMemory, nil, "its code does not touch shared memory, of which every launch must bring some")
	}
}

// unawaited finds copies beside the thread after which it comes by a barrier, or to its end, without having waited: nobody knows when
// what they copy is there.
func (e *entry) unawaited() {
	g := e.graph
	for b := range g.Blocks {
		if !g.Blocks[b].Reachable {
			continue
		}
		for i := g.Blocks[b].First; i < g.Blocks[b].End; i++ {
			in := g.Func.Instructions[i]
			if !copies(in) {
				continue
			}
			if at := e.passes(b, i+1, map[int]bool{}); at != "" {
				e.add(UnawaitedCopy, in, "the thread comes %s without having waited for it", at)
			}
		}
	}
}

// partial finds copies beside the thread that can read a part of their bytes only, or never read any: the rest is filled with zeros, which is
// for what lies beyond an edge, all of it or nothing. What reads beyond the edge of an array by less than an element, no length finds.
func (e *entry) partial() {
	e.reached(func(in *ptx.Instruction) {
		operands := in.Srcs // [to], [from], bytes, bytes that are read, policy of the cache
		if in.Has("L2::cache_hint") && len(operands) > 0 {
			operands = operands[:len(operands)-1]
		}
		if !copies(in) || len(operands) < 4 || operands[2].Kind != ptx.Immediate {
			return
		}
		all, read := operands[2].Number, numbers{}
		if !read.collect(&operands[3], map[*ptx.Value]bool{}) {
			return
		}
		for n := range read {
			if n != 0 && n != all {
				e.add(PartialCopy, in, "it can read %d of its %d bytes, and fills the rest with zeros", n, all)
				return
			}
		}
		if !read[all] {
			e.add(PartialCopy, in, "it reads none of its %d bytes, ever: all is filled with zeros", all)
		}
	})
}

// numbers are the constants that something can be.
type numbers map[int64]bool

// collect adds what an operand can be; false if that is not constants that something chooses among. What was seen on the way to it is there
// already, or will be, but where it says false: there a number is made of itself.
func (n numbers) collect(o *ptx.Operand, seen map[*ptx.Value]bool) bool {
	if o.Kind == ptx.Immediate {
		n[o.Number] = true
		return true
	}
	return o.Kind == ptx.Register && o.Value != nil && n.value(o.Value, seen)
}

func (n numbers) value(v *ptx.Value, seen map[*ptx.Value]bool) bool {
	if counted, ok := seen[v]; ok {
		return counted
	}
	seen[v] = true
	for _, from := range v.Phi {
		if from == nil || !n.value(from, seen) {
			return false
		}
	}
	if v.Def == nil {
		return len(v.Phi) > 0
	}
	if v.Def.Guard != nil && !n.value(v.Def.Kept[v.Index], seen) {
		return false
	}
	switch src := v.Def.Srcs; v.Def.Kind() {
	case "mov":
		return len(v.Def.Defs) == 1 && n.collect(&src[0], seen) // no halves of a number
	case "selp":
		return n.collect(&src[0], seen) && n.collect(&src[1], seen)
	case "mul", "shl": // of a condition, which is 0 or 1
		if src[1].Kind != ptx.Immediate || src[1].Number < 0 || src[1].Number > 31 || v.Def.Has("hi") {
			return false
		}
		of, made := numbers{}, map[*ptx.Value]bool{}
		for before := range seen {
			made[before] = false
		}
		if !of.collect(&src[0], made) {
			return false
		}
		for number := range of {
			if v.Def.Kind() == "mul" {
				n[number*src[1].Number] = true
			} else {
				n[number<<src[1].Number] = true
			}
		}
		return true
	}
	return false
}

// copies says that an instruction copies beside the thread.
func copies(in *ptx.Instruction) bool {
	return in.Kind() == "cp" && in.Has("async") && (in.Has("ca") || in.Has("cg"))
}

// waits says that it waits for such copies, or has a barrier in memory do it.
func waits(in *ptx.Instruction) bool {
	return in.Kind() == "cp" && (in.Has("wait_all") || in.Has("wait_group") || in.Has("mbarrier"))
}

// passes is where control can come from instruction i of block b without having waited; empty for nowhere.
func (e *entry) passes(b, i int, seen map[int]bool) string {
	g := e.graph
	if b == g.Exit {
		return "to its end"
	}
	for ; i < g.Blocks[b].End; i++ {
		switch in := g.Func.Instructions[i]; {
		case waits(in):
			return ""
		case (in.Kind() == "bar" || in.Kind() == "barrier") && !in.Has("warp"):
			return "by a barrier"
		}
	}
	for _, next := range g.Blocks[b].Succs {
		if seen[next] {
			continue
		}
		seen[next] = true
		first := 0
		if next != g.Exit {
			first = g.Blocks[next].First
		}
		if at := e.passes(next, first, seen); at != "" {
			return at
		}
	}
	return ""
}
