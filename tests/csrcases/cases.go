// Package csrcases holds the tests of go/csr that run on every device.
package csrcases

import "github.com/warpwright/warpwright/tests/harness"

// All returns every case.
func All() []harness.Case {
	cases := []harness.Case{
		{Name: "entries", Run: Entries},
		{Name: "choices", Run: Choices},
		{Name: "host vectors", Run: HostVectors},
		{Name: "repeated", Run: Repeated},
		{Name: "concurrent", Run: Concurrent},
		{Name: "capture", Run: Capture},
		{Name: "bad matrices", Run: BadMatrices},
		{Name: "bad plans", Run: BadPlans},
	}
	cases = append(cases, BadLaunches()...)
	cases = append(cases, Values()...)
	return append(cases, Shapes()...)
}
