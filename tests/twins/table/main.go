// Table compares the safe twins with the raw ones and prints a row for each pair and architecture.
//
//	table [--reasons FILE] [--alone NAME ...] --spec FILE --safe ARCH=FILE --raw ARCH=FILE --checked ARCH=FILE ...
//
// The spec is that of the safe kernels: it says which of them are variants, which rely on facts beyond the contract and must have fewer
// instructions than the raw kernel.
//
// A NAME is a safe kernel that has no twin. A FILE is what nvdisasm -c prints. Exit codes: 0 all pairs keep their bounds or have a reason, 1 one does not or a reason is
// stale, 2 wrong use or input.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/audit/sass"
	"github.com/warpwright/warpwright/tools/audit/twin"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	fine, err := table(args, stdout, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "table: error: %v\n", err)
		return 2
	case !fine:
		return 1
	}
	return 0
}

func table(args []string, stdout, stderr io.Writer) (fine bool, err error) {
	flags := flag.NewFlagSet("table", flag.ContinueOnError)
	flags.SetOutput(stderr)
	reasonsFile := flags.String("reasons", "", "the `file` of reasons")
	specFile := flags.String("spec", "", "the `file` of the safe kernels' spec")
	var alone []string
	flags.Func("alone", "a safe kernel that has no twin: `NAME` of twin_NAME; repeatable", func(name string) error {
		alone = append(alone, name)
		return nil
	})
	listings := map[string]*twin.Listings{}
	for name, side := range map[string]func(*twin.Listings) *[]*sass.Function{
		"safe":    func(l *twin.Listings) *[]*sass.Function { return &l.Safe },
		"raw":     func(l *twin.Listings) *[]*sass.Function { return &l.Raw },
		"checked": func(l *twin.Listings) *[]*sass.Function { return &l.Checked },
	} {
		flags.Func(name, "`ARCH=FILE`: the listing of the "+name+" twins; once an architecture", func(value string) error {
			arch, file, ok := strings.Cut(value, "=")
			if !ok {
				return fmt.Errorf("want ARCH=FILE")
			}
			if listings[arch] == nil {
				listings[arch] = &twin.Listings{Arch: arch}
			}
			functions := side(listings[arch])
			if *functions != nil {
				return fmt.Errorf("%s has two listings of %s twins", arch, name)
			}
			*functions, err = sass.ReadFile(file)
			return err
		})
	}
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	if flags.NArg() > 0 || len(listings) == 0 || *specFile == "" {
		return false, fmt.Errorf("want a spec and listings by --spec, --safe, --raw and --checked and nothing else")
	}
	var reasons []twin.Reason
	if *reasonsFile != "" {
		f, err := os.Open(*reasonsFile)
		if err != nil {
			return false, err
		}
		defer f.Close()
		if reasons, err = twin.ReadReasons(*reasonsFile, f); err != nil {
			return false, err
		}
	}
	variants, err := variants(*specFile)
	if err != nil {
		return false, err
	}
	var rows []twin.Row
	for _, l := range listings {
		l.Alone, l.Variants = alone, variants
		of, err := twin.Judge(*l)
		if err != nil {
			return false, err
		}
		rows = append(rows, of...)
	}
	slices.SortFunc(rows, func(a, b twin.Row) int { return strings.Compare(a.Pair+" "+a.Arch, b.Pair+" "+b.Arch) })
	stale := twin.Excuse(rows, reasons)
	if err := twin.WriteTable(stdout, rows); err != nil {
		return false, err
	}
	for _, s := range stale {
		fmt.Fprintf(stderr, "%s: %s\n", *reasonsFile, s)
	}
	bad := slices.DeleteFunc(rows, twin.Row.Fine)
	for _, r := range bad {
		fmt.Fprintf(stderr, "%s on %s: %s\n", r.Pair, r.Arch, r.Verdict())
	}
	return len(bad)+len(stale) == 0, nil
}

// variants reads off a spec which entries are variants of which, without twin_.
func variants(file string) (map[string]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	spec, err := manifest.ReadSpec(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	out := map[string]string{}
	for _, e := range spec.Entries {
		if e.Prefer != "" {
			x := strings.TrimPrefix(e.Name, "twin_")
			out[x] = strings.TrimSuffix(x, "_"+e.Prefer)
		}
	}
	return out, nil
}
