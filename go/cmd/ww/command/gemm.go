package command

import (
	"errors"
	"flag"
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
			at := deviceFlags(f)
			o := bench.GemmOptions{}
			sides := f.String("sides", "", "measure matrices of this `LIST` of sides, such as 512,1024 (else 100 to 8192 on a GPU, 32 and 100 elsewhere)")
			f.IntVar(&o.Repeat, "repeat", 0, "take the median of `N` calls (else 30), of a third or a sixth of them above 2048 or 4096 a side")
			f.Uint64Var(&o.Seed, "seed", 1, "draw the matrices from `SEED`")
			f.BoolVar(&o.NoPeers, "no-peers", false, "leave cuBLAS out")
			out := f.String("o", "", "write the report as JSON to `FILE` too")
			return func(s *invocation, args []string) (_ result, err error) {
				if err := noArgs(args); err != nil {
					return nil, err
				}
				for _, word := range strings.FieldsFunc(*sides, func(r rune) bool { return r == ',' }) {
					n, err := strconv.Atoi(word)
					if err != nil || n < 1 {
						return nil, usagef("-sides: %q is no side of a matrix", word)
					}
					o.Sides = append(o.Sides, n)
				}
				dev, err := at.open(s.ctx)
				if err != nil {
					return nil, err
				}
				defer func() { err = errors.Join(err, dev.Close()) }()
				o.Progress = s.progress
				r, err := bench.Gemm(s.ctx, dev, o)
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

// gemmResult is a report as a command's result.
type gemmResult struct{ *bench.GemmReport }

func (r gemmResult) text(w io.Writer) error { return r.Table(w) }
