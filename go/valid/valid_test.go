package valid

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/device"
)

func open(t *testing.T) *device.Device {
	t.Helper()
	d, err := device.Open(context.Background(), device.WithKind("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func TestCheckOffsets(t *testing.T) {
	for _, c := range []struct {
		offsets []int32
		entries int
		want    string
	}{
		{[]int32{0}, 0, ""},
		{[]int32{0, 0, 0}, 0, ""},
		{[]int32{0, 2, 2, 5}, 5, ""},
		{[]int32{}, 0, "offsets are empty: requires rows + 1 of them"},
		{[]int32{1, 2}, 2, "offsets[0] is 1: requires offsets[0] = 0"},
		{[]int32{0, 3, 2, 5}, 5, "offsets[2] is 2: requires offsets[2] >= offsets[1] = 3"},
		{[]int32{0, -1, 5}, 5, "offsets[1] is -1: requires offsets[1] >= offsets[0] = 0"},
		{[]int32{0, 2, 4}, 5, "offsets[2] is 4: requires the last offset = number of entries = 5"},
		{[]int32{0, 2, 6}, 5, "offsets[2] is 6: requires the last offset = number of entries = 5"},
		{[]int32{0, math.MaxInt32, math.MinInt32}, 5, "offsets[2] is -2147483648: requires"},
	} {
		check(t, fmt.Sprint(c.offsets), CheckOffsets(c.offsets, c.entries), c.want)
	}
	check(t, "64 bits", CheckOffsets([]int64{0, 1 << 40}, 1<<40), "")
}

func TestCheckColumns(t *testing.T) {
	for _, c := range []struct {
		columns []int32
		k       int
		want    string
	}{
		{nil, 0, ""},
		{[]int32{0, 4, 4}, 5, ""},
		{[]int32{0, 5, 9}, 5, "columns[1] is 5: requires 0 <= column < 5"},
		{[]int32{0, 1, -1}, 5, "columns[2] is -1: requires 0 <= column < 5"},
		{[]int32{0}, 0, "columns[0] is 0: requires 0 <= column < 0"},
	} {
		check(t, fmt.Sprint(c.columns), CheckColumns(c.columns, c.k), c.want)
	}
}

// refusals are what the other checks say of arrays that break their rules.
func TestRefusals(t *testing.T) {
	nan, inf := float32(math.NaN()), math.Inf(-1)
	const i32 = "<= 2147483647, since indices are 32-bit"
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"fixed", CheckFixed([]int32{0, 4, 2, 1, 3, 0}, 2, 3, 5), ""},
		{"fixed of nothing", CheckFixed(nil, 0, 7, 0), ""},
		{"fixed of empty rows", CheckFixed(nil, 7, 0, 5), ""},
		{"fixed outside", CheckFixed([]int32{0, 4, 2, 1, 5, 0}, 2, 3, 5), "columns[4] is 5: requires 0 <= column < 5: it is connection 1 of row 1"},
		{"fixed below", CheckFixed([]int32{0, 4, -2, 1, 5, 0}, 3, 2, 5), "columns[2] is -2: requires 0 <= column < 5: it is connection 0 of row 1"},
		{"fixed too short", CheckFixed([]int32{0, 4, 2}, 2, 2, 5), "columns: there are 3: requires rows * connections = 2 * 2"},
		{"fixed that wraps", CheckFixed(nil, 1<<32, 1<<32, 5), "there are 0: requires rows * connections = 4294967296 * 4294967296"},
		{"fixed of negative size", CheckFixed([]int32{0}, -1, -1, 5), "-1 rows of -1 connections: requires both to be >= 0"},
		{"fixed of many columns", CheckFixed(nil, 0, 0, 1<<31), "2147483648 columns: requires 0 <= columns " + i32},
		{"columns of negative size", CheckColumns(nil, -1), "-1 columns: requires 0 <= columns " + i32},
		{"permutation", CheckPermutation([]int32{2, 0, 1}), ""},
		{"permutation of nothing", CheckPermutation(nil), ""},
		{"permutation outside", CheckPermutation([]int32{2, 0, 3}), "permutation[2] is 3: requires 0 <= element < 3"},
		{"permutation below", CheckPermutation([]int32{-1, 0, 3}), "permutation[0] is -1: requires 0 <= element < 3"},
		{"permutation twice", CheckPermutation([]int32{2, 0, 3, 0}), "permutation[3] is 0: requires each element once: permutation[1] is the same"},
		{"segments", CheckSegments([]int32{0, 0, 2, 2, 4}, 5), ""},
		{"segments of nothing", CheckSegments(nil, 0), ""},
		{"segments fall", CheckSegments([]int32{0, 3, 2, 7}, 5), "segments[2] is 2: requires segments[2] >= segments[1] = 3"},
		{"segments outside", CheckSegments([]int32{0, 3, 5, 2}, 5), "segments[2] is 5: requires 0 <= segment < 5"},
		{"segments end outside", CheckSegments([]int32{0, 3, 5}, 5), "segments[2] is 5: requires 0 <= segment < 5"},
		{"segments below", CheckSegments([]int32{-3, 3}, 5), "segments[0] is -3: requires 0 <= segment < 5"},
		{"segments fall below", CheckSegments([]int32{0, -3}, 5), "segments[1] is -3: requires 0 <= segment < 5"},
		{"segments of negative number", CheckSegments(nil, -5), "-5 segments: requires 0 <= segments " + i32},
		{"finite", CheckFinite([]float32{0, -1, math.MaxFloat32, -0x1p-149}), ""},
		{"NaN", CheckFinite([]float32{0, nan}), "values[1] is NaN: requires finite numbers"},
		{"infinite", CheckFinite([]float64{0, -1, inf}), "values[2] is -Inf: requires finite numbers"},
	} {
		check(t, c.name, c.err, c.want)
	}
}

