package ref_test

import (
	"fmt"

	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/ref"
)

// A row whose terms cancel: the result is small, what its error may be is not.
func ExampleCSR_MulVec() {
	a := ref.CSR[float32, int32]{
		Rows: 1, Cols: 3,
		Offsets: []int32{0, 3},
		Columns: []int32{0, 1, 2},
		Weights: []float32{1000, -1000, 1},
	}
	p, err := a.MulVec([]float32{1, 1, 0.5})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("y = %v from %d terms of magnitude %v\n", p.Y[0], p.Terms[0], p.Abs[0])
	fmt.Printf("an f32 kernel may be off by %.2g, an f16 one by %.2g\n", p.Bound(dtype.F32)[0], p.Bound(dtype.F16)[0])
	// Output:
	// y = 0.5 from 3 terms of magnitude 2000.5
	// an f32 kernel may be off by 0.00036, an f16 one by 0.0006
}
