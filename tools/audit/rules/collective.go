package rules

import (
	"strings"

	"github.com/warpwright/warpwright/tools/audit/ptx"
	"github.com/warpwright/warpwright/tools/audit/uniform"
)

// wholeWarp is the mask that names all lanes.
const wholeWarp = 1<<32 - 1

// collectives wants every instruction in which threads work together to be where all of them come by together.
func (e *entry) collectives() {
	e.reached(func(in *ptx.Instruction) {
		switch in.Kind() {
		case "shfl", "vote", "match", "redux", "elect":
			e.warpWide(in, mask(in))
		case "bar", "barrier":
			switch {
			case in.Has("warp"):
				e.warpWide(in, mask(in))
			case in.Has("cluster"):
				e.together(in, uniform.Block)
			default:
				e.barrier(in)
			}
		case "mma", "wmma", "wgmma", "ldmatrix", "stmatrix", "movmatrix":
			e.warpWide(in, nil)
		case "activemask":
			e.add(DivergentCollective, in, "which lanes are active is up to the hardware, not to the program")
		}
	})
}

// mask is the operand that names the lanes: the last one.
func mask(in *ptx.Instruction) *ptx.Operand {
	if len(in.Srcs) == 0 {
		return nil
	}
	return &in.Srcs[len(in.Srcs)-1]
}

// warpWide judges a collective of one warp.
func (e *entry) warpWide(in *ptx.Instruction, mask *ptx.Operand) {
	if !e.together(in, uniform.Warp) {
		return
	}
	if mask != nil {
		n, known := e.uniform.Constant(in, mask)
		switch {
		case !in.Has("sync"):
			e.add(DivergentCollective, in, "it does not say which lanes take part")
			return
		case !known:
			e.add(DivergentCollective, in, "its mask %s is not known to be all 32 lanes", mask.Text)
			return
		case n&wholeWarp != wholeWarp:
			e.add(DivergentCollective, in, "its mask is %08x; all 32 lanes come by, so all of them must be named", n&wholeWarp)
			return
		}
	}
	if rest := e.launch.Threads() % 32; rest != 0 {
		e.add(DivergentCollective, in, "it names 32 lanes, but the last warp of %s has %d", shape(e.launch.Block), rest)
	}
}

// barrier judges a barrier of the block.
func (e *entry) barrier(in *ptx.Instruction) {
	if !e.together(in, uniform.Block) {
		return
	}
	// bar.sync a, b: b is how many threads it waits for; reductions have a predicate behind it.
	counted := len(in.Srcs) > 1
	if in.Has("red") {
		counted = len(in.Srcs) > 2
	}
	if !counted {
		return
	}
	n, known := e.uniform.Constant(in, &in.Srcs[1])
	if !known || n != uint64(e.launch.Threads()) {
		e.add(DivergentCollective, in, "it waits for %s threads; all %d of the block come by", in.Srcs[1].Text, e.launch.Threads())
	}
}

// together says whether the threads of a warp, or of the block, come by an instruction together, and reports it if they do not.
func (e *entry) together(in *ptx.Instruction, want uniform.Level) bool {
	level, by := e.uniform.Together(in.Block)
	if in.Guard != nil {
		if guard := e.uniform.Level(in, in.Guard); guard > level {
			level, by = guard, in
		}
	}
	if level <= want {
		return true
	}
	who := "the lanes of a warp"
	if want == uniform.Block {
		who = "the threads of a block"
	}
	where := strings.TrimSpace(by.Text)
	if s := e.source(by); s != "" {
		where += " of " + s
	}
	e.add(DivergentCollective, in, "%s do not all come by: they part at PTX line %d, %s", who, by.Line, where)
	return false
}
