package ptxas

import (
	"strings"
	"testing"
)

func TestLogs(t *testing.T) {
	for _, c := range []struct{ log, want string }{
		{"ptxas info    : Compiling entry function x for y", "line 1: want an entry and an architecture"},
		{"ptxas info    : Used 3 registers", "line 1: want the registers of an entry"},
		{"    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads", "line 1: want three sizes"},
		{"ptxas info    : Compiling entry function 'x' for 'sm_90'\n    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads", "line 2: want three sizes behind a function's name"},
		{"ptxas info    : Compiling entry function 'x' for 'sm_90'\nptxas info    : Function properties for x\n    0 bytes spill stores", "line 3: want three sizes"},
		{"ptxas info    : Compiling entry function 'x' for 'sm_90'", "how many registers entry x"},
		{"ptxas info    : Compiling entry function 'x' for 'sm_90'\nptxas info    : Used no registers", "line 2: want the registers"},
		{"ptxas info    : Compiling entry function 'x' for 'sm_90'\nptxas info    : Compiling entry function 'x' for 'sm_90'", "line 2: entry x is reported twice"},
	} {
		if _, err := Parse(c.log); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.log, err, c.want)
		}
	}
}
