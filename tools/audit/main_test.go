package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/audit"
	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/internal/verdict"
)

const testdata = "rules/testdata/"

// work is a folder with a manifest of some of the kernels in the rules' testdata.
func work(t *testing.T, kernels ...manifest.Kernel) string {
	t.Helper()
	sum := strings.Repeat("0123456789abcdef", 4)
	m := &manifest.Manifest{
		Schema: manifest.Schema, Spec: manifest.Spec{Schema: manifest.SpecSchema, Family: "faults"},
		Images: []manifest.Image{{Kind: "elf", Arch: 90, Size: 1, SHA256: sum}},
	}
	for _, k := range kernels {
		k.Hash, k.Block, k.Grid = "1", [3]uint32{256, 1, 1}, [3]string{"1", "1", "1"}
		m.Spec.Kernels = append(m.Spec.Kernels, k)
		m.Spec.Entries = append(m.Spec.Entries, manifest.Entry{Name: k.Name, Kernel: k.Name})
		m.Facts = append(m.Facts, manifest.Facts{Entry: k.Name, Arch: 90, Registers: 32})
	}
	p, err := m.Write()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "m.json"), p, 0o666); err != nil {
		t.Fatal(err)
	}
	return folder
}

// judged runs table and then verdict.
func judged(t *testing.T, folder string) (string, error) {
	t.Helper()
	table, stamp := filepath.Join(folder, "t.json"), filepath.Join(folder, "ok")
	var said bytes.Buffer
	err := run([]string{"table", "--manifest", filepath.Join(folder, "m.json"), "--ptx", "90=" + testdata + "faults.ptx", "--sass", "90=" + testdata + "faults.sass",
		"--lines", testdata + "faults.ptx", "--out", table}, &said, &said)
	if err != nil {
		t.Fatal(err)
	}
	err = run([]string{"verdict", "--table", table, "--out", stamp}, &said, &said)
	if _, missing := os.Stat(stamp); (missing == nil) != (err == nil) {
		t.Errorf("error %v, stamp %v", err, missing)
	}
	return said.String(), err
}

func TestVerdict(t *testing.T) {
	if said, err := judged(t, work(t, manifest.Kernel{Name: "good_mask"})); err != nil || said != "" {
		t.Errorf("%v: %s", err, said)
	}
	said, err := judged(t, work(t, manifest.Kernel{Name: "good_mask"}, manifest.Kernel{Name: "bad_return", Source: "faults.cu"}))
	if !errors.Is(err, verdict.ErrOpen) {
		t.Errorf("got %v", err)
	}
	for _, want := range []string{
		"audit: family faults: findings without a reason: 1;", `write except(rule, "reason") in its annotation`,
		"  bad_return sm_90: divergent-collective: the lanes of a warp do not all come by: they part at PTX line ", " of faults.cu:", "shfl.sync.bfly.b32", ", and 4 more such",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("want %q in %s", want, said)
		}
	}
	excepted := manifest.Kernel{Name: "bad_return", Exceptions: []manifest.Exception{{Rule: "divergent-collective", Reason: "the last warp is whole"}}}
	if said, err := judged(t, work(t, excepted)); err != nil {
		t.Errorf("%v: %s", err, said)
	}
	excepted.Exceptions[0].Rule = "divergent"
	folder := work(t, excepted)
	err = run([]string{"table", "--manifest", filepath.Join(folder, "m.json"), "--out", filepath.Join(folder, "t")}, nil, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "audit: family faults: kernel bad_return: except(divergent, ...): there is no such rule") {
		t.Errorf("got %v", err)
	}
}

func raw(args ...string) (string, error) {
	var out bytes.Buffer
	err := run(append([]string{"raw", "--ptx", testdata + "faults.ptx"}, args...), &out, &out)
	return out.String(), err
}

func TestRaw(t *testing.T) {
	for _, c := range []struct {
		args  string
		found string // empty for nothing
	}{
		{"--block 256 good_return", ""},
		{"--block 256 bad_three", "bad_three: index32: a product in 32 bits may be 6442450175"},
		{"--block 256 --grid 4000000 bad_three", "bad_three: index32: a product in 32 bits may be 3071999999"},
		{"--block 256 --grid 2000000 bad_three", ""},
		{"--block 256 --rules trap bad_three", ""},
		{"--block 16,16 good_half_rows", ""},
		{"--block 256 bad_half_rows", ""}, // one row: all of it comes by
		{"--block 16,16 bad_half_rows", "the lanes of a warp do not all come by"},
		{"--block 1024 --ptxas-log " + testdata + "faults.ptxas.log bad_spills", "bad_spills: spills: ptxas ran out of registers: 404 bytes"},
		{"--block 1024 --sass " + testdata + "faults.sass bad_spills", "bad_spills: local-memory: 202 accesses"},
		{"--block 256 --sass " + testdata + "faults.sass --rules local-memory good_spills bad_local", "bad_local: local-memory"},
	} {
		said, err := raw(strings.Fields(c.args)...)
		if c.found == "" && (err != nil || said != "") || c.found != "" && (!errors.Is(err, verdict.ErrOpen) || !strings.Contains(said, c.found)) {
			t.Errorf("raw %s: %v, want %q in:\n%s", c.args, err, c.found, said)
		}
	}
	said, err := raw("--block", "256", "--json", "bad_mask", "good_mask")
	var entries []struct {
		Entry    string
		Findings []audit.Finding
	}
	if jsonErr := json.Unmarshal([]byte(said), &entries); jsonErr != nil || !errors.Is(err, verdict.ErrOpen) || len(entries) != 2 {
		t.Errorf("%v, %v: %s", err, jsonErr, said)
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "want table, verdict or raw"},
		{"judge", "want table, verdict or raw"},
		{"table", "want --manifest and --out"},
		{"table --manifest none --out x", "--manifest: open none"},
		{"table --ptx 90", "want ARCH=FILE"},
		{"table --ptx 90=" + testdata + "faults.ptx --ptx 90=" + testdata + "faults.ptx", "90 is given twice"},
		{"verdict", "want --table and --out"},
		{"verdict --table none --out x", "--table: open none"},
		{"verdict --table " + testdata + "faults.ptx --out x", "invalid character"},
		{"raw", "want --ptx and --block"},
		{"raw --ptx x --block 0", `"0": want whole numbers above 0`},
		{"raw --ptx x --block 1,2,3,4", "has 4 numbers, want up to 3"},
		{"raw --ptx x --block 2048", "2048 is 2048 threads; a block has at most 1024"},
		{"raw --ptx x --block 32 --rules traps", `there is no rule "traps"; there are local-memory`},
		{"raw --ptx x --block 32 --grid x", `--grid: "x"`},
		{"raw --ptx none --block 32", "open none"},
		{"raw --ptx " + testdata + "faults.ptx --block 32 good_masks", "there is no entry good_masks; there are"},
	} {
		if err := run(strings.Fields(c.args), &bytes.Buffer{}, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("audit %s: %v, want %q", c.args, err, c.want)
		}
	}
}
