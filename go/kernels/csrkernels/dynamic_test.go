package csrkernels

import (
	"path/filepath"
	"testing"

	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/kernels/dynamic/dynamictest"
)

// The interpreter of the spec says of any arguments what the generated launchers say.
func TestInterpreterAgrees(t *testing.T) {
	spec := dynamictest.Spec(t, filepath.Join("..", "..", ".."), "csr")
	left := map[string]bool{}
	for _, k := range spec.Kernels {
		left[k.Name] = true
	}
	for _, c := range []struct {
		kernel   string
		types    map[string]string
		launcher dynamictest.Launcher
	}{
		{"csr_mv_thread", map[string]string{"W": "f32", "P": "i32"}, &MvThread[float32, int32]{}},
		{"csr_mv_group", map[string]string{"W": "bf16", "P": "i64"}, &MvGroup[dtype.BFloat16, int64]{}},
		{"csr_mv_block", map[string]string{"W": "f64", "P": "i32"}, &MvBlock[float64, int32]{}},
		{"csr_mvt_group", map[string]string{"W": "f32", "P": "i64"}, &MvtGroup[float32, int64, float32]{}},
		{"csr_mvt_group", map[string]string{"W": "f16", "P": "i32"}, &MvtGroup[dtype.Float16, int32, float32]{}},
		{"csr_round", map[string]string{"W": "bf16"}, &Round[dtype.BFloat16]{}},
	} {
		delete(left, c.kernel)
		t.Run(c.kernel, func(t *testing.T) { dynamictest.Agree(t, spec, c.kernel, c.types, c.launcher, 1500) })
	}
	if len(left) > 0 {
		t.Errorf("kernels that are not compared: %v", left)
	}
}
