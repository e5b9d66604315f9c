package graph

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/warpwright/warpwright/tools/reach/refs"
	"github.com/warpwright/warpwright/tools/reach/source"
)

// collect adds the references of a package's declarations.
func (g *Graph) collect(pkg *source.Package) {
	for _, f := range pkg.Files {
		for _, decl := range f.AST.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				n := g.byObj[pkg.Info.Defs[d.Name]]
				if n == nil || d.Body == nil {
					continue
				}
				w := g.walker(n, f)
				if fn, ok := pkg.Info.Defs[d.Name].(*types.Func); ok {
					w.results = fn.Signature().Results()
				}
				w.walk(d.Body)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						if n := g.byObj[pkg.Info.Defs[s.Name]]; n != nil {
							g.walker(n, f).walk(s.Type)
						}
					case *ast.ValueSpec:
						g.collectValues(pkg, f, s)
					}
				}
			}
		}
	}
}

// collectValues adds the references of package-level initialisers to the variables that they fill. What
// fills a variable that nothing reached mentions leads nowhere; a blank one matters for what its
// initialiser calls.
func (g *Graph) collectValues(pkg *source.Package, f *source.File, s *ast.ValueSpec) {
	for i, name := range s.Names {
		n := g.byObj[pkg.Info.Defs[name]]
		if name.Name == "_" && callsSomething(pkg.Info, s.Values) {
			n = &node{name: pkg.Types.Name() + "._", pkg: pkg, pos: name.Pos(), generated: f.Generated}
			g.nodes = append(g.nodes, n)
			g.byObj[pkg.Info.Defs[name]] = n
		}
		if n == nil {
			continue
		}
		w := g.walker(n, f)
		if s.Type != nil {
			w.walk(s.Type)
		}
		switch {
		case len(s.Values) == len(s.Names):
			w.walk(s.Values[i])
			if s.Type != nil {
				w.convert(pkg.Info.TypeOf(s.Type), s.Values[i])
			}
		case len(s.Values) == 1:
			w.walk(s.Values[0])
			if s.Type != nil {
				w.convertTuple([]types.Type{pkg.Info.TypeOf(s.Type)}, []int{i}, s.Values[0])
			}
		}
	}
}

// callsSomething says whether evaluating the expressions calls a function. A conversion is not a call.
func callsSomething(info *types.Info, exprs []ast.Expr) bool {
	found := false
	for _, e := range exprs {
		ast.Inspect(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				if !info.Types[n.Fun].IsType() {
					found = true
				}
			}
			return !found
		})
	}
	return found
}

// walker collects the references of one declaration.
type walker struct {
	g       *Graph
	n       *node
	pkg     *source.Package
	info    *types.Info
	file    *source.File
	results *types.Tuple // of the innermost function

	called map[*ast.Ident]bool // the names of callees, which ast.Inspect visits after their call
}

func (g *Graph) walker(n *node, f *source.File) *walker {
	return &walker{g: g, n: n, pkg: n.pkg, info: n.pkg.Info, file: f, called: map[*ast.Ident]bool{}}
}

func (w *walker) walk(root ast.Node) {
	ast.Inspect(root, func(at ast.Node) bool {
		switch at := at.(type) {
		case *ast.FuncLit:
			inner := *w
			inner.results = nil
			if sig, ok := w.info.TypeOf(at).(*types.Signature); ok {
				inner.results = sig.Results()
			}
			w.walk(at.Type)
			inner.walk(at.Body)
			return false
		case *ast.SelectorExpr:
			w.selector(at)
		case *ast.Ident:
			w.ident(at)
		case *ast.CallExpr:
			w.call(at)
		case *ast.AssignStmt:
			w.assign(at)
		case *ast.ValueSpec:
			w.localVar(at)
		case *ast.ReturnStmt:
			w.returns(at)
		case *ast.CompositeLit:
			w.composite(at)
		case *ast.SendStmt:
			if ch, ok := under(w.info.TypeOf(at.Chan)).(*types.Chan); ok {
				w.convert(ch.Elem(), at.Value)
			} else {
				w.convert(nil, at.Value)
			}
		case *ast.RangeStmt:
			w.ranges(at)
		}
		return true
	})
}

