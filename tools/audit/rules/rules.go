// Package rules judges compiled kernels: each rule is something that must not be in a kernel which is safe by its types, and which the
// types cannot see because the compiler puts it there or because the kernel is not written with views.
package rules

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/audit"
	"github.com/warpwright/warpwright/tools/audit/ptx"
	"github.com/warpwright/warpwright/tools/audit/uniform"
	"github.com/warpwright/warpwright/tools/audit/wrap"
)

// The rules, by the names that annotations except them by.
const (
	LocalMemory         = "local-memory"
	Spills              = "spills"
	Trap                = "trap"
	Call                = "call"
	Index32             = "index32"
	DivergentCollective = "divergent-collective"
	OneWarpBlock        = "one-warp-block"
	LaunchBounds        = "launch-bounds"
	UnusedMemory        = "unused-memory"
	UnawaitedCopy       = "unawaited-copy"
	PartialCopy         = "partial-copy"
)

// Names are all rules.
var Names = []string{LocalMemory, Spills, Trap, Call, Index32, DivergentCollective, OneWarpBlock, LaunchBounds, UnusedMemory, UnawaitedCopy, PartialCopy}

// Launch is what is known of every launch of an entry.
type Launch struct {
	Block [3]int
	// Blocks is the largest grid there can be, along each axis.
	Blocks [3]int64
	// Params bounds the entry's parameters, by their names in PTX.
	Params map[string]wrap.Interval
	// Products bounds products of them.
	Products []wrap.Product
	// Buffers are the entry's parameters that are buffers, and Shared says that a launch gives it shared memory.
	Buffers []Buffer
	Shared  bool
	// Sources are the files in which findings are looked for first, as the end of their paths.
	Sources []string
}

// Buffer is a parameter that is a buffer, by its name in PTX and in the kernel.
type Buffer struct{ PTX, Name string }

// Threads is the threads of a block.
func (l *Launch) Threads() int { return l.Block[0] * l.Block[1] * l.Block[2] }

// entry is one entry under the rules.
type entry struct {
	graph   *ptx.Graph
	uniform *uniform.Result
	launch  *Launch
	found   []audit.Finding
}

// PTX judges one entry's PTX.
func PTX(f *ptx.Func, l *Launch) ([]audit.Finding, error) {
	g, err := ptx.NewGraph(f)
	if err != nil {
		return nil, err
	}
	e := &entry{graph: g, uniform: uniform.Analyze(g, l.Block), launch: l}
	e.launchBounds()
	e.oneWarpBlock()
	e.traps()
	e.calls()
	e.collectives()
	e.index32()
	e.unused()
	e.unawaited()
	e.partial()
	return e.found, nil
}

// add records a finding; in may be nil.
func (e *entry) add(rule string, in *ptx.Instruction, says string, args ...any) {
	f := audit.Finding{Rule: rule, Says: fmt.Sprintf(says, args...)}
	if in != nil {
		f.PTXLine, f.Instruction, f.Source = in.Line, in.Text, e.source(in)
	}
	// One line of the source may be many instructions, as an unrolled loop is: the first one stands for all.
	for i := range e.found {
		if other := &e.found[i]; in != nil && other.Rule == rule && other.Says == f.Says && other.Source == f.Source {
			other.More++
			return
		}
	}
	e.found = append(e.found, f)
}

// source is the line that an instruction comes from: in the kernel's own file if it has a line there, else the outermost one.
func (e *entry) source(in *ptx.Instruction) string {
	for _, p := range in.Places {
		for _, s := range e.launch.Sources {
			if clean := path.Clean(p.File); clean == s || strings.HasSuffix(clean, "/"+s) {
				return fmt.Sprintf("%s:%d", s, p.Line)
			}
		}
	}
	if n := len(in.Places); n > 0 {
		return fmt.Sprintf("%s:%d", path.Base(in.Places[n-1].File), in.Places[n-1].Line)
	}
	return ""
}

// reached calls f for each instruction that control can reach.
func (e *entry) reached(f func(*ptx.Instruction)) {
	for b := range e.graph.Blocks {
		if block := &e.graph.Blocks[b]; block.Reachable {
			for _, in := range e.graph.Func.Instructions[block.First:block.End] {
				f(in)
			}
		}
	}
}

func (e *entry) launchBounds() {
	f, b := e.graph.Func, e.launch.Block
	has := f.MaxThreads[0] * f.MaxThreads[1] * f.MaxThreads[2]
	switch {
	case f.ReqThreads != [3]int{}:
		if f.ReqThreads != b {
			e.add(LaunchBounds, nil, "it requires blocks of %s; it is launched with %s", shape(f.ReqThreads), shape(b))
		}
	case has == 0:
		e.add(LaunchBounds, nil, "it has no launch bounds; it is launched with %s, and without them ptxas may use more registers than a block of that size can have", shape(b))
	case has != e.launch.Threads():
		e.add(LaunchBounds, nil, "its launch bounds are %d threads; it is launched with %s, which is %d", has, shape(b), e.launch.Threads())
	}
}

// shape prints a block.
func shape(b [3]int) string { return fmt.Sprintf("block(%d, %d, %d)", b[0], b[1], b[2]) }

func (e *entry) oneWarpBlock() {
	if n := e.launch.Threads(); n <= 32 {
		e.add(OneWarpBlock, nil, "a block of %d threads is one warp: a multiprocessor holds no more than 16 to 32 blocks, so half of its warps or more stay empty", n)
	}
}

// traps finds what ends the grid.
func (e *entry) traps() {
	e.reached(func(in *ptx.Instruction) {
		switch {
		case in.Kind() == "trap" || in.Kind() == "brkpt":
			e.add(Trap, in, "a check that ends the whole grid, and with it the process's context")
		case asserts(in):
			e.add(Trap, in, "an assert, which ends the whole grid")
		}
	})
}

// asserts says whether an instruction is the end of a failed assert.
func asserts(in *ptx.Instruction) bool {
	return in.Kind() == "call" && slices.ContainsFunc(in.Srcs, func(o ptx.Operand) bool { return o.Text == "__assertfail" })
}

// calls finds functions that are not part of the entry: no other rule looks into them.
func (e *entry) calls() {
	e.reached(func(in *ptx.Instruction) {
		if in.Kind() == "call" && !asserts(in) {
			e.add(Call, in, "it calls a function that nvcc has not inlined, and no rule looks into that one")
		}
	})
}
