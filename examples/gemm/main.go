// Command gemm gives the talk of package talk: one matrix product, checked at every access, once a thread, once a launch, and
// never. It computes on a GPU if there is one, else on the emulator.
//
// `bazel run //examples/gemm` runs it; ordinary flags follow `--`.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/warpwright/warpwright/examples/gemm/talk"
	"github.com/warpwright/warpwright/go/device"
)

// envCode names the table of machine code; Bazel sets it.
const envCode = "WW_GEMM_CODE"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	f := flag.NewFlagSet("gemm", flag.ContinueOnError)
	f.SetOutput(stderr)
	o := talk.Options{Progress: func(step string) { fmt.Fprintf(stderr, "... %s\n", step) }}
	f.IntVar(&o.Side, "side", 0, "multiply matrices of `N` by N beside those of 100 by 100 (default 1024 on a GPU, 128 elsewhere)")
	f.IntVar(&o.Repeat, "repeat", 0, "time `N` launches of each kernel (default 50 on a GPU, 2 elsewhere)")
	code := f.String("code", os.Getenv(envCode), "show machine code by the table `FILE`")
	asJSON := f.Bool("json", false, "print the report as JSON")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if err := give(ctx, stdout, o, *code, *asJSON); err != nil {
		fmt.Fprintf(stderr, "gemm: %v\n", err)
		return 1
	}
	return 0
}

func give(ctx context.Context, stdout io.Writer, o talk.Options, code string, asJSON bool) (err error) {
	if code != "" {
		if o.Code, err = talk.ReadCode(code); err != nil {
			return err
		}
	}
	d, err := open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	r, err := talk.Run(ctx, d, o)
	if err != nil {
		return err
	}
	if asJSON {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	return r.Print(stdout)
}

// open takes what WW_DEVICE says, else a GPU, else the emulator, since the talk is about what kernels do.
func open(ctx context.Context) (*device.Device, error) {
	raw := device.WithRawKernels() // three of the four kernels are
	if os.Getenv(device.EnvDevice) != "" {
		return device.Open(ctx, raw)
	}
	d, err := device.Open(ctx, raw, device.WithKind("gpu"))
	if errors.Is(err, device.ErrNoDriver) || errors.Is(err, device.ErrNoDevice) {
		return device.Open(ctx, raw, device.WithKind("emu"))
	}
	return d, err
}
