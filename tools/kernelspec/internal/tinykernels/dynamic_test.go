package tinykernels

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/kernels/dynamic/dynamictest"
	"github.com/warpwright/warpwright/go/manifest"
)

// The interpreter of the spec says of any arguments what the generated launchers say.
func TestInterpreterAgrees(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "tiny.spec.json"))
	if err != nil {
		t.Fatal(err)
	}
	spec, err := manifest.ReadSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	for _, k := range spec.Kernels {
		left[k.Name] = true
	}
	for _, c := range []struct {
		kernel   string
		types    map[string]string
		launcher dynamictest.Launcher
	}{
		{"tiny_axpy", map[string]string{"W": "f32"}, &Axpy[float32]{}},
		{"tiny_axpy", map[string]string{"W": "f16"}, &Axpy[dtype.Float16]{}},
		{"tiny_row_sums", map[string]string{"W": "f64"}, &RowSums[float64, float64]{}},
		{"tiny_row_sums", map[string]string{"W": "bf16"}, &RowSums[dtype.BFloat16, float32]{}},
		{"tiny_count", map[string]string{"P": "i32", "F": "f32"}, &Count[int32, float32]{}},
		{"tiny_count", map[string]string{"P": "i64", "F": "f32"}, &Count[int64, float32]{}},
		{"tiny_cells", nil, &Cells{}},
		{"tiny_tiles", map[string]string{"P": "i32"}, &Tiles[int32]{}},
		{"tiny_tiles", map[string]string{"P": "i64"}, &Tiles[int64]{}},
		{"tiny_permute", map[string]string{"W": "f32"}, &Permute[float32]{}},
		{"tiny_permute", map[string]string{"W": "f64"}, &Permute[float64]{}},
		{"tiny_fill", nil, &Fill{}},
		{"tiny_shaped", map[string]string{"W": "f32"}, &Shaped[float32]{}},
		{"tiny_shaped", map[string]string{"W": "i32"}, &Shaped[int32]{}},
		{"tiny_place", map[string]string{"W": "f32"}, &Place[float32]{}},
		{"tiny_facts", map[string]string{"W": "f32"}, &Facts[float32]{}},
		{"tiny_facts", map[string]string{"W": "f16"}, &Facts[dtype.Float16]{}},
		{"tiny_offsets", nil, &Offsets{}},
		{"tiny_eight", map[string]string{"W": "f64"}, &Eight[float64]{}},
	} {
		delete(left, c.kernel)
		t.Run(c.kernel, func(t *testing.T) { dynamictest.Agree(t, spec, c.kernel, c.types, c.launcher, 1500) })
	}
	if len(left) > 0 {
		t.Errorf("kernels that are not compared: %v", left)
	}
}
