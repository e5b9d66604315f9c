package csr

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/mtx"
)

func read(t *testing.T, file string) *mtx.COO {
	t.Helper()
	m, err := mtx.Read(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestFromMTX(t *testing.T) {
	for _, one := range []struct {
		name, file string
		offsets    []int64
		columns    []int32
		weights    []float32
	}{
		{"general", "%%MatrixMarket matrix coordinate real general\n3 4 4\n3 4 1.5\n1 2 2\n3 1 -1\n3 4 0.5\n",
			[]int64{0, 1, 1, 4}, []int32{1, 3, 0, 3}, []float32{2, 1.5, -1, 0.5}},
		{"symmetric", "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n2 1 3\n2 2 7\n",
			[]int64{0, 1, 3}, []int32{1, 0, 1}, []float32{3, 3, 7}},
		{"skew", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n",
			[]int64{0, 1, 2}, []int32{1, 0}, []float32{-3, 3}},
		{"pattern", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 1\n",
			[]int64{0, 1, 2}, []int32{0, 0}, []float32{1}},
		{"empty", "%%MatrixMarket matrix coordinate real general\n0 0 0\n", []int64{0}, []int32{}, []float32{}},
	} {
		t.Run(one.name, func(t *testing.T) {
			h, err := FromMTX[float32](read(t, one.file))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(h.Offsets, one.offsets) || !slices.Equal(h.Columns, one.columns) || !slices.Equal(h.Weights, one.weights) {
				t.Errorf("got %+v, want offsets %v, columns %v, weights %v", h, one.offsets, one.columns, one.weights)
			}
			back, err := ToMTX(h)
			if err != nil {
				t.Fatal(err)
			}
			again, err := FromMTX[float32](back)
			if err != nil || !slices.Equal(again.Offsets, h.Offsets) || !slices.Equal(again.Columns, h.Columns) || !slices.Equal(again.Weights, h.Weights) {
				t.Errorf("there and back: %+v, error %v", again, err)
			}
			var text bytes.Buffer
			if err := mtx.Write(&text, back); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFromMTXRefuses(t *testing.T) {
	const big = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 70000\n"
	if _, err := FromMTX[dtype.Float16](read(t, big)); err == nil || !strings.Contains(err.Error(), "entry (0, 0): 70000 is beyond f16") {
		t.Errorf("70000 in f16: %v", err)
	}
	if _, err := FromMTX[float32](read(t, big)); err != nil {
		t.Errorf("70000 in f32: %v", err)
	}
	if _, err := FromMTX[float32](&mtx.COO{Rows: 1, Cols: 1, Row: []int32{0}, Col: []int32{1}, Value: []float64{1}}); err == nil {
		t.Error("a column outside the matrix was taken")
	}
}

func TestSumDuplicates(t *testing.T) {
	h := Host[float32, int32]{
		Rows: 3, Cols: 3, Offsets: []int32{0, 3, 3, 5},
		Columns: []int32{2, 0, 2, 1, 1}, Weights: []float32{1, 2, 0.5, 4, -4},
	}
	got, err := h.SumDuplicates()
	if err != nil {
		t.Fatal(err)
	}
	// The two that cancel stay, as a zero: the place is still there.
	if !slices.Equal(got.Offsets, []int32{0, 2, 2, 3}) || !slices.Equal(got.Columns, []int32{0, 2, 1}) || !slices.Equal(got.Weights, []float32{2, 1.5, 0}) {
		t.Errorf("got %+v", got)
	}
	h.Weights = []float32{3}
	if got, err = h.SumDuplicates(); err != nil || !slices.Equal(got.Weights, []float32{3, 6, 6}) {
		t.Errorf("one weight for all: got %+v, error %v", got, err)
	}
	h.Weights = []float32{math.MaxFloat32}
	if _, err := h.SumDuplicates(); err == nil || !strings.Contains(err.Error(), "entry (0, 2)") {
		t.Errorf("a sum beyond f32: %v", err)
	}
	h.Offsets = []int32{0, 3, 9, 5}
	if _, err := h.SumDuplicates(); err == nil || !strings.HasPrefix(err.Error(), "csr.SumDuplicates: invalid array: offsets[3] is 5") {
		t.Errorf("offsets outside the arrays: %v", err)
	}
	if _, err := ToMTX(h); err == nil || !strings.HasPrefix(err.Error(), "csr.ToMTX: invalid array: offsets[3] is 5") {
		t.Errorf("offsets outside the arrays are to be written: %v", err)
	}
	h.Rows = 4
	if _, err := ToMTX(h); err == nil || err.Error() != "csr.ToMTX: requires len(Offsets) == Rows + 1: left side is 4, right side is 5" {
		t.Errorf("too few offsets are to be written: %v", err)
	}
}

// A tiny file must not make the program take memory for the rows that it merely declares.
func TestFromMTXBoundsRows(t *testing.T) {
	m := &mtx.COO{Rows: 1<<31 - 1, Cols: 1, Field: mtx.Pattern, Row: []int32{0}, Col: []int32{0}}
	_, err := FromMTX[float32](m)
	if err == nil || !strings.Contains(err.Error(), "2147483647 rows with 1 entries") {
		t.Errorf("got %v, want an error that names the rows, the entries and the rule", err)
	}
}
