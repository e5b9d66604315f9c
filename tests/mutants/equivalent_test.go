package mutants

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/warpwright/warpwright/tools/mutate/operators"
	"github.com/warpwright/warpwright/tools/mutate/record"
)

// TestEquivalents wants each entry of the list to be of a mutant that there is: what was said of a line that has changed since is said of
// nothing, or, worse, some day of another one.
func TestEquivalents(t *testing.T) {
	root := filepath.Join("..", "..")
	list, err := record.ReadEquivalents(filepath.Join(root, "tests", "mutants", "equivalent.txt"))
	if err != nil {
		t.Fatal(err)
	}
	verdicts := map[string][]*record.Verdict{} // of nobody, on every mutant of a file
	for _, e := range list {
		if _, ok := verdicts[e.File]; !ok {
			text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(e.File)))
			if err != nil {
				t.Fatal(err)
			}
			all, err := operators.File(e.File, string(text))
			if err != nil {
				t.Fatal(err)
			}
			verdicts[e.File] = nil
			for _, m := range all {
				before, after := m.Diff(string(text))
				verdicts[e.File] = append(verdicts[e.File], &record.Verdict{File: m.File, Operator: m.Operator, Before: before, After: after})
			}
		}
		if !slices.ContainsFunc(verdicts[e.File], e.Explains) {
			t.Errorf("%s %s: no mutant has the line\n  + %s", e.File, e.Operator, e.After)
		}
	}
}

// TestOthers wants the list to say nothing of mutants that are another program, though they look like those that it has: a block's part that
// takes itself for clipped is as long as its extent, and its threads walk over the parts of other blocks.
func TestOthers(t *testing.T) {
	list, err := record.ReadEquivalents("equivalent.txt")
	if err != nil {
		t.Fatal(err)
	}
	for after, operator := range map[string]string{
		"WW_MEM bool whole() const { return Whole && from_ + N <= end_; }": "logic",
		"WW_MEM bool whole() const { return Whole; }":                      "drop-guard",
		"WW_MEM bool whole() const { return {}; }":                         "control",
	} {
		v := &record.Verdict{File: "cuda/include/ww/tile.h", Operator: operator, Before: "WW_MEM bool whole() const { return Whole || from_ + N <= end_; }", After: after}
		if slices.ContainsFunc(list, func(e *record.Equivalent) bool { return e.Explains(v) }) {
			t.Errorf("%s is said to be the same program", after)
		}
	}
}
