package judge

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/tools/internal/obligations"
	"github.com/warpwright/warpwright/tools/prove/owed"
	"github.com/warpwright/warpwright/tools/prove/smt"
	"github.com/warpwright/warpwright/tools/prove/smt/smttest"
)

var show = flag.Bool("weakened", false, "print every weakened contract and what refutes it")

// families are those that are proved here, with what kernelspec reads of each. The tiny one has a file of its own.
func families() map[string][]string {
	return map[string][]string{
		"csr":    {"cuda/csr/mv.cu"},
		"gemm":   {"cuda/gemm/gemm.cu"},
		"twin":   {"tests/twins/safe.cu", "tests/twins/safe_matrix.cu"},
		"matrix": {"tests/matrices/matrix.cu"},
		"tiny":   nil,
	}
}

// read has the obligations of a family: under Bazel from the files that OBLIGATIONS names, elsewhere from kernelspec.
func read(t *testing.T, family string) *obligations.File {
	t.Helper()
	name := filepath.Join("..", "..", "kernelspec", "testdata", "tiny.obligations.json")
	if built := os.Getenv("OBLIGATIONS"); family != "tiny" && built != "" {
		files := strings.Fields(built)
		i := slices.IndexFunc(files, func(f string) bool { return filepath.Base(f) == family+".obligations.json" })
		if i < 0 {
			t.Fatalf("OBLIGATIONS names no %s.obligations.json", family)
		}
		name = filepath.Join(os.Getenv("TEST_SRCDIR"), os.Getenv("TEST_WORKSPACE"), files[i])
	} else if family != "tiny" {
		name = filepath.Join(t.TempDir(), "obligations.json")
		cmd := exec.Command("go", append([]string{"run", "./tools/kernelspec", "--family", family, "--include", "cuda/include", "--out-obligations", name}, families()[family]...)...)
		cmd.Dir = filepath.Join("..", "..", "..")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, text)
		}
	}
	p, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := obligations.Read(p)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// different are the entries of a file that differ in what is proved of them; but for sizes of elements, and for integers where no
// variant and no cells look at them.
func different(f *obligations.File) []*obligations.Entry {
	var out []*obligations.Entry
	seen := map[string]bool{}
	for i := range f.Entries {
		e := &f.Entries[i]
		var numbers []string
		for name, n := range e.Numbers {
			if !strings.HasPrefix(name, "sizeof(") && (e.Prefer != "" || e.Axes > 1) {
				numbers = append(numbers, fmt.Sprint(name, n))
			}
		}
		slices.Sort(numbers)
		text := fmt.Sprint(e.Kernel, e.Prefer, e.Checked, e.Grid, e.Extents, numbers)
		if !seen[text] {
			seen[text] = true
			out = append(out, e)
		}
	}
	return out
}

// harmless is why a launch that checks less is safe all the same.
type harmless struct {
	what string // what was weakened, as a pattern
	from string // where the relation comes from; empty for anywhere
	why  string
}

// reasons are all there are.
func reasons() []harmless {
	return []harmless{
		{`^\w+\.N == \w+\.N: \w+\.N >= \w+\.N$`, obligations.Same, "columns beyond the entries of the rows are read by nobody"},
		{`^grid\.[xy] = .*: (one block less|twice as many)$`, "", "no cells are laid by it: loops stride by the grid, whatever it is"},
		{`^.*$`, obligations.Required, "the annotation asks for it; no view relies on it"},
	}
}

// A contract that says less is refuted, with sizes and a thread, or the table says why memory is safe without.
func TestWeakenedContractsAreRefuted(t *testing.T) {
	s := smttest.Start(t, smt.Limits{})
	used := map[string]int{}
	for _, family := range slices.Sorted(maps.Keys(families())) {
		t.Run(family, func(t *testing.T) {
			counts := map[string]int{}
			for _, e := range different(read(t, family)) {
				for _, w := range weakened(e) {
					says, why := refute(t, s, e, &w)
					switch {
					case why != "":
						counts["not needed"]++
						used[why]++
					case says == "":
						t.Errorf("%s: %s: all is proved", e.Name, w.what)
					case says == same:
						counts["no weaker"]++
					default:
						counts["refuted"]++
					}
					if *show {
						fmt.Printf("%s: %s\n    %s%s\n", e.Name, w.what, says, why)
					}
				}
			}
			t.Logf("weakened contracts: %v", counts)
		})
	}
	for _, r := range reasons() {
		if used[r.why] == 0 {
			t.Errorf("nothing is harmless because %s", r.why)
		}
	}
	t.Logf("harmless: %v; z3 was asked %d times", used, s.Asked())
}

// same is said of a contract that implies what was taken from it.
const same = "the rest of the contract says it too"

// refute weakens an entry and returns the first refutation that names sizes and a thread, or why none is needed.
func refute(t *testing.T, s *smt.Solver, e *obligations.Entry, w *weaker) (says, why string) {
	t.Helper()
	ctx := context.Background()
	if !strings.HasPrefix(w.what, "layout: ") && implied(t, s, e, w) {
		return same, ""
	}
	owes, err := owed.Of(&w.entry)
	if err != nil {
		t.Fatalf("%s: %s: %v", e.Name, w.what, err)
	}
	for i := range owes {
		a, err := prove(ctx, s, &owes[i])
		if err != nil {
			t.Fatalf("%s: %s: %v", e.Name, w.what, err)
		}
		if a.Verdict == smt.Unknown {
			t.Errorf("%s: %s: %s", e.Name, w.what, a.Reason)
		}
		if a.Verdict == smt.Refuted {
			says := owes[i].Line(&w.entry, a.Model)
			if !regexp.MustCompile(`block \(\d+, \d+, \d+\), thread \(\d+, \d+, \d+\)`).MatchString(says) {
				t.Errorf("%s: %s: %s: no thread", e.Name, w.what, says)
			}
			return says, ""
		}
	}
	for _, r := range reasons() {
		if (r.from == "" || r.from == w.from) && regexp.MustCompile(r.what).MatchString(w.what) {
			return "", r.why
		}
	}
	return "", ""
}

// implied says that the weakened contract implies the whole one. What a device refuses, too, is no excuse for a relation that
// says it by name.
func implied(t *testing.T, s *smt.Solver, e *obligations.Entry, w *weaker) bool {
	t.Helper()
	premises := owed.Launch
	if w.from == obligations.Grid {
		premises = owed.Contract
	}
	all, err := premises(e)
	if err != nil {
		t.Fatal(err)
	}
	has, err := premises(&w.entry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if slices.ContainsFunc(has, func(h smt.Premise) bool { return h.Is.String() == p.Is.String() }) {
			continue
		}
		a, err := s.Prove(context.Background(), smt.Query{Name: p.Name, Premises: has, Goal: p.Is})
		if err != nil {
			t.Fatal(err)
		}
		if a.Verdict != smt.Proved {
			return false
		}
	}
	return true
}