// ident adds the edge to what an identifier denotes.
func (w *walker) ident(id *ast.Ident) {
	obj := w.info.Uses[id]
	if obj == nil {
		return
	}
	for i, args := 0, w.info.Instances[id].TypeArgs; i < args.Len(); i++ {
		w.live(args.At(i)) // generic code may call the constraint's methods on it
	}
	if fn, ok := obj.(*types.Func); ok && byName[fn.Name()] && !w.called[id] && !w.exempt() && isDeviceMethod(fn) {
		w.g.errors = append(w.g.errors, refs.Error{
			Pos:     w.g.program.Position(id.Pos()),
			Message: "Device." + fn.Name() + " is used as a value, so the build cannot tell what is launched",
			Fix:     "call it where it stands, with a constant name",
		})
	}
	w.refer(origin(obj))
}

// refer adds the edge to a declared object.
func (w *walker) refer(obj types.Object) {
	to := w.g.byObj[obj]
	if to == nil {
		to = w.g.interfaceMethod(obj)
	}
	if to == nil {
		return
	}
	if w.n.generated && !w.n.launcher() && to.launcher() {
		w.g.withheld[to] = append(w.g.withheld[to], w.n)
	}
	w.n.edge(to)
}

// selector notes selections that cannot be resolved, and launches by name.
func (w *walker) selector(s *ast.SelectorExpr) {
	if id, ok := s.X.(*ast.Ident); ok {
		if _, isPkg := w.info.Uses[id].(*types.PkgName); isPkg {
			return
		}
	}
	if w.info.Uses[s.Sel] == nil {
		w.n.unknown = append(w.n.unknown, unknownSel{s.Sel.Name, s.Sel.Pos()})
	}
}

// signature returns what a call's callee takes, or nil where it has no type.
func (w *walker) signature(call *ast.CallExpr) *types.Signature {
	sig, _ := under(w.info.TypeOf(call.Fun)).(*types.Signature)
	return sig
}

// call converts arguments to parameters, and recognises launches by name.
func (w *walker) call(call *ast.CallExpr) {
	w.launchByName(call)
	fun := w.info.Types[call.Fun]
	switch {
	case fun.IsType():
		if len(call.Args) == 1 {
			w.convert(fun.Type, call.Args[0])
		}
		return
	case fun.IsBuiltin():
		w.builtin(call)
		return
	}
	sig := w.signature(call)
	if sig == nil {
		for _, arg := range call.Args {
			w.convert(nil, arg)
		}
		return
	}
	params := make([]types.Type, 0, len(call.Args))
	for i := range sig.Params().Len() {
		params = append(params, sig.Params().At(i).Type())
	}
	if sig.Variadic() && !call.Ellipsis.IsValid() {
		last := len(params) - 1
		elem := params[last]
		if s, ok := under(elem).(*types.Slice); ok {
			elem = s.Elem()
		}
		params[last] = elem
		for n := w.arguments(call); len(params) < n; {
			params = append(params, elem)
		}
	}
	if len(call.Args) == 1 && w.arguments(call) > 1 {
		positions := make([]int, len(params))
		for i := range positions {
			positions[i] = i
		}
		w.convertTuple(params, positions, call.Args[0])
		return
	}
	for i, arg := range call.Args {
		if i < len(params) {
			w.convert(params[i], arg)
		}
	}
}

// arguments counts a call's arguments; f(g()) passes as many as g returns.
func (w *walker) arguments(call *ast.CallExpr) int {
	if len(call.Args) == 1 {
		if t, ok := w.info.TypeOf(call.Args[0]).(*types.Tuple); ok {
			return t.Len()
		}
	}
	return len(call.Args)
}

func (w *walker) builtin(call *ast.CallExpr) {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || len(call.Args) == 0 {
		return
	}
	switch id.Name {
	case "append":
		if s, ok := under(w.info.TypeOf(call.Args[0])).(*types.Slice); ok && !call.Ellipsis.IsValid() {
			for _, arg := range call.Args[1:] {
				w.convert(s.Elem(), arg)
			}
		}
	case "panic":
		w.convert(types.NewInterfaceType(nil, nil), call.Args[0])
	}
}

func (w *walker) assign(a *ast.AssignStmt) {
	if a.Tok != token.ASSIGN && a.Tok != token.DEFINE {
		return
	}
	// A variable that := defines has its value's own type; a blank one takes nothing.
	target := func(e ast.Expr) (types.Type, bool) {
		if id, ok := e.(*ast.Ident); ok && (id.Name == "_" || w.info.Defs[id] != nil) {
			return nil, false
		}
		return w.info.TypeOf(e), true
	}
	if len(a.Lhs) == len(a.Rhs) {
		for i := range a.Lhs {
			if t, ok := target(a.Lhs[i]); ok {
				w.convert(t, a.Rhs[i])
			}
		}
		return
	}
	if len(a.Rhs) != 1 {
		return
	}
	var targets []types.Type
	var positions []int
	for i, lhs := range a.Lhs {
		if t, ok := target(lhs); ok {
			targets, positions = append(targets, t), append(positions, i)
		}
	}
	w.convertTuple(targets, positions, a.Rhs[0])
}

