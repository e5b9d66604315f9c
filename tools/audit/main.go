// Command audit judges compiled kernels by rules that their source cannot show: what nvcc, ptxas and nvdisasm say of them.
//
//	audit table --manifest csr.manifest.json --ptx 75=F --sass 75=F ... --lines F --out csr.audit.json
//	audit verdict --table csr.audit.json --out csr.audit.ok
//	audit raw --ptx F [--ptxas-log F] [--sass F] --block 256 [--grid N] [--rules index32,trap] [ENTRY...]
//
// table audits a family; verdict fails if something in a table has no reason in the annotations. raw audits what has no contract: plain __global__ functions,
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

	"github.com/warpwright/warpwright/go/audit"
	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/audit/judge"
	"github.com/warpwright/warpwright/tools/internal/verdict"
)

func main() {
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return
	case !errors.Is(err, verdict.ErrOpen):
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(1)
}

func run(args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case "table":
			return runTable(args[1:], stderr)
		case "verdict":
			return verdict.Run("audit", args[1:], stderr, unexplained)
		case "raw":
			return runRaw(args[1:], stdout, stderr)
		}
	}
	return errors.New("audit: want table, verdict or raw; `audit table --help` says more")
}

// runTable audits a family.
func runTable(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("audit table", flag.ContinueOnError)
	flags.SetOutput(stderr)
	manifestFile := flags.String("manifest", "", "the family's `manifest.json`")
	lines := flags.String("lines", "", "the `file` of one architecture's PTX compiled with -lineinfo: it says which lines code is of")
	out := flags.String("out", "", "the table to write")
	narrow := flags.Bool("narrow", false, "not all architectures are there: an exception for what none of these does is not stale")
	in := judge.Input{PTX: map[int]string{}, SASS: map[int]string{}}
	flags.Var(texts(in.PTX), "ptx", "`ARCH=FILE`, such as 90=csr.compute_90.ptx: what ptxas assembled; once for each image of machine code")
	flags.Var(texts(in.SASS), "sass", "`ARCH=FILE`: what nvdisasm -c prints of the cubin")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *manifestFile == "" || *out == "" || flags.NArg() > 0 {
		return errors.New("audit table: want --manifest and --out, and no other arguments than flags")
	}
	p, err := os.ReadFile(*manifestFile)
	if err != nil {
		return fmt.Errorf("audit table: --manifest: %w", err)
	}
	if in.Manifest, err = manifest.Read(p); err != nil {
		return fmt.Errorf("audit table: %s: %w", *manifestFile, err)
	}
	if *lines != "" {
		if p, err = os.ReadFile(*lines); err != nil {
			return fmt.Errorf("audit table: --lines: %w", err)
		}
		in.Lines = string(p)
	}
	in.Narrow = *narrow
	t, err := judge.Family(in)
	if err != nil {
		return fmt.Errorf("audit: family %s: %w", in.Manifest.Spec.Family, err)
	}
	if p, err = t.Write(); err != nil {
		return err
	}
	if err := os.WriteFile(*out, p, 0o666); err != nil {
		return fmt.Errorf("audit table: --out: %w", err)
	}
	return nil
}

// unexplained says what stands in a table without a reason.
func unexplained(table []byte) (says string, lines []string, err error) {
	t, err := audit.Read(table)
	if err != nil {
		return "", nil, err
	}
	lines = t.Unexplained()
	return fmt.Sprintf("family %s: findings without a reason: %d; repair the kernel, or write except(rule, \"reason\") in its annotation", t.Family, len(lines)), lines, nil
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
