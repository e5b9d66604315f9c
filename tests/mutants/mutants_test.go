// Package mutants keeps the engine of mutants honest: what it says is caught is caught by a net, and it can say that something survived.
package mutants

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/tools/mutate/court"
	"github.com/warpwright/warpwright/tools/mutate/nets"
	"github.com/warpwright/warpwright/tools/mutate/operators"
	"github.com/warpwright/warpwright/tools/mutate/record"
	"github.com/warpwright/warpwright/tools/mutate/trial"
	"github.com/warpwright/warpwright/tools/workshop"
)

// root is the repository's: under Bazel, which has built the tools, the working folder; else two above.
func root() string {
	if os.Getenv("MUTATE_KERNELSPEC") != "" {
		return "."
	}
	return filepath.Join("..", "..")
}

const source = "cuda/csr/mv.cu"

// lab is the nets, made once.
var lab *nets.Lab

// TestMain opens the lab.
func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "mutants")
		if err == nil {
			defer os.RemoveAll(dir)
			lab, err = openLab(dir)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// openLab takes the tools from Bazel, or makes them.
func openLab(dir string) (*nets.Lab, error) {
	c := nets.Config{Root: root(), Dir: dir, CXX: "g++", LateProver: true, Kernelspec: os.Getenv("MUTATE_KERNELSPEC"), Z3: os.Getenv("MUTATE_Z3")}
	if c.Kernelspec == "" {
		var err error
		if c.Kernelspec, err = workshop.GoTool(context.Background(), root(), dir, "kernelspec"); err != nil {
			return nil, err
		}
	}
	if archive := os.Getenv("MUTATE_RUNTIME"); archive != "" {
		path, err := filepath.Abs(archive)
		if err != nil {
			return nil, err
		}
		c.Runtime = workshop.Archive(path)
	}
	return nets.Open(context.Background(), c)
}

// session is a court over csr_mv_group with the tools at hand.
type session struct {
	*court.Court
	log string
}

// open is a session without the nets that are named.
func open(t *testing.T, without ...string) *session {
	t.Helper()
	if os.Getenv("MUTATE_KERNELSPEC") == "" {
		if err := workshop.Inputs(root(), append(workshop.Kernelspec(), "cuda/include/ww/*.h", "cuda/csr/*.cu", "emu/*.h", "emu/*.cc")...); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(root(), source))
	if err != nil {
		t.Fatal(err)
	}
	return &session{&court.Court{
		Lab: lab.Leaving(without...), Texts: map[string]string{source: string(text)}, GCov: "gcov", Workers: 2, Progress: new(bytes.Buffer),
		Trials: slices.DeleteFunc(trial.All(), func(t *trial.Trial) bool { return t.Kernel != "csr_mv_group" }),
	}, filepath.Join(t.TempDir(), "log.jsonl")}
}

// judge judges mutants and returns what the log then has, all that it had before included.
func (s *session) judge(t *testing.T, all []*operators.Mutant) []*record.Verdict {
	t.Helper()
	log, err := record.Open(s.log)
	if err != nil {
		t.Fatal(err)
	}
	s.Log = log
	if err := s.Judge(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := record.Read(s.log)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// mutants are those of the kernel's own lines.
func (s *session) mutants(t *testing.T) []*operators.Mutant {
	t.Helper()
	all, err := operators.File(source, s.Texts[source])
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(m *operators.Mutant) bool { return operators.KernelAt(s.Texts[source], m.Offset) != "csr_mv_group" })
}

// find is the one mutant with these words in its name.
func find(t *testing.T, all []*operators.Mutant, words ...string) *operators.Mutant {
	t.Helper()
	var found []*operators.Mutant
	for _, m := range all {
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(m.ID(), w) }) {
			found = append(found, m)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d mutants have %q in their names", len(found), words)
	}
	return found[0]
}

// TestSample judges a few mutants of a kernel: what no net catches must stand in the list of what is the same program.
func TestSample(t *testing.T) {
	list, err := record.ReadEquivalents(filepath.Join(root(), "tests", "mutants", "equivalent.txt"))
	if err != nil {
		t.Fatal(err)
	}
	s := open(t)
	caught := map[string]int{}
	for _, v := range s.judge(t, operators.Sample(s.mutants(t), 16, 1)) {
		caught[v.Net]++
		if v.Survived() && !slices.ContainsFunc(list, func(e *record.Equivalent) bool { return e.Explains(v) }) {
			t.Errorf("%s survived:\n- %s\n+ %s", v.ID, v.Before, v.After)
		}
	}
	if caught[nets.Values] == 0 || caught[nets.Compiler] == 0 {
		t.Errorf("caught by %v: requires both the compiler and values to catch something, else this sample shows little", caught)
	}
}

// TestHole takes away what catches a mutant: then the mutant must survive. The log is gone on with, and judges nothing twice.
func TestHole(t *testing.T) {
	whole, hole := open(t), open(t, nets.Values)
	m := find(t, whole.mutants(t), "off-by-one", "0 -> 1")
	all := []*operators.Mutant{m}
	first := whole.judge(t, all)
	if len(first) != 1 || first[0].Net != nets.Values {
		t.Errorf("got %+v, want one verdict, of values", first)
	}
	if again := whole.judge(t, all); len(again) != 1 {
		t.Errorf("the log has %d verdicts on one mutant", len(again))
	}
	if v := hole.judge(t, all); len(v) != 1 || !v[0].Survived() {
		t.Errorf("without values: got %+v, want that it survived", v[0])
	}
}

// TestSameProgram makes a mutant that is the same program by another text: no net may catch it.
func TestSameProgram(t *testing.T) {
	s := open(t)
	const text = "weights.total(total)"
	at := strings.Index(s.Texts[source][strings.Index(s.Texts[source], "void csr_mv_group("):], text) + strings.Index(s.Texts[source], "void csr_mv_group(")
	m := &operators.Mutant{File: source, Operator: "none", Before: text, After: "(weights.total(total))", Offset: at}
	if v := s.judge(t, []*operators.Mutant{m}); len(v) != 1 || v[0].Net != "" {
		t.Errorf("got %+v, want that it survived", v[0])
	}
}

// TestWrongNet has a net that trips over what is right: then nothing may be judged by it.
func TestWrongNet(t *testing.T) {
	s := open(t)
	right := s.Trials[0]
	wrong := *right
	wrong.Cases = func(in trial.Instance) []trial.Case {
		cases := right.Cases(in)
		for _, c := range cases {
			for _, y := range c.Want["y"].Y {
				if y != 0 {
					c.Want["y"].Y[0] += 1e6
					return cases
				}
			}
		}
		return cases
	}
	s.Trials = []*trial.Trial{&wrong}
	log, err := record.Open(s.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	s.Log = log
	if err := s.Judge(t.Context(), s.mutants(t)[:1]); err == nil || !strings.Contains(err.Error(), "which is not mutated: values says") {
		t.Errorf("a net that catches everything was believed: %v", err)
	}
}
