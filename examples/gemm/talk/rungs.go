// Package talk is a talk about bounds checks as a program: one matrix product, a thread a cell, written four times. At every
// rung of the ladder the same checks are made less often, until none is left for the device:
//
//	every access   an index beyond its array stops the kernel
//	once a thread  a thread checks its row, its column and its cell before its loop
//	once a launch  the contract, checked on the host
//	never          raw pointers
//
// What must be equal is the result, bit for bit; what is compared is time and machine code. The kernels are the twins of tests/twins,
// which do the same operations in the same order: go/gemm's own stand beyond the ladder.
package talk

import (
	"fmt"

	"github.com/warpwright/warpwright/bench"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/gemm"
	"github.com/warpwright/warpwright/go/kernels/gemmkernels"
	"github.com/warpwright/warpwright/go/kernels/launch"
	"github.com/warpwright/warpwright/tests/twins/safely"
)

// Product is what a rung computes.
type Product = bench.Product

// Rung is one way to write the product.
type Rung struct {
	Name  string // when its checks are made: "every access"
	Entry string // the kernel that serves the product
	// Launch puts the product on a stream. On a raw rung nothing keeps it inside its arrays but what the rung itself checks.
	Launch func(s *device.Stream, p *Product) error
}

// The rungs' names.
const (
	EveryAccess = "every access"
	OnceAThread = "once a thread"
	OnceALaunch = "once a launch"
	Never       = "never"
	// No rungs: where the ladder leads.
	WithFacts = "once a launch, by facts"
	InTiles   = "once a launch, in tiles"
)

// Rungs are all four, from the most checks to none. The device was opened with device.WithRawKernels.
func Rungs(d *device.Device) ([]Rung, error) {
	var rungs []Rung
	for _, one := range []struct {
		name    string
		find    func() (*device.Kernel, error) // each name stands as a constant, for the build to see
		lengths bool                           // whether an array's length stands behind it among the arguments
		check   func(p *Product) error         // before the launch
	}{
		{EveryAccess, func() (*device.Kernel, error) { return d.Kernel("checked_gemm_f32") }, true, unchecked},
		{OnceAThread, func() (*device.Kernel, error) { return d.Kernel("once_gemm_f32") }, true, unchecked},
		// The contract is the launcher's. The entry is that which relies on nothing else, as its raw twin does: the launcher
		// would take a faster one where it can.
		{OnceALaunch, func() (*device.Kernel, error) { return d.Kernel("twin_gemm_f32") }, false, func(p *Product) error { return twin(p).Check(d) }},
		{Never, func() (*device.Kernel, error) { return d.Kernel("raw_gemm_f32") }, false, unchecked},
	} {
		k, err := one.find()
		if err != nil {
			return nil, fmt.Errorf("talk: checked %s: %w", one.name, err)
		}
		rungs = append(rungs, Rung{one.name, k.Name(), func(s *device.Stream, p *Product) error {
			if err := one.check(p); err != nil {
				return err
			}
			return bare(k, s, p, one.lengths)
		}})
	}
	return rungs, nil
}

func unchecked(*Product) error { return nil }

// Beyond are go/gemm's own launches of the same product: with what facts of the shape let the kernel leave out, and in tiles,
// clipped where they do not divide it. They serve products of p's shape, whose operands are as aligned as p's.
func Beyond(d *device.Device, p *Product) ([]Rung, error) {
	kernels, err := gemmkernels.Load(d)
	if err != nil {
		return nil, fmt.Errorf("talk: %w", err)
	}
	chosen, err := cell(p).Chosen(d)
	if err != nil {
		return nil, fmt.Errorf("talk: %w", err)
	}
	var tiles gemm.Tier // the highest
	for _, tier := range gemm.Tiers[float32]() {
		if tier.Rows > 0 {
			tiles = tier
		}
	}
	plan, err := gemm.NewPlan[float32](d, p.M, p.N, p.K, gemm.WithTier(tiles))
	if err != nil {
		return nil, fmt.Errorf("talk: %w", err)
	}
	return []Rung{
		{WithFacts, chosen.Entry, func(s *device.Stream, p *Product) error { return cell(p).Launch(kernels, s) }},
		{InTiles, plan.Choice().Entry, bench.MultiplyBy(plan)},
	}, nil
}

// twin is the launch of the safe twin.
func twin(p *Product) safely.Launcher {
	return safely.Product{
		M: uint64(p.M), N: uint64(p.N), K: uint64(p.K), Alpha: p.Alpha, A: p.A, B: p.B, Beta: p.Beta, C: p.C,
	}.Gemm()
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
