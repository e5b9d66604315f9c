package sass

import (
	"fmt"
	"slices"

	"github.com/warpwright/warpwright/tools/audit/flow"
)

// way is where control may go behind an instruction: to these places, and whether each is for lanes that came apart.
type way struct {
	to     int
	detour bool
}

// ways returns where instruction n of the code may lead, and whether it ends a block.
func ways(code []Instruction, n int, place func(Instruction, string) (int, error)) (next []way, ends bool, err error) {
	i := code[n]
	through := way{to: n + 1}
	guarded := i.Conditional()
	targets := func(detour bool) error {
		for _, t := range i.Targets {
			to, err := place(i, t)
			if err != nil {
				return err
			}
			next = append(next, way{to, detour})
		}
		return nil
	}
	fail := func(format string, args ...any) ([]way, bool, error) {
		return nil, false, &Error{Line: i.Line, Text: i.String(), Why: fmt.Sprintf(format, args...)}
	}
	k := kindOf(i.Op)
	switch {
	case k == branch, k == indexed, i.jump():
		if len(i.Targets) == 0 || (k != indexed && len(i.Targets) != 1) {
			return fail("a branch with %d labels", len(i.Targets))
		}
		if err := targets(i.detour() && !i.Has("CONV")); err != nil {
			return nil, false, err
		}
		// DIV goes to its label with lanes apart, CONV with lanes together, and what is never taken never.
		if i.detour() || (guarded && k != indexed) || (k == indexed && i.Guard != "") {
			through.detour = i.Has("CONV")
			next = append(next, through)
		}
		return next, true, nil
	case k == exit, k == ret, k == trap:
		if guarded {
			next = append(next, through)
		}
		return next, true, nil
	case k == collective && len(i.Targets) > 0:
		if err := targets(false); err != nil {
			return nil, false, err
		}
		return append(next, through), true, nil
	case k == reconverge:
		if len(i.Operands) != 1 {
			return fail("want one barrier")
		}
		opens := func(b Instruction) bool {
			if b.Op != "BSSY" || len(b.Operands) != 1 || b.Operands[0] != i.Operands[0] || len(b.Targets) != 1 {
				return false
			}
			to, err := place(b, b.Targets[0])
			return err == nil && to == n+1
		}
		if !slices.ContainsFunc(code, opens) {
			return fail("no BSSY %s has the next address as its label", i.Operands[0])
		}
	case k == plain && i.Op != "BSSY" && i.Op != "LEPC" && len(i.Targets) > 0: // BSSY names its BSYNC, LEPC where a call returns
		return fail("a label where none is known")
	}
	return []way{through}, false, nil
}

// blocks cuts a function's code, which begins at index base of its section, into basic blocks.
func blocks(f *Function, code []Instruction, labels map[string]int, base int) error {
	place := func(i Instruction, label string) (int, error) {
		to, ok := labels[label]
		if !ok || to < base || to >= base+len(code) {
			return 0, &Error{Line: i.Line, Text: i.String(), Why: fmt.Sprintf("label %s is not in this function", label)}
		}
		return to - base, nil
	}
	next := make([][]way, len(code))
	leads := make([]bool, len(code)+1)
	leads[0] = true
	for n := range code {
		w, ends, err := ways(code, n, place)
		if err != nil {
			return err
		}
		next[n] = w
		if ends {
			leads[n+1] = true
			for _, w := range w {
				leads[w.to] = true
			}
		}
	}
	graph, flowGraph, first := cut(next, leads)
	together, apart := flowGraph.Reachable(), graph.Reachable()
	index := make([]int, len(graph)) // of the blocks that stay
	kept := 0
	for n := range graph {
		if index[n] = kept; apart[n] {
			kept++
		}
	}
	for n := range graph {
		if !apart[n] {
			continue
		}
		from, to := first[n], first[n+1]
		b := Block{Instructions: code[from:to:to], Detour: !together[n]}
		for _, w := range next[to-1] {
			if w.to == len(code) {
				return &Error{Line: code[to-1].Line, Text: code[to-1].String(), Why: "control runs out of the function"}
			}
			s := index[slices.Index(first, w.to)]
			if w.detour {
				b.Detours = append(b.Detours, s)
			} else {
				b.Succs = append(b.Succs, s)
			}
		}
		f.Blocks = append(f.Blocks, b)
	}
	return nil
}

// cut makes blocks of the places that lead one: the graph of all ways, the graph without detours, and where each block begins,
// with the end of the code as the last.
func cut(next [][]way, leads []bool) (all, together flow.Graph, first []int) {
	block := make([]int, len(next)+1)
	for n := range next {
		if leads[n] {
			first = append(first, n)
		}
		block[n] = len(first) - 1
	}
	first = append(first, len(next))
	count := len(first) - 1
	all, together = make(flow.Graph, count), make(flow.Graph, count)
	for b := range count {
		for _, w := range next[first[b+1]-1] {
			if w.to == len(next) {
				continue // judged by the caller, if the block can be reached at all
			}
			all[b] = append(all[b], block[w.to])
			if !w.detour {
				together[b] = append(together[b], block[w.to])
			}
		}
	}
	return all, together, first
}
