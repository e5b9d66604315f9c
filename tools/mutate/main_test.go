package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// Help is no failure; what nobody can mean is refused by its name before anything is compiled.
func TestCommandLine(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if err := run(t.Context(), []string{"--help"}, &stdout, &stderr); err != nil || !strings.Contains(stdout.String(), "-without net") {
		t.Errorf("--help: got %v, and on standard output:\n%s", err, stdout.String())
	}
	for want, args := range map[string][]string{
		`"vallues" for flag -without: no net has that name`: {"--without", "race", "--without", "vallues"},
		`no arguments but flags, not ["500"]`:               {"500"},
		"-j is 0: requires 1 or more":                       {"-j", "0"},
		"flag provided but not defined: -nn":                {"--nn", "3"},
	} {
		if err := run(t.Context(), args, &stdout, &stderr); !errors.Is(err, errUsage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", args, err, want)
		}
	}
}
