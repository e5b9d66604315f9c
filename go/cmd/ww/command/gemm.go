package command

import (
	"flag"

	"github.com/warpwright/warpwright/bench"
	"github.com/warpwright/warpwright/go/device"
)

// gemmBench is `ww bench gemm`.
func gemmBench() *command {
	return &command{
		name:    "gemm",
		summary: "measure matrix times matrix beside cuBLAS",
		doc: `Measures every tier of C = A B in f32 for square matrices. On a GPU that has libcublas.so.13 or .12, the same matrices go
through cuBLAS in the same run, without TF32. Every answer is compared with float64 before a time is shown.`,
		example: []string{"ww bench gemm -o report.json", "ww bench gemm -sides 1024,4096", "ww bench gemm -device cpu -sides 64 -repeat 5"},
		setup:   benchSetup(gemmFlags),
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
		setup:   tuneSetup(gemmFlags),
	}
}

// gemmFlags are those of bench.Gemm.
func gemmFlags(f *flag.FlagSet, tune bool) func(*invocation) (report, error) {
	at, o := deviceFlags(f), bench.GemmOptions{}
	sides := f.String("sides", "", "measure matrices of this `LIST` of sides, such as 512,1024 (else up to some thousand on a GPU, up to 100 elsewhere)")
	f.IntVar(&o.Repeat, "repeat", 0, "take the median of `N` calls (else 30), of a third or a sixth of them above 2048 or 4096 a side")
	f.Uint64Var(&o.Seed, "seed", 1, "draw the matrices from `SEED`")
	f.BoolVar(&o.NoPeers, "no-peers", false, "leave cuBLAS out")
	return func(s *invocation) (_ report, err error) {
		if o.Sides, err = numbers("-sides", *sides, "side of a matrix"); err != nil {
			return nil, err
		}
		if tune && *sides == "" {
			o.Sides = []int{16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096}
		}
		o.NoPeers = o.NoPeers || tune
		o.Progress = s.progress
		return measure(s, at, tune, func(d *device.Device) (*bench.GemmReport, error) { return bench.Gemm(s.ctx, d, o) })
	}
}
