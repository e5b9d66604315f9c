package axpy_test

import (
	"testing"

	"example.com/consumer/axpy"

	"github.com/warpwright/warpwright/go/device"
)

func TestAxpy(t *testing.T) {
	d, err := device.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	x, y := make([]float32, 1000), make([]float32, 1000)
	for i := range x {
		x[i], y[i] = float32(i), float32(2*i)
	}
	z, err := axpy.Axpy(d, 3, x, y)
	if err != nil {
		t.Fatal(err)
	}
	for i := range z {
		if want := float32(5 * i); z[i] != want {
			t.Fatalf("z[%d] is %v, want %v", i, z[i], want)
		}
	}
	if _, err := axpy.Axpy(d, 3, x, y[1:]); err == nil {
		t.Error("y is one element short: no error")
	}
}
