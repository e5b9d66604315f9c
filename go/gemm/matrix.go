package gemm

import (
	"fmt"
	"math/bits"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
)

// Matrix is a matrix on a device, row by row in a part of a buffer. Its zero value has neither rows nor
// columns.
type Matrix[W dtype.Float] struct {
	rows, cols int
	cells      device.Slice[W]
}

// NewMatrix is the matrix that fills the slice: rows * cols cells. It copies nothing.
func NewMatrix[W dtype.Float](rows, cols int, cells device.Slice[W]) (Matrix[W], error) {
	if err := checkCells("gemm.NewMatrix", "cells", rows, cols, cells.Len()); err != nil {
		return Matrix[W]{}, err
	}
	return Matrix[W]{rows, cols, cells}, nil
}

// Rows is the number of rows.
func (m Matrix[W]) Rows() int { return m.rows }

// Cols is the number of columns.
func (m Matrix[W]) Cols() int { return m.cols }

// Cells is the memory that the matrix lies in.
func (m Matrix[W]) Cells() device.Slice[W] { return m.cells }

// String is the shape: "3 x 4".
func (m Matrix[W]) String() string { return shape(m.rows, m.cols) }

func shape(rows, cols int) string { return fmt.Sprintf("%d x %d", rows, cols) }

// checkCells refuses what is no matrix of rows by cols.
func checkCells(op, param string, rows, cols, n int) error {
	if rows < 0 || cols < 0 {
		return &contract.ArgError{Kernel: op, Param: param, Rule: fmt.Sprintf("must have rows and columns >= 0: it is %s", shape(rows, cols))}
	}
	over, cells := bits.Mul64(uint64(rows), uint64(cols))
	if over != 0 {
		return &contract.ArgError{Kernel: op, Param: param, Rule: fmt.Sprintf("must have fewer than 2^64 cells: it is %s", shape(rows, cols))}
	}
	if uint64(n) != cells {
		return &contract.Violation{Kernel: op, Relation: fmt.Sprintf("len(%s) == rows * columns of %s", param, shape(rows, cols)), Left: uint64(n), Right: cells}
	}
	return nil
}
