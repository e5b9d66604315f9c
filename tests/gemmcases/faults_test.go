package gemmcases

import (
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/gemm"
	"github.com/warpwright/warpwright/tests/harness"
)

// TestFaults plants what a kernel or a test could do wrong behind a right product, and wants the comparison to
// trip over each.
func TestFaults(t *testing.T) {
	type operands struct{ a, b, c gemm.Matrix[float32] }
	for _, c := range []struct {
		name  string
		beta  float64
		fault func(p *problem[float32], o operands)
		words string
	}{
		{"a cell is left unwritten", 0, func(_ *problem[float32], o operands) { o.c.Cells().Host()[7] = float32(math.NaN()) }, "a NaN or an infinity on one side only"},
		{"a cell is left as it was", 1, func(p *problem[float32], o operands) { o.c.Cells().Host()[7] = p.C[7] }, "[7] got"},
		{"beta is left out", 1, func(p *problem[float32], o operands) {
			for i := range p.C {
				o.c.Cells().Host()[i] -= p.C[i]
			}
		}, "not within their bound"},
		{"the last term is left out", 1, func(p *problem[float32], o operands) {
			o.c.Cells().Host()[0] -= float32(p.Alpha) * p.A[p.K-1] * p.B[(p.K-1)*p.N]
		}, "1 of 63 f32 elements"},
		{"a row is written to its neighbour", 0, func(p *problem[float32], o operands) {
			v := o.c.Cells().Host()
			copy(v[p.N:], v)
		}, "not within their bound"},
		{"the truth has a wrong last digit", 0, func(p *problem[float32], _ operands) { p.truth.Y[5] += 2.5 * p.bound[5] }, "[5] got"},
		{"a is written", 0, func(_ *problem[float32], o operands) { o.a.Cells().Host()[3]++ }, "A[3] of 35 has changed"},
		{"b is written", 0, func(_ *problem[float32], o operands) { o.b.Cells().Host()[4]++ }, "B[4] of 45 has changed"},
		{"the cell after c is written", 0, func(_ *problem[float32], o operands) { *at(o.c, 63) = 0 }, "C[63] of 63 has changed"},
		{"the cell before c is written", 0, func(_ *problem[float32], o operands) { *at(o.c, -1) = 0 }, "C[-1] of 63 has changed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := device.Open(t.Context(), device.WithKind("cpu"))
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			p := drawn[float32](t, 7, 9, 5, 1.5, c.beta)
			plan, err := gemm.NewPlan[float32](d, 7, 9, 5)
			if err != nil {
				t.Fatal(err)
			}
			if share := p.verify(t, d, "without fault", plan.Multiply); !(share <= 1) {
				t.Fatalf("the right product is %g of its bound off", share)
			}
			var log strings.Builder
			summary := harness.Run(t.Context(), &log, d, false, []harness.Case{{Name: c.name, Run: func(t harness.T, d *device.Device) {
				p.verify(t, d, "with fault", func(s *device.Stream, alpha float64, x, y gemm.Matrix[float32], beta float64, z gemm.Matrix[float32]) error {
					err := plan.Multiply(s, alpha, x, y, beta, z)
					c.fault(p, operands{x, y, z})
					return err
				})
			}}})
			if len(summary.Failed) != 1 || !strings.Contains(log.String(), c.words) {
				t.Errorf("the fault was not found for what it is; want %q:\n%s", c.words, log.String())
			}
		})
	}
}

// at is where cell i of a matrix is or, as no right program may ask, would be.
func at(m gemm.Matrix[float32], i int) *float32 {
	return (*float32)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(m.Cells().Host())), 4*i))
}
