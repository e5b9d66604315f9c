package ptx

import (
	"slices"

	"github.com/warpwright/warpwright/tools/audit/flow"
)

// number gives each definition of a register a value of its own, and phis where definitions meet. It is the construction of Cytron
// et al. on the dominance frontiers, without phis for registers that live in one block only.
func (g *Graph) number() {
	for _, in := range g.Func.Instructions {
		in.Defs, in.Kept = nil, nil // of an earlier graph
	}
	n := numbering{g: g, defined: map[string][]int{}, stacks: map[string][]*Value{}, undefined: map[string]*Value{}, children: make([][]int, len(g.Blocks))}
	n.findDefinitions()
	n.placePhis()
	for b, d := range g.Idom {
		if d != flow.None {
			n.children[d] = append(n.children[d], b)
		}
	}
	n.rename(0)
	g.findUses()
}

type numbering struct {
	g         *Graph
	defined   map[string][]int // the blocks that define a register
	across    []string         // registers that some block reads before it defines them, in order
	stacks    map[string][]*Value
	undefined map[string]*Value
	children  [][]int // in the tree of dominators
}

func (n *numbering) findDefinitions() {
	across := map[string]bool{}
	for b := range n.g.Blocks {
		if !n.g.Blocks[b].Reachable {
			continue
		}
		own := map[string]bool{}
		read := func(o *Operand) {
			if !own[o.Text] {
				across[o.Text] = true
			}
		}
		for _, in := range n.g.instructions(b) {
			in.eachRead(read)
			in.eachDefined(func(o *Operand) {
				if in.Guard != nil {
					read(o)
				}
				own[o.Text] = true
				if blocks := n.defined[o.Text]; len(blocks) == 0 || blocks[len(blocks)-1] != b {
					n.defined[o.Text] = append(blocks, b)
				}
			})
		}
	}
	for name := range across {
		n.across = append(n.across, name)
	}
	slices.Sort(n.across)
}

func (g *Graph) instructions(b int) []*Instruction {
	return g.Func.Instructions[g.Blocks[b].First:g.Blocks[b].End]
}

// eachRead calls f for each register that the instruction reads.
func (in *Instruction) eachRead(f func(*Operand)) {
	for i := range in.Srcs {
		in.Srcs[i].registers(f)
	}
	for i := range in.Dsts {
		if in.Dsts[i].Kind == Address {
			in.Dsts[i].registers(f)
		}
	}
	if in.Guard != nil {
		f(in.Guard)
	}
}

// eachDefined calls f for each register that the instruction defines.
func (in *Instruction) eachDefined(f func(*Operand)) {
	for i := range in.Dsts {
		if in.Dsts[i].Kind != Address {
			in.Dsts[i].registers(f)
		}
	}
}

func (n *numbering) placePhis() {
	frontier := n.frontiers()
	for _, name := range n.across {
		placed := map[int]bool{}
		work := slices.Clone(n.defined[name])
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			for _, at := range frontier[b] {
				if placed[at] {
					continue
				}
				placed[at] = true
				work = append(work, at)
				v := n.value(name, at)
				v.Phi = make([]*Value, len(n.g.Blocks[at].Preds))
				n.g.Blocks[at].Phis = append(n.g.Blocks[at].Phis, v)
			}
		}
	}
}

// frontiers returns the dominance frontier of each block: where its dominance ends.
func (n *numbering) frontiers() [][]int {
	out := make([][]int, len(n.g.Blocks))
	for b := range n.g.Blocks {
		for _, p := range n.g.Blocks[b].Preds {
			for at := p; at != flow.None && at != n.g.Idom[b]; at = n.g.Idom[at] {
				if !slices.Contains(out[at], b) {
					out[at] = append(out[at], b)
				}
			}
		}
	}
	return out
}

func (n *numbering) value(name string, block int) *Value {
	v := &Value{ID: len(n.g.Values), Register: name, Block: block}
	n.g.Values = append(n.g.Values, v)
	return v
}

// current is the value that a register has here.
func (n *numbering) current(name string) *Value {
	if s := n.stacks[name]; len(s) > 0 {
		return s[len(s)-1]
	}
	if n.undefined[name] == nil {
		n.undefined[name] = n.value(name, 0)
	}
	return n.undefined[name]
}

func (n *numbering) rename(b int) {
	var pushed []string
	push := func(name string, v *Value) {
		n.stacks[name] = append(n.stacks[name], v)
		pushed = append(pushed, name)
	}
	for _, v := range n.g.Blocks[b].Phis {
		push(v.Register, v)
	}
	for _, in := range n.g.instructions(b) {
		in.eachRead(func(o *Operand) { o.Value = n.current(o.Text) })
		in.eachDefined(func(o *Operand) {
			if in.Guard != nil {
				in.Kept = append(in.Kept, n.current(o.Text))
			}
			v := n.value(o.Text, b)
			v.Def, v.Index = in, len(in.Defs)
			in.Defs = append(in.Defs, v)
			push(o.Text, v)
		})
	}
	for _, s := range slices.Compact(slices.Clone(n.g.Blocks[b].Succs)) {
		at := slices.Index(n.g.Blocks[s].Preds, b)
		for _, v := range n.g.Blocks[s].Phis {
			v.Phi[at] = n.current(v.Register)
		}
	}
	for _, c := range n.children[b] {
		n.rename(c)
	}
	for _, name := range pushed {
		n.stacks[name] = n.stacks[name][:len(n.stacks[name])-1]
	}
}

func (g *Graph) findUses() {
	for b := range g.Blocks {
		if !g.Blocks[b].Reachable {
			continue
		}
		for _, in := range g.instructions(b) {
			for _, v := range in.Reads() {
				if !slices.Contains(v.Uses, in) {
					v.Uses = append(v.Uses, in)
				}
			}
		}
		for _, phi := range g.Blocks[b].Phis {
			for _, v := range phi.Phi {
				if !slices.Contains(v.PhiUses, phi) {
					v.PhiUses = append(v.PhiUses, phi)
				}
			}
		}
	}
}
