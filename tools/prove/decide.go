package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/go/proof"
	"github.com/warpwright/warpwright/tools/internal/obligations"
	"github.com/warpwright/warpwright/tools/prove/decide"
	"github.com/warpwright/warpwright/tools/prove/smt"
	"github.com/warpwright/warpwright/tools/workshop"
)

// decision is the command line of prove decide.
type decision struct {
	table, obligations, z3, kernelspec, cxx, root, out string
	includes, headers, sources                         []string
}

// runDecide has the emulator settle what the solver did not. Where nothing is undecided, the table is as it was, and nothing is compiled.
func runDecide(ctx context.Context, args []string, stderr io.Writer) error {
	var d decision
	flags := flag.NewFlagSet("prove decide", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&d.table, "table", "", "the `file` that prove table wrote")
	flags.StringVar(&d.obligations, "obligations", "", "the family's `obligations.json`")
	flags.StringVar(&d.z3, "z3", "z3", "the solver's `program`")
	flags.StringVar(&d.kernelspec, "kernelspec", "kernelspec", "the `program` that writes entries")
	flags.StringVar(&d.cxx, "cxx", "g++", "the C++ `compiler`")
	flags.StringVar(&d.root, "root", ".", "the `folder` in which the emulator's sources are: emu/*.cc")
	flags.StringVar(&d.out, "out", "", "the table to write")
	repeated := func(name string, to *[]string, usage string) {
		flags.Func(name, usage, func(s string) error {
			*to = append(*to, s)
			return nil
		})
	}
	repeated("include", &d.includes, "a `folder` with headers that the kernels include; repeatable")
	repeated("header", &d.headers, "a `file` that the kernels include, of the family's own; repeatable")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if d.sources = flags.Args(); d.table == "" || d.obligations == "" || d.out == "" || len(d.sources) == 0 {
		return errors.New("prove decide: want --table, --obligations, --out and the family's sources")
	}
	p, err := os.ReadFile(d.table)
	if err != nil {
		return fmt.Errorf("prove decide: --table: %w", err)
	}
	t, err := proof.Read(p)
	if err != nil {
		return fmt.Errorf("prove decide: %s: %w", d.table, err)
	}
	if open := decide.Open(t); len(open) > 0 {
		if err := d.settle(ctx, t, open); err != nil {
			return fmt.Errorf("prove decide: %w", err)
		}
		if p, err = t.Write(); err != nil {
			return err
		}
	}
	if err := os.WriteFile(d.out, p, 0o666); err != nil {
		return fmt.Errorf("prove decide: --out: %w", err)
	}
	return nil
}

// settle decides some entries of a table.
func (d *decision) settle(ctx context.Context, t *proof.Table, entries []string) (err error) {
	p, err := os.ReadFile(d.obligations)
	if err != nil {
		return fmt.Errorf("--obligations: %w", err)
	}
	f, err := obligations.Read(p)
	if err != nil {
		return fmt.Errorf("%s: %w", d.obligations, err)
	}
	dir, err := os.MkdirTemp("", "prove-decide-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	program, spec, err := d.emulator(ctx, dir, t.Family, entries)
	if err != nil {
		return err
	}
	s, err := smt.Start(ctx, d.z3, smt.Limits{})
	if err != nil {
		return fmt.Errorf("--z3: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return decide.Table(ctx, s, t, f, program, spec)
}

// emulator makes an emulator of some entries of a family, in a folder.
func (d *decision) emulator(ctx context.Context, dir, family string, entries []string) (program string, spec *manifest.Spec, err error) {
	cwd, err := os.Getwd()
	if err != nil {
		return "", nil, err
	}
	file := func(suffix string) string { return filepath.Join(dir, family+suffix) }
	args := []string{
		"--family", family, "--only", strings.Join(entries, ","), "--entries-as", family + ".entries.cu",
		"--out-entries", file(".entries.cu"), "--out-emu", file(".emu.cc"), "--out-spec", file(".spec.json"),
	}
	for _, x := range d.includes {
		args = append(args, "--include", x)
	}
	for _, x := range d.headers {
		args = append(args, "--header", x)
	}
	if _, err := workshop.Command(ctx, cwd, d.kernelspec, append(args, d.sources...)...); err != nil {
		return "", nil, err
	}
	p, err := os.ReadFile(file(".spec.json"))
	if err != nil {
		return "", nil, err
	}
	if spec, err = manifest.ReadSpec(p); err != nil {
		return "", nil, err
	}
	abs := func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(cwd, path)
	}
	e := workshop.Emulators{Root: abs(d.root), CXX: d.cxx}
	if strings.ContainsRune(e.CXX, filepath.Separator) {
		e.CXX = abs(e.CXX)
	}
	if err := e.CompileRuntime(ctx, dir); err != nil {
		return "", nil, err
	}
	// Reports name sources as the repository does, wherever it lies.
	asan := workshop.ASan()
	more := []string{"-I" + cwd, "-ffile-prefix-map=" + cwd + "=.", "-ffile-prefix-map=" + dir + "=."}
	for _, x := range d.includes {
		more = append(more, "-I"+abs(x))
	}
	says, failed, err := workshop.Attempt(ctx, dir, e.Compilation(asan, append(more, "-c", filepath.Base(file(".emu.cc")), "-o", asan.Program+".o")...))
	if err == nil && failed {
		err = fmt.Errorf("the entries do not compile for the emulator:\n%s", says)
	}
	if err != nil {
		return "", nil, err
	}
	return filepath.Join(dir, asan.Program), spec, e.Link(ctx, dir, asan)
}