func check(t *testing.T, name string, err error, want string) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return
	}
	if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: got %v, want %s", name, err, want)
	}
}

// What the checks accept can be walked without leaving the arrays; one spoilt element is found.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 2000 {
		rows, k := r.IntN(20), 1+r.IntN(20)
		offsets := make([]int32, 1, rows+1)
		var columns []int32
		for range rows {
			for range r.IntN(5) {
				columns = append(columns, int32(r.IntN(k)))
			}
			offsets = append(offsets, int32(len(columns)))
		}
		if err := errors.Join(CheckOffsets(offsets, len(columns)), CheckColumns(columns, k)); err != nil {
			t.Fatal(err)
		}
		bad := slices.Clone(offsets)
		i := r.IntN(len(bad))
		bad[i] += int32(len(columns) + 1)
		if err := CheckOffsets(bad, len(columns)); !errors.Is(err, ErrInvalid) {
			t.Fatalf("%v of %d entries: got %v", bad, len(columns), err)
		}
		if len(columns) > 0 {
			columns[r.IntN(len(columns))] += int32(k)
			if err := CheckColumns(columns, k); !errors.Is(err, ErrInvalid) {
				t.Fatalf("%v below %d: got %v", columns, k, err)
			}
		}
	}
}

func TestHandles(t *testing.T) {
	d := open(t)
	rows := must(NewOffsets(d, []int64{0, 1, 3}, 3))(t)
	cols := must(NewColumns(d, []int32{2, 0, 6}, 7))(t)
	fixed := must(NewFixed(d, []int32{2, 0, 6, 1, 1, 1}, 3, 2, 7))(t)
	order := must(NewPermutation(d, []int32{1, 0, 3, 2}))(t)
	ids := must(NewSegments(d, []int32{0, 4, 4}, 5))(t)
	values := must(NewFinite(d, []float64{1, 2}))(t)
	got := []uint64{rows.Rows(), rows.Entries(), cols.Columns(), cols.Entries(), fixed.Rows(), fixed.Connections(), fixed.Columns(),
		order.Len(), ids.Segments(), ids.Entries(), values.Len()}
	if want := []uint64{2, 3, 7, 3, 3, 2, 7, 4, 5, 3, 2}; !slices.Equal(got, want) {
		t.Errorf("the handles' sizes are %v, want %v", got, want)
	}
	for name, h := range map[string]interface {
		Proved() error
		Close() error
	}{"offsets": rows, "columns": cols, "fixed": fixed, "permutation": order, "segments": ids, "values": values} {
		if err := h.Proved(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		switch h := h.(type) {
		case interface{ Slice() device.Slice[int32] }:
			touch(h.Slice().Range())
		case interface{ Slice() device.Slice[int64] }:
			touch(h.Slice().Range())
		case interface{ Slice() device.Slice[float64] }:
			touch(h.Slice().Range())
		}
		if err := h.Proved(); !errors.Is(err, ErrStale) || !strings.Contains(err.Error(), "1 write since") {
			t.Errorf("%s after a write: got %v", name, err)
		}
		if err := errors.Join(h.Close(), h.Close()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := h.Proved(); !errors.Is(err, device.ErrClosed) {
			t.Errorf("%s closed: got %v", name, err)
		}
	}
	for name, err := range map[string]error{
		"offsets":     last(NewOffsets(d, []int64{0, 1}, 3)),
		"columns":     last(NewColumns(d, []int32{1}, 1)),
		"fixed":       last(NewFixed(d, []int32{1}, 1, 1, 1)),
		"permutation": last(NewPermutation(d, []int32{1})),
		"segments":    last(NewSegments(d, []int32{1}, 1)),
		"values":      last(NewFinite(d, []float64{math.NaN()})),
	} {
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := last(NewColumns(nil, nil, 0)); !errors.Is(err, device.ErrNoDevice) || !strings.Contains(err.Error(), "columns") {
		t.Errorf("without a device: got %v", err)
	}
}

func touch(r device.Range) { r.Touch() }

func last[V any](_ V, err error) error { return err }

func must[V any](v V, err error) func(t *testing.T) V {
	return func(t *testing.T) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// The zero value is harmless and proves nothing.
func TestZero(t *testing.T) {
	var (
		rows   Offsets[int32]
		cols   Columns
		fixed  Fixed
		order  Permutation
		ids    Segments
		values Finite[float32]
	)
	if rows.Rows() != 0 || rows.Entries() != 0 || cols.Columns() != 0 || cols.Entries() != 0 || rows.Slice().Len() != 0 || cols.Slice().Len() != 0 ||
		fixed.Rows() != 0 || order.Len() != 0 || ids.Entries() != 0 || values.Len() != 0 {
		t.Error("the zero value has elements")
	}
	for _, h := range []interface {
		Proved() error
		Close() error
	}{&rows, &cols, &fixed, &order, &ids, &values} {
		if err := h.Proved(); !errors.Is(err, ErrInvalid) {
			t.Errorf("%T: got %v", h, err)
		}
		if err := h.Close(); err != nil {
			t.Errorf("%T: %v", h, err)
		}
	}
}
