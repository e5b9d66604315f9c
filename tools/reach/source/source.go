// Package source loads Go packages from a closed list of files, for tools that run where there is
// neither a module cache nor a standard library: inside a build action.
//
// Imports of packages that are not on the list become empty packages and type errors are ignored, so
// whatever depends on such an import has no type. Everything else is resolved exactly.
package source

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"path"
	"slices"
	"strings"
)

// Spec names one source file and the package that it belongs to.
type Spec struct {
	ImportPath string
	File       string
}

// Config says how to read and select files.
type Config struct {
	ReadFile func(name string) ([]byte, error)
	GOOS     string
	GOARCH   string
	Tags     []string // build tags beside the operating system and architecture; cgo counts as on

	// Fake, if not nil, may provide the package for an import that is not on the list. A nil result
	// means an empty package.
	Fake func(importPath string) *types.Package
}

// File is one parsed file.
type File struct {
	Name      string // as positions show it
	AST       *ast.File
	Generated bool
}

// Package is one type-checked package.
type Package struct {
	Path    string
	Files   []*File // without tests
	Tests   []*File // parsed, and in TestInfo only
	Types   *types.Package
	Info    *types.Info
	Imports []*Package // those on the list, by path
}

// Program is the set of loaded packages.
type Program struct {
	Fset     *token.FileSet
	Packages []*Package // by path
	byPath   map[string]*Package
	cfg      Config
}

// Package returns a package by import path, or nil.
func (p *Program) Package(importPath string) *Package { return p.byPath[importPath] }

// Position returns file:line as the tool shows it.
func (p *Program) Position(pos token.Pos) string {
	at := p.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", at.Filename, at.Line)
}

