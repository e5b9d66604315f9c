package twins_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/device/emu"
	"github.com/warpwright/warpwright/tests/harness"
	"github.com/warpwright/warpwright/tests/twins"
)

// TestChecksTrap: a checked twin still has its checks. Each of its arrays in turn is said to be one element
// shorter than it is, and the kernel, which uses them to the end, must trap.
func TestChecksTrap(t *testing.T) {
	d, err := harness.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { harness.Close(t, d) })
	shapes := map[string][]int{
		"n": {257}, "m n k": {17, 15, 3}, "rows columns entries-a-row": {29, 3, 33}, "groups rows": {2, 33}, "m n": {9, 33},
	}
	for _, twin := range twins.All() {
		if twin.Of != "" || !slices.Contains(twin.Variants(), twins.Checked) {
			continue // its checked kernel is another's, or it has none
		}
		for i := 0; ; i++ {
			p, err := twin.New(d, shapes[twin.Form], 1, false)
			if err != nil {
				t.Fatal(err)
			}
			n := p.Arrays()
			err = p.Short(nil, i)
			var report *emu.Report
			switch {
			case !d.Launches(): // plain go test has nothing to launch on
				if !errors.Is(err, device.ErrNoKernel) {
					t.Errorf("%s: got %v, want %v", twin.Name, err, device.ErrNoKernel)
				}
			case !errors.As(err, &report) || !strings.Contains(err.Error(), "the kernel called __trap"):
				t.Errorf("%s, array %d of %d short by one: got %v, want a trap", twin.Name, i, n, err)
			}
			harness.Close(t, p)
			if i == n-1 {
				break
			}
		}
	}
}
