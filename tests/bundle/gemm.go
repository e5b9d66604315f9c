package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/warpwright/warpwright/bench"
	"github.com/warpwright/warpwright/examples/gemm/talk"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/tests/harness"
)

// gemmReport is what the command gemm writes as JSON.
type gemmReport struct {
	Talk  *talk.Report      `json:"talk"`
	Bench *bench.GemmReport `json:"bench"`
}

// measureGemm gives the talk about bounds checks, then measures go/gemm's products beside the talk's kernels and cuBLAS. The
// last line of the output, or the error, sums up.
func measureGemm(ctx context.Context, args []string, stdout io.Writer) (err error) {
	f := flag.NewFlagSet("gemm", flag.ContinueOnError)
	code := f.String("code", "", "show machine code by the table `FILE`")
	out := f.String("o", "", "write both reports as JSON to `FILE`")
	if err := f.Parse(args); err != nil {
		return err
	}
	progress := func(step string) { fmt.Fprintf(stdout, "... %s\n", step) }
	o := talk.Options{Progress: progress}
	if *code != "" {
		if o.Code, err = talk.ReadCode(*code); err != nil {
			return err
		}
	}
	d, err := harness.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	fmt.Fprintln(stdout, harness.Describe(d))
	var r gemmReport
	if r.Talk, err = talk.Run(ctx, d, o); err != nil {
		return err
	}
	if err := r.Talk.Print(stdout); err != nil {
		return err
	}
	more, err := ladder(d)
	if err != nil {
		return err
	}
	var failed error
	if r.Bench, failed = bench.Gemm(ctx, d, bench.GemmOptions{More: more, Progress: progress}); r.Bench == nil {
		return failed
	}
	fmt.Fprintln(stdout)
	if err := r.Bench.Table(stdout); err != nil {
		return err
	}
	if err := writeJSON(*out, r); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	return talk.Ratios(stdout, r.Bench)
}

// ladder is the talk's rungs as ways to compute a product.
func ladder(d *device.Device) ([]bench.GemmMore, error) {
	rungs, err := talk.Rungs(d)
	if err != nil {
		return nil, err
	}
	var more []bench.GemmMore
	for _, rung := range rungs {
		more = append(more, bench.GemmMore{Name: rung.Entry, Launch: rung.Launch})
	}
	return more, nil
}
