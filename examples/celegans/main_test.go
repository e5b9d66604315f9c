package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/device"
)

func ask(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Setenv(device.EnvDevice, "cpu")
	var out, err bytes.Buffer
	code = run(append([]string{"-matrix", "testdata/little.mtx", "-names", "testdata/little.names.txt"}, args...), &out, &err)
	return code, out.String(), err.String()
}

func TestTables(t *testing.T) {
	code, got, stderr := ask(t, "-cells", "A,B", "-tables")
	const want = `They drive (y = Aᵀ x)         They are driven by (y = A x)
  synapses cell                 synapses cell
         7 C                           7 D
         3 B                           3 A
`
	if code != 0 || got != want {
		t.Errorf("exit code %d, stderr %s, got\n%swant\n%s", code, stderr, got, want)
	}
}

func TestReport(t *testing.T) {
	code, got, stderr := ask(t, "-cells", "D", "-top", "1")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, want := range []string{
		"4 cells, 4 connections, 17 chemical synapses", "Active: D", "Device: Go on", "kernel  Go", "why ", "error   at most 0 against float64; the bound is ", "time ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the report has no %q:\n%s", want, got)
		}
	}
	for _, want := range []string{"... reading the connectome", "... opening a device", "... scatter"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no progress %q:\n%s", want, stderr)
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, one := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"-cells", "A,Z"}, 1, `there is no cell "Z" among the 4 of testdata/little.names.txt`},
		{[]string{"-cells", ","}, 1, "names no cell"},
		{[]string{"-names", "testdata/little.mtx"}, 1, "testdata/little.mtx has 7 names, testdata/little.mtx has 4 cells"},
		{[]string{"-matrix", "testdata/none.mtx"}, 1, "testdata/none.mtx"},
		{[]string{"-matrix", ""}, 1, "bazel run //:quickstart"},
		{[]string{"-celss", "A"}, 2, "not defined"},
	} {
		if code, _, stderr := ask(t, one.args...); code != one.code || !strings.Contains(stderr, one.want) {
			t.Errorf("%q: exit code %d, want %d; stderr %q, want %q in it", one.args, code, one.code, stderr, one.want)
		}
	}
}
