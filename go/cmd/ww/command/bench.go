package command

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/bench"
)

func benchCommand() *command {
	return &command{
		name:    "bench",
		summary: "measure kernels beside their peers",
		example: []string{"ww bench csr -o report.json", "ww bench gemm"},
		verbs: []*command{{
			name:    "csr",
			summary: "measure sparse matrix times vector, both directions, beside cuSPARSE",
			doc: `Measures every tier of y = A x and y = Aᵀ x in f32 for matrices with 2, 4, ... entries a row, with a weight an entry and
with one for all. On a GPU that has libcusparse.so.12, the same inputs go through cuSPARSE in the same run. Every answer is compared
with float64 before it is timed.`,
			example: []string{"ww bench csr -o report.json", "ww bench csr -device cpu -rows 1000 -entries 2,16 -repeat 5"},
			setup: func(f *flag.FlagSet) func(*invocation, []string) (result, error) {
				b := benchFlags(f)
				out := f.String("o", "", "write the report as JSON to `FILE` too")
				return func(s *invocation, args []string) (result, error) {
					r, err := b.run(s, args)
					if r == nil {
						return nil, err
					}
					if *out != "" {
						err = errors.Join(err, writeJSON(*out, r))
					}
					return benchResult{r}, err
				}
			},
		}, gemmBench()},
	}
}

func tuneCommand() *command {
	return &command{
		name:    "tune",
		summary: "write the tier table that this GPU's measurements imply",
		example: []string{"ww tune csr > cuda/sm_90/csr.tiers.json", "ww tune gemm > cuda/sm_90/gemm.tiers.json"},
		verbs: []*command{{
			name:    "csr",
			summary: "write csr.tiers.json for this GPU",
			doc: `Measures every tier as ` + "`ww bench csr`" + ` does, without peers, and prints the table that gives each row length its fastest tier.
Put the output into cuda/sm_XX/csr.tiers.json.`,
			example: []string{`ww tune csr -source "measured on one NVIDIA H200, 2026-12-01" > cuda/sm_90/csr.tiers.json`},
			setup: func(f *flag.FlagSet) func(*invocation, []string) (result, error) {
				b := benchFlags(f)
				source := f.String("source", "", "say in the table `WHO` measured, on what and when (default: the device's name)")
				return func(s *invocation, args []string) (result, error) {
					b.options.NoPeers, b.options.NoLaunch, b.needsTiers = true, true, true
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
		}, gemmTune()},
	}
}

func writeJSON(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o644)
}

// benchRun is the flags of bench and tune.
type benchRun struct {
	at      *deviceChoice
	options bench.Options
	entries string
	// needsTiers refuses a device that has no tiers to measure.
	needsTiers bool
}

func benchFlags(f *flag.FlagSet) *benchRun {
	b := &benchRun{at: deviceFlags(f)}
	f.IntVar(&b.options.Rows, "rows", 0, "give matrices `N` rows and columns (else 65536 on a GPU, 4096 elsewhere)")
	f.StringVar(&b.entries, "entries", "", "measure the row lengths of this `LIST`, such as 2,16,128 (else 2 to 1024 on a GPU, 2 to 64 elsewhere)")
	f.IntVar(&b.options.Repeat, "repeat", 0, "take the median of `N` calls (else 30)")
	f.Uint64Var(&b.options.Seed, "seed", 1, "draw the inputs from `SEED`")
	f.BoolVar(&b.options.NoPeers, "no-peers", false, "leave cuSPARSE out")
	return b
}

func (b *benchRun) run(s *invocation, args []string) (report *bench.Report, err error) {
	if err := noArgs(args); err != nil {
		return nil, err
	}
	o := b.options
	for _, word := range strings.FieldsFunc(b.entries, func(r rune) bool { return r == ',' }) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return nil, usagef("-entries: %q is no number of entries a row", word)
		}
		o.PerRow = append(o.PerRow, n)
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
	return bench.CSR(s.ctx, dev, o)
}

// progress tells people, on a terminal or in a log, what is being done.
func (s *invocation) progress(step string) { fmt.Fprintf(s.stderr, "... %s\n", step) }

// benchResult is a report as a command's result.
type benchResult struct{ *bench.Report }

func (r benchResult) text(w io.Writer) error { return r.Table(w) }
