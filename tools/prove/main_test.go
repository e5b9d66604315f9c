package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/proof"
	"github.com/warpwright/warpwright/tools/internal/obligations"
	"github.com/warpwright/warpwright/tools/internal/verdict"
	"github.com/warpwright/warpwright/tools/prove/smt/smttest"
)

const tiny = "../kernelspec/testdata/tiny.obligations.json"

// prove runs the program and returns what it says.
func prove(t *testing.T, args ...string) (says string, err error) {
	t.Helper()
	var stderr bytes.Buffer
	err = run(context.Background(), args, &stderr)
	return stderr.String(), err
}

// lemmas is a file of the lemmas of the headers that tiny names, as if they were proved.
func lemmas(t *testing.T) string {
	t.Helper()
	p, err := os.ReadFile(tiny)
	if err != nil {
		t.Fatal(err)
	}
	f, err := obligations.Read(p)
	if err != nil {
		t.Fatal(err)
	}
	v := proof.Vocabulary{Headers: f.Headers, Lemmas: []proof.Lemma{{Name: "In::row", Source: "v.h:3", Verdict: proof.Proved}}, Shapes: []proof.Shape{
		{View: "SharedTile", Numbers: map[string]uint64{"H": 8, "W": 32, "Pad": 0}}}}
	if p, err = v.Write(); err != nil {
		t.Fatal(err)
	}
	return write(t, string(p))
}

// table proves what a file asks for, on the strength of lemmas.
func table(t *testing.T, obligations, lemmas string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "proof.json")
	says, err := prove(t, "table", "--obligations", obligations, "--lemmas", lemmas, "--z3", smttest.Path(t), "--out", out)
	if err != nil || says != "" {
		t.Fatalf("%v\n%s", err, says)
	}
	return out
}

func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file.json")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestProved(t *testing.T) {
	out := table(t, tiny, lemmas(t))
	stamp := filepath.Join(t.TempDir(), "ok")
	if says, err := prove(t, "verdict", "--table", out, "--out", stamp); err != nil || says != "" {
		t.Fatalf("%v\n%s", err, says)
	}
	if _, err := os.Stat(stamp); err != nil {
		t.Error(err)
	}
	p, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	first, err := proof.Read(p)
	if err != nil {
		t.Fatal(err)
	}
	if first.Family != "tiny" || !strings.HasPrefix(first.Solver, "Z3 ") || len(first.Rows) == 0 || first.Rows[0].Verdict != proof.Proved {
		t.Errorf("%+v", first)
	}
	again, err := os.ReadFile(table(t, tiny, lemmas(t)))
	if err != nil || !bytes.Equal(p, again) {
		t.Errorf("another run gives other bytes: %v", err)
	}
}

func TestRefuted(t *testing.T) {
	p, err := os.ReadFile(tiny)
	if err != nil {
		t.Fatal(err)
	}
	weak := strings.ReplaceAll(string(p), `"text": "len(y) >= N"`, `"text": "len(y) + 1 >= N"`)
	stamp := filepath.Join(t.TempDir(), "ok")
	says, err := prove(t, "verdict", "--table", table(t, write(t, weak), lemmas(t)), "--out", stamp)
	if !errors.Is(err, verdict.ErrOpen) {
		t.Fatalf("%v\n%s", err, says)
	}
	for _, want := range []string{
		`^prove: family tiny: not proved: \d+; `,
		`tiny_axpy_f32: refuted: len\(y\) >= N: the contract admits N = \d+, len\(y\) = \d+: some thread, say block \(0, 0, 0\), thread \(0, 0, 0\), reads and writes y\[\d+\]\n`,
		`tiny_facts_f32_4: refuted: len\(y\) >= N: the contract admits N = \d+, len\(y\) = \d+: block \(\d+, 0, 0\), thread \(\d+, 0, 0\) writes y\[\d+\]\n`,
	} {
		if !regexp.MustCompile(want).MatchString(says) {
			t.Errorf("does not say %q but\n%s", want, says)
		}
	}
	if _, err := os.Stat(stamp); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a stamp: %v", err)
	}
}

// What is proved of one vocabulary is worth nothing for another.
func TestLemmasOfOtherHeaders(t *testing.T) {
	lemmas := write(t, `{"headers": "c0ffee", "lemmas": [{"name": "In::row", "source": "v.h:3", "verdict": "refuted", "reason": "it is not inside"}]}`)
	says, err := prove(t, "verdict", "--table", table(t, tiny, lemmas), "--out", filepath.Join(t.TempDir(), "ok"))
	if !errors.Is(err, verdict.ErrOpen) || !strings.Contains(says, "vocabulary: In::row, v.h:3: refuted: it is not inside") ||
		!strings.Contains(says, "tiny_axpy_f32: undecided: the lemmas are of other headers (c0ffee) than the kernel's") || !strings.Contains(says, "more\n") {
		t.Errorf("%v\n%s", err, says)
	}
}

