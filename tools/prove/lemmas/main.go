// Command lemmas proves the device vocabulary, once for all kernels.
//
//	lemmas --z3 F --out ww.lemmas.json [-v] HEADER...
//
// It judges nothing: what is not proved stands in the table, and `prove verdict` fails for it. It is a program of its own, so that a change of
// what is asked of contracts proves no lemma anew. docs/proofs.md has the whole.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/warpwright/warpwright/tools/internal/source"
	"github.com/warpwright/warpwright/tools/prove/lemma"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

func main() {
	err := run(context.Background(), os.Args[1:], os.Stderr)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func run(ctx context.Context, args []string, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("lemmas", flag.ContinueOnError)
	flags.SetOutput(stderr)
	z3 := flags.String("z3", "z3", "the solver's `program`")
	out := flags.String("out", "", "the `file` to write")
	verbose := flags.Bool("v", false, "print each lemma with its time and its verdict")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *out == "" || flags.NArg() == 0 {
		return errors.New("lemmas: want --out and the headers ww/*.h")
	}
	var headers []*source.File
	for _, name := range flags.Args() {
		text, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("lemmas: %w", err)
		}
		headers = append(headers, source.NewFile(filepath.ToSlash(name), string(text)))
	}
	s, err := smt.Start(ctx, *z3, smt.Limits{Steps: lemma.Steps})
	if err != nil {
		return fmt.Errorf("lemmas: --z3: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	said := func(l lemma.Lemma) {
		if *verbose {
			fmt.Fprintf(stderr, "%6.2f s  %-8s %6d goals  %s\n", l.Took.Seconds(), l.Verdict, l.Goals, l.Name)
		}
	}
	b, err := lemma.Prove(ctx, s, headers, said)
	if err != nil {
		return fmt.Errorf("lemmas: %w", err)
	}
	p, err := b.Table().Write()
	if err != nil {
		return err
	}
	if err := os.WriteFile(*out, p, 0o666); err != nil {
		return fmt.Errorf("lemmas: --out: %w", err)
	}
	return nil
}
