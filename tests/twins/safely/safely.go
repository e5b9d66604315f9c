// Package safely launches the safe twins, through their generated launchers and nothing else: that every one
// of them is launched from here is judged when their images are built.
package safely

import (
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/valid"
	"github.com/warpwright/warpwright/tests/twins/twinkernels"
)

// Kernels is the family on a device.
type Kernels struct{ k *twinkernels.Kernels }

// Load makes the family ready on d.
func Load(d *device.Device) (Kernels, error) {
	k, err := twinkernels.Load(d)
	return Kernels{k}, err
}

// Launcher is a generated launcher with its fields filled in.
type Launcher interface {
	Check(d *device.Device) error
	Launch(on *twinkernels.Kernels, s *device.Stream) error
}

// Launch checks the contract and launches.
func (k Kernels) Launch(l Launcher, s *device.Stream) error { return l.Launch(k.k, s) }

// Floats is an array of the twins' element type.
type Floats = device.Slice[float32]

// Saxpy is y = a x + y.
func Saxpy(n uint64, a float32, x, y Floats) Launcher {
	return &twinkernels.Saxpy[float32]{N: n, A: a, X: x, Y: y}
}

// CsrThread is y = A x, a thread a row.
func CsrThread(rows *valid.Offsets[int32], cols *valid.Columns, weights, x, y Floats) Launcher {
	return &twinkernels.CsrThread[float32]{Rows: rows, Cols: cols, Weights: weights, X: x, Y: y}
}

// CsrWarp is y = A x, a warp a row.
func CsrWarp(rows *valid.Offsets[int32], cols *valid.Columns, weights, x, y Floats) Launcher {
	return &twinkernels.CsrWarp[float32]{Rows: rows, Cols: cols, Weights: weights, X: x, Y: y}
}
