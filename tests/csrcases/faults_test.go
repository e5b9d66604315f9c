package csrcases

import (
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/warpwright/warpwright/go/csr"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/tests/harness"
)

// TestFaults plants what a kernel or a test could do wrong behind a right product, and wants each
// comparison to trip over it.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault func(p *problem[float32], y, x device.Slice[float32])
		words string
	}{
		{"an empty row is left unwritten", func(p *problem[float32], y, _ device.Slice[float32]) {
			for i, n := range p.truth[csr.Gather].Terms {
				if n == 0 {
					y.Host()[i] = float32(math.NaN())
					return
				}
			}
		}, "a NaN or an infinity on one side only"},
		{"the truth has a wrong last digit", func(p *problem[float32], _, _ device.Slice[float32]) {
			// The last of the digits that the bound tells apart.
			truth := p.truth[csr.Gather]
			truth.Y[2] += 2.5 * truth.Bound(dtype.F32)[2]
		}, "1 of 29 f32 elements are not within their bound"},
		{"a result is off by a part in a thousand", func(_ *problem[float32], y, _ device.Slice[float32]) {
			y.Host()[2] *= 1.001
		}, "[2] got"},
		{"a row is written to its neighbour", func(_ *problem[float32], y, _ device.Slice[float32]) {
			v := y.Host()
			copy(v[1:], v)
		}, "not within their bound"},
		{"x is written", func(_ *problem[float32], _, x device.Slice[float32]) {
			x.Host()[3]++
		}, "x has changed at 3 of 17"},
		{"the element after y is written", func(_ *problem[float32], y, _ device.Slice[float32]) {
			*at(y, y.Len()) = 0
		}, "y[29] has been written; y has 29 elements"},
		{"the element before y is written", func(_ *problem[float32], y, _ device.Slice[float32]) {
			*at(y, -1) = 0
		}, "y[-1] has been written"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := device.Open(t.Context(), device.WithKind("cpu"))
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			s := shape{name: "ragged", rows: 29, cols: 17, row: upTo(9)}
			p := newProblem(t, d, s.name, build[float32, int32](s, each, 1), each)
			defer p.m.Close()
			plan, err := csr.NewPlan(p.m)
			if err != nil {
				t.Fatal(err)
			}
			defer plan.Close()
			product := plan.MulVec
			if share := p.verify(t, "without fault", csr.Gather, product); !(share <= 1) {
				t.Fatalf("the right product is %g of its bound off", share)
			}
			var log strings.Builder
			summary := harness.Run(t.Context(), &log, d, false, []harness.Case{{Name: c.name, Run: func(t harness.T, d *device.Device) {
				p.verify(t, "with fault", csr.Gather, func(s *device.Stream, y, x device.Slice[float32]) error {
					err := product(s, y, x)
					c.fault(p, y, x)
					return err
				})
			}}})
			if len(summary.Failed) != 1 || !strings.Contains(log.String(), c.words) {
				t.Errorf("the fault was not found for what it is; want %q:\n%s", c.words, log.String())
			}
		})
	}
}

// at is where element i of a slice is or, as no right program may ask, would be.
func at(s device.Slice[float32], i int) *float32 {
	return (*float32)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(s.Host())), 4*i))
}
