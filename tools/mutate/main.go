// Command mutate says how strong the nets under the kernels are: it makes mutants of kernels and of the vocabulary that they are
// written in, and hands each to the nets. docs/mutation.md explains operators, nets and verdicts.
//
//	mutate --n 500 --seed 1 --log mutants.jsonl      judge, or go on where a run was cut off
//	mutate --table mutants.jsonl                     print what came of it
//	mutate --list                                    print every mutant there is
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/warpwright/warpwright/tools/mutate/court"
	"github.com/warpwright/warpwright/tools/mutate/nets"
	"github.com/warpwright/warpwright/tools/mutate/operators"
	"github.com/warpwright/warpwright/tools/mutate/record"
	"github.com/warpwright/warpwright/tools/mutate/trial"
	"github.com/warpwright/warpwright/tools/workshop"
)

func main() {
	err := comeFromBazel()
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		err = run(ctx, os.Args[1:], os.Stdout, os.Stderr)
		stop()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		if errors.Is(err, errUsage) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

// errUsage is a fault of the command line.
var errUsage = errors.New("`mutate --help` says what there is")

// comeFromBazel goes to the folder in which the user typed `bazel run`. What Bazel has named, relative to where it started the
// program, is kept.
func comeFromBazel() error {
	folder := os.Getenv("BUILD_WORKING_DIRECTORY")
	if folder == "" {
		return nil
	}
	for _, name := range []string{"KERNELSPEC", "Z3", "NVCC", "PTXAS", "NVDISASM", "RUNTIME"} {
		named := os.Getenv("MUTATE_" + name)
		if named == "" {
			continue
		}
		absolute, err := filepath.Abs(named)
		if err == nil {
			err = os.Setenv("MUTATE_"+name, absolute)
		}
		if err != nil {
			return fmt.Errorf("mutate: MUTATE_%s: %w", name, err)
		}
	}
	return os.Chdir(folder)
}

// options are the command line.
type options struct {
	n, workers                int
	seed                      uint64
	log, table, match, kernel string
	root, equivalent          string
	kernelspec, z3            string
	cxx, gcov, toolkit        string
	list, keep, control, late bool
	lemmas, again             bool
	patience, deadline        time.Duration
	without                   []string
}

// parse reads the command line. Help, if it is asked for, is printed, and is an error of package flag.
func parse(args []string, help io.Writer) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("mutate", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.IntVar(&o.n, "n", 30, "how many mutants to judge; 0 for all that there are")
	f.Uint64Var(&o.seed, "seed", 1, "which ones")
	f.StringVar(&o.log, "log", "mutants.jsonl", "the `file` of verdicts: what is in it is not judged again")
	f.StringVar(&o.table, "table", "", "print the table of the verdicts in a `file`, and judge nothing")
	f.BoolVar(&o.list, "list", false, "print every mutant, and judge nothing")
	f.IntVar(&o.workers, "j", runtime.NumCPU(), "how many are judged at a time")
	f.StringVar(&o.match, "match", "", "only mutants whose id has this `text`")
	f.StringVar(&o.kernel, "kernel", "", "only trials of kernels whose names have this `text`: what no others run survives")
	f.StringVar(&o.root, "root", cmp.Or(os.Getenv("BUILD_WORKSPACE_DIRECTORY"), "."), "the repository's `folder`: cuda and emu are in it")
	f.StringVar(&o.kernelspec, "kernelspec", os.Getenv("MUTATE_KERNELSPEC"), "the `program` kernelspec; built with Go if it is not named (MUTATE_KERNELSPEC)")
	f.StringVar(&o.cxx, "cxx", cmp.Or(os.Getenv("MUTATE_CXX"), "g++"), "the C++ compiler, a `program` (MUTATE_CXX)")
	f.StringVar(&o.gcov, "gcov", cmp.Or(os.Getenv("MUTATE_GCOV"), "gcov"), "the `program` that reads line counts, of the same version (MUTATE_GCOV)")
	f.StringVar(&o.toolkit, "toolkit", os.Getenv("MUTATE_TOOLKIT"), "a `folder` whose bin has nvcc, ptxas and nvdisasm; PATH if it is not named; none: no audit (MUTATE_TOOLKIT)")
	f.StringVar(&o.z3, "z3", os.Getenv("MUTATE_Z3"), "the prover's solver, a `program`; the first on PATH if it is not named; none: no proofs (MUTATE_Z3)")
	f.StringVar(&o.equivalent, "equivalent", "", "the `file` of mutants that are shown to be the same program; default tests/mutants/equivalent.txt under the root")
	f.BoolVar(&o.late, "late-prover", true, "ask the prover last: what it alone catches, in a fraction of the time; =false: right after the compiler")
	f.BoolVar(&o.lemmas, "lemmas", false, "of a mutant of a header prove the vocabulary too: minutes")
	f.BoolVar(&o.again, "again", false, "judge those anew that survived in the log, and no others")
	f.DurationVar(&o.patience, "patience", 2*time.Minute, "how long a net may take with one kernel: what hangs is caught")
	f.DurationVar(&o.deadline, "deadline", 0, "begin no more mutants after so long, give up on what is not done 20 s later, and print the table; 0: none")
	f.BoolVar(&o.control, "control", false, "judge the kernels as they are, which no net may catch, and no mutants")
	f.BoolVar(&o.keep, "keep", false, "leave the folders of the mutants, and say where")
	f.Func("without", "leave out a `net`, one of "+strings.Join(nets.All(), ", ")+"; repeatable", func(s string) error {
		if !slices.Contains(nets.All(), s) {
			return errors.New("no net has that name")
		}
		o.without = append(o.without, s)
		return nil
	})
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(help, "Usage: mutate [FLAG...]\n\nJudges mutants of the kernels and of their vocabulary, and prints who caught what. docs/mutation.md explains it.\n\n")
		f.SetOutput(help)
		f.PrintDefaults()
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("mutate: %w; %w", err, errUsage)
	case f.NArg() > 0:
		return nil, fmt.Errorf("mutate: no arguments but flags, not %q; %w", f.Args(), errUsage)
	case o.workers < 1:
		return nil, fmt.Errorf("mutate: -j is %d: requires 1 or more; %w", o.workers, errUsage)
	case o.n < 0:
		return nil, fmt.Errorf("mutate: -n is %d: requires 0, for all, or more; %w", o.n, errUsage)
	case o.patience <= 0:
		return nil, fmt.Errorf("mutate: -patience is %v: requires more than 0; %w", o.patience, errUsage)
	case o.deadline < 0:
		return nil, fmt.Errorf("mutate: -deadline is %v: requires 0, for none, or more; %w", o.deadline, errUsage)
	case len(trials(o.kernel)) == 0:
		return nil, fmt.Errorf("mutate: -kernel: no trial is of a kernel with %q in its name; %w", o.kernel, errUsage)
	}
	if o.equivalent == "" {
		o.equivalent = filepath.Join(o.root, "tests", "mutants", "equivalent.txt")
	}
	return o, nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	}
	if o.table != "" {
		return table(o, o.table, stdout)
	}
	if o.control {
		return withCourt(ctx, o, stderr, func(c *court.Court) error { return c.Control(ctx) })
	}
	all, texts, err := mutants(o.root)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(m *operators.Mutant) bool { return !strings.Contains(m.ID(), o.match) })
	if len(all) == 0 {
		return fmt.Errorf("mutate: -match: no mutant has %q in its id; %w", o.match, errUsage)
	}
	if o.list {
		for _, m := range all {
			before, after := m.Diff(texts[m.File])
			fmt.Fprintf(stdout, "%s\n  - %s\n  + %s\n", m.ID(), before, after)
		}
		return nil
	}
	if o.n > 0 {
		all = operators.Sample(all, o.n, o.seed)
	}
	if err := judge(ctx, o, all, texts, stderr); err != nil {
		return err
	}
	return table(o, o.log, stdout)
}

