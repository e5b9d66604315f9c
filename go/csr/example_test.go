package csr_test

import (
	"context"
	"fmt"
	"log"

	"github.com/warpwright/warpwright/go/csr"
	"github.com/warpwright/warpwright/go/device"
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
	// csr: gather (y = A x): csr.MulVec: requires len(x) == Cols: left side is 3, right side is 4
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
	for range 3 { // x = Aᵀ A x, three times
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
