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
	rows, err := NewOffsets(d, []int64{0, 1, 3}, 3)
	if err != nil {
		t.Fatal(err)
	}
	cols, err := NewColumns(d, []int32{2, 0, 6}, 7)
	if err != nil {
		t.Fatal(err)
	}
	if rows.Rows() != 2 || rows.Entries() != 3 || cols.Columns() != 7 || cols.Entries() != 3 {
		t.Errorf("got %d rows, %d entries; %d columns, %d entries", rows.Rows(), rows.Entries(), cols.Columns(), cols.Entries())
	}
	if err := errors.Join(rows.Proved(), cols.Proved()); err != nil {
		t.Error(err)
	}
	r := cols.Slice().Range()
	r.Touch()
	if err := cols.Proved(); !errors.Is(err, ErrStale) {
		t.Errorf("after a write: got %v", err)
	}
	if err := errors.Join(rows.Close(), rows.Close(), cols.Close()); err != nil {
		t.Error(err)
	}
	if _, err := NewOffsets(d, []int64{0, 1}, 3); !errors.Is(err, ErrInvalid) {
		t.Errorf("got %v", err)
	}
	if _, err := NewColumns(d, []int32{1}, 1); !errors.Is(err, ErrInvalid) {
		t.Errorf("got %v", err)
	}
	for _, k := range []int{-1, math.MaxInt32 + 1} {
		if _, err := NewColumns(d, nil, k); !errors.Is(err, ErrInvalid) {
			t.Errorf("%d columns: got %v", k, err)
		}
	}
}

// The zero value is harmless and proves nothing.
func TestZero(t *testing.T) {
	var rows Offsets[int32]
	var cols Columns
	if rows.Rows() != 0 || rows.Entries() != 0 || cols.Columns() != 0 || cols.Entries() != 0 || rows.Slice().Len() != 0 || cols.Slice().Len() != 0 {
		t.Error("the zero value has elements")
	}
	if !errors.Is(rows.Proved(), ErrInvalid) || !errors.Is(cols.Proved(), ErrInvalid) {
		t.Errorf("got %v, %v", rows.Proved(), cols.Proved())
	}
	if err := errors.Join(rows.Close(), cols.Close()); err != nil {
		t.Error(err)
	}
}
