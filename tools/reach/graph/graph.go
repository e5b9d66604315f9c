// Package graph builds the reference graph of a program and tells which launches its exported
// declarations lead to.
//
// A node is a package-level declaration, a method, a method of an interface, or what a package does when
// it is initialised. A reference is an edge: whoever mentions a function may call it. Calls through
// interfaces lead to every type that reached code converts to an interface and that has the method.
package graph

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"

	"github.com/warpwright/warpwright/tools/reach/refs"
	"github.com/warpwright/warpwright/tools/reach/source"
)

// node is a vertex of the graph.
type node struct {
	obj       types.Object // nil for the initialisation of a package
	name      string       // "csr.Matrix.MulVec"
	pkg       *source.Package
	pos       token.Pos
	generated bool
	root      bool
	launches  []launch // what reaching the node launches

	out  []*node
	seen map[*node]bool // members of out

	converts []conversion
	escapes  []types.Type    // values handed to code outside the program
	unknown  []unknownSel    // selections on values without a type
	method   *types.Func     // for a method of an interface
	recv     *types.TypeName // for a declared method

	reached bool
}

// launch is a kernel or an entry that a node launches.
type launch struct {
	target refs.Target
	pos    token.Pos
}

// conversion is a value that becomes an interface.
type conversion struct {
	typ       types.Type
	generated bool
}

// unknownSel is a selection x.name where x has no type.
type unknownSel struct {
	name string
	pos  token.Pos
}

// launcher says whether the node carries the directive: its launch is then its own, and generated code
// other than a launcher does not lead to it.
func (n *node) launcher() bool {
	for _, l := range n.launches {
		if l.target.Kernel != "" {
			return true
		}
	}
	return false
}

// edge adds a reference from n to to. Generated declarations do not lead to launchers: a generated table of
// a family's launchers would make every kernel reached by its own table.
func (n *node) edge(to *node) {
	if to == nil || to == n || n.seen[to] || n.generated && !n.launcher() && to.launcher() {
		return
	}
	if n.seen == nil {
		n.seen = map[*node]bool{}
	}
	n.seen[to] = true
	n.out = append(n.out, to)
}

// Graph is the reference graph of a program.
type Graph struct {
	program   *source.Program
	roots     []string
	nodes     []*node // in the order of the sources
	byObj     map[types.Object]*node
	madeTypes map[*types.TypeName]bool // types declared in generated files
	errors    []refs.Error

	// withheld are the references from generated declarations to launchers, which are no edges.
	withheld map[*node][]*node

	calls []*node      // reached methods of interfaces
	live  []conversion // types that reached code converts to interfaces
}

// New builds the graph and follows it from the exported declarations of the packages named by roots.
func New(program *source.Program, roots []string) (*Graph, error) {
	g := &Graph{
		program:   program,
		roots:     slices.Compact(slices.Sorted(slices.Values(roots))),
		byObj:     map[types.Object]*node{},
		madeTypes: map[*types.TypeName]bool{},
		withheld:  map[*node][]*node{},
	}
	for _, pkg := range program.Packages {
		g.declare(pkg)
	}
	for _, pkg := range program.Packages {
		g.collect(pkg)
	}
	if err := g.markRoots(); err != nil {
		return nil, err
	}
	g.follow()
	return g, nil
}

// follow marks what the roots lead to. Reaching a conversion or a call through an interface may add edges
// to nodes that are already marked, so dynamic edges are traversed as they appear.
func (g *Graph) follow() {
	var queue []*node
	mark := func(n *node) {
		if !n.reached {
			n.reached = true
			queue = append(queue, n)
		}
	}
	for _, n := range g.nodes {
		if n.root {
			mark(n)
		}
	}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, to := range n.out {
			mark(to)
		}
		for _, to := range g.dispatch(n) {
			mark(to)
		}
	}
}

// Refs reports what was found.
func (g *Graph) Refs() *refs.Refs {
	r := &refs.Refs{
		Schema:    refs.Schema,
		Roots:     g.roots,
		Launches:  []refs.Launch{},
		Unreached: []refs.Unreached{},
		Errors:    g.errors,
	}
	if r.Errors == nil {
		r.Errors = []refs.Error{}
	}
	into := g.reverse()
	var why explainer
	for _, n := range g.nodes {
		for _, l := range n.launches {
			pos := g.program.Position(l.pos)
			if n.reached {
				public := paths(n, into)
				r.Launches = append(r.Launches, refs.Launch{
					Target: l.target, Pos: pos, Generated: n.generated, Via: public[0], Public: public,
				})
				continue
			}
			reason, fix := why.explain(g, into, n)
			r.Unreached = append(r.Unreached, refs.Unreached{
				Target: l.target, Pos: pos, Generated: n.generated, Launcher: n.name, Why: reason, Fix: fix,
			})
		}
	}
	slices.SortStableFunc(r.Launches, func(a, b refs.Launch) int {
		return cmp.Or(cmp.Compare(a.Name(), b.Name()), cmp.Compare(a.Pos, b.Pos))
	})
	slices.SortStableFunc(r.Unreached, func(a, b refs.Unreached) int {
		return cmp.Or(cmp.Compare(a.Name(), b.Name()), cmp.Compare(a.Pos, b.Pos))
	})
	slices.SortStableFunc(r.Errors, func(a, b refs.Error) int {
		return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Message, b.Message))
	})
	return r
}

// reverse returns every node's referrers, in the order of the sources.
func (g *Graph) reverse() map[*node][]*node {
	into := map[*node][]*node{}
	for _, n := range g.nodes {
		for _, to := range n.out {
			into[to] = append(into[to], n)
		}
	}
	return into
}

// paths returns, for every root that leads to n, the names along the shortest way, shortest first.
func paths(n *node, into map[*node][]*node) [][]string {
	next := map[*node]*node{n: nil} // the way towards n
	queue := []*node{n}
	var all [][]string
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if at.root {
			var names []string
			for step := at; step != nil; step = next[step] {
				names = append(names, step.name)
			}
			all = append(all, names)
		}
		for _, from := range into[at] {
			if _, seen := next[from]; !seen && from.reached {
				next[from] = at
				queue = append(queue, from)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b []string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), slices.Compare(a, b))
	})
	return all
}
