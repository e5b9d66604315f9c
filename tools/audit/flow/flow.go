// Package flow has the control-flow graphs that the audits share: what is reachable, what dominates what, natural loops.
package flow

import "slices"

// Graph holds the successors of each node. Node 0 is the entry; an edge may be listed twice.
type Graph [][]int

// None is the node that is no node: the dominator of the entry and of what is unreachable, the parent of an outermost loop.
const None = -1

// Reachable says which nodes a path from the entry leads to.
func (g Graph) Reachable() []bool {
	seen := make([]bool, len(g))
	for _, n := range g.order() {
		seen[n] = true
	}
	return seen
}

// Preds returns the predecessors of each node: those that are reachable, each once.
func (g Graph) Preds() [][]int {
	preds := make([][]int, len(g))
	for _, n := range g.order() {
		for _, s := range g[n] {
			if !slices.Contains(preds[s], n) {
				preds[s] = append(preds[s], n)
			}
		}
	}
	return preds
}

// Dominators returns the immediate dominator of each node, None for the entry and for unreachable nodes.
//
// The method is the iteration of Cooper, Harvey and Kennedy: in reverse postorder a node's dominator is the meeting point of
// its predecessors' chains, until nothing moves.
func (g Graph) Dominators() []int {
	idom := make([]int, len(g))
	for n := range idom {
		idom[n] = None
	}
	order := g.order()
	if len(order) == 0 {
		return idom
	}
	place := make([]int, len(g))
	for i, n := range order {
		place[n] = i
	}
	meet := func(a, b int) int {
		for a != b {
			for place[a] > place[b] {
				a = idom[a]
			}
			for place[b] > place[a] {
				b = idom[b]
			}
		}
		return a
	}
	preds := g.Preds()
	idom[0] = 0 // its own while chains are walked: they end there
	for moved := true; moved; {
		moved = false
		for _, n := range order[1:] {
			d := None
			for _, p := range preds[n] {
				switch {
				case idom[p] == None:
				case d == None:
					d = p
				default:
					d = meet(p, d)
				}
			}
			if idom[n] != d {
				idom[n], moved = d, true
			}
		}
	}
	idom[0] = None
	return idom
}

// Dominates says whether every path from the entry to b goes through a, by the dominators that Dominators returned.
func Dominates(idom []int, a, b int) bool {
	for ; b != None; b = idom[b] {
		if a == b {
			return true
		}
	}
	return false
}

// Loop is a natural loop: the nodes from which one of its back edges is reached without leaving through the header.
type Loop struct {
	Header int
	// Nodes are in ascending order and include the header and the nodes of inner loops.
	Nodes []int
	// Parent is the index of the smallest loop around this one, None if there is none.
	Parent int
}

// Loops returns the natural loops, outer ones before inner ones. Back edges to one header make one loop.
//
// A graph is reducible if every cycle goes through the header of a loop. In one that is not, a cycle with two entrances is
// missing from the answer.
func (g Graph) Loops() (loops []Loop, reducible bool) {
	idom, preds := g.Dominators(), g.Preds()
	order := g.order()
	forward := make(Graph, len(g))
	for _, h := range order {
		var tails []int
		for _, p := range preds[h] {
			if Dominates(idom, h, p) {
				tails = append(tails, p)
			} else {
				forward[p] = append(forward[p], h)
			}
		}
		if len(tails) > 0 {
			loops = append(loops, Loop{Header: h, Nodes: body(preds, h, tails), Parent: None})
		}
	}
	// The larger first, so that a loop's parent is the last one before it that has its header.
	slices.SortStableFunc(loops, func(a, b Loop) int { return len(b.Nodes) - len(a.Nodes) })
	for i := range loops {
		for j := range loops[:i] {
			if slices.Contains(loops[j].Nodes, loops[i].Header) {
				loops[i].Parent = j
			}
		}
	}
	return loops, forward.acyclic()
}

// body walks backwards from the tails of back edges to the header.
func body(preds [][]int, header int, tails []int) []int {
	in := map[int]bool{header: true}
	for work := tails; len(work) > 0; {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if !in[n] {
			in[n] = true
			work = append(work, preds[n]...)
		}
	}
	nodes := make([]int, 0, len(in))
	for n := range in {
		nodes = append(nodes, n)
	}
	slices.Sort(nodes)
	return nodes
}

// order is the reverse postorder of what is reachable.
func (g Graph) order() []int {
	if len(g) == 0 {
		return nil
	}
	type visit struct{ node, next int }
	seen := make([]bool, len(g))
	seen[0] = true
	stack, post := []visit{{0, 0}}, make([]int, 0, len(g))
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(g[top.node]) {
			post = append(post, top.node)
			stack = stack[:len(stack)-1]
			continue
		}
		s := g[top.node][top.next]
		top.next++
		if !seen[s] {
			seen[s] = true
			stack = append(stack, visit{s, 0})
		}
	}
	slices.Reverse(post)
	return post
}

// acyclic says whether nodes can be taken away one by one, each without an edge into it.
func (g Graph) acyclic() bool {
	in := make([]int, len(g))
	for _, succs := range g {
		for _, s := range succs {
			in[s]++
		}
	}
	var ready []int
	for n, k := range in {
		if k == 0 {
			ready = append(ready, n)
		}
	}
	taken := 0
	for len(ready) > 0 {
		n := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		taken++
		for _, s := range g[n] {
			if in[s]--; in[s] == 0 {
				ready = append(ready, s)
			}
		}
	}
	return taken == len(g)
}
