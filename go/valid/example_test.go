package valid_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/valid"
)

// A proof holds until something writes the array.
func Example() {
	d, err := device.Open(context.Background(), device.WithKind("cpu"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	cols, err := valid.NewColumns(d, []int32{2, 0, 4, 1}, 5)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cols.Close()
	fmt.Println(cols.Entries(), "indices below", cols.Columns(), cols.Proved())

	part, err := cols.Slice().Slice(3, 4)
	if err == nil {
		err = part.Zero(nil) // one element, through a slice of a slice
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(cols.Proved())
	fmt.Println(errors.Is(cols.Proved(), valid.ErrStale))
	// Output:
	// 4 indices below 5 <nil>
	// columns: written after it was validated: 1 write since
	// true
}

func ExampleCheckOffsets() {
	fmt.Println(valid.CheckOffsets([]int32{0, 2, 2, 5}, 5))
	fmt.Println(valid.CheckOffsets([]int64{0, 3, 2, 5}, 5))
	fmt.Println(valid.CheckOffsets([]int32{0, 2, 4}, 5))
	// Output:
	// <nil>
	// invalid array: offsets[2] is 2: requires offsets[2] >= offsets[1] = 3
	// invalid array: offsets[2] is 4: requires the last offset = number of entries = 5
}

func ExampleCheckColumns() {
	fmt.Println(valid.CheckColumns([]int32{2, 0, 5}, 5))
	// Output: invalid array: columns[2] is 5: requires 0 <= column < 5
}

// Two rows of three connections each.
func ExampleCheckFixed() {
	fmt.Println(valid.CheckFixed([]int32{2, 0, 1, 4, 5, 0}, 2, 3, 5))
	fmt.Println(valid.CheckFixed([]int32{2, 0, 1, 4}, 2, 3, 5))
	// Output:
	// invalid array: columns[4] is 5: requires 0 <= column < 5: it is connection 1 of row 1
	// invalid array: columns: there are 4: requires rows * connections = 2 * 3
}

func ExampleCheckPermutation() {
	fmt.Println(valid.CheckPermutation([]int32{2, 0, 3, 1}))
	fmt.Println(valid.CheckPermutation([]int32{2, 0, 3, 0}))
	// Output:
	// <nil>
	// invalid array: permutation[3] is 0: requires each element once: permutation[1] is the same
}

func ExampleCheckSegments() {
	fmt.Println(valid.CheckSegments([]int32{0, 0, 2, 2, 3}, 4))
	fmt.Println(valid.CheckSegments([]int32{0, 2, 1}, 4))
	// Output:
	// <nil>
	// invalid array: segments[2] is 1: requires segments[2] >= segments[1] = 2
}

func ExampleCheckFinite() {
	zero := 0.0
	fmt.Println(valid.CheckFinite([]float64{1, -2, 1 / zero}))
	// Output: invalid array: values[2] is +Inf: requires finite numbers
}