// Load parses and type-checks the packages. Files that the build constraints leave out are dropped;
// a file that does not parse is an error.
func Load(cfg Config, specs []Spec) (*Program, error) {
	p := &Program{Fset: token.NewFileSet(), byPath: map[string]*Package{}, cfg: cfg}
	specs = slices.Clone(specs)
	slices.SortFunc(specs, func(a, b Spec) int {
		return cmp.Or(cmp.Compare(a.ImportPath, b.ImportPath), cmp.Compare(a.File, b.File))
	})
	specs = slices.Compact(specs)

	var errs []error
	for _, s := range specs {
		pkg := p.byPath[s.ImportPath]
		if pkg == nil {
			pkg = &Package{Path: s.ImportPath}
			p.byPath[s.ImportPath] = pkg
			p.Packages = append(p.Packages, pkg)
		}
		if err := p.parse(pkg, s.File); err != nil {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	c := checker{program: p, fakes: map[string]*types.Package{}, state: map[*Package]int{}}
	for _, pkg := range p.Packages {
		if err := c.check(pkg); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// parse adds one file to pkg unless the build constraints leave it out.
func (p *Program) parse(pkg *Package, name string) error {
	text, err := p.cfg.ReadFile(name)
	if err != nil {
		return err
	}
	ok, err := p.cfg.match(name, text)
	if err != nil {
		return fmt.Errorf("%s: build constraints: %w", name, err)
	}
	if !ok {
		return nil
	}
	shown := shownName(name)
	tree, err := parser.ParseFile(p.Fset, shown, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	f := &File{Name: shown, AST: tree, Generated: ast.IsGenerated(tree)}
	if strings.HasSuffix(name, "_test.go") {
		pkg.Tests = append(pkg.Tests, f)
		return nil
	}
	if len(pkg.Files) > 0 && pkg.Files[0].AST.Name.Name != tree.Name.Name {
		return fmt.Errorf("%s: package %s, but %s of the same import path %s says package %s",
			shown, tree.Name.Name, pkg.Files[0].Name, pkg.Path, pkg.Files[0].AST.Name.Name)
	}
	openAssertions(tree)
	pkg.Files = append(pkg.Files, f)
	return nil
}

// match applies build constraints, those of the file's name included.
func (c *Config) match(name string, text []byte) (bool, error) {
	ctx := build.Context{
		GOOS:        c.GOOS,
		GOARCH:      c.GOARCH,
		Compiler:    "gc",
		CgoEnabled:  true,
		BuildTags:   c.Tags,
		ReleaseTags: build.Default.ReleaseTags,
		JoinPath:    path.Join,
		OpenFile:    func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil },
	}
	return ctx.MatchFile(path.Dir(name), path.Base(name))
}

// shownName drops the folder of Bazel's outputs, so that a generated file has the same name whatever the
// configuration: bazel-out/k8-fastbuild/bin/cuda/csr/launchers.go is cuda/csr/launchers.go.
func shownName(name string) string {
	if rest, ok := strings.CutPrefix(name, "bazel-out/"); ok {
		if _, file, ok := strings.Cut(rest, "/bin/"); ok {
			return file
		}
	}
	return name
}

// openAssertions rewrites every x.(T) as func(any) (_ any)(x).(T). go/types gives up on an assertion whose
// operand has no type, and the operand often comes from outside (pool.Get().(*T)); T is all we need of it.
func openAssertions(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		a, ok := n.(*ast.TypeAssertExpr)
		if !ok || a.Type == nil {
			return true
		}
		at := a.X.Pos()
		result := &ast.Field{Type: &ast.InterfaceType{Interface: at, Methods: &ast.FieldList{Opening: at, Closing: at}}}
		param := &ast.Field{Type: &ast.InterfaceType{Interface: at, Methods: &ast.FieldList{Opening: at, Closing: at}}}
		a.X = &ast.CallExpr{
			Fun: &ast.FuncLit{
				Type: &ast.FuncType{
					Func:    at,
					Params:  &ast.FieldList{Opening: at, List: []*ast.Field{param}, Closing: at},
					Results: &ast.FieldList{Opening: at, List: []*ast.Field{result}, Closing: at},
				},
				Body: &ast.BlockStmt{Lbrace: at, Rbrace: at},
			},
			Lparen: at,
			Args:   []ast.Expr{a.X},
			Rparen: at,
		}
		return true
	})
}

// checker type-checks packages in the order of their imports.
type checker struct {
	program *Program
	fakes   map[string]*types.Package
	state   map[*Package]int
}

const (
	unseen = iota
	checking
	checked
)

func (c *checker) check(pkg *Package) error {
	switch c.state[pkg] {
	case checked:
		return nil
	case checking:
		return fmt.Errorf("import cycle through %s", pkg.Path)
	}
	c.state[pkg] = checking
	for _, path := range imports(pkg.Files) {
		if dep := c.program.byPath[path]; dep != nil {
			if err := c.check(dep); err != nil {
				return fmt.Errorf("%s imports %w", pkg.Path, err)
			}
			pkg.Imports = append(pkg.Imports, dep)
		}
	}
	pkg.Types, pkg.Info = c.types(pkg.Path, pkg.Files)
	c.state[pkg] = checked
	return nil
}

// types runs go/types over files and keeps whatever it could find out.
func (c *checker) types(path string, files []*File) (*types.Package, *types.Info) {
	info := &types.Info{
		Types:     map[ast.Expr]types.TypeAndValue{},
		Instances: map[*ast.Ident]types.Instance{},
		Defs:      map[*ast.Ident]types.Object{},
		Uses:      map[*ast.Ident]types.Object{},
	}
	conf := types.Config{
		Importer: importer{c},
		Error:    func(error) {}, // outside imports are empty, so errors are the rule
	}
	trees := make([]*ast.File, len(files))
	for i, f := range files {
		trees[i] = f.AST
	}
	pkg, _ := conf.Check(path, c.program.Fset, trees, info)
	return pkg, info
}

type importer struct{ c *checker }

// Import never fails: what is not on the list is an empty package.
func (i importer) Import(importPath string) (*types.Package, error) {
	if importPath == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := i.c.program.byPath[importPath]; pkg != nil && pkg.Types != nil {
		return pkg.Types, nil
	}
	if fake := i.c.fakes[importPath]; fake != nil {
		return fake, nil
	}
	var fake *types.Package
	if i.c.program.cfg.Fake != nil {
		fake = i.c.program.cfg.Fake(importPath)
	}
	if fake == nil {
		fake = types.NewPackage(importPath, guessName(importPath))
	}
	fake.MarkComplete()
	i.c.fakes[importPath] = fake
	return fake, nil
}

// guessName is the likely package name of an import path; a wrong guess only leaves names unresolved
// that would have no type anyway.
func guessName(importPath string) string {
	base := path.Base(importPath)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		base = path.Base(path.Dir(importPath))
	}
	base, _, _ = strings.Cut(base, ".")
	return strings.NewReplacer("-", "_").Replace(base)
}

// imports returns the sorted import paths of files.
func imports(files []*File) []string {
	var paths []string
	for _, f := range files {
		for _, spec := range f.AST.Imports {
			paths = append(paths, strings.Trim(spec.Path.Value, "\"`"))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// TestUses type-checks a package's test files and returns every object that they refer to, with the first
// place that does. Objects of the package under test are those of a second check: compare them by name.
func (p *Program) TestUses(pkg *Package) map[types.Object]token.Pos {
	c := checker{program: p, fakes: map[string]*types.Package{}}
	uses := map[types.Object]token.Pos{}
	collect := func(path string, own, tests []*File) {
		if len(tests) == 0 {
			return
		}
		_, info := c.types(path, slices.Concat(own, tests))
		for _, f := range tests {
			ast.Inspect(f.AST, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				if obj := info.Uses[id]; obj != nil {
					if at, seen := uses[obj]; !seen || id.Pos() < at {
						uses[obj] = id.Pos()
					}
				}
				return true
			})
		}
	}
	var inside, outside []*File
	for _, f := range pkg.Tests {
		if strings.HasSuffix(f.AST.Name.Name, "_test") {
			outside = append(outside, f)
		} else {
			inside = append(inside, f)
		}
	}
	collect(pkg.Path, pkg.Files, inside)
	collect(pkg.Path+"_test", nil, outside)
	return uses
}
