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

// runLemmas proves the vocabulary.
func runLemmas(ctx context.Context, args []string, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("prove lemmas", flag.ContinueOnError)
	flags.SetOutput(stderr)
	z3 := flags.String("z3", "z3", "the solver's `program`")
	out := flags.String("out", "", "the `file` to write")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *out == "" || flags.NArg() == 0 {
		return errors.New("prove lemmas: want --out and the headers ww/*.h")
	}
	var headers []*source.File
	for _, name := range flags.Args() {
		text, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("prove lemmas: %w", err)
		}
		headers = append(headers, source.NewFile(filepath.ToSlash(name), string(text)))
	}
	s, err := smt.Start(ctx, *z3, smt.Limits{Steps: lemma.Steps})
	if err != nil {
		return fmt.Errorf("prove lemmas: --z3: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	v, err := lemma.Table(ctx, s, headers)
	if err != nil {
		return fmt.Errorf("prove lemmas: %w", err)
	}
	p, err := v.Write()
	if err != nil {
		return err
	}
	if err := os.WriteFile(*out, p, 0o666); err != nil {
		return fmt.Errorf("prove lemmas: --out: %w", err)
	}
	return nil
}
