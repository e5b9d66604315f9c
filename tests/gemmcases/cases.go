// Package gemmcases holds the tests of go/gemm that run on every device.
package gemmcases

import (
	"slices"

	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/tests/harness"
)

// All returns every case.
func All() []harness.Case {
	return slices.Concat(
		[]harness.Case{
			{Name: "gemm entries", Run: Entries},
			{Name: "gemm choices", Run: Choices},
			{Name: "gemm host matrices", Run: HostMatrices},
			{Name: "gemm repeated", Run: Repeated},
			{Name: "gemm capture", Run: Capture},
			{Name: "gemm bad plans", Run: BadPlans},
			{Name: "gemm bad shapes", Run: BadShapes},
		},
		ofTypes[float32](), ofTypes[float64](), ofTypes[dtype.Float16](), ofTypes[dtype.BFloat16](),
	)
}

// ofTypes are the cases of one element type.
func ofTypes[W dtype.Float]() []harness.Case {
	name := dtype.Of[W]().String()
	return []harness.Case{
		{Name: "gemm shapes/" + name, Run: Shapes[W]},
		{Name: "gemm values/" + name, Run: Values[W]},
		{Name: "gemm nothing between/" + name, Run: NothingBetween[W]},
		{Name: "gemm bad launches/" + name, Run: BadLaunches[W]},
	}
}
