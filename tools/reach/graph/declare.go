package graph

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/warpwright/warpwright/tools/reach/refs"
	"github.com/warpwright/warpwright/tools/reach/source"
)

// directive marks a launcher: //ww:launch KERNEL, in the comment directly above a function.
const directive = "//ww:launch"

// declare makes the nodes of a package's declarations and reads the launchers' directives.
func (g *Graph) declare(pkg *source.Package) {
	for _, f := range pkg.Files {
		used := map[*ast.Comment]bool{}
		for _, decl := range f.AST.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				g.declareFunc(pkg, f, d, used)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						g.declareType(pkg, f, s)
					case *ast.ValueSpec:
						for _, name := range s.Names {
							g.declareObject(pkg, f, name)
						}
					}
				}
			}
		}
		g.strayDirectives(f, used)
	}
}

func (g *Graph) declareObject(pkg *source.Package, f *source.File, name *ast.Ident) *node {
	obj := pkg.Info.Defs[name]
	if obj == nil || name.Name == "_" {
		return nil
	}
	if n := g.byObj[obj]; n != nil {
		return n
	}
	n := &node{obj: obj, name: objectName(obj), pkg: pkg, pos: name.Pos(), generated: f.Generated}
	g.byObj[obj] = n
	g.nodes = append(g.nodes, n)
	return n
}

func (g *Graph) declareType(pkg *source.Package, f *source.File, s *ast.TypeSpec) {
	n := g.declareObject(pkg, f, s.Name)
	if n == nil {
		return
	}
	if t, ok := n.obj.(*types.TypeName); ok && f.Generated {
		g.madeTypes[t] = true
	}
}

func (g *Graph) declareFunc(pkg *source.Package, f *source.File, d *ast.FuncDecl, used map[*ast.Comment]bool) {
	var n *node
	if d.Recv == nil && d.Name.Name == "init" {
		n = &node{name: pkg.Types.Name() + ".init", pkg: pkg, pos: d.Pos(), generated: f.Generated}
		g.nodes = append(g.nodes, n)
		g.byObj[pkg.Info.Defs[d.Name]] = n
	} else {
		n = g.declareObject(pkg, f, d.Name)
	}
	if n == nil {
		return
	}
	if fn, ok := n.obj.(*types.Func); ok {
		n.recv = receiver(fn)
	}
	if d.Doc == nil {
		return
	}
	for _, c := range d.Doc.List {
		if !isDirective(c.Text) {
			continue
		}
		used[c] = true
		kernels := strings.Fields(c.Text[len(directive):])
		if len(kernels) != 1 {
			g.errors = append(g.errors, refs.Error{
				Pos:     g.program.Position(c.Pos()),
				Message: "directive '" + c.Text + "' must name exactly one kernel",
				Fix:     "write //ww:launch KERNEL; a launcher of several kernels carries one line for each",
			})
			continue
		}
		n.launches = append(n.launches, launch{refs.Target{Kernel: kernels[0]}, d.Name.Pos()})
	}
}

// strayDirectives reports directives that no function carries: without the report they would be comments.
func (g *Graph) strayDirectives(f *source.File, used map[*ast.Comment]bool) {
	for _, group := range f.AST.Comments {
		for _, c := range group.List {
			spaced := strings.HasPrefix(strings.TrimLeft(strings.TrimPrefix(c.Text, "//"), " \t"), "ww:launch")
			switch {
			case isDirective(c.Text) && !used[c]:
				g.errors = append(g.errors, refs.Error{
					Pos:     g.program.Position(c.Pos()),
					Message: "directive '" + c.Text + "' stands above no function",
					Fix:     "put it directly above the function that launches the kernel, without an empty line between",
				})
			case !isDirective(c.Text) && spaced && strings.HasPrefix(c.Text, "//"):
				g.errors = append(g.errors, refs.Error{
					Pos:     g.program.Position(c.Pos()),
					Message: "comment '" + c.Text + "' looks like a directive and is none",
					Fix:     "write //ww:launch KERNEL, without a space after the slashes",
				})
			}
		}
	}
}

func isDirective(text string) bool {
	rest, ok := strings.CutPrefix(text, directive)
	return ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

// receiver returns the type that a method is declared on, or nil.
func receiver(f *types.Func) *types.TypeName {
	recv := f.Signature().Recv()
	if recv == nil {
		return nil
	}
	if named := namedOf(recv.Type()); named != nil {
		return named.Obj()
	}
	return nil
}

// namedOf returns the named type behind t, through one pointer, as declared (not instantiated), or nil.
func namedOf(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if named, ok := t.(*types.Named); ok {
		return named.Origin()
	}
	return nil
}

// objectName is an object's name as messages and paths show it.
func objectName(obj types.Object) string {
	name := obj.Name()
	if f, ok := obj.(*types.Func); ok && f.Signature().Recv() != nil {
		if t := receiver(f); t != nil {
			name = t.Name() + "." + name
		} else {
			name = "interface." + name
		}
	}
	if obj.Pkg() == nil {
		return name
	}
	return obj.Pkg().Name() + "." + name
}

// key identifies an object across two checks of the same package.
func key(obj types.Object) string {
	if obj.Pkg() == nil {
		return obj.Name()
	}
	return obj.Pkg().Path() + " " + objectName(obj)
}

// origin returns the declared object of an instantiated one.
func origin(obj types.Object) types.Object {
	switch o := obj.(type) {
	case *types.Func:
		return o.Origin()
	case *types.Var:
		return o.Origin()
	}
	return obj
}
