// Command audit judges compiled kernels by rules that their source cannot show: what nvcc, ptxas and nvdisasm say of them.
//
//	audit judge --manifest csr.manifest.json --ptx 75=F --lines 75=F --sass 75=F ... --out csr.audit.json
//	audit raw --ptx F [--ptxas-log F] [--sass F] --block 256 [--grid N] [--rules index32,trap] [ENTRY...]
//
// judge audits a family and fails if something has no reason in the annotations. raw audits what has no contract: plain __global__ functions,
// launched with the block that is named.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/audit/judge"
)

// errFound is the end of a run that found something and said so.
var errFound = errors.New("audit: there are findings")

func main() {
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return
	case !errors.Is(err, errFound):
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(1)
}

func run(args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case "judge":
			return runJudge(args[1:], stderr)
		case "raw":
			return runRaw(args[1:], stdout, stderr)
		}
	}
	return errors.New("audit: want `audit judge ...` or `audit raw ...`; `audit judge --help` says more")
}

// runJudge audits a family.
func runJudge(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("audit judge", flag.ContinueOnError)
	flags.SetOutput(stderr)
	manifestFile := flags.String("manifest", "", "the family's `manifest.json`")
	out := flags.String("out", "", "the table to write")
	keep := flags.Bool("keep-going", false, "write the table and succeed even if something in it has no reason")
	in := judge.Input{PTX: map[int]string{}, Lines: map[int]string{}, SASS: map[int]string{}}
	flags.Var(texts(in.PTX), "ptx", "`ARCH=FILE`, such as 90=csr.compute_90.ptx: what ptxas assembled; once for each image of machine code")
	flags.Var(texts(in.Lines), "lines", "`ARCH=FILE`: the same compiled with -lineinfo")
	flags.Var(texts(in.SASS), "sass", "`ARCH=FILE`: what nvdisasm -c prints of the cubin")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *manifestFile == "" || *out == "" || flags.NArg() > 0 {
		return errors.New("audit judge: want --manifest and --out, and no other arguments than flags")
	}
	p, err := os.ReadFile(*manifestFile)
	if err != nil {
		return fmt.Errorf("audit judge: --manifest: %w", err)
	}
	if in.Manifest, err = manifest.Read(p); err != nil {
		return fmt.Errorf("audit judge: %s: %w", *manifestFile, err)
	}
	t, err := judge.Family(in)
	if err != nil {
		return fmt.Errorf("audit: family %s: %w", in.Manifest.Spec.Family, err)
	}
	if p, err = t.Write(); err != nil {
		return err
	}
	if err := os.WriteFile(*out, p, 0o666); err != nil {
		return fmt.Errorf("audit judge: --out: %w", err)
	}
	lines := t.Unexplained()
	if len(lines) == 0 {
		return nil
	}
	fmt.Fprintf(stderr, "audit: family %s: %d findings without a reason; repair the kernel, or write except(rule, \"reason\") in its annotation:\n", t.Family, len(lines))
	const most = 40
	for i, line := range lines {
		if i == most {
			fmt.Fprintf(stderr, "  and %d more\n", len(lines)-most)
			break
		}
		fmt.Fprintf(stderr, "  %s\n", line)
	}
	if *keep {
		return nil
	}
	return errFound
}

// texts is a flag whose value is ARCH=FILE, which may be repeated; it keeps the files' texts.
type texts map[int]string

// String makes texts a flag.Value.
func (t texts) String() string { return "" }

// Set reads the file of ARCH=FILE.
func (t texts) Set(value string) error {
	name, file, ok := strings.Cut(value, "=")
	arch, err := strconv.Atoi(name)
	if !ok || file == "" || err != nil {
		return errors.New("want ARCH=FILE, such as 90=csr.sass")
	}
	if _, twice := t[arch]; twice {
		return fmt.Errorf("%d is given twice", arch)
	}
	p, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	t[arch] = string(p)
	return nil
}

// list is a flag of words with commas between them, each of them one of some.
func list(value string, of []string) ([]string, error) {
	if value == "" {
		return of, nil
	}
	words := strings.Split(value, ",")
	for _, w := range words {
		if !slices.Contains(of, w) {
			return nil, fmt.Errorf("there is no rule %q; there are %s", w, strings.Join(of, ", "))
		}
	}
	return words, nil
}
