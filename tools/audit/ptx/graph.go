package ptx

import (
	"fmt"
	"slices"

	"github.com/warpwright/warpwright/tools/audit/flow"
)

// Graph is the control flow of a function and its values.
type Graph struct {
	Func   *Func
	Blocks []Block
	Flow   flow.Graph // of the blocks; all reachable ones end in Exit or never
	Exit   int        // the block after the last, where returns go: it has no instructions
	Idom   []int      // immediate dominators
	Ipdom  []int      // immediate postdominators; flow.None where the exit cannot be reached
	Loops  []flow.Loop
	// Tangled says that there are cycles beside the loops: ones that control enters at more than one block.
	Tangled bool
	Values  []*Value
}

// Block is a run of instructions that control enters at the first and leaves at the last.
type Block struct {
	First, End   int // indices into the function's instructions
	Preds, Succs []int
	Phis         []*Value
	Reachable    bool
}

// Value is what one definition of a register gives.
type Value struct {
	ID       int
	Register string
	Block    int
	Def      *Instruction // nil for a phi and for what no instruction defines
	Index    int          // the place among the definition's results
	Phi      []*Value     // one for each of the block's predecessors, in their order
	Uses     []*Instruction
	PhiUses  []*Value
}

// NewGraph finds blocks, dominators and loops of a function, and its values.
func NewGraph(f *Func) (*Graph, error) {
	g := &Graph{Func: f}
	if err := g.cut(); err != nil {
		return nil, fmt.Errorf("ptx: %s: %w", f.Name, err)
	}
	reachable := g.Flow.Reachable()
	for b := range g.Blocks {
		g.Blocks[b].Reachable = reachable[b]
	}
	for b, preds := range g.Flow.Preds() {
		g.Blocks[b].Preds = preds
	}
	g.Idom = g.Flow.Dominators()
	g.Ipdom = g.postdominators()
	loops, reducible := g.Flow.Loops()
	g.Loops, g.Tangled = loops, !reducible
	g.number()
	return g, nil
}

// Ends says whether control cannot go on after the instruction if its guard holds.
func (in *Instruction) Ends() bool {
	switch in.Kind() {
	case "ret", "exit", "trap":
		return true
	}
	return false
}

// Branches says whether the instruction is a jump.
func (in *Instruction) Branches() bool { return in.Kind() == "bra" || in.Kind() == "brx" }

// cut makes the blocks.
func (g *Graph) cut() error {
	f := g.Func
	first := map[int]bool{0: true}
	for _, at := range f.labels {
		first[at] = true
	}
	for i, in := range f.Instructions {
		if in.Branches() || in.Ends() {
			first[i+1] = true
		}
	}
	var starts []int
	for at := range first {
		if at < len(f.Instructions) {
			starts = append(starts, at)
		}
	}
	slices.Sort(starts)
	g.Exit = len(starts)
	g.Blocks = make([]Block, g.Exit+1)
	g.Flow = make(flow.Graph, g.Exit+1)
	at := map[int]int{len(f.Instructions): g.Exit}
	for b, start := range starts {
		end := len(f.Instructions)
		if b+1 < len(starts) {
			end = starts[b+1]
		}
		g.Blocks[b].First, g.Blocks[b].End = start, end
		at[start] = b
		for _, in := range f.Instructions[start:end] {
			in.Block = b
		}
	}
	g.Blocks[g.Exit].First, g.Blocks[g.Exit].End = len(f.Instructions), len(f.Instructions)
	for b := range starts {
		last := f.Instructions[g.Blocks[b].End-1]
		var succs []int
		switch {
		case last.Branches():
			names, err := f.jumps(last)
			if err != nil {
				return err
			}
			for _, name := range names {
				to, ok := f.labels[name]
				if !ok {
					return fmt.Errorf("line %d: there is no label %s", last.Line, name)
				}
				succs = append(succs, at[to])
			}
		case last.Kind() == "trap":
			// Nobody goes on after a trap, of any thread: it does not count as a way to the exit.
		case last.Ends():
			succs = append(succs, g.Exit)
		}
		if last.Guard != nil || !last.Branches() && !last.Ends() {
			succs = append(succs, at[g.Blocks[b].End])
		}
		slices.Sort(succs)
		succs = slices.Compact(succs)
		g.Blocks[b].Succs, g.Flow[b] = succs, succs
	}
	return nil
}

