// Command prove proves before anything is compiled that contracts are enough for the kernels that they launch.
//
//	prove table --obligations csr.obligations.json --lemmas ww.lemmas.json --z3 F --out csr.solved.json
//	prove decide --table csr.solved.json --obligations csr.obligations.json --z3 F --include cuda/include --out csr.proof.json cuda/csr/mv.cu
//	prove verdict --table csr.proof.json --out csr.proof.ok
//
// table proves what the entries of a family owe (kernelspec --out-obligations), on the strength of what the program lemmas has proved of the
// device vocabulary. decide has the emulator settle what the solver did not, if there is such. Neither judges: what is not proved stands in the
// table, and verdict fails for what is not decided either. docs/proofs.md has the whole.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/warpwright/warpwright/go/proof"
	"github.com/warpwright/warpwright/tools/internal/obligations"
	"github.com/warpwright/warpwright/tools/internal/verdict"
	"github.com/warpwright/warpwright/tools/prove/judge"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

func main() {
	err := run(context.Background(), os.Args[1:], os.Stderr)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return
	case !errors.Is(err, verdict.ErrOpen):
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(1)
}

func run(ctx context.Context, args []string, stderr io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case "table":
			return runTable(ctx, args[1:], stderr)
		case "decide":
			return runDecide(ctx, args[1:], stderr)
		case "verdict":
			return verdict.Run("prove", args[1:], stderr, unproved)
		}
	}
	return errors.New("prove: want table, decide or verdict; `prove table --help` says more")
}

// runTable proves what a family owes.
func runTable(ctx context.Context, args []string, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("prove table", flag.ContinueOnError)
	flags.SetOutput(stderr)
	file := flags.String("obligations", "", "the family's `obligations.json`")
	lemmas := flags.String("lemmas", "", "the `file` of the program lemmas: what is proved of the headers")
	z3 := flags.String("z3", "z3", "the solver's `program`")
	out := flags.String("out", "", "the table to write")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *file == "" || *lemmas == "" || *out == "" || flags.NArg() > 0 {
		return errors.New("prove table: want --obligations, --lemmas and --out, and no other arguments than flags")
	}
	p, err := os.ReadFile(*file)
	if err != nil {
		return fmt.Errorf("prove table: --obligations: %w", err)
	}
	f, err := obligations.Read(p)
	if err != nil {
		return fmt.Errorf("prove table: %s: %w", *file, err)
	}
	if p, err = os.ReadFile(*lemmas); err != nil {
		return fmt.Errorf("prove table: --lemmas: %w", err)
	}
	v, err := proof.ReadVocabulary(p)
	if err != nil {
		return fmt.Errorf("prove table: %s: %w", *lemmas, err)
	}
	s, err := smt.Start(ctx, *z3, smt.Limits{})
	if err != nil {
		return fmt.Errorf("prove table: --z3: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	t, err := judge.Family(ctx, s, f, v)
	if err != nil {
		return fmt.Errorf("prove table: %w", err)
	}
	if p, err = t.Write(); err != nil {
		return err
	}
	if err := os.WriteFile(*out, p, 0o666); err != nil {
		return fmt.Errorf("prove table: --out: %w", err)
	}
	return nil
}

// unproved says what of a table is not proved.
func unproved(table []byte) (says string, lines []string, err error) {
	t, err := proof.Read(table)
	if err != nil {
		return "", nil, err
	}
	lines = t.Open()
	return fmt.Sprintf("family %s: not proved: %d; docs/proofs.md says how to read this", t.Family, len(lines)), lines, nil
}
