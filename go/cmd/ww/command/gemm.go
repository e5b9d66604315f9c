package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/bench"
)

// gemmBench is `ww bench gemm`.
func gemmBench() *command {
	return &command{
		name:    "gemm",
		summary: "measure matrix times matrix beside cuBLAS",
		doc: `Measures every tier of C = A B in f32 for square matrices. On a GPU that has libcublas.so.13 or .12, the same matrices go
through cuBLAS in the same run, without TF32. Every answer is compared with float64 before a time is shown.`,
		example: []string{"ww bench gemm -o report.json", "ww bench gemm -sides 1024,4096", "ww bench gemm -device cpu -sides 64 -repeat 5"},
		setup: func(f *flag.FlagSet) func(*invocation, []string) (result, error) {
			b := gemmFlags(f)
			out := f.String("o", "", "write the report as JSON to `FILE` too")
			return func(s *invocation, args []string) (result, error) {
				r, err := b.run(s, args)
				if r == nil {
					return nil, err
				}
				if *out != "" {
					err = errors.Join(err, writeJSON(*out, r))
				}
				return gemmResult{r}, err
			}
		},
	}
}

// gemmTune is `ww tune gemm`.
func gemmTune() *command {
	return &command{
		name:    "gemm",
		summary: "write gemm.tiers.json for this GPU",
		doc: `Measures every tier as ` + "`ww bench gemm`" + ` does, without peers, and prints the table that gives matrices of each size their fastest tier.
Put the output into cuda/sm_XX/gemm.tiers.json.`,
		example: []string{`ww tune gemm -source "measured on one NVIDIA H200, 2026-12-01" > cuda/sm_90/gemm.tiers.json`},
		setup: func(f *flag.FlagSet) func(*invocation, []string) (result, error) {
			b := gemmFlags(f)
			source := f.String("source", "", "say in the table `WHO` measured, on what and when (default: the device's name)")
			return func(s *invocation, args []string) (result, error) {
				b.options.NoPeers, b.needsTiers = true, true
				if b.sides == "" {
					b.sides = "16,32,64,96,128,192,256,384,512,768,1024,2048,4096"
				}
				r, err := b.run(s, args)
				if err != nil {
					return nil, err
				}
				if *source == "" {
					*source = "measured on one " + r.Device.Name
				}
				tables, err := r.Tiers(*source)
				if err != nil {
					return nil, err
				}
				return tierTables(tables), nil
			}
		},
	}
}

// gemmRun is the flags of bench and tune.
type gemmRun struct {
	at      *deviceChoice
	options bench.GemmOptions
	sides   string
	// needsTiers refuses a device that has no tiers to measure.
	needsTiers bool
}

func gemmFlags(f *flag.FlagSet) *gemmRun {
	b := &gemmRun{at: deviceFlags(f)}
	f.StringVar(&b.sides, "sides", "", "measure matrices of this `LIST` of sides, such as 512,1024 (else up to some thousand on a GPU, up to 100 elsewhere)")
	f.IntVar(&b.options.Repeat, "repeat", 0, "take the median of `N` calls (else 30), of a third or a sixth of them above 2048 or 4096 a side")
	f.Uint64Var(&b.options.Seed, "seed", 1, "draw the matrices from `SEED`")
	f.BoolVar(&b.options.NoPeers, "no-peers", false, "leave cuBLAS out")
	return b
}

func (b *gemmRun) run(s *invocation, args []string) (report *bench.GemmReport, err error) {
	if err := noArgs(args); err != nil {
		return nil, err
	}
	o := b.options
	for _, word := range strings.FieldsFunc(b.sides, func(r rune) bool { return r == ',' }) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return nil, usagef("-sides: %q is no side of a matrix", word)
		}
		o.Sides = append(o.Sides, n)
	}
	dev, err := b.at.open(s.ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	if i := dev.Info(); b.needsTiers && i.Arch == 0 {
		return nil, fmt.Errorf("there are no tiers to measure on %s: requires a GPU", i.Name)
	}
	o.Progress = s.progress
	return bench.Gemm(s.ctx, dev, o)
}

// gemmResult is a report as a command's result.
type gemmResult struct{ *bench.GemmReport }

func (r gemmResult) text(w io.Writer) error { return r.Table(w) }
