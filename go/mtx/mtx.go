// Package mtx reads and writes sparse matrices as Matrix Market files: text with
// a header, a line of sizes, and one line for each stored entry.
//
// It takes what a sparse matrix of real numbers can be: the coordinate format,
// of real, integer and pattern fields, general, symmetric and skew-symmetric.
// Others are refused by name. Whatever the header claims, memory grows only with
// the lines that are really there.
package mtx

import (
	"fmt"
	"math"
)

// Field is what an entry's value is.
type Field uint8

// The fields.
const (
	Real    Field = iota
	Integer       // a whole number
	Pattern       // no value: the entry is there
)

// String returns the field as the header names it.
func (f Field) String() string { return name(fields, uint8(f)) }

// Symmetry says which entries follow from those that are stored.
type Symmetry uint8

// The symmetries.
const (
	General       Symmetry = iota
	Symmetric              // A[j][i] = A[i][j]; the lower triangle is stored
	SkewSymmetric          // A[j][i] = -A[i][j]; the lower triangle without the diagonal is stored
)

// String returns the symmetry as the header names it.
func (s Symmetry) String() string { return name(symmetries, uint8(s)) }

var (
	fields     = []string{"real", "integer", "pattern"}
	symmetries = []string{"general", "symmetric", "skew-symmetric"}
)

func name(names []string, i uint8) string {
	if int(i) >= len(names) {
		return fmt.Sprintf("%d", i)
	}
	return names[i]
}

// MaxDim is the most rows or columns that a matrix can have: its indices are int32.
const MaxDim = math.MaxInt32

// COO is a sparse matrix as a list of entries, in any order. Indices count from
// 0. An entry may be there more than once; whoever uses the list says what that
// means.
type COO struct {
	Rows, Cols int
	Field      Field
	Symmetry   Symmetry
	Row, Col   []int32
	Value      []float64 // nil for a Pattern
}

// NNZ returns the number of entries.
func (m *COO) NNZ() int { return len(m.Row) }

// General returns the matrix with every entry in the list, also those that follow
// from a symmetry, each behind the one that it follows from. It returns m itself
// if m is general.
func (m *COO) General() *COO {
	if m.Symmetry == General {
		return m
	}
	sign := 1.0
	if m.Symmetry == SkewSymmetric {
		sign = -1
	}
	g := &COO{Rows: m.Rows, Cols: m.Cols, Field: m.Field}
	total := len(m.Row)
	for i := range m.Row {
		if m.Row[i] != m.Col[i] {
			total++
		}
	}
	g.Row, g.Col = make([]int32, 0, total), make([]int32, 0, total)
	if m.Value != nil {
		g.Value = make([]float64, 0, total)
	}
	for i, r := range m.Row {
		c := m.Col[i]
		g.Row, g.Col = append(g.Row, r), append(g.Col, c)
		if m.Value != nil {
			g.Value = append(g.Value, m.Value[i])
		}
		if r == c {
			continue
		}
		g.Row, g.Col = append(g.Row, c), append(g.Col, r)
		if m.Value != nil {
			g.Value = append(g.Value, sign*m.Value[i])
		}
	}
	return g
}

// Validate checks what the format asks of a matrix, before it is written. Read
// returns nothing that Validate refuses.
func (m *COO) Validate() error {
	if rule := m.checkShape(); rule != "" {
		return fmt.Errorf("mtx: %s", rule)
	}
	values := len(m.Value)
	if m.Field == Pattern {
		if m.Value != nil {
			return fmt.Errorf("mtx: a pattern has no values, and there are %d", values)
		}
		values = len(m.Row)
	}
	if len(m.Row) != len(m.Col) || len(m.Row) != values {
		return fmt.Errorf("mtx: there are %d row indices, %d column indices and %d values", len(m.Row), len(m.Col), values)
	}
	for i := range m.Row {
		if rule := m.checkIndex(int64(m.Row[i])+1, int64(m.Col[i])+1); rule != "" {
			return fmt.Errorf("mtx: entry %d: %s", i, rule)
		}
		if m.Field == Integer && (m.Value[i] != math.Trunc(m.Value[i]) || math.Abs(m.Value[i]) > 1<<62) {
			return fmt.Errorf("mtx: entry %d: %v is no whole number of at most 2^62", i, m.Value[i])
		}
	}
	return nil
}

// checkShape returns the rule that sizes or header break, or nothing.
func (m *COO) checkShape() string {
	switch {
	case m.Field > Pattern:
		return fmt.Sprintf("field %d is none", m.Field)
	case m.Symmetry > SkewSymmetric:
		return fmt.Sprintf("symmetry %d is none", m.Symmetry)
	case m.Field == Pattern && m.Symmetry == SkewSymmetric:
		return "a pattern cannot be skew-symmetric: it has no signs"
	case m.Rows < 0 || m.Rows > MaxDim || m.Cols < 0 || m.Cols > MaxDim:
		return fmt.Sprintf("the matrix is %d x %d; a side has 0 to %d", m.Rows, m.Cols, MaxDim)
	case m.Symmetry != General && m.Rows != m.Cols:
		return fmt.Sprintf("the matrix is %v and %d x %d; it must be square", m.Symmetry, m.Rows, m.Cols)
	}
	return ""
}

// checkIndex returns the rule that an entry's place breaks, or nothing. Indices
// count from 1 here, as in a file.
func (m *COO) checkIndex(row, col int64) string {
	switch {
	case row < 1 || row > int64(m.Rows):
		return fmt.Sprintf("row %d is not within 1 to %d", row, m.Rows)
	case col < 1 || col > int64(m.Cols):
		return fmt.Sprintf("column %d is not within 1 to %d", col, m.Cols)
	case m.Symmetry != General && row < col:
		return fmt.Sprintf("row %d is above column %d; a %v file holds the lower triangle", row, col, m.Symmetry)
	case m.Symmetry == SkewSymmetric && row == col:
		return fmt.Sprintf("row and column are both %d; a skew-symmetric diagonal is zero and not stored", row)
	}
	return ""
}
