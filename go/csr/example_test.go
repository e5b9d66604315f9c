package csr_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/csr"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/mtx"
)

// A is 3 x 4:
//
//	0 2 0 1
//	0 0 0 0
//	5 0 0 3
func matrix() csr.Host[float32, int32] {
	return csr.Host[float32, int32]{
		Rows: 3, Cols: 4,
		Offsets: []int32{0, 2, 2, 4},
		Columns: []int32{1, 3, 0, 3},
		Weights: []float32{2, 1, 5, 3},
	}
}

// Vectors in host memory: the shortest way.
func ExampleMatrix_MulVec() {
	ctx := context.Background()
	dev, err := device.Open(ctx, device.WithKind("cpu"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	m, err := csr.New(dev, matrix())
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()

	y, err := m.MulVec(ctx, []float32{1, 10, 100, 1000})
	fmt.Println(y, err)
	x, err := m.MulVecT(ctx, []float32{1, 10, 100})
	fmt.Println(x, err)
	_, err = m.MulVec(ctx, []float32{1, 2, 3})
	fmt.Println(err)
	// Output:
	// [1020 0 3005] <nil>
	// [500 2 0 301] <nil>
	// csr: gather (y = A x) with A 3 x 4: csr.MulVec: requires len(x) == Cols: left side is 3, right side is 4
}

// Vectors that stay on the device: make a plan, then multiply as often as you like.
func ExamplePlan() {
	ctx := context.Background()
	dev, err := device.Open(ctx, device.WithKind("cpu"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	m, err := csr.New(dev, matrix())
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	p, err := csr.NewPlan(m)
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	fmt.Println(m)
	fmt.Println(p.Choice(csr.Gather).Kernel)

	x, err := device.Upload(dev, []float32{1, 1, 1, 1})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	y, err := device.Alloc[float32](dev, m.Rows())
	if err != nil {
		log.Fatal(err)
	}
	defer y.Close()
	stream, err := dev.NewStream()
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close()
	fmt.Println(p.MulVec(stream, x.All(), y.All())) // K is the number of columns
	for range 3 {                                   // x = Aᵀ A x, three times
		if err := p.MulVec(stream, y.All(), x.All()); err != nil {
			log.Fatal(err)
		}
		if err := p.MulVecT(stream, x.All(), y.All()); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(x.Host(stream))
	// Output:
	// 3 x 4 f32 matrix of 4 entries, a weight each, i32 offsets
	// Go
	// csr: gather (y = A x) with A 3 x 4: csr_mv_group_f32_i32_each_32: requires len(x) == K: left side is 3, right side is 4
	// [48355 2076 0 30051] <nil>
}

// What is no matrix is refused before anything is uploaded, with the first offender.
func ExampleNew() {
	dev, err := device.Open(context.Background(), device.WithKind("cpu"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	h := matrix()
	h.Columns[2] = 4
	_, err = csr.New(dev, h)
	fmt.Println(err)
	// Output:
	// csr: new matrix of 3 x 4: invalid array: columns[2] is 4: requires 0 <= column < 4
}

// What refuses a product can be read by programs: which operator, which rule, and both its sides.
func ExampleMatrix_MulVecT() {
	ctx := context.Background()
	dev, err := device.Open(ctx, device.WithKind("cpu"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	m, err := csr.New(dev, matrix())
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()

	_, err = m.MulVecT(ctx, make([]float32, 7))
	var v *contract.Violation
	if errors.As(err, &v) {
		fmt.Printf("%s requires %s: %d against %d\n", v.Kernel, v.Relation, v.Left, v.Right)
	}
	// Output:
	// csr.MulVecT requires len(x) == Rows: 7 against 3
}

// A plan says what serves it. Tiers lists what a direction can be served by.
func ExampleWithTier() {
	dev, err := device.Open(context.Background(), device.WithKind("cpu"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	m, err := csr.New(dev, matrix())
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()

	tiers := csr.Tiers(csr.Gather)
	p, err := csr.NewPlan(m, csr.Only(csr.Gather), csr.WithTier(csr.Gather, tiers[2]))
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	fmt.Println(p.Choice(csr.Gather).Tier)
	_, err = csr.NewPlan(m, csr.WithTier(csr.Scatter, tiers[2]))
	fmt.Println(err)
	// Output:
	// csr_mv_group with 8 lanes a row
	// csr: new plan: WithTier: scatter (y = Aᵀ x) has no tier csr_mv_group with 8 lanes a row: requires one of: csr_mvt_group with 4 lanes a row; csr_mvt_group with 8 lanes a row; csr_mvt_group with 32 lanes a row
}

// A Matrix Market file, whose entries may repeat.
func ExampleFromMTX() {
	file, err := mtx.Read(strings.NewReader(`%%MatrixMarket matrix coordinate real general
2 3 4
2 3 1
1 1 2
2 3 0.5
2 1 4
`))
	if err != nil {
		log.Fatal(err)
	}
	h, err := csr.FromMTX[float32](file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(h.Offsets, h.Columns, h.Weights)
	h, err = h.SumDuplicates()
	fmt.Println(h.Offsets, h.Columns, h.Weights, err)
	// Output:
	// [0 1 4] [0 2 2 0] [2 1 0.5 4]
	// [0 1 3] [0 0 2] [2 4 1.5] <nil>
}
