package twinbench

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/tests/harness"
	"github.com/warpwright/warpwright/tests/twins"
)

func open(t *testing.T) *device.Device {
	t.Helper()
	d, err := harness.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { harness.Close(t, d) })
	return d
}

func TestRun(t *testing.T) {
	var rows []Row
	d := open(t)
	r, err := Run(t.Context(), d, Options{Shapes: small(), Rounds: 2, Cache: 1, Progress: func(r Row) { rows = append(rows, r) }})
	if !d.Launches() {
		if !errors.Is(err, device.ErrNoKernel) {
			t.Errorf("on a device that launches nothing: got %v, want %v", err, device.ErrNoKernel)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != len(measured()) || len(rows) != len(r.Rows) {
		t.Fatalf("%d rows, %d of them told, want one for each of %d twins", len(r.Rows), len(rows), len(measured()))
	}
	for _, row := range r.Rows {
		byHand := !strings.HasSuffix(row.Twin, "_4") && !strings.HasSuffix(row.Twin, "_8")
		if !(row.Safe > 0) || byHand != (row.Raw > 0) || math.IsInf(row.Ratio(), 0) || row.Launches < row.Sets || row.Sets < 1 {
			t.Errorf("row %+v is not plausible", row)
		}
		if facts := !strings.HasPrefix(row.Twin, "colsum"); facts != (row.Variant != "") || facts != (row.Base > 0) {
			t.Errorf("row %+v: a kernel with variants takes one for such a shape", row)
		}
	}
	if line := r.Summary(); !strings.HasPrefix(line, "safe/raw: ") || strings.Contains(line, "\n") {
		t.Errorf("summary %q", line)
	}
}

// measured are all twins but those that no raw kernel does in the same way: it does not split off whole tiles.
func measured() []*twins.Twin {
	return slices.DeleteFunc(twins.All(), func(t *twins.Twin) bool { return strings.HasPrefix(t.Name, "gemm_split") })
}

// What has no raw kernel is measured beside its entry without facts, or not at all.
func TestNothingBeside(t *testing.T) {
	d := open(t)
	if !d.Launches() {
		return
	}
	only := func(twin string) bool { return twin == "csr_mv_group_8" }
	r, err := Run(t.Context(), d, Options{Shapes: small(), Only: only, Rounds: 1, Cache: 1})
	if err != nil {
		t.Fatal(err)
	}
	row := r.Rows[0]
	if len(r.Rows) != 1 || row.Variant != "once" || row.Ratio() != row.Safe/row.Base || !strings.Contains(row.String(), "safe/base") || !strings.Contains(r.Summary(), "csr_mv_group_8") {
		t.Errorf("rows %+v, %s", r.Rows, r.Summary())
	}
	large := map[string][][]int{"csr_mv_group_8": {{9001, 3, 1}}} // more rows than the emulator's grid has groups
	if _, err := Run(t.Context(), d, Options{Shapes: large, Rounds: 1, Cache: 1}); err == nil || !strings.Contains(err.Error(), "nothing to compare it with") {
		t.Errorf("a shape without a variant: %v", err)
	}
}

// Every one of them is measured on a GPU, in several sizes.
func TestLarge(t *testing.T) {
	for _, twin := range measured() {
		if len(large()[twin.Name]) < 3 || len(small()[twin.Name]) == 0 {
			t.Errorf("%s: %d large shapes, %d small", twin.Name, len(large()[twin.Name]), len(small()[twin.Name]))
		}
	}
}

// A reason covers the variant of its shape up to its share, and nothing else.
func TestReason(t *testing.T) {
	known := Row{Twin: "gemm", Shape: []int{512, 512, 512}, Raw: 100e-6, Safe: 107e-6, Variant: "whole", Base: 100e-6}
	if !known.OK() || !strings.Contains(known.String(), known.Reason()) {
		t.Errorf("%v is not excused by its reason", known)
	}
	group := Row{Twin: "csr_mv_group_8", Shape: []int{65536, 65536, 32}, Safe: 14.6e-6, Variant: "once", Base: 14.2e-6}
	if !group.OK() || !strings.Contains(group.String(), group.Reason()) {
		t.Errorf("%v is not excused by its reason", group)
	}
	if group.Shape[2] = 64; group.OK() {
		t.Errorf("%v passes", group)
	}
	slower, base, other, none := known, known, known, known
	slower.Safe, base.Base, other.Shape, none.Variant = 110e-6, 107e-6, []int{1024, 1024, 1024}, ""
	for _, row := range []Row{slower, base, other, none} {
		if row.OK() {
			t.Errorf("%+v passes", row)
		}
	}
}

func TestBounds(t *testing.T) {
	for _, c := range []struct {
		raw, safe float64
		ok        bool
	}{
		{100e-6, 100e-6, true}, {100e-6, 101.9e-6, true}, {100e-6, 102.1e-6, false}, {100e-6, 80e-6, true},
		{5e-6, 5.29e-6, true}, {5e-6, 5.31e-6, false}, {19e-6, 19.35e-6, false}, {21e-6, 21.35e-6, true},
	} {
		row := Row{Twin: "saxpy", Shape: []int{7}, Raw: c.raw, Safe: c.safe}
		if row.OK() != c.ok {
			t.Errorf("raw %v, safe %v: ok is %v", c.raw, c.safe, row.OK())
		}
		if other := (Row{Raw: c.raw, Safe: c.raw / 2, Variant: "once", Base: c.safe}); other.OK() != c.ok {
			t.Errorf("raw %v, without facts %v: ok is %v", c.raw, c.safe, other.OK())
		}
		if alone := (Row{Safe: c.safe, Variant: "once", Base: c.raw}); alone.OK() != c.ok {
			t.Errorf("without facts %v, with %v: ok is %v", c.raw, c.safe, alone.OK())
		}
		r := Report{Rows: []Row{row}}
		if (len(r.Slow()) == 0) != c.ok || strings.HasPrefix(row.String(), "SLOW") == c.ok {
			t.Errorf("%v: %d slow rows", row, len(r.Slow()))
		}
	}
	if line := (&Report{}).Summary(); line != "safe/raw: nothing was measured" {
		t.Errorf("summary of nothing: %q", line)
	}
}
