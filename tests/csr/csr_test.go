package csr_test

import (
	"testing"

	"github.com/warpwright/warpwright/tests/csrcases"
	"github.com/warpwright/warpwright/tests/harness"
)

// TestCSR runs the cases on the device that WW_DEVICE names.
func TestCSR(t *testing.T) {
	d, err := harness.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { harness.Close(t, d) })
	t.Log(harness.Describe(d))
	for _, c := range csrcases.All() {
		t.Run(c.Name, func(t *testing.T) { c.Run(t, d) })
	}
}
