package graph

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/warpwright/warpwright/tools/reach/source"
)

// markRoots marks the exported declarations of the root packages, and the initialisation of every package
// that a program which imports them runs. Generated files give no roots.
func (g *Graph) markRoots() error {
	isRoot, runs := map[*source.Package]bool{}, map[*source.Package]bool{}
	var visit func(*source.Package)
	visit = func(p *source.Package) {
		if !runs[p] {
			runs[p] = true
			for _, dep := range p.Imports {
				visit(dep)
			}
		}
	}
	for _, path := range g.roots {
		pkg := g.program.Package(path)
		if pkg == nil {
			return fmt.Errorf("root package %s has no sources here: its launches cannot be found", path)
		}
		isRoot[pkg] = true
		visit(pkg)
	}
	for _, n := range g.nodes {
		switch {
		case n.pkg == nil || n.generated: // a method of an interface, or generated
		case n.obj == nil:
			n.root = runs[n.pkg]
		default:
			n.root = isRoot[n.pkg] && exported(n)
		}
	}
	for _, n := range g.nodes[:len(g.nodes):len(g.nodes)] { // exposing may add methods of interfaces
		if n.root && n.obj != nil {
			e := exposer{g: g, from: n, seen: map[exposure]bool{}}
			e.object(n.obj)
		}
	}
	return nil
}

// exported says whether other packages can name the declaration.
func exported(n *node) bool {
	return n.obj != nil && ast.IsExported(n.obj.Name()) && (n.recv == nil || n.recv.Exported())
}

// exposer adds edges from an exported declaration to the methods that its user can call on what it hands
// out: methods of unexported results, promoted methods, methods of interfaces.
type exposer struct {
	g    *Graph
	from *node
	seen map[exposure]bool
}

// exposure is a named type, handed out to the user or taken from them.
type exposure struct {
	t   *types.TypeName
	out bool
}

func (e *exposer) object(obj types.Object) {
	e.visit(obj.Type(), true)
}

func (e *exposer) visit(t types.Type, out bool) {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		e.visit(t.Elem(), out)
	case *types.Slice:
		e.visit(t.Elem(), out)
	case *types.Array:
		e.visit(t.Elem(), out)
	case *types.Map:
		e.visit(t.Key(), out)
		e.visit(t.Elem(), out)
	case *types.Chan:
		e.visit(t.Elem(), out)
	case *types.Signature:
		for i := range t.Params().Len() {
			e.visit(t.Params().At(i).Type(), !out) // a callback's parameters are handed out
		}
		for i := range t.Results().Len() {
			e.visit(t.Results().At(i).Type(), out)
		}
	case *types.Struct:
		for i := range t.NumFields() {
			if f := t.Field(i); f.Exported() || f.Embedded() {
				e.visit(f.Type(), out)
			}
		}
	case *types.Interface:
		for i := range t.NumMethods() {
			if m := t.Method(i); m.Exported() {
				if out {
					e.from.edge(e.g.interfaceMethod(m.Origin()))
				}
				e.visit(m.Type(), out)
			}
		}
	case *types.Named:
		e.named(t, out)
	}
}

func (e *exposer) named(t *types.Named, out bool) {
	for i := range t.TypeArgs().Len() {
		e.visit(t.TypeArgs().At(i), out)
	}
	t = t.Origin()
	at := exposure{t.Obj(), out}
	if e.seen[at] || e.g.byObj[t.Obj()] == nil || e.g.madeTypes[t.Obj()] {
		return // seen, outside, or generated: handing out a generated launcher launches nothing
	}
	e.seen[at] = true
	if out {
		set := types.NewMethodSet(types.NewPointer(t))
		for i := range set.Len() {
			fn := set.At(i).Obj()
			if to := e.g.node(origin(fn)); fn.Exported() && to != nil && !to.root {
				e.from.edge(to)
				e.visit(fn.Type(), true)
			}
		}
	}
	e.visit(t.Underlying(), out)
}