// table prints the table of a log.
func table(o *options, log string, stdout io.Writer) error {
	all, err := record.Read(log)
	if err != nil {
		return err
	}
	list, err := record.ReadEquivalents(o.equivalent)
	if err != nil {
		return err
	}
	h := record.Headings{Nets: nets.All()}
	for _, op := range operators.All() {
		h.Operators = append(h.Operators, op.Name)
	}
	return record.Print(stdout, all, list, h)
}

// mutants are all of the sources, with the texts of these.
func mutants(root string) ([]*operators.Mutant, map[string]string, error) {
	texts := map[string]string{}
	var all []*operators.Mutant
	for _, pattern := range []string{"cuda/*/*.cu", "cuda/include/ww/*.h"} {
		names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, nil, err
		}
		if len(names) == 0 {
			return nil, nil, fmt.Errorf("mutate: there is no %s in %s", pattern, root)
		}
		for _, path := range names {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, nil, err
			}
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return nil, nil, err
			}
			name := filepath.ToSlash(rel)
			found, err := operators.File(name, string(text))
			if err != nil {
				return nil, nil, err
			}
			texts[name] = string(text)
			all = append(all, found...)
		}
	}
	return all, texts, nil
}

// judge judges the mutants that the log does not have yet.
func judge(ctx context.Context, o *options, all []*operators.Mutant, texts map[string]string, stderr io.Writer) (err error) {
	log, err := record.Open(o.log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	var until time.Time
	if o.deadline > 0 {
		until = time.Now().Add(o.deadline)
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, until.Add(20*time.Second))
		defer cancel()
	}
	return withCourt(ctx, o, stderr, func(c *court.Court) error {
		c.Log, c.Texts, c.GCov, c.Until, c.Again = log, texts, o.gcov, until, o.again
		return c.Judge(ctx, all)
	})
}

