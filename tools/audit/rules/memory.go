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
