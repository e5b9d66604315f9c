package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommandLine(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.h")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"want --out and the headers": {"--out", "x"},
		"lemmas: open":               {"--out", "x", "none.h"},
		"lemmas: --z3":               {"--out", "x", "--z3", "no/such/z3", empty},
	} {
		var stderr bytes.Buffer
		if err := run(t.Context(), args, &stderr); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", args, err, want)
		}
	}
}
