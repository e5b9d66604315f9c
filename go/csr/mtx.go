package csr

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/mtx"
	"github.com/warpwright/warpwright/go/valid"
)

// A file of a few bytes may declare billions of rows, and offsets would take memory for each. Up to
// sparseRows are taken in any case, more only with an entry for every rowsPerEntry of them.
const (
	sparseRows   = 1 << 28
	rowsPerEntry = 16
)

// FromMTX sorts a Matrix Market matrix into rows, the entries that follow from a symmetry included. The
// values of a pattern are one single weight, 1. A finite value that W can only call infinite is an error.
//
// Entries that stand in the same place are kept, each its own and in the order of the file: products
// sum them. SumDuplicates joins them.
func FromMTX[W dtype.Float](m *mtx.COO) (Host[W, int64], error) {
	if err := m.Validate(); err != nil {
		return Host[W, int64]{}, fmt.Errorf("csr: %w", err)
	}
	if most := max(sparseRows, rowsPerEntry*len(m.Row)); m.Rows > most {
		return Host[W, int64]{}, fmt.Errorf("csr: %d rows with %d entries: requires rows <= max(2^28, 16 * entries) = %d, since offsets take 8 bytes a row", m.Rows, len(m.Row), most)
	}
	m = m.General()
	h := Host[W, int64]{
		Rows: m.Rows, Cols: m.Cols,
		Offsets: make([]int64, m.Rows+1),
		Columns: make([]int32, m.NNZ()),
		Weights: make([]W, m.NNZ()),
	}
	for _, r := range m.Row {
		h.Offsets[r+1]++
	}
	for r := range m.Rows {
		h.Offsets[r+1] += h.Offsets[r]
	}
	if m.Field == mtx.Pattern {
		h.Weights = []W{dtype.FromFloat64[W](1)}
	}
	next := slices.Clone(h.Offsets)
	for i, r := range m.Row {
		at := next[r]
		next[r]++
		h.Columns[at] = m.Col[i]
		if m.Field == mtx.Pattern {
			continue
		}
		w, err := weight[W](int(r), m.Col[i], m.Value[i])
		if err != nil {
			return Host[W, int64]{}, err
		}
		h.Weights[at] = w
	}
	return h, nil
}

// weight rounds the value of an entry.
func weight[W dtype.Float](row int, column int32, v float64) (W, error) {
	w := dtype.FromFloat64[W](v)
	if math.IsInf(dtype.ToFloat64(w), 0) && !math.IsInf(v, 0) {
		return w, fmt.Errorf("csr: entry (%d, %d): %v is beyond %s, whose largest number is %v", row, column, v, dtype.Of[W](), dtype.Of[W]().Max())
	}
	return w, nil
}

// ToMTX lists a matrix's entries by row, as package mtx writes them: a general matrix of real values,
// or a pattern where a single weight is 1 for all.
func ToMTX[W dtype.Float, P dtype.Offset](h Host[W, P]) (*mtx.COO, error) {
	one, err := h.whole("csr.ToMTX")
	if err != nil {
		return nil, err
	}
	m := &mtx.COO{Rows: h.Rows, Cols: h.Cols, Row: make([]int32, len(h.Columns)), Col: slices.Clone(h.Columns)}
	for r := range h.Rows {
		for i := h.Offsets[r]; i < h.Offsets[r+1]; i++ {
			m.Row[i] = int32(r)
		}
	}
	if one && dtype.ToFloat64(h.Weights[0]) == 1 {
		m.Field = mtx.Pattern
	} else {
		m.Value = make([]float64, len(h.Columns))
		for i := range m.Value {
			m.Value[i] = h.weight(i, one)
		}
	}
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("csr: %w", err)
	}
	return m, nil
}

// SumDuplicates returns the matrix with each row sorted by column and entries in the same place joined:
// their weights are added in float64 and rounded once. Every entry of the result has its own weight.
func (h Host[W, P]) SumDuplicates() (Host[W, P], error) {
	one, err := h.whole("csr.SumDuplicates")
	if err != nil {
		return Host[W, P]{}, err
	}
	out := Host[W, P]{Rows: h.Rows, Cols: h.Cols, Offsets: make([]P, h.Rows+1), Columns: []int32{}, Weights: []W{}}
	var row []int // of entries, by column
	for r := range h.Rows {
		row = row[:0]
		for i := h.Offsets[r]; i < h.Offsets[r+1]; i++ {
			row = append(row, int(i))
		}
		slices.SortStableFunc(row, func(a, b int) int { return cmp.Compare(h.Columns[a], h.Columns[b]) })
		for i := 0; i < len(row); {
			column, sum := h.Columns[row[i]], 0.0
			for ; i < len(row) && h.Columns[row[i]] == column; i++ {
				sum += h.weight(row[i], one)
			}
			w, err := weight[W](r, column, sum)
			if err != nil {
				return Host[W, P]{}, err
			}
			out.Columns, out.Weights = append(out.Columns, column), append(out.Weights, w)
		}
		out.Offsets[r+1] = P(len(out.Columns))
	}
	return out, nil
}

// whole returns an error unless the arrays are a matrix, for an operator, and whether one weight stands for all.
func (h *Host[W, P]) whole(op string) (one bool, err error) {
	if one, err = h.check(op, options{}); err != nil {
		return false, err
	}
	if err := valid.CheckOffsets(h.Offsets, len(h.Columns)); err != nil {
		return false, fmt.Errorf("%s: %w", op, err)
	}
	if err := valid.CheckColumns(h.Columns, h.Cols); err != nil {
		return false, fmt.Errorf("%s: %w", op, err)
	}
	return one, nil
}

// weight is that of an entry.
func (h *Host[W, P]) weight(entry int, one bool) float64 {
	if one {
		entry = 0
	}
	return dtype.ToFloat64(h.Weights[entry])
}
