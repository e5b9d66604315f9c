package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCommittedLaunchers says when a committed launchers.go is not what its sources give. It serves
// plain `go test`; in Bazel the launchers are built, and a diff test beside each says the same.
func TestCommittedLaunchers(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	families, err := filepath.Glob("go/kernels/*kernels")
	if err != nil || len(families) == 0 {
		t.Fatalf("no committed launchers: %v", err)
	}
	for _, dir := range append(families, "tests/twins/twinkernels", "tests/matrices/matrixkernels") {
		pkg := filepath.Base(dir)
		family := pkg[:len(pkg)-len("kernels")]
		from := "cuda/" + family + "/*.cu"
		switch family {
		case "twin":
			from = "tests/twins/safe*.cu"
		case "matrix":
			from = "tests/matrices/*.cu"
		}
		sources, err := filepath.Glob(from)
		if err != nil {
			t.Fatal(err)
		}
		tiers, err := filepath.Glob("cuda/sm_*/" + family + ".tiers.json")
		if err != nil {
			t.Fatal(err)
		}
		args := []string{"--check", "--family", family, "--include", "cuda/include", "--out-launchers", filepath.Join(dir, "launchers.go")}
		for _, name := range tiers {
			args = append(args, "--tiers", name)
		}
		if err := run(append(args, sources...), os.Stderr); err != nil {
			t.Errorf("%v\nor: ./bazelw run //%s:%s_renew", err, dir, pkg)
		}
	}
}
