package proof

import (
	"bytes"
	"strings"
	"testing"
)

func table() *Table {
	return &Table{
		Schema: Schema, Family: "f", Solver: "Z3 1",
		Vocabulary: Vocabulary{Headers: "c0ffee", Lemmas: []Lemma{{Name: "In::row", Source: "v.h:3", Verdict: Proved}, {Name: "In::at", Source: "v.h:7", Verdict: Undecided, Reason: "no law"}}},
		Kernels: []Kernel{{Name: "f_a", Source: "f.cu", Line: 3, Views: []string{"In<T, D>"}, Contract: []string{"len(x) >= N"}, Obligations: []string{"len(x) >= N"}},
			{Name: "f_b"}},
		Rows: []Row{
			{Entry: "f_a_f32", Kernel: "f_a", Verdict: Proved, Obligations: 1},
			{Entry: "f_b_f32", Kernel: "f_b", Verdict: Undecided, Obligations: 1, Failures: []Failure{{Name: "n", Verdict: Undecided, Says: "too hard"}, {Name: "m", Verdict: Decided, Says: "it holds", Shapes: 2, Runs: 2}}},
			{Entry: "f_b_i32", Kernel: "f_b", Verdict: Decided, Obligations: 1, Failures: []Failure{{Name: "n", Verdict: Decided, Says: "it holds", Shapes: 2, Runs: 1}}},
			{Entry: "f_b_f16", Kernel: "f_b", Verdict: Undecided, Failures: []Failure{{Name: Lemmas, Verdict: Undecided, Says: "of other headers"}}},
			{Entry: "f_b_f64", Kernel: "f_b", Verdict: Refuted, Obligations: 1, Failures: []Failure{{Name: "n", Verdict: Refuted, Says: "n = 2"}}},
			{Entry: "f_a_f64", Kernel: "f_a", Verdict: Refuted, Obligations: 1, Failures: []Failure{{Name: "len(x) >= N", Verdict: Refuted, Says: "N = 1 <&> thread 0"}}},
		},
	}
}

func TestOpen(t *testing.T) {
	want := []string{"vocabulary: In::at, v.h:7: undecided: no law", "f_b_f32: undecided: too hard", "f_b_f16: undecided: of other headers",
		"f_b_f64: refuted: n = 2", "f_a_f64: refuted: N = 1 <&> thread 0"}
	if got := strings.Join(table().Open(), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s", got)
	}
}

func TestRoundTrip(t *testing.T) {
	first, err := table().Write()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Read(first)
	if err != nil {
		t.Fatal(err)
	}
	second, err := again.Write()
	if err != nil || !bytes.Equal(first, second) || !bytes.Contains(first, []byte("<&>")) {
		t.Errorf("%v\n%s\n%s", err, first, second)
	}
	for _, c := range []struct{ text, want string }{
		{"{", "unexpected end"},
		{"{}", "schema is 0, this program reads 1"},
		{`{"schema": 2, "future": 1}`, "schema is 2, this program reads 1: rebuild the images"},
		{`{"schema": 1, "future": 1}`, `unknown field "future"`},
		{`{"schema": 1}`, "names no family"},
		{`{"schema": 1, "family": "f", "kernels": [{"name": "f_a"}], "rows": [{"entry": "f_a_f32", "kernel": "f_a", "verdict": "refuted"}]}`,
			`entry f_a_f32: its verdict is "refuted", by its 0 failures it is proved`},
		{`{"schema": 1, "family": "f", "kernels": [{"name": "f_a"}], "rows": [{"entry": "f_a_f32", "kernel": "f_a", "verdict": "proved", "failures": [{"verdict": "refuted"}]}]}`,
			`entry f_a_f32: its verdict is "proved", by its 1 failures it is refuted`},
		{`{"schema": 1, "family": "f", "kernels": [{"name": "f_a"}], "rows": [{"entry": "f_a_f32", "kernel": "f_a", "verdict": "proved", "failures": [{"verdict": "proved"}]}]}`,
			`entry f_a_f32: what is not proved has the verdict "proved"`},
		{`{"schema": 1, "family": "f", "kernels": [{"name": "f_a"}], "rows": [{"entry": "f_a_f32", "kernel": "f_a", "verdict": "decided", "failures": [{"name": "n", "verdict": "decided", "shapes": 3}]}]}`,
			`entry f_a_f32: n is decided by 3 shapes, of which 0 were run: requires runs of a decided one, and of no other`},
		{`{"schema": 1, "family": "f", "rows": [{"entry": "f_a_f32", "kernel": "f_a", "verdict": "proved"}]}`, `entry f_a_f32: the table has no kernel "f_a"`},
	} {
		if got, err := Read([]byte(c.text)); err == nil || got != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}
