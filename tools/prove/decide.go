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
	"github.com/warpwright/warpwright/tools/prove/decide"
)

// runDecide has the emulator settle what the solver did not. Where nothing is undecided, the table is as it was, and nothing is compiled.
func runDecide(ctx context.Context, args []string, stderr io.Writer) error {
	var d decide.Tools
	var table, out, owed string
	flags := flag.NewFlagSet("prove decide", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&table, "table", "", "the `file` that prove table wrote")
	flags.StringVar(&owed, "obligations", "", "the family's `obligations.json`")
	flags.StringVar(&d.Z3, "z3", "z3", "the solver's `program`")
	flags.StringVar(&d.Kernelspec, "kernelspec", "kernelspec", "the `program` that writes entries")
	flags.StringVar(&d.CXX, "cxx", "g++", "the C++ `compiler`")
	flags.StringVar(&d.Root, "root", ".", "the `folder` in which the emulator's sources are: emu/*.cc")
	flags.StringVar(&out, "out", "", "the table to write")
	repeated := func(name string, to *[]string, usage string) {
		flags.Func(name, usage, func(s string) error {
			*to = append(*to, s)
			return nil
		})
	}
	repeated("include", &d.Includes, "a `folder` with headers that the kernels include; repeatable")
	repeated("header", &d.Headers, "a `file` that the kernels include, of the family's own; repeatable")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if d.Sources = flags.Args(); table == "" || owed == "" || out == "" || len(d.Sources) == 0 {
		return errors.New("prove decide: want --table, --obligations, --out and the family's sources")
	}
	p, err := os.ReadFile(table)
	if err != nil {
		return fmt.Errorf("prove decide: --table: %w", err)
	}
	t, err := proof.Read(p)
	if err != nil {
		return fmt.Errorf("prove decide: %s: %w", table, err)
	}
	if len(decide.Open(t)) > 0 {
		if p, err = os.ReadFile(owed); err != nil {
			return fmt.Errorf("prove decide: --obligations: %w", err)
		}
		f, err := obligations.Read(p)
		if err != nil {
			return fmt.Errorf("prove decide: %s: %w", owed, err)
		}
		if err := d.Table(ctx, t, f); err != nil {
			return fmt.Errorf("prove decide: %w", err)
		}
		if p, err = t.Write(); err != nil {
			return err
		}
	}
	if err := os.WriteFile(out, p, 0o666); err != nil {
		return fmt.Errorf("prove decide: --out: %w", err)
	}
	return nil
}
