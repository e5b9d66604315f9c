// Package safely launches the safe twins, through their generated launchers and nothing else: that every one
// of them is launched from here is judged when their images are built.
package safely

import (
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/kernels/launch"
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
	Chosen(d *device.Device) (launch.Choice, error)
	Launch(on *twinkernels.Kernels, s *device.Stream) error
}

// Launch checks the contract and launches.
func (k Kernels) Launch(l Launcher, s *device.Stream) error { return l.Launch(k.k, s) }

// Entries names every entry of the safe twins.
func Entries() []string { return twinkernels.Entries() }

// Floats is an array of the twins' element type.
type Floats = device.Slice[float32]

// Saxpy is y = a x + y.
func Saxpy(n uint64, a float32, x, y Floats) Launcher {
	return &twinkernels.Saxpy[float32]{N: n, A: a, X: x, Y: y}
}

// Saxpy4 is y = a x + y by fours; both begin at a multiple of 16 bytes.
func Saxpy4(n uint64, a float32, x, y Floats) Launcher {
	return &twinkernels.Saxpy4[float32]{N: n, A: a, X: x, Y: y}
}

// Product is C = Alpha A B + Beta C, of M by N with K between.
type Product struct {
	M, N, K     uint64
	Alpha, Beta float32
	A, B, C     Floats
}

// Gemm computes it with a thread a cell.
func (p Product) Gemm() Launcher {
	return &twinkernels.Gemm[float32]{M: p.M, N: p.N, K: p.K, Alpha: p.Alpha, Beta: p.Beta, A: p.A, B: p.B, C: p.C}
}

// GemmTiled computes it through tiles in shared memory.
func (p Product) GemmTiled() Launcher {
	return &twinkernels.GemmTiled[float32]{M: p.M, N: p.N, K: p.K, Alpha: p.Alpha, Beta: p.Beta, A: p.A, B: p.B, C: p.C}
}

// GemmSplit does so with tiles of size by size, whole ones apart from clipped ones.
func (p Product) GemmSplit(size int) Launcher {
	return &twinkernels.GemmSplit[float32]{T: size, M: p.M, N: p.N, K: p.K, Alpha: p.Alpha, Beta: p.Beta, A: p.A, B: p.B, C: p.C}
}

// Colsum is the sums of the n rows of three of each group.
func Colsum(groups, n uint64, x, y Floats) Launcher {
	return &twinkernels.Colsum[float32]{Groups: groups, N: n, X: x, Y: y}
}

// ColsumTiled is the sums of the columns of x, m by n.
func ColsumTiled(m, n uint64, x, y Floats) Launcher {
	return &twinkernels.ColsumTiled[float32]{M: m, N: n, X: x, Y: y}
}

// CsrThread is y = A x, a thread a row.
func CsrThread(rows *valid.Offsets[int32], cols *valid.Columns, weights, x, y Floats) Launcher {
	return &twinkernels.CsrThread[float32]{Rows: rows, Cols: cols, Weights: weights, X: x, Y: y}
}

// CsrWarp is y = A x, a warp a row.
func CsrWarp(rows *valid.Offsets[int32], cols *valid.Columns, weights, x, y Floats) Launcher {
	return &twinkernels.CsrWarp[float32]{Rows: rows, Cols: cols, Weights: weights, X: x, Y: y}
}
