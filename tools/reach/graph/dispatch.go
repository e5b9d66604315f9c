package graph

import (
	"go/ast"
	"go/types"
)

// interfaceMethod returns the node of a method of an interface, or nil for other objects.
func (g *Graph) interfaceMethod(obj types.Object) *node {
	fn, ok := obj.(*types.Func)
	if !ok || fn.Signature().Recv() == nil || !types.IsInterface(fn.Signature().Recv().Type()) {
		return nil
	}
	if n := g.byObj[fn]; n != nil {
		return n
	}
	n := &node{obj: fn, name: objectName(fn), pos: fn.Pos(), method: fn}
	g.byObj[fn] = n
	g.nodes = append(g.nodes, n)
	return n
}

// dispatch adds the edges that reaching n makes possible and returns their ends: a called method of an
// interface leads to every type behind interfaces, a type behind an interface to every called method.
func (g *Graph) dispatch(n *node) []*node {
	var reached []*node
	link := func(call *node, c conversion) {
		if to := g.implementation(call.method, c); to != nil {
			call.edge(to)
			reached = append(reached, to)
		}
	}
	if n.method != nil {
		g.calls = append(g.calls, n)
		for _, c := range g.live {
			link(n, c)
		}
	}
	for _, c := range n.converts {
		if g.isLive(c) {
			continue
		}
		g.live = append(g.live, c)
		for _, call := range g.calls {
			link(call, c)
		}
	}
	for _, t := range n.escapes {
		for _, to := range g.callable(t) {
			n.edge(to)
			reached = append(reached, to)
		}
	}
	return reached
}

func (g *Graph) isLive(c conversion) bool {
	for _, l := range g.live {
		if l.generated == c.generated && types.Identical(l.typ, c.typ) {
			return true
		}
	}
	return false
}

// implementation returns the method that a call through an interface runs when a c.typ is behind it, or nil.
// A conversion that generated code makes does not lead to launchers, like any other generated reference.
func (g *Graph) implementation(m *types.Func, c conversion) *node {
	iface, ok := m.Signature().Recv().Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	set := types.NewMethodSet(c.typ)
	for i := range iface.NumMethods() {
		want := iface.Method(i)
		got := set.Lookup(want.Pkg(), want.Name())
		if got == nil || !matchTypes(got.Obj().Type(), want.Type()) {
			return nil
		}
	}
	got := set.Lookup(m.Pkg(), m.Name())
	if got == nil {
		return nil
	}
	to := g.node(origin(got.Obj()))
	if to == nil || c.generated && to.launcher() {
		return nil
	}
	return to
}

// node returns the node of a declared or an interface's method, or nil.
func (g *Graph) node(obj types.Object) *node {
	if n := g.byObj[obj]; n != nil {
		return n
	}
	return g.interfaceMethod(obj)
}

// callable returns the methods that outside code may call on a value it is given. Launchers are left out:
// no outside package knows them.
func (g *Graph) callable(t types.Type) []*node {
	if t == types.Typ[types.Invalid] || types.IsInterface(t) || !hasMethods(t) {
		return nil
	}
	var out []*node
	set := types.NewMethodSet(t)
	for i := range set.Len() {
		fn := set.At(i).Obj()
		if !ast.IsExported(fn.Name()) {
			continue
		}
		if to := g.node(origin(fn)); to != nil && !to.launcher() {
			out = append(out, to)
		}
	}
	return out
}

// matchTypes says whether two types may be the same once type parameters are known and outside types too.
func matchTypes(a, b types.Type) bool {
	a, b = types.Unalias(a), types.Unalias(b)
	if isOpen(a) || isOpen(b) {
		return true
	}
	switch a := a.(type) {
	case *types.Pointer:
		b, ok := b.(*types.Pointer)
		return ok && matchTypes(a.Elem(), b.Elem())
	case *types.Slice:
		b, ok := b.(*types.Slice)
		return ok && matchTypes(a.Elem(), b.Elem())
	case *types.Array:
		b, ok := b.(*types.Array)
		return ok && matchTypes(a.Elem(), b.Elem()) // a length may depend on an outside constant
	case *types.Map:
		b, ok := b.(*types.Map)
		return ok && matchTypes(a.Key(), b.Key()) && matchTypes(a.Elem(), b.Elem())
	case *types.Chan:
		b, ok := b.(*types.Chan)
		return ok && a.Dir() == b.Dir() && matchTypes(a.Elem(), b.Elem())
	case *types.Signature:
		b, ok := b.(*types.Signature)
		return ok && a.Variadic() == b.Variadic() && matchTuples(a.Params(), b.Params()) && matchTuples(a.Results(), b.Results())
	case *types.Named:
		b, ok := b.(*types.Named)
		if !ok || a.Origin() != b.Origin() || a.TypeArgs().Len() != b.TypeArgs().Len() {
			return false
		}
		for i := range a.TypeArgs().Len() {
			if !matchTypes(a.TypeArgs().At(i), b.TypeArgs().At(i)) {
				return false
			}
		}
		return true
	}
	return types.Identical(a, b)
}

func isOpen(t types.Type) bool {
	_, param := t.(*types.TypeParam)
	return param || t == types.Typ[types.Invalid]
}

func matchTuples(a, b *types.Tuple) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if !matchTypes(a.At(i).Type(), b.At(i).Type()) {
			return false
		}
	}
	return true
}
