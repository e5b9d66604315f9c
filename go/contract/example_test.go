package contract_test

import (
	"fmt"

	"github.com/warpwright/warpwright/go/contract"
)

func ExampleParse() {
	grid, err := contract.Parse("min(cdiv(M,block/S),32*sms)")
	if err != nil {
		fmt.Println(err)
		return
	}
	blocks, err := grid.Eval(contract.Env{"M": 1000, "block": 256, "S": 8, "sms": 132})
	fmt.Println(grid, "is", blocks, err)
	_, err = contract.Parse("min(cdiv(M, 256)), 32)")
	fmt.Println(err)
	// Output:
	// min(cdiv(M, block / S), 32 * sms) is 32 <nil>
	// column 17: min takes two arguments; expected a comma, found ')'
	//   min(cdiv(M, 256)), 32)
	//                   ^
}

func ExampleRelation_Check() {
	r, err := contract.ParseRelation("len(x) >= M * K")
	if err != nil {
		fmt.Println(err)
		return
	}
	v := r.Check(contract.Env{"len(x)": 100, "M": 20, "K": 10})
	v.Kernel = "gemm"
	fmt.Println(v)
	// Output:
	// gemm: requires len(x) >= M * K: left side is 100, right side is 200
}

func ExampleChecked() {
	var c contract.Checked
	n := c.Mul(1<<33, 1<<33)
	fmt.Println(n, c.OK())
	// Output: 0 false
}