// jumps returns the labels that a jump may go to.
func (f *Func) jumps(in *Instruction) ([]string, error) {
	if len(in.Srcs) == 0 {
		return nil, fmt.Errorf("line %d: %s goes nowhere", in.Line, in.Op)
	}
	if in.Kind() == "bra" {
		return []string{in.Srcs[0].Text}, nil
	}
	list := in.Srcs[len(in.Srcs)-1].Text
	if names := f.targets[list]; len(names) > 0 {
		return names, nil
	}
	return nil, fmt.Errorf("line %d: there is no list of targets %s", in.Line, list)
}

// postdominators are the dominators of the graph turned round, in which the exit comes first.
func (g *Graph) postdominators() []int {
	turn := func(b int) int {
		switch b {
		case 0:
			return g.Exit
		case g.Exit:
			return 0
		}
		return b
	}
	back := make(flow.Graph, len(g.Flow))
	for b, succs := range g.Flow {
		if !g.Blocks[b].Reachable {
			continue
		}
		for _, s := range succs {
			back[turn(s)] = append(back[turn(s)], turn(b))
		}
	}
	idom := back.Dominators()
	out := make([]int, len(g.Flow))
	for b := range out {
		if d := idom[turn(b)]; d == flow.None {
			out[b] = flow.None
		} else {
			out[b] = turn(d)
		}
	}
	return out
}

// Conditional returns the instruction that decides where a block goes, nil if there is no choice.
func (g *Graph) Conditional(b int) *Instruction {
	if len(g.Blocks[b].Succs) < 2 {
		return nil
	}
	return g.Func.Instructions[g.Blocks[b].End-1]
}

// Decides returns, for each block, the blocks whose choice decides whether it runs: it is on all ways from one of their
// successors to the exit and not on all ways from themselves.
func (g *Graph) Decides() [][]int {
	out := make([][]int, len(g.Blocks))
	for b := range g.Blocks {
		if !g.Blocks[b].Reachable || len(g.Blocks[b].Succs) < 2 {
			continue
		}
		for _, s := range g.Blocks[b].Succs {
			for n := s; n != flow.None && n != g.Ipdom[b]; n = g.Ipdom[n] {
				if !slices.Contains(out[n], b) {
					out[n] = append(out[n], b)
				}
			}
		}
	}
	return out
}

// Joins returns the blocks at which ways from the two successors of block b meet again for the first time: there a register may
// hold what one way or the other gave it.
func (g *Graph) Joins(b int) []int {
	// By which way a block is reached: a successor's, as -1, -2, ..., or that of the block at which ways have met.
	const unseen = -1 << 31
	via := make([]int, len(g.Blocks))
	for i := range via {
		via[i] = unseen
	}
	var joins, work []int
	reach := func(n, from int) {
		switch via[n] {
		case from, n:
		case unseen:
			via[n] = from
			work = append(work, n)
		default:
			// Two ways meet: from here on there is one again, this block's own.
			via[n] = n
			joins = append(joins, n)
			work = append(work, n)
		}
	}
	for i, s := range g.Blocks[b].Succs {
		reach(s, -1-i)
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if n == g.Ipdom[b] || n == b {
			continue
		}
		for _, s := range g.Blocks[n].Succs {
			reach(s, via[n])
		}
	}
	slices.Sort(joins)
	return slices.Compact(joins)
}

// Label returns the block that a label names, or flow.None.
func (g *Graph) Label(name string) int {
	at, ok := g.Func.labels[name]
	if !ok {
		return flow.None
	}
	if at == len(g.Func.Instructions) {
		return g.Exit
	}
	return g.Func.Instructions[at].Block
}
