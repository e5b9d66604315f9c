package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestUse checks exit codes and messages of wrong use and wrong input.
func TestUse(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "a.go", "package a\n\nfunc F() {}\n")
	writeFile(t, "spec.json", `{"schema": 1, "family": "csr"}`)
	writeFile(t, "old.json", `{"schema": 0}`)
	writeFile(t, "refs.json", `{"schema": 1}`)
	writeFile(t, "newer.json", `{"schema": 1, "spare": 2}`)
	writeFile(t, "all.params", "refs\n--root\nexample.org/a\n--src=example.org/a=a.go\n--out\nout.json\n")
	writeFile(t, "crlf.params", "refs\r\n--root\r\nexample.org/a\r\n--src=example.org/a=a.go\r\n--out\r\nout.json\r\n")
	for _, c := range []struct {
		args string
		code int
		want string // in stderr, or in stdout where the code is 0
	}{
		{"", 2, "unknown command"},
		{"help", 0, "reach verdict --spec"},
		{"refs -h", 0, ""},
		{"reach", 2, `unknown command "reach"`},
		{"refs", 2, "--root is missing"},
		{"refs --root r --src x=a.go", 2, "--out is missing"},
		{"refs --root r --src a.go --out o", 2, `--src "a.go": want IMPORTPATH=FILE`},
		{"refs --root r --src x=a.go --out o", 2, "root package r has no sources here"},
		{"refs --root r --src x=b.go --out o", 2, "b.go"},
		{"refs --root x --src x=a.go --out o extra", 2, `unexpected argument "extra"`},
		{"refs --rot x", 2, "not defined: -rot"},
		{"@all.params", 0, ""},
		{"@crlf.params", 0, ""},
		{"@none.params", 2, "none.params"},
		{"verdict --spec spec.json --refs refs.json --label l", 2, "--out is missing"},
		{"verdict --spec old.json --refs refs.json --label l --out o", 2, "old.json: spec: schema is 0, this program reads 1"},
		{"verdict --spec spec.json --refs old.json --label l --out o", 2, "old.json: refs: schema is 0, this program reads 1"},
		{"verdict --spec spec.json --refs newer.json --label l --out o", 2, `unknown field "spare"`},
		{"verdict --spec a.go --refs refs.json --label l --out o", 2, "a.go: spec: "},
		{"verdict --spec spec.json --manifest old.json --refs refs.json --label l --out o", 2, "old.json: manifest: "},
		{"verdict --spec spec.json --refs refs.json --label l --out stamp", 0, ""},
		{"verdict --spec spec.json --refs refs.json --label l --unlaunched x=y --out stamp", 1, "l: error: unlaunched lists 'x'"},
		{"verdict --spec spec.json --refs refs.json --label @@//a:b --unlaunched x=y --out stamp", 1, "//a:b: error: unlaunched lists 'x'"},
		{"verdict --spec spec.json --refs refs.json --label=@@r//a:b --unlaunched x=y --out stamp", 1, "@@r//a:b: error: unlaunched lists 'x'"},
		{"verdict --spec=spec.json @none.params", 2, "none.params"},
		{"report --spec spec.json", 2, "--refs is missing"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(strings.Fields(c.args), &stdout, &stderr)
		text := stderr.String()
		if c.code == 0 {
			text = stdout.String()
		}
		if code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("reach %s: exit %d, %q; want exit %d, a text with %q", c.args, code, text, c.code, c.want)
		}
	}
}

// TestReport checks the table: kernels that are reached, that are not, and that no source mentions.
func TestReport(t *testing.T) {
	house, dead := readArchive(t, "testdata/house.txtar"), readArchive(t, "testdata/trees/dead.txtar")
	judge(t, house, dead)
	var stdout, stderr bytes.Buffer
	if code := run([]string{"report", "--refs", "refs.json", "--spec", "spec.json"}, &stdout, &stderr); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr.String())
	}
	want := `csr_mv_dead  (cuda/csr/mv.cu:41, 1 entries)
    not reached: no launcher in the sources
csr_mv_thread  (cuda/csr/mv.cu:30, 1 entries)
    not reached: csrkernels.MvThread.Launch (go/kernels/csrkernels/launchers.go:43): nothing refers to it
csr_mv_warp  (cuda/csr/mv.cu:12, 2 entries)
    csr.Mul > csrkernels.MvWarp.Launch
`
	if got := stdout.String(); got != want {
		t.Errorf("report:\n%s\nwant:\n%s", got, want)
	}
}

// TestStampSaysWhatPassed checks the file that a passing verdict writes.
func TestStampSaysWhatPassed(t *testing.T) {
	judge(t, readArchive(t, "testdata/house.txtar"), readArchive(t, "testdata/trees/direct.txtar"))
	got, err := os.ReadFile("stamp")
	if err != nil {
		t.Fatal(err)
	}
	want := "//cuda/csr:csr: 2 kernels, 3 entries, 0 listed as unlaunched: every other one is launched from an exported function\n"
	if string(got) != want {
		t.Errorf("stamp %q, want %q", got, want)
	}
}
