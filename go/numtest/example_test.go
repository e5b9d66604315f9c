package numtest_test

import (
	"fmt"

	"github.com/warpwright/warpwright/go/numtest"
	"github.com/warpwright/warpwright/go/ref"

	"github.com/warpwright/warpwright/go/dtype"
)

// A product is compared with its ground truth under the bound that ref derives.
func ExampleCheck() {
	a := ref.CSR[float32, int32]{
		Rows: 2, Cols: 2,
		Offsets: []int32{0, 2, 3},
		Columns: []int32{0, 1, 1},
		Weights: []float32{1, 2, 3},
	}
	truth, err := a.MulVec([]float32{0.5, 0.25})
	if err != nil {
		fmt.Println(err)
		return
	}
	bound := truth.Bound(dtype.F32)

	fmt.Println(numtest.Check([]float32{1, 0.75}, truth.Y, bound).OK())
	fmt.Println(numtest.Check([]float32{1, 0.76}, truth.Y, bound).Err())
	// Output:
	// true
	// numtest: 1 of 2 f32 elements are not within their bound
	//   worst: [1] got 0.7599999904632568, want 0.75, error 0.01, bound 4.47e-08 (2.24e+05 of the bound)
	//   [1] got 0.7599999904632568, want 0.75, error 0.01, bound 4.47e-08
}
