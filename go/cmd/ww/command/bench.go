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
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/manifest"
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
			setup:   benchSetup(csrFlags),
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
			doc: `Measures every tier as ` + "`ww bench csr`" + ` does, of both products, without peers and with 1 to 1024 entries a row, and prints the table
that gives each row length its fastest tier. A tier's time is that of the entry that a plan takes, which relies on facts where they hold.
Put the output into cuda/sm_XX/csr.tiers.json.`,
			example: []string{`ww tune csr -report report.json -source "measured on one NVIDIA H200, 2026-12-01" > cuda/sm_90/csr.tiers.json`},
			setup:   tuneSetup(csrFlags),
		}, gemmTune()},
	}
}

// writable opens a file for a result, and leaves all as it was: whoever computes for minutes wants to know before that there is no such
// folder.
func writable(name string) error {
	if name == "" {
		return nil
	}
	_, missing := os.Stat(name)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	err = f.Close()
	if missing != nil {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

func writeJSON(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o644)
}

// report is what a benchmark found.
type report interface {
	Table(w io.Writer) error
	Tiers(source string) ([]manifest.TierTable, error)
}

// reported is a report as a command's result.
type reported struct{ report }

func (r reported) text(w io.Writer) error       { return r.Table(w) }
func (r reported) MarshalJSON() ([]byte, error) { return json.Marshal(r.report) }

// benchFlags adds a benchmark's flags, and returns what runs it then; to tune is to measure ours alone, where there are tiers.
type benchFlags func(f *flag.FlagSet, tune bool) func(s *invocation) (report, error)

// benchSetup is the setup of `ww bench`.
func benchSetup(flags benchFlags) func(*flag.FlagSet) func(*invocation, []string) (result, error) {
	return func(f *flag.FlagSet) func(*invocation, []string) (result, error) {
		run := flags(f, false)
		out := f.String("o", "", "write the report as JSON to `FILE` too")
		return func(s *invocation, args []string) (result, error) {
			if err := noArgs(args); err != nil {
				return nil, err
			}
			if err := writable(*out); err != nil {
				return nil, err
			}
			r, err := run(s)
			if r == nil {
				return nil, err
			}
			if *out != "" {
				err = errors.Join(err, writeJSON(*out, r))
			}
			return reported{r}, err
		}
	}
}

// tuneSetup is the setup of `ww tune`.
func tuneSetup(flags benchFlags) func(*flag.FlagSet) func(*invocation, []string) (result, error) {
	return func(f *flag.FlagSet) func(*invocation, []string) (result, error) {
		run := flags(f, true)
		source := f.String("source", "", "say in the table `WHO` measured, on what and when (default: the device's name)")
		out := f.String("report", "", "write what was measured as JSON to `FILE`, as bench does")
		return func(s *invocation, args []string) (result, error) {
			if err := noArgs(args); err != nil {
				return nil, err
			}
			if err := writable(*out); err != nil {
				return nil, err
			}
			r, err := run(s)
			if err != nil {
				return nil, err
			}
			tables, err := r.Tiers(*source)
			if *out != "" {
				err = errors.Join(err, writeJSON(*out, r))
			}
			if err != nil {
				return nil, err
			}
			return tierTables(tables), nil
		}
	}
}

// numbers reads the list that a flag gave.
func numbers(flag, list, what string) ([]int, error) {
	var out []int
	for _, word := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return nil, usagef("%s: %q is no %s", flag, word, what)
		}
		out = append(out, n)
	}
	return out, nil
}

// measure runs a benchmark on the device that was chosen.
func measure[R any, P interface {
	*R
	report
}](s *invocation, at *deviceChoice, tune bool, run func(*device.Device) (P, error)) (r report, err error) {
	dev, err := at.open(s.ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	if tune {
		if err := tunable(dev.Info()); err != nil {
			return nil, err
		}
	}
	found, err := run(dev)
	if found == nil {
		return nil, err // and not a report that is nil
	}
	return found, err
}

// tunable refuses a device whose times say nothing of a GPU: one that has no tiers, and the emulator, which has them.
func tunable(i *device.Info) error {
	if i.Kind != device.GPU {
		return fmt.Errorf("there are no tiers to measure on %s: requires a GPU", i.Name)
	}
	return nil
}

// csrFlags are those of bench.CSR.
func csrFlags(f *flag.FlagSet, tune bool) func(*invocation) (report, error) {
	at, o := deviceFlags(f), bench.Options{NoLaunch: tune}
	f.IntVar(&o.Rows, "rows", 0, "give matrices `N` rows and columns (else 65536 on a GPU, 4096 elsewhere)")
	entries := f.String("entries", "", "measure the row lengths of this `LIST`, such as 2,16,128 "+elseEntries(tune))
	f.IntVar(&o.Repeat, "repeat", 0, "take the median of `N` calls (else 30)")
	f.Uint64Var(&o.Seed, "seed", 1, "draw the inputs from `SEED`")
	f.BoolVar(&o.NoPeers, "no-peers", false, "leave cuSPARSE out")
	return func(s *invocation) (_ report, err error) {
		if o.PerRow, err = numbers("-entries", *entries, "number of entries a row"); err != nil {
			return nil, err
		}
		if tune && *entries == "" {
			o.PerRow = []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024}
		}
		o.NoPeers = o.NoPeers || tune
		o.Progress = s.progress
		return measure(s, at, tune, func(d *device.Device) (*bench.Report, error) { return bench.CSR(s.ctx, d, o) })
	}
}

// elseEntries says which row lengths are measured where no list is given.
func elseEntries(tune bool) string {
	if tune {
		return "(else 1 to 1024)"
	}
	return "(else 2 to 1024 on a GPU, 2 to 64 elsewhere)"
}

// progress tells people, on a terminal or in a log, what is being done.
func (s *invocation) progress(step string) { fmt.Fprintf(s.stderr, "... %s\n", step) }