// withCourt opens a court, in a folder of its own, for as long as it is used.
func withCourt(ctx context.Context, o *options, stderr io.Writer, use func(*court.Court) error) (err error) {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	if o.keep {
		fmt.Fprintf(stderr, "mutate: working in %s\n", dir)
	} else {
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	config, err := tools(ctx, o, dir, stderr)
	if err != nil {
		return err
	}
	lab, err := nets.Open(ctx, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lab.Close()) }()
	return use(&court.Court{Lab: lab, Trials: trials(o.kernel), Workers: o.workers, Progress: stderr})
}

// trials are those of kernels whose names have a text.
func trials(kernel string) []*trial.Trial {
	return slices.DeleteFunc(trial.All(), func(t *trial.Trial) bool { return !strings.Contains(t.Kernel, kernel) })
}

// tools finds what a lab is made of, and says which nets there are no programs for.
func tools(ctx context.Context, o *options, dir string, stderr io.Writer) (c nets.Config, err error) {
	c = nets.Config{Root: o.root, Dir: dir, CXX: o.cxx, Keep: o.keep, Lemmas: o.lemmas, LateProver: o.late, Patience: o.patience, Without: o.without}
	if archive := os.Getenv("MUTATE_RUNTIME"); archive != "" {
		c.Runtime = workshop.Archive(archive)
	}
	if o.kernelspec != "" {
		c.Kernelspec, err = exec.LookPath(o.kernelspec)
	} else {
		c.Kernelspec, err = workshop.GoTool(ctx, o.root, dir, "kernelspec")
	}
	if err != nil {
		return c, err
	}
	if c.Z3, err = exec.LookPath(cmp.Or(o.z3, "z3")); err != nil {
		if o.z3 != "" {
			return c, err
		}
		fmt.Fprintf(stderr, "mutate: %v: without proofs\n", err)
	}
	if c.Toolkit, err = workshop.FindToolkit(o.toolkit, "MUTATE_"); err != nil {
		if o.toolkit != "" {
			return c, err
		}
		fmt.Fprintf(stderr, "mutate: %v: without audit\n", err)
	}
	return c, nil
}
