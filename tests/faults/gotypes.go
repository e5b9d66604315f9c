package faults

import (
	"fmt"
	"go/ast"
	gobuild "go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// module is this repository's import path, launchersPath that of the launchers which kernelspec has made of a
// variant, operatorPath that of the variant's own Go files.
const (
	module        = "github.com/warpwright/warpwright"
	launchersPath = module + "/go/kernels/museumkernels"
	operatorPath  = module + "/go/museum"
)

// launchersFile is what kernelspec makes of the kernels.
const launchersFile = "launchers.go"

// goFiles are the Go files of a variant, in order.
func goFiles(s Sources) []string {
	var names []string
	for name := range s {
		if path.Ext(name) == ".go" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// goTypes checks the variant's Go files as the compiler would: against the launchers, and this repository's own
// packages. What they import from elsewhere is empty, so the files of a piece keep off the standard library.
func (v *variant) goTypes() ([]Finding, error) {
	names := slices.DeleteFunc(goFiles(v.sources), func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	if len(names) == 0 {
		return nil, nil
	}
	im := &importer{variant: v, fset: token.NewFileSet(), done: map[string]*types.Package{}}
	files, err := im.parse(v.dir, names)
	if err != nil {
		return nil, err
	}
	var says []string
	config := types.Config{Importer: im, Error: func(err error) { says = append(says, strings.TrimPrefix(err.Error(), v.dir+"/")) }}
	_, _ = config.Check(operatorPath, im.fset, files, nil) // Error has seen all of it
	if im.err != nil {
		return nil, im.err
	}
	if says == nil {
		return nil, nil
	}
	return finding(GoTypes, strings.Join(says, "\n")), nil
}

// importer type-checks packages from their sources.
type importer struct {
	*variant
	fset *token.FileSet
	done map[string]*types.Package
	err  error // a package of this repository that cannot be read
}

// Import makes importer a types.Importer. The bodies of functions are left out, and errors are: packages of the
// standard library are empty here.
func (im *importer) Import(name string) (*types.Package, error) {
	if p := im.done[name]; p != nil {
		return p, nil
	}
	dir, inside := strings.CutPrefix(name, module+"/")
	if !inside {
		p := types.NewPackage(name, path.Base(name))
		p.MarkComplete()
		im.done[name] = p
		return p, nil
	}
	folder, names := filepath.Join(im.root, filepath.FromSlash(dir)), []string{launchersFile}
	var err error
	if name == launchersPath {
		folder = im.dir
	} else if names, err = sourcesOf(folder); err != nil {
		im.err = fmt.Errorf("import %s: %w", name, err)
		return nil, im.err
	}
	files, err := im.parse(folder, names)
	if err != nil {
		im.err = fmt.Errorf("import %s: %w", name, err)
		return nil, im.err
	}
	config := types.Config{Importer: im, IgnoreFuncBodies: true, Error: func(error) {}}
	p, _ := config.Check(name, im.fset, files, nil) // incomplete where it leans on the standard library
	im.done[name] = p
	return p, nil
}

func (im *importer) parse(dir string, names []string) ([]*ast.File, error) {
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(im.fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// sourcesOf are the files of a package that a build without tags compiles.
func sourcesOf(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if ok, err := gobuild.Default.MatchFile(dir, name); err != nil {
			return nil, err
		} else if ok {
			names = append(names, name)
		}
	}
	if names == nil {
		return nil, fmt.Errorf("no Go files in %s", dir)
	}
	return names, nil
}
