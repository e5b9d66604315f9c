package faults

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of the pieces into docs/planted-faults.md")

// bench is the tools, once for all tests.
var bench *Workshop

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "faults")
		if err == nil {
			defer os.RemoveAll(dir)
			bench, err = OpenWorkshop(root(), dir)
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

// pieces are those at hand: under Bazel one in each test of one.
func pieces(t *testing.T) []*Piece {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root(), "tests", "faults", "pieces", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no pieces: %v", err)
	}
	var out []*Piece
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Parse(strings.TrimSuffix(filepath.Base(name), ".txtar"), string(text))
		if err != nil {
			t.Error(err)
			continue
		}
		out = append(out, p)
	}
	return out
}

// TestPieces judges every piece.
func TestPieces(t *testing.T) {
	for _, p := range pieces(t) {
		if testing.Short() && bench.toolkit == nil && p.NeedsToolkit() {
			t.Logf("%s is left out: %v", p.Name, errNoToolkit)
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			if err := bench.Judge(p); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTable compares the page with the pieces.
func TestTable(t *testing.T) {
	name := filepath.Join(root(), "docs", "planted-faults.md")
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Renew(string(page), pieces(t))
	if err != nil {
		t.Fatal(err)
	}
	if want == string(page) {
		return
	}
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Error("docs/planted-faults.md is not what the pieces say; run: go test ./tests/faults -run TestTable -update")
}
