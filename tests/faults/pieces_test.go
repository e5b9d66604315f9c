package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// workshop is the tools, once for all tests.
var workshop *Workshop

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "faults")
		if err == nil {
			defer os.RemoveAll(dir)
			workshop, err = OpenWorkshop(root(), dir)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// root is the repository's: under Bazel, which has built the tools, the working folder; else two above.
func root() string {
	if os.Getenv(envKernelspec) != "" {
		return "."
	}
	return filepath.Join("..", "..")
}

// TestPieces judges every piece.
func TestPieces(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(root(), "tests", "faults", "pieces", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no pieces: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			p, err := Parse(filepath.Base(name), string(text))
			if err == nil {
				err = workshop.Judge(p)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}