// localVar is var x T = v inside a function.
func (w *walker) localVar(s *ast.ValueSpec) {
	if s.Type == nil {
		return
	}
	t := w.info.TypeOf(s.Type)
	if len(s.Values) == 1 && len(s.Names) > 1 {
		for i := range s.Names {
			w.convertTuple([]types.Type{t}, []int{i}, s.Values[0])
		}
		return
	}
	for _, v := range s.Values {
		w.convert(t, v)
	}
}

func (w *walker) returns(r *ast.ReturnStmt) {
	if len(r.Results) == 1 && w.results.Len() > 1 {
		var targets []types.Type
		var positions []int
		for i := range w.results.Len() {
			targets, positions = append(targets, w.results.At(i).Type()), append(positions, i)
		}
		w.convertTuple(targets, positions, r.Results[0])
		return
	}
	for i, e := range r.Results {
		if i < w.results.Len() {
			w.convert(w.results.At(i).Type(), e)
		}
	}
}

func (w *walker) composite(lit *ast.CompositeLit) {
	switch t := under(w.info.TypeOf(lit)).(type) {
	case *types.Struct:
		for i, e := range lit.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				if id, ok := kv.Key.(*ast.Ident); ok {
					if field, ok := w.info.Uses[id].(*types.Var); ok {
						w.convert(field.Type(), kv.Value)
					}
				}
			} else if i < t.NumFields() {
				w.convert(t.Field(i).Type(), e)
			}
		}
	case *types.Map:
		w.elements(lit, t.Key(), t.Elem())
	case *types.Slice:
		w.elements(lit, nil, t.Elem())
	case *types.Array:
		w.elements(lit, nil, t.Elem())
	case *types.Pointer: // an element &T{...} of a composite literal, written {...}
		if s, ok := under(t.Elem()).(*types.Struct); ok {
			for i, e := range lit.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					if id, ok := kv.Key.(*ast.Ident); ok {
						if field, ok := w.info.Uses[id].(*types.Var); ok {
							w.convert(field.Type(), kv.Value)
						}
					}
				} else if i < s.NumFields() {
					w.convert(s.Field(i).Type(), e)
				}
			}
		}
	default:
		w.elements(lit, nil, nil)
	}
}

// elements converts a literal's elements; key is nil where keys are no values.
func (w *walker) elements(lit *ast.CompositeLit, key, elem types.Type) {
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if key != nil {
				w.convert(key, kv.Key)
			}
			e = kv.Value
		}
		w.convert(elem, e)
	}
}

// ranges is for k, v = range x with variables of interface types.
func (w *walker) ranges(r *ast.RangeStmt) {
	if r.Tok != token.ASSIGN {
		return
	}
	var key, elem types.Type
	switch t := under(w.info.TypeOf(r.X)).(type) {
	case *types.Map:
		key, elem = t.Key(), t.Elem()
	case *types.Slice:
		elem = t.Elem()
	case *types.Array:
		elem = t.Elem()
	case *types.Chan:
		key = t.Elem()
	case *types.Signature: // an iterator: its yield function's parameters
		if t.Params().Len() == 1 {
			if yield, ok := under(t.Params().At(0).Type()).(*types.Signature); ok {
				if yield.Params().Len() > 0 {
					key = yield.Params().At(0).Type()
				}
				if yield.Params().Len() > 1 {
					elem = yield.Params().At(1).Type()
				}
			}
		}
	}
	if r.Key != nil && key != nil {
		w.convertType(w.info.TypeOf(r.Key), key)
	}
	if r.Value != nil && elem != nil {
		w.convertType(w.info.TypeOf(r.Value), elem)
	}
}

// convert notes that the value of e becomes a dst; a nil dst means that outside code takes it.
func (w *walker) convert(dst types.Type, e ast.Expr) {
	if lit, ok := e.(*ast.CompositeLit); ok && lit.Type == nil && dst == nil {
		return // an element of an unknown literal: without a type of its own
	}
	if t := w.info.TypeOf(e); t != nil {
		w.convertType(dst, t)
	}
}

// convertTuple converts some of the results of a call, or the first value of v, ok := x.
func (w *walker) convertTuple(dst []types.Type, positions []int, e ast.Expr) {
	switch t := w.info.TypeOf(e).(type) {
	case nil:
	case *types.Tuple:
		for i, at := range positions {
			if at < t.Len() {
				w.convertType(dst[i], t.At(at).Type())
			}
		}
	default:
		for i, at := range positions {
			if at == 0 {
				w.convertType(dst[i], t)
			}
		}
	}
}

