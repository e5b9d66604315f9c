package gemmkernels

import (
	"path/filepath"
	"testing"

	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/kernels/dynamic/dynamictest"
)

// The interpreter of the spec says of any arguments what the generated launchers say.
func TestInterpreterAgrees(t *testing.T) {
	spec := dynamictest.Spec(t, filepath.Join("..", "..", ".."), "gemm")
	left := map[string]bool{}
	for _, k := range spec.Kernels {
		left[k.Name] = true
	}
	for _, c := range []struct {
		kernel   string
		types    map[string]string
		launcher dynamictest.Launcher
	}{
		{"gemm_cell", map[string]string{"W": "f32"}, &Cell[float32, float32]{}},
		{"gemm_cell", map[string]string{"W": "f64"}, &Cell[float64, float64]{}},
		{"gemm_cell", map[string]string{"W": "bf16"}, &Cell[dtype.BFloat16, float32]{}},
		{"gemm_tile", map[string]string{"W": "f32"}, &Tile[float32]{}},
		{"gemm_wide", map[string]string{"W": "f32"}, &Wide[float32]{}},
	} {
		delete(left, c.kernel)
		t.Run(c.kernel+"_"+c.types["W"], func(t *testing.T) { dynamictest.Agree(t, spec, c.kernel, c.types, c.launcher, 1500) })
	}
	if len(left) > 0 {
		t.Errorf("kernels that are not compared: %v", left)
	}
}
