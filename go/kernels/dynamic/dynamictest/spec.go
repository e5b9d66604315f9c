package dynamictest

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/warpwright/warpwright/go/manifest"
)

// Spec is a family's spec: what the build has made of it, or what kernelspec writes where no build has. root is the
// repository's, seen from the test.
func Spec(t *testing.T, root, family string) *manifest.Spec {
	t.Helper()
	file := filepath.Join(root, "cuda", family, family+".spec.json")
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		file = filepath.Join(t.TempDir(), "spec.json")
		var sources []string
		if sources, err = filepath.Glob(filepath.Join(root, "cuda", family, "*.cu")); err != nil {
			t.Fatal(err)
		}
		args := []string{"run", "./tools/kernelspec", "--family", family, "--include", "cuda/include", "--out-spec", file}
		for _, s := range sources {
			args = append(args, "cuda/"+family+"/"+filepath.Base(s))
		}
		cmd := exec.Command("go", args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("kernelspec: %v\n%s", err, out)
		}
		text, err = os.ReadFile(file)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := manifest.ReadSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
