// Command bundle is everything that a GPU host needs, in one program: the tests of the kernels and the
// commands of ww, the benchmark among them. run.sh beside it runs them all.
//
//	bundle tests [-run REGEXP] [-ptx VERSION] [-v]
//	bundle twins [-run REGEXP] [-o FILE]    what safe kernels cost beside raw ones
//	bundle gemm [-o FILE]   the talk about bounds checks, and dense products beside cuBLAS
//	bundle containment      what bad launches do, each in a process of its own
//	bundle COMMAND ...      as ww COMMAND ...
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"

	"github.com/warpwright/warpwright/go/cmd/ww/command"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/tests/csrcases"
	"github.com/warpwright/warpwright/tests/devicecases"
	"github.com/warpwright/warpwright/tests/gemmcases"
	"github.com/warpwright/warpwright/tests/harness"
	"github.com/warpwright/warpwright/tests/twincases"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	own := map[string]func(ctx context.Context, args []string, stdout io.Writer) error{
		"tests": tests, "twins": measureTwins, "gemm": measureGemm, "containment": contain, "bad-launch": child,
	}
	if len(args) == 0 || own[args[0]] == nil {
		return command.Run(args, stdout, stderr)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := own[args[0]](ctx, args[1:], stdout); err != nil {
		fmt.Fprintf(stderr, "bundle %s: %v\n", args[0], err)
		return 1
	}
	return 0
}

// tests runs the cases on the device that WW_DEVICE names, at the size that WW_SIZE names.
func tests(ctx context.Context, args []string, stdout io.Writer) (err error) {
	f := flag.NewFlagSet("tests", flag.ContinueOnError)
	only := f.String("run", "", "run the cases whose name matches `REGEXP`")
	ptx := f.Int("ptx", 0, "fail unless kernels come from PTX of this `VERSION`, such as 75")
	verbose := f.Bool("v", false, "print what passing cases log too")
	if err := f.Parse(args); err != nil {
		return err
	}
	cases, err := choose(*only)
	if err != nil {
		return err
	}
	d, err := harness.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	fmt.Fprintln(stdout, harness.Describe(d))
	if err := images(d, *ptx, stdout); err != nil {
		return err
	}
	s := harness.Run(ctx, stdout, d, *verbose, cases)
	fmt.Fprintln(stdout, s)
	if !s.OK() {
		return fmt.Errorf("%d of %d cases failed: %q", len(s.Failed), len(cases), s.Failed)
	}
	return nil
}

// all is the cases of every family.
func all() []harness.Case {
	return slices.Concat(
		devicecases.All(),
		csrcases.All(),
		gemmcases.All(),
		twincases.All(),
	)
}

func choose(only string) ([]harness.Case, error) {
	re, err := regexp.Compile(only)
	if err != nil {
		return nil, fmt.Errorf("-run: %w", err)
	}
	var out []harness.Case
	for _, c := range all() {
		if re.MatchString(c.Name) {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("-run %q matches no case", only)
	}
	return out, nil
}

// images says which image the driver took, by one entry of it, and fails if it should have been another.
func images(d *device.Device, ptx int, stdout io.Writer) error {
	if d.Info().Kind != device.GPU {
		return nil
	}
	k, err := d.Kernel("csr_mv_thread_f32_i32_each")
	if err != nil {
		return err
	}
	facts := k.Facts()
	fmt.Fprintf(stdout, "image in use: machine code for sm_%d from PTX for compute_%d, %d registers\n", facts.BinaryVersion, facts.PTXVersion, facts.Registers)
	if ptx != 0 && facts.PTXVersion != ptx {
		return fmt.Errorf("the kernels come from PTX for compute_%d, and -ptx asks for compute_%d", facts.PTXVersion, ptx)
	}
	return nil
}
