package gemm_test

import (
	"testing"

	"github.com/warpwright/warpwright/tests/gemmcases"
	"github.com/warpwright/warpwright/tests/harness"
)

// TestGemm runs the cases on the device that WW_DEVICE names.
func TestGemm(t *testing.T) {
	d, err := harness.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { harness.Close(t, d) })
	t.Log(harness.Describe(d))
	for _, c := range gemmcases.All() {
		t.Run(c.Name, func(t *testing.T) { c.Run(t, d) })
	}
}
