// Package csr multiplies sparse matrices with vectors, on every device.
//
// A matrix is validated once, when New uploads it; from then on its index arrays carry that proof and no
// product checks them again. A Plan, made from a matrix, holds what its products need: which kernel
// serves it and why, and the workspace. A plan's products take vectors on the device:
//
//	m, err := csr.New(dev, csr.Host[float32, int32]{Rows: 2, Cols: 3, Offsets: o, Columns: c, Weights: w})
//	p, err := csr.NewPlan(m)
//	err = p.MulVec(stream, y.All(), x.All())  // y = A x
//	err = p.MulVecT(stream, x.All(), y.All()) // x = Aᵀ y
//
// Matrix.MulVec and Matrix.MulVecT are the same for vectors in host memory.
//
// Rows may be empty, columns need no order, and entries with the same row and column sum. Results are
// accumulated in float64 for float64 matrices and in float32 for all others, and rounded once.
//
// The package imports device, valid and the generated launchers; programs import it.
package csr
