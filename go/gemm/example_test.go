package gemm_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/gemm"
)

// Matrices in host memory: the shortest way.
func ExampleMultiply() {
	ctx := context.Background()
	dev, err := device.Open(ctx, device.WithKind("cpu"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	a := gemm.Host[float32]{Rows: 2, Cols: 3, Cells: []float32{
		1, 2, 3,
		4, 5, 6,
	}}
	b := gemm.Host[float32]{Rows: 3, Cols: 2, Cells: []float32{
		1, 0,
		0, 1,
		10, 100,
	}}
	c, err := gemm.Multiply(ctx, dev, a, b)
	fmt.Println(c, err)
	_, err = gemm.Multiply(ctx, dev, a, a)
	fmt.Println(err)
	// Output:
	// {2 2 [31 302 64 605]} <nil>
	// gemm: (2 x 3) * (2 x 3): gemm.Multiply: argument b must have as many rows as a has columns: a is 2 x 3, b is 2 x 3
}

// Matrices that stay on the device: make a plan, then multiply as often as you like.
func ExamplePlan() {
	ctx := context.Background()
	dev, err := device.Open(ctx, device.WithKind("cpu"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	p, err := gemm.NewPlan[float64](dev, 2, 2, 2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Choice().Kernel)

	// One buffer for all three: what counts is that C shares nothing with A and B.
	cells, err := device.Upload(dev, []float64{
		0, 1, 1, 0, // A exchanges rows
		1, 2, 3, 4, // B
		1, 1, 1, 1, // C
	})
	if err != nil {
		log.Fatal(err)
	}
	defer cells.Close()
	matrix := func(i int) gemm.Matrix[float64] {
		part, err := cells.All().Slice(4*i, 4*i+4)
		if err != nil {
			log.Fatal(err)
		}
		m, err := gemm.NewMatrix(2, 2, part)
		if err != nil {
			log.Fatal(err)
		}
		return m
	}
	a, b, c := matrix(0), matrix(1), matrix(2)
	if err := p.Multiply(nil, 2, a, b, 0.5, c); err != nil {
		log.Fatal(err)
	}
	all, err := cells.Host(nil)
	fmt.Println(all[8:], err)
	err = p.Multiply(nil, 1, a, c, 0, c)
	fmt.Println(errors.Is(err, contract.ErrContract), strings.Contains(err.Error(), "argument c must not overlap b, which the kernel reads"))
	// Output:
	// Go
	// [6.5 8.5 2.5 4.5] <nil>
	// true true
}

// Sizes are compared before anything is launched; the error names both.
func ExamplePlan_Multiply() {
	dev, err := device.Open(context.Background(), device.WithKind("cpu"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	p, err := gemm.NewPlan[float32](dev, 3, 5, 4)
	if err != nil {
		log.Fatal(err)
	}
	cells, err := device.Alloc[float32](dev, 20)
	if err != nil {
		log.Fatal(err)
	}
	defer cells.Close()
	_, err = gemm.NewMatrix(3, 4, cells.All())
	fmt.Println(err)
	m, err := gemm.NewMatrix(4, 5, cells.All())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Multiply(nil, 1, m, m, 0, m))
	// Output:
	// gemm.NewMatrix: requires len(cells) == rows * columns of 3 x 4: left side is 20, right side is 12
	// gemm: (4 x 5) * (4 x 5): gemm.Multiply: argument b must have as many rows as a has columns: a is 4 x 5, b is 4 x 5
}