// All rests on the vocabulary: of one of which nothing is proved, nothing is.
func TestNoLemmas(t *testing.T) {
	p, err := os.ReadFile(lemmas(t))
	if err != nil {
		t.Fatal(err)
	}
	none := regexp.MustCompile(`(?s)"lemmas": \[.*?\]`).ReplaceAllString(string(p), `"lemmas": []`)
	says, err := prove(t, "verdict", "--table", table(t, tiny, write(t, none)), "--out", filepath.Join(t.TempDir(), "ok"))
	if !errors.Is(err, verdict.ErrOpen) || !strings.Contains(says, "vocabulary: nothing is proved of it") {
		t.Errorf("%v\n%s", err, says)
	}
}

// Of a tile in numbers for which no lemma was shown, nobody knows who takes what.
func TestShapeWithoutLemma(t *testing.T) {
	p, err := os.ReadFile(lemmas(t))
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(p), `"W": 32`, `"W": 16`, 1)
	says, err := prove(t, "verdict", "--table", table(t, tiny, write(t, other)), "--out", filepath.Join(t.TempDir(), "ok"))
	if !errors.Is(err, verdict.ErrOpen) || !strings.Contains(says, "a SharedTile<f32, 8, 32>: no lemma says who takes what of SharedTile with H = 8, Pad = 0, W = 32, block.x = ") {
		t.Errorf("%v\n%s", err, says)
	}
}

// Where nothing is undecided, the table is as it was, and nothing is asked, read or compiled.
func TestDecideNothing(t *testing.T) {
	solved := table(t, tiny, lemmas(t))
	out := filepath.Join(t.TempDir(), "proof.json")
	says, err := prove(t, "decide", "--table", solved, "--obligations", "none.json", "--z3", "none", "--kernelspec", "none", "--cxx", "none", "--root", "none", "--out", out, "none.cu")
	if err != nil || says != "" {
		t.Fatalf("%v\n%s", err, says)
	}
	before, err := os.ReadFile(solved)
	if err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(out); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the table has changed: %v", err)
	}
}

// undecided is a table that waits for the emulator.
const undecided = `{"schema": 1, "family": "f", "kernels": [{"name": "f_a"}], "rows": [{"entry": "f_a_f32", "kernel": "f_a", "verdict": "undecided",
	"failures": [{"name": "n", "verdict": "undecided", "says": "too hard"}]}]}`

func TestCommandLine(t *testing.T) {
	for want, args := range map[string][]string{
		"prove: want":                   nil,
		"want --obligations, --lemmas":  {"table", "--obligations", tiny, "--out", "x"},
		"no such file":                  {"table", "--obligations", "none.json", "--lemmas", "none.json", "--out", "x"},
		"obligations: invalid":          {"table", "--obligations", "main.go", "--lemmas", "none.json", "--out", "x"},
		"prove table: --lemmas":         {"table", "--obligations", tiny, "--lemmas", "none.json", "--out", "x"},
		"prove table: main.go: proof: ": {"table", "--obligations", tiny, "--lemmas", "main.go", "--out", "x"},
		"no/such/z3":                    {"table", "--obligations", tiny, "--lemmas", lemmas(t), "--z3", "no/such/z3", "--out", "x"},
		"prove decide: want":            {"decide", "--table", "x", "--obligations", "x", "--out", "x"},
		"prove decide: --table":         {"decide", "--table", "none.json", "--obligations", "none.json", "--out", "x", "none.cu"},
		"prove decide: main.go: proof":  {"decide", "--table", "main.go", "--obligations", "none.json", "--out", "x", "none.cu"},
		"decide: --obligations: open":   {"decide", "--table", write(t, undecided), "--obligations", "none.json", "--out", "x", "none.cu"},
		"no/such/kernelspec":            {"decide", "--table", write(t, undecided), "--obligations", tiny, "--kernelspec", "no/such/kernelspec", "--out", "x", "none.cu"},
		"want --table and --out":        {"verdict", "--table", "x"},
		"prove verdict: --table":        {"verdict", "--table", "none.json", "--out", "x"},
		"schema is 0":                   {"verdict", "--table", write(t, "{}"), "--out", "x"},
	} {
		if _, err := prove(t, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", args, err, want)
		}
	}
}
