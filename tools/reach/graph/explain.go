package graph

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// explainer says why a launch is not reached.
type explainer struct {
	tests   map[string]token.Pos // what test files refer to, by key; nil until needed
	unknown []unknownSel         // unresolved selections of reached code
}

func (x *explainer) prepare(g *Graph) {
	if x.tests != nil {
		return
	}
	x.tests = map[string]token.Pos{}
	for _, pkg := range g.program.Packages {
		if len(pkg.Tests) == 0 {
			continue
		}
		for obj, at := range g.program.TestUses(pkg) {
			k := key(origin(obj))
			if old, seen := x.tests[k]; !seen || at < old {
				x.tests[k] = at
			}
		}
	}
	for _, n := range g.nodes {
		if n.reached {
			x.unknown = append(x.unknown, n.unknown...)
		}
	}
}

// explain returns the reason in words, and a fix where it differs from the usual one.
func (x *explainer) explain(g *Graph, into map[*node][]*node, n *node) (why, fix string) {
	x.prepare(g)
	leading := ancestors(n, into)
	test := x.test(leading)
	switch {
	case !n.launcher():
		why = fmt.Sprintf("it stands in %s, which %s", kind(n), g.nobody(n))
	case len(into[n]) > 0:
		why = fmt.Sprintf("only referenced from %s, which %s", g.list(into[n]), g.nobody(into[n]...))
	case len(g.withheld[n]) > 0:
		why = fmt.Sprintf("only referenced from generated code, %s, which does not count", g.list(g.withheld[n]))
	case test.IsValid():
		return fmt.Sprintf("only referenced from a test file (%s)", g.program.Position(test)), ""
	default:
		why = "nothing refers to it"
	}
	if test.IsValid() {
		why += fmt.Sprintf("; a test file (%s) does not count", g.program.Position(test))
	}
	for _, sel := range x.unknown {
		for _, a := range leading {
			if a.recv != nil && a.obj.Name() == sel.name {
				return why, fmt.Sprintf("%s selects .%s on a value whose type is unknown, since it comes from outside the sources: "+
					"if that is the launch, give the value a declared type (var v T = ...)", g.program.Position(sel.pos), sel.name)
			}
		}
	}
	return why, ""
}

// ancestors returns n and all that leads to it.
func ancestors(n *node, into map[*node][]*node) []*node {
	seen := map[*node]bool{n: true}
	all := []*node{n}
	for i := 0; i < len(all); i++ {
		for _, from := range into[all[i]] {
			if !seen[from] {
				seen[from] = true
				all = append(all, from)
			}
		}
	}
	return all
}

// test returns where a test file refers to one of the nodes.
func (x *explainer) test(nodes []*node) token.Pos {
	for _, n := range nodes {
		if n.obj != nil {
			if at, ok := x.tests[key(n.obj)]; ok {
				return at
			}
		}
	}
	return token.NoPos
}

// nobody ends a sentence about declarations that no root leads to.
func (g *Graph) nobody(nodes ...*node) string {
	for _, n := range nodes {
		if n.obj == nil {
			return "belongs to no package that " + strings.Join(g.roots, ", ") + " imports"
		}
		if exported(n) {
			return "no exported declaration of " + strings.Join(g.roots, ", ") + " reaches"
		}
	}
	return "nothing exported reaches"
}

// list names up to three declarations.
func (g *Graph) list(nodes []*node) string {
	var names []string
	for i, n := range nodes {
		if i == 3 {
			names = append(names, fmt.Sprintf("%d more", len(nodes)-i))
			break
		}
		names = append(names, fmt.Sprintf("%s (%s)", kind(n), g.program.Position(n.pos)))
	}
	return strings.Join(names, ", ")
}

// kind names a declaration and says whether it is exported.
func kind(n *node) string {
	switch {
	case n.obj == nil:
		return n.name
	case exported(n):
		return n.name
	case n.recv != nil && ast.IsExported(n.obj.Name()):
		return n.name + " of an unexported type"
	}
	if _, ok := n.obj.(*types.Var); ok {
		return "unexported variable " + n.name
	}
	return "unexported " + n.name
}
