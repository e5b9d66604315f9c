// Package talk is a talk about bounds checks as a program: one matrix product, a thread a cell, written four times. At every
// rung of the ladder the same checks are made less often, until none is left for the device:
//
//	every access   an index beyond its array stops the kernel
//	once a thread  a thread checks its row, its column and its cell before its loop
//	once a launch  the contract, checked on the host; the kernel is go/gemm's own
//	never          raw pointers
//
// What must be equal is the result, bit for bit; what is compared is time and machine code.
package talk

import (
	"fmt"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/kernels/gemmkernels"
	"github.com/warpwright/warpwright/go/kernels/launch"
)

// Product is C = Alpha A B + Beta C, of M by N with K between, row by row in memory.
type Product struct {
	M, N, K     int
	Alpha, Beta float32
	A, B, C     device.Slice[float32]
}

// Rung is one way to write the product.
type Rung struct {
	Name string // when its checks are made: "every access"
	// entry names the kernel that serves the product.
	entry func(p *Product) (string, error)
	// launch puts the product on a stream.
	launch func(s *device.Stream, p *Product) error
}

// Launch puts the product on a stream. On a raw rung nothing keeps it inside its arrays but what the rung itself checks.
func (r Rung) Launch(s *device.Stream, p *Product) error { return r.launch(s, p) }

// Entry names the kernel that serves the product.
func (r Rung) Entry(p *Product) (string, error) { return r.entry(p) }

// named is an entry that serves all products.
func named(entry string) func(*Product) (string, error) {
	return func(*Product) (string, error) { return entry, nil }
}

// The rungs' names.
const (
	EveryAccess = "every access"
	OnceAThread = "once a thread"
	OnceALaunch = "once a launch"
	Never       = "never"
	InTiles     = "once a launch, in tiles" // no rung: where the ladder leads
)

// Rungs are all four, from the most checks to none. The device was opened with device.WithRawKernels.
func Rungs(d *device.Device) ([]Rung, error) {
	kernels, err := gemmkernels.Load(d)
	if err != nil {
		return nil, fmt.Errorf("talk: %w", err)
	}
	safe := Rung{
		Name: OnceALaunch,
		entry: func(p *Product) (string, error) {
			chosen, err := cell(p).Chosen(d)
			return chosen.Entry, err
		},
		launch: func(s *device.Stream, p *Product) error { return cell(p).Launch(kernels, s) },
	}
	var rungs []Rung
	for _, raw := range []struct {
		name    string
		find    func() (*device.Kernel, error) // each name stands as a constant, for the build to see
		lengths bool                           // whether an array's length stands behind it among the arguments
	}{
		{EveryAccess, func() (*device.Kernel, error) { return d.Kernel("checked_gemm_f32") }, true},
		{OnceAThread, func() (*device.Kernel, error) { return d.Kernel("once_gemm_f32") }, true},
		{Never, func() (*device.Kernel, error) { return d.Kernel("raw_gemm_f32") }, false},
	} {
		k, err := raw.find()
		if err != nil {
			return nil, fmt.Errorf("talk: checked %s: %w", raw.name, err)
		}
		if raw.name == Never {
			rungs = append(rungs, safe)
		}
		rungs = append(rungs, Rung{raw.name, named(k.Name()), func(s *device.Stream, p *Product) error { return bare(k, s, p, raw.lengths) }})
	}
	return rungs, nil
}

// cell is the launch of go/gemm's kernel, by its generated launcher.
func cell(p *Product) *gemmkernels.Cell[float32, float32] {
	return &gemmkernels.Cell[float32, float32]{
		M: uint64(p.M), N: uint64(p.N), K: uint64(p.K), Alpha: p.Alpha, A: p.A, B: p.B, Beta: p.Beta, C: p.C,
	}
}

// bare launches a raw kernel.
func bare(k *device.Kernel, s *device.Stream, p *Product, lengths bool) error {
	const side = 16 // of a block
	slots := make([]uint64, 0, 11)
	slots = append(slots, uint64(p.M), uint64(p.N), uint64(p.K), launch.Word(p.Alpha))
	pass := func(x device.Slice[float32]) {
		r := x.Range()
		slots = append(slots, r.Lo)
		if lengths {
			slots = append(slots, uint64(x.Len()))
		}
	}
	pass(p.A)
	pass(p.B)
	slots = append(slots, launch.Word(p.Beta))
	pass(p.C)
	return k.Launch(s, device.Config{
		Grid:  device.Dim3{X: uint32((p.N + side - 1) / side), Y: uint32((p.M + side - 1) / side), Z: 1},
		Block: device.Dim3{X: side, Y: side, Z: 1},
	}, slots)
}