func (w *walker) convertType(dst, src types.Type) {
	if tuple, ok := src.(*types.Tuple); ok {
		for i := range tuple.Len() {
			w.convertType(dst, tuple.At(i).Type())
		}
		return
	}
	if dst == nil || dst == types.Typ[types.Invalid] {
		w.live(src)
		w.n.escapes = append(w.n.escapes, src)
		return
	}
	if _, ok := types.Unalias(dst).(*types.TypeParam); ok {
		return // the instantiation says what it is
	}
	if types.IsInterface(dst) {
		w.live(src)
	}
}

// live notes that values of a type may be behind an interface.
func (w *walker) live(t types.Type) {
	if t == nil || t == types.Typ[types.Invalid] || types.IsInterface(t) {
		return
	}
	if !hasMethods(t) {
		return
	}
	w.n.converts = append(w.n.converts, conversion{t, w.n.generated})
}

// hasMethods says whether values of t can have methods at all.
func hasMethods(t types.Type) bool {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	switch t := t.(type) {
	case *types.Named:
		return true
	case *types.Struct:
		for i := range t.NumFields() {
			if t.Field(i).Embedded() {
				return true
			}
		}
	}
	return false
}

// under is t's underlying type; nil for nil.
func under(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

// deviceSuffix ends the import path of package device, whose Device launches entries by name.
const deviceSuffix = "/go/device"

// byName are the methods of Device that find entries by name: Kernel finds one, named by a constant;
// Entries finds a family's, for generated launchers alone.
var byName = map[string]bool{"Kernel": true, "Entries": true}

// launchByName recognises dev.Kernel("entry") and refuses what cannot be decided: a name that is no
// constant, and Entries outside generated files. Generated files and package device itself are exempt:
// the former launch through their directive, the latter is what implements it.
func (w *walker) launchByName(call *ast.CallExpr) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || !byName[sel.Sel.Name] {
		return
	}
	w.called[sel.Sel] = true
	if w.exempt() || len(call.Args) == 0 {
		return
	}
	arg := call.Args[0]
	if fn, ok := w.info.Uses[sel.Sel].(*types.Func); ok {
		if !isDeviceMethod(fn) {
			return
		}
		if !w.info.Types[sel.X].IsValue() {
			arg = call.Args[min(1, len(call.Args)-1)] // a method expression: the device comes first
		}
	} else if w.info.Uses[sel.Sel] != nil || !w.looksLikeDevice(sel) {
		return
	}
	pos := w.g.program.Position(call.Pos())
	value := w.info.Types[arg].Value
	switch {
	case sel.Sel.Name == "Entries":
		w.g.errors = append(w.g.errors, refs.Error{
			Pos:     pos,
			Message: "Device.Entries is called outside a generated launcher, so the build cannot tell what is launched",
			Fix:     "call the family's generated launcher, or Device.Kernel with a constant name",
		})
	case value == nil || value.Kind() != constant.String:
		w.g.errors = append(w.g.errors, refs.Error{
			Pos:     pos,
			Message: "Device.Kernel is called with a name that is no constant, so the build cannot tell what is launched",
			Fix:     "call the family's generated launcher, or write one call with a constant name for each entry",
		})
	default:
		w.n.launches = append(w.n.launches, launch{refs.Target{Entry: constant.StringVal(value)}, call.Pos()})
	}
}

func (w *walker) exempt() bool {
	return w.file.Generated || strings.HasSuffix("/"+w.pkg.Path, deviceSuffix)
}

// isDeviceMethod says whether a method is declared on Device of package device.
func isDeviceMethod(fn *types.Func) bool {
	t := receiver(fn)
	return t != nil && t.Name() == "Device" && t.Pkg() != nil && strings.HasSuffix("/"+t.Pkg().Path(), deviceSuffix)
}

// looksLikeDevice judges a selection that has no type by the file's imports.
func (w *walker) looksLikeDevice(sel *ast.SelectorExpr) bool {
	if id, ok := sel.X.(*ast.Ident); ok {
		if _, isPkg := w.info.Uses[id].(*types.PkgName); isPkg {
			return false
		}
	}
	for _, spec := range w.file.AST.Imports {
		if strings.HasSuffix("/"+strings.Trim(spec.Path.Value, "\"`"), deviceSuffix) {
			return true
		}
	}
	return false
}
