package twincases

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/tests/harness"
	"github.com/warpwright/warpwright/tests/twins"
)

// TestFaults plants in results what a kernel could do wrong, and wants the comparison to trip over it. Results
// are computed in Go here, on a device whose memory the test can reach.
func TestFaults(t *testing.T) {
	d, err := device.Open(t.Context(), device.WithKind("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { harness.Close(t, d) })
	for _, c := range []struct {
		fault string
		plant func(p *twins.Problem, v twins.Variant)
		words string
	}{
		{"none", func(*twins.Problem, twins.Variant) {}, ""},
		{"one variant's last bit differs", func(p *twins.Problem, v twins.Variant) {
			if v == twins.Raw {
				y := p.Output().Slice().Host()
				y[3] = math.Nextafter32(y[3], 9)
			}
		}, "saxpy([9]): [3] is"},
		{"all are wrong alike", func(p *twins.Problem, _ twins.Variant) { p.Output().Slice().Host()[8] *= 1.001 }, "saxpy([9]) safe: "},
		{"an element is left as it was", func(p *twins.Problem, _ twins.Variant) {
			p.Output().Slice().Host()[0] = p.Output().First()[0]
		}, "[0] got"},
		{"the element behind y is written", func(p *twins.Problem, v twins.Variant) {
			if v == twins.Checked {
				all := p.Output().Buffer.All().Host()
				all[len(all)-5] = 1
			}
		}, "saxpy([9]) checked: y[9] of 9 has become 1: it is not the result's"},
		{"the element before y is written", func(p *twins.Problem, _ twins.Variant) { p.Output().Buffer.All().Host()[4] = 1 }, "y[-1] of 9 has become 1"},
		{"x is written", func(p *twins.Problem, _ twins.Variant) { p.Array("x").Slice().Host()[2] = 7 }, "x[2] of 9 has become 7"},
	} {
		t.Run(c.fault, func(t *testing.T) {
			var log strings.Builder
			s := harness.Run(t.Context(), &log, d, true, []harness.Case{{Name: c.fault, Run: func(t harness.T, d *device.Device) {
				p, err := twins.All()[0].New(d, []int{9}, 1, true)
				if err != nil {
					t.Fatalf("%v", err)
				}
				defer harness.Close(t, p)
				judge(t, p, twins.All()[0].Variants(), func(p *twins.Problem, v twins.Variant) error {
					y, x := p.Output().Slice().Host(), p.Array("x").Slice().Host()
					for i := range y {
						y[i] += float32(-1.7) * x[i]
					}
					c.plant(p, v)
					return nil
				})
			}}})
			if s.OK() != (c.words == "") || !strings.Contains(log.String(), c.words) {
				t.Errorf("want a failure with %q:\n%s", c.words, log.String())
			}
		})
	}
}

// TestLaunchFails: a launch that fails is a failure of its case.
func TestLaunchFails(t *testing.T) {
	d, err := device.Open(t.Context(), device.WithKind("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { harness.Close(t, d) })
	mine := errors.New("mine")
	var log strings.Builder
	s := harness.Run(t.Context(), &log, d, false, []harness.Case{{Name: "fails", Run: func(t harness.T, d *device.Device) {
		p, err := twins.All()[0].New(d, []int{9}, 1, true)
		if err != nil {
			t.Fatalf("%v", err)
		}
		defer harness.Close(t, p)
		judge(t, p, twins.All()[0].Variants(), func(*twins.Problem, twins.Variant) error { return mine })
	}}})
	if s.OK() || strings.Count(log.String(), "mine") != len(twins.All()[0].Variants()) {
		t.Errorf("%s", log.String())
	}
}
