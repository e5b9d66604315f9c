// Command kernelspec reads the kernels of a family, their signatures and annotations, and writes what
// follows from them: the extern "C" entries, the emulator's table, the typed Go launchers and the
// spec. docs/kernel-annotations.md has the language.
//
//	kernelspec --family csr --include cuda/include --tiers cuda/sm_90/csr.tiers.json \
//	  --out-launchers go/kernels/csrkernels/launchers.go --go-package csrkernels cuda/csr/mv.cu
//
// With --raw it reads plain extern "C" __global__ functions instead, which have no contract and so no
// launchers; docs/kernel-annotations.md says who may use them.
//
// Sources are named by their repository paths, from the repository's root: generated code includes
// and quotes them so.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/warpwright/warpwright/tools/internal/source"
	"github.com/warpwright/warpwright/tools/internal/syntax"
	"github.com/warpwright/warpwright/tools/kernelspec/internal/emit"
	"github.com/warpwright/warpwright/tools/kernelspec/internal/family"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	family, goPackage                         string
	includes, headers, tiers, sources, only   []string
	outEntries, outEmu, outLaunchers, outSpec string
	includeEntries, outObligations            string
	check, raw                                bool
}

func parse(args []string, usage io.Writer) (*options, error) {
	var o options
	fs := flag.NewFlagSet("kernelspec", flag.ContinueOnError)
	fs.SetOutput(usage)
	fs.StringVar(&o.family, "family", "", "the family's `name`: csr")
	fs.StringVar(&o.goPackage, "go-package", "", "package `name` of the launchers; default FAMILYkernels")
	fs.Func("include", "a `folder` with headers in ww/; repeatable", func(s string) error {
		o.includes = append(o.includes, s)
		return nil
	})
	fs.Func("header", "a `file` that the sources include, of the family's own; repeatable", func(s string) error {
		o.headers = append(o.headers, s)
		return nil
	})
	fs.Func("tiers", "a tier table `file`; repeatable", func(s string) error {
		o.tiers = append(o.tiers, s)
		return nil
	})
	fs.StringVar(&o.outEntries, "out-entries", "", "write the CUDA entries to `file`")
	fs.StringVar(&o.outEmu, "out-emu", "", "write the emulator's table to `file`")
	fs.StringVar(&o.outLaunchers, "out-launchers", "", "write the Go launchers to `file`")
	fs.StringVar(&o.outSpec, "out-spec", "", "write the spec to `file`")
	fs.StringVar(&o.outObligations, "out-obligations", "", "write what must be proved of each entry to `file`")
	fs.StringVar(&o.includeEntries, "entries-as", "", "the `path` under which the emulator's table includes the entries; default FAMILY.entries.cu beside the first source")
	fs.Func("only", "write the entries that a comma-separated `list` names and no others, for a build of few; not with launchers", func(s string) error {
		o.only = append(o.only, strings.Split(s, ",")...)
		return nil
	})
	fs.BoolVar(&o.raw, "raw", false, "the sources are of raw kernels: plain extern \"C\" __global__ functions")
	fs.BoolVar(&o.check, "check", false, "write nothing; fail if a file is not what would be written")
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	o.sources = fs.Args()
	switch {
	case o.family == "":
		return nil, errors.New("kernelspec: --family is missing")
	case len(o.sources) == 0:
		return nil, errors.New("kernelspec: no kernel sources")
	case o.raw && (o.outLaunchers != "" || o.tiers != nil || o.goPackage != "" || o.outObligations != ""):
		return nil, errors.New("kernelspec: raw kernels have neither launchers, tiers nor obligations")
	case o.only != nil && o.outLaunchers != "":
		return nil, errors.New("kernelspec: --only leaves entries out, and launchers are those of all")
	}
	if o.goPackage == "" {
		o.goPackage = o.family + "kernels"
	}
	if o.includeEntries == "" {
		o.includeEntries = path.Join(path.Dir(filepath.ToSlash(o.sources[0])), o.family+".entries.cu")
	}
	return &o, nil
}

func run(args []string, usage io.Writer) error {
	o, err := parse(args, usage)
	if err != nil {
		return err
	}
	f, err := load(o)
	if err != nil {
		return err
	}
	if o.only != nil {
		if err := f.Only(o.only); err != nil {
			return fmt.Errorf("kernelspec: --only: %w", err)
		}
	}
	var launchers, obligations []byte
	if !o.raw {
		if launchers, err = emit.Launchers(f, o.goPackage); err != nil {
			return err
		}
		if obligations, err = emit.Obligations(f); err != nil {
			return err
		}
	}
	spec, err := emit.Spec(f)
	if err != nil {
		return err
	}
	for _, out := range []struct {
		name string
		text []byte
	}{
		{o.outEntries, emit.Entries(f)},
		{o.outEmu, emit.Emulator(f, o.includeEntries)},
		{o.outLaunchers, launchers},
		{o.outSpec, spec},
		{o.outObligations, obligations},
	} {
		switch {
		case out.name == "":
		case o.check:
			if err := fresh(out.name, out.text); err != nil {
				return err
			}
		default:
			if err := os.WriteFile(out.name, out.text, 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}

// load reads the family.
func load(o *options) (*family.Family, error) {
	var headers, sources []*source.File
	for _, dir := range o.includes {
		names, err := filepath.Glob(filepath.Join(dir, "ww", "*.h"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			f, err := read(name)
			if err != nil {
				return nil, err
			}
			headers = append(headers, f)
		}
	}
	for _, name := range o.sources {
		f, err := read(name)
		if err != nil {
			return nil, err
		}
		sources = append(sources, f)
	}
	if o.raw {
		return family.NewRaw(o.family, sources)
	}
	if headers == nil {
		return nil, errors.New("kernelspec: no headers ww/*.h in any --include folder, so no view is known")
	}
	for _, name := range o.headers {
		f, err := read(name)
		if err != nil {
			return nil, err
		}
		if err := syntax.Header(f); err != nil {
			return nil, err
		}
	}
	f, err := family.New(o.family, sources, headers)
	if err != nil {
		return nil, err
	}
	for _, name := range o.tiers {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := f.AddTiers(filepath.ToSlash(name), text); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func read(name string) (*source.File, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return source.NewFile(filepath.ToSlash(filepath.Clean(name)), string(text)), nil
}
