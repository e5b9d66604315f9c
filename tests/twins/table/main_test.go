package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// listing writes a listing of one kernel with a loop of one load and, if asked, a check of it or some padding.
func listing(t *testing.T, name, check string, padding int) string {
	t.Helper()
	var s strings.Builder
	s.WriteString("//---\n\t.target\tsm_90\n\t.section\t.text." + name + ",\"ax\",@progbits\n\t.type " + name + ",@function\n" + name + ":\n")
	at := 0
	add := func(lines ...string) {
		for _, l := range lines {
			if strings.HasSuffix(l, ":") {
				s.WriteString(l + "\n")
				continue
			}
			s.WriteString("        /*" + hex(at) + "*/                   " + l + " ;\n")
			at += 16
		}
	}
	for range max(padding, 0) {
		add("MOV R9, R9")
	}
	for range 10 + min(padding, 0) {
		add("MOV R8, R8")
	}
	add(".L_x_0:")
	if check != "" {
		add("ISETP.GE.U32.AND P1, PT, R2, R5, PT", "@P1 BRA `("+check+")")
	}
	add("LDG.E R4, desc[UR4][R2.64]", "FADD R6, R6, R4", "ISETP.GE.U32.AND P0, PT, R2, R3, PT", "@!P0 BRA `(.L_x_0)", "EXIT")
	if check != "" {
		add(check+":", "BPT.TRAP 0x1")
	}
	file := filepath.Join(t.TempDir(), name+".sass")
	if err := os.WriteFile(file, []byte(s.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return "sm_90=" + file
}

// join makes one listing of two.
func join(t *testing.T, listings ...string) string {
	t.Helper()
	var all []byte
	for _, l := range listings {
		text, err := os.ReadFile(strings.TrimPrefix(l, "sm_90="))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text...)
	}
	file := filepath.Join(t.TempDir(), "joined.sass")
	if err := os.WriteFile(file, all, 0o644); err != nil {
		t.Fatal(err)
	}
	return "sm_90=" + file
}

func hex(n int) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[n>>12&15], digits[n>>8&15], digits[n>>4&15], digits[n&15]})
}

func TestRun(t *testing.T) {
	raw, checked := listing(t, "raw_x", "", 0), listing(t, "checked_x", ".L_x_9", 0)
	same, padded := listing(t, "twin_x", "", 0), listing(t, "twin_x", "", 3)
	safeChecked := listing(t, "twin_x", ".L_x_9", 0)
	unchecked := listing(t, "checked_x", "", 0)
	write := func(name, text string) string {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	reasons := func(text string) string { return write("reasons.txt", text) }
	const kernel = `"kernels": [{"name": "twin_x", "hash": "1", "relations": [], "params": [], "prefers": [{"name": "once", "facts": []}]}]`
	spec := write("spec.json", `{"schema": 1, "family": "twin", `+kernel+`, "entries": [{"name": "twin_x", "kernel": "twin_x", "params": []}]}`)
	variants := write("variants.json", `{"schema": 1, "family": "twin", `+kernel+`, "entries": [{"name": "twin_x", "kernel": "twin_x", "params": []},
		{"name": "twin_x_once", "kernel": "twin_x", "prefer": "once", "params": []}]}`)
	smaller, larger := join(t, same, listing(t, "twin_x_once", "", -1)), join(t, same, listing(t, "twin_x_once", "", 0))
	for _, c := range []struct {
		name   string
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{"equal twins", []string{"--safe", same, "--raw", raw, "--checked", checked}, 0, "| x    | sm_90 | 15 / 15      | 4 / 4       | 1 / 1 | 0 / 0  | 1 / 1    | equal |", ""},
		{"a check in the safe one", []string{"--safe", safeChecked, "--raw", raw, "--checked", checked}, 1, "FAILS", "x on sm_90: FAILS: the safe kernel has 1 traps"},
		{"a larger one", []string{"--safe", padded, "--raw", raw, "--checked", checked}, 1, "", "20 % more instructions, allowed are 5 or a reason"},
		{"a larger one with a reason", []string{"--safe", padded, "--raw", raw, "--checked", checked, "--reasons", reasons("x sm_90 20% planted")}, 0, "3 more, 20 %; planted", ""},
		{"a stale reason", []string{"--safe", same, "--raw", raw, "--checked", checked, "--reasons", reasons("x sm_90 20% planted")}, 1, "", "x sm_90: 0 % need no reason: delete it"},
		{"a checked twin without checks", []string{"--safe", same, "--raw", raw, "--checked", unchecked}, 1, "", "the checked kernel has no trap"},
		{"a smaller variant", []string{"--spec", variants, "--safe", smaller, "--raw", raw, "--checked", checked}, 0, "| x_once | sm_90 | 14 / 15      | 4 / 4       | 1 / 1 | 0 / 0  | 1 / 1    | 1 fewer |", ""},
		{"a variant that gains nothing", []string{"--spec", variants, "--safe", larger, "--raw", raw, "--checked", checked}, 1, "", "x_once on sm_90: FAILS: the variant has 15 instructions, the raw kernel 15: facts must make it smaller"},
		{"a variant that is not there", []string{"--spec", variants, "--safe", same, "--raw", raw, "--checked", checked}, 2, "", "want twin_x_once, and twin_x of which it is a variant"},
		{"a variant that no spec has", []string{"--safe", smaller, "--raw", raw, "--checked", checked}, 2, "", "of twin_x_once, raw_x_once and checked_x_once not all are there"},
		{"a missing side", []string{"--safe", same, "--raw", raw}, 2, "", "not all are there"},
		{"a kernel alone that is not", []string{"--safe", same, "--raw", raw, "--checked", checked, "--alone", "x"}, 2, "", "x is to be alone"},
		{"a side twice", []string{"--safe", same, "--safe", same}, 2, "", "sm_90 has two listings of safe twins"},
		{"no listing", nil, 2, "", "want a spec and listings by --spec, --safe, --raw and --checked"},
		{"no spec", []string{"--spec", "nowhere", "--safe", same, "--raw", raw, "--checked", checked}, 2, "", "nowhere"},
		{"no file", []string{"--safe", "sm_90=nowhere"}, 2, "", "nowhere"},
		{"not a pair", []string{"--safe", "nowhere"}, 2, "", "want ARCH=FILE"},
		{"help", []string{"-h"}, 0, "", "ARCH=FILE"},
	} {
		var stdout, stderr bytes.Buffer
		args := c.args
		if args != nil && !slices.Contains(args, "--spec") {
			args = append([]string{"--spec", spec}, args...)
		}
		code := run(args, &stdout, &stderr)
		if code != c.code || !strings.Contains(stdout.String(), c.stdout) || !strings.Contains(stderr.String(), c.stderr) {
			t.Errorf("%s: got %d\n%s%s\nwant %d, %q, %q", c.name, code, &stdout, &stderr, c.code, c.stdout, c.stderr)
		}
	}
}
