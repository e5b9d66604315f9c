package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Help is no failure; what nobody can mean is refused by its name before anything is compiled.
func TestCommandLine(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if err := run(t.Context(), []string{"--help"}, &stdout, &stderr); err != nil || !strings.Contains(stdout.String(), "-without net") {
		t.Errorf("--help: got %v, and on standard output:\n%s", err, stdout.String())
	}
	root := t.TempDir()
	for _, name := range []string{"cuda/csr/mv.cu", "cuda/include/ww/ww.h"} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte("int n = 1;\n"), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for want, args := range map[string][]string{
		`"vallues" for flag -without: no net has that name`: {"--without", "race", "--without", "vallues"},
		`no arguments but flags, not ["500"]`:               {"500"},
		"-j is 0: requires 1 or more":                       {"-j", "0"},
		"flag provided but not defined: -nn":                {"--nn", "3"},
		"-n is -3: requires 0, for all, or more":            {"-n", "-3"},
		"-patience is 0s: requires more than 0":             {"--patience", "0"},
		"-deadline is -5s: requires 0, for none, or more":   {"--deadline", "-5s"},
		`no trial is of a kernel with "csr_mw" in its name`: {"--control", "--kernel", "csr_mw"},
		`no mutant has "csr/mw.cu" in its id`:               {"--root", root, "--list", "--match", "csr/mw.cu"},
	} {
		if err := run(t.Context(), args, &stdout, &stderr); !errors.Is(err, errUsage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", args, err, want)
		}
	}
}
