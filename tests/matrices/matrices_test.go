package matrices_test

import (
	"testing"

	"github.com/warpwright/warpwright/tests/harness"
	"github.com/warpwright/warpwright/tests/matrices"
)

// TestMatrices runs the cases on the device that WW_DEVICE names.
func TestMatrices(t *testing.T) {
	d, err := harness.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { harness.Close(t, d) })
	t.Log(harness.Describe(d))
	for _, c := range matrices.All() {
		t.Run(c.Name, func(t *testing.T) { c.Run(t, d) })
	}
}
