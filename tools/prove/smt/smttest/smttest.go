// Package smttest starts the solver for tests.
package smttest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/warpwright/warpwright/tools/prove/smt"
)

// Path is the solver: the one that Z3 names, under Bazel by its runfiles path, else the one on PATH.
func Path(t testing.TB) string {
	t.Helper()
	path := os.Getenv("Z3")
	if path == "" {
		found, err := exec.LookPath("z3")
		if err != nil {
			t.Fatalf("set Z3 to the solver, or have it on PATH: %v", err)
		}
		return found
	}
	if dir := os.Getenv("TEST_SRCDIR"); dir != "" && !filepath.IsAbs(path) {
		path = filepath.Join(dir, os.Getenv("TEST_WORKSPACE"), path)
	}
	return path
}

// Start starts the solver and ends it with the test.
func Start(t testing.TB, limits smt.Limits) *smt.Solver {
	t.Helper()
	s, err := smt.Start(context.Background(), Path(t), limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
