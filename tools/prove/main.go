// Command prove proves before anything is compiled that contracts are enough for the kernels that they launch.
//
//	prove table --obligations csr.obligations.json --lemmas ww.lemmas.json --z3 F --out csr.proof.json
//	prove verdict --table csr.proof.json --out csr.proof.ok
//
// table proves what the entries of a family owe (kernelspec --out-obligations), on the strength of what the program lemmas has proved of the
// device vocabulary. It judges nothing: what is not proved stands in the table, and verdict fails for it. docs/proofs.md has the whole.
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
	"github.com/warpwright/warpwright/tools/prove/judge"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// errOpen is the end of a run that found something unproved and said so.
var errOpen = errors.New("prove: not all is proved")

func main() {
	err := run(context.Background(), os.Args[1:], os.Stderr)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return
	case !errors.Is(err, errOpen):
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(1)
}

func run(ctx context.Context, args []string, stderr io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case "table":
			return runTable(ctx, args[1:], stderr)
		case "verdict":
			return runVerdict(args[1:], stderr)
		}
	}
	return errors.New("prove: want table or verdict; `prove table --help` says more")
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

// mostLines is how many failures a verdict lists: one in a header is one in every entry.
const mostLines = 40

// runVerdict judges a table.
func runVerdict(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("prove verdict", flag.ContinueOnError)
	flags.SetOutput(stderr)
	table := flags.String("table", "", "the family's `proof.json`")
	out := flags.String("out", "", "the stamp to write if all is proved")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *table == "" || *out == "" || flags.NArg() > 0 {
		return errors.New("prove verdict: want --table and --out, and no other arguments")
	}
	p, err := os.ReadFile(*table)
	if err != nil {
		return fmt.Errorf("prove verdict: --table: %w", err)
	}
	t, err := proof.Read(p)
	if err != nil {
		return fmt.Errorf("prove verdict: %s: %w", *table, err)
	}
	lines := t.Open()
	if len(lines) == 0 {
		return os.WriteFile(*out, nil, 0o666)
	}
	fmt.Fprintf(stderr, "prove: family %s: not proved: %d; docs/proofs.md says how to read this:\n", t.Family, len(lines))
	for i, line := range lines {
		if i == mostLines {
			fmt.Fprintf(stderr, "  and %d more\n", len(lines)-mostLines)
			break
		}
		fmt.Fprintf(stderr, "  %s\n", line)
	}
	return errOpen
}
