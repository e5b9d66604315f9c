// Package axpy computes z = a x + y on any device.
package axpy

import (
	"example.com/consumer/axpykernels"

	"github.com/warpwright/warpwright/go/device"
)

// Axpy returns a x + y.
func Axpy(d *device.Device, a float32, x, y []float32) ([]float32, error) {
	bx, err := device.Upload(d, x)
	if err != nil {
		return nil, err
	}
	defer bx.Close()
	by, err := device.Upload(d, y)
	if err != nil {
		return nil, err
	}
	defer by.Close()
	bz, err := device.Alloc[float32](d, len(x))
	if err != nil {
		return nil, err
	}
	defer bz.Close()

	launch := axpykernels.Plain[float32]{N: uint64(len(x)), A: a, X: bx.All(), Y: by.All(), Z: bz.All()}
	if err := launch.CheckExact(d); err != nil {
		return nil, err
	}
	if !d.Launches() {
		z := make([]float32, len(x))
		for i := range x {
			z[i] = a*x[i] + y[i]
		}
		return z, nil
	}
	k, err := axpykernels.Load(d)
	if err != nil {
		return nil, err
	}
	if err := launch.Launch(k, nil); err != nil {
		return nil, err
	}
	return bz.Host(nil)
}
