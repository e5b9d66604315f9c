package device_test

import (
	"testing"

	"github.com/warpwright/warpwright/tests/devicecases"
	"github.com/warpwright/warpwright/tests/harness"
)

// TestDevice runs the cases on the device that WW_DEVICE names.
func TestDevice(t *testing.T) {
	d, err := harness.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { harness.Close(t, d) })
	t.Log(harness.Describe(d))
	for _, c := range devicecases.All() {
		t.Run(c.Name, func(t *testing.T) { c.Run(t, d) })
	}
}
