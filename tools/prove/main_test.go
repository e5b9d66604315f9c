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

// table proves what a file asks for.
func table(t *testing.T, obligations string, more ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "proof.json")
	says, err := prove(t, append([]string{"table", "--obligations", obligations, "--z3", smttest.Path(t), "--out", out}, more...)...)
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
	out := table(t, tiny)
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
	again, err := os.ReadFile(table(t, tiny))
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
	says, err := prove(t, "verdict", "--table", table(t, write(t, weak)), "--out", stamp)
	if !errors.Is(err, errOpen) {
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
	says, err := prove(t, "verdict", "--table", table(t, tiny, "--lemmas", lemmas), "--out", filepath.Join(t.TempDir(), "ok"))
	if !errors.Is(err, errOpen) || !strings.Contains(says, "vocabulary: In::row, v.h:3: refuted: it is not inside") ||
		!strings.Contains(says, "tiny_axpy_f32: undecided: the lemmas are of other headers (c0ffee) than the kernel's") || !strings.Contains(says, "more\n") {
		t.Errorf("%v\n%s", err, says)
	}
}

func TestCommandLine(t *testing.T) {
	for want, args := range map[string][]string{
		"prove: want":                   nil,
		"want --out and the headers":    {"lemmas", "--out", "x"},
		"prove lemmas: open":            {"lemmas", "--out", "x", "none.h"},
		"prove lemmas: --z3":            {"lemmas", "--out", "x", "--z3", "no/such/z3", write(t, "")},
		"want --obligations and --out":  {"table"},
		"no such file":                  {"table", "--obligations", "none.json", "--out", "x"},
		"obligations: invalid":          {"table", "--obligations", "main.go", "--out", "x"},
		"prove table: --lemmas":         {"table", "--obligations", tiny, "--lemmas", "none.json", "--out", "x"},
		"prove table: main.go: proof: ": {"table", "--obligations", tiny, "--lemmas", "main.go", "--out", "x"},
		"no/such/z3":                    {"table", "--obligations", tiny, "--z3", "no/such/z3", "--out", "x"},
		"want --table and --out":        {"verdict", "--table", "x"},
		"prove verdict: --table":        {"verdict", "--table", "none.json", "--out", "x"},
		"schema is 0":                   {"verdict", "--table", write(t, "{}"), "--out", "x"},
	} {
		if _, err := prove(t, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", args, err, want)
		}
	}
}
