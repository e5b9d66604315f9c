// Package gemm multiplies dense matrices, on every device:
//
//	C = alpha A B + beta C
//
// where A has m rows and k columns, B has k rows and n columns, and C is m by n. Matrices lie row by row,
// each row right behind the one before it. A Plan, made for one shape, holds which kernel serves it and why:
//
//	p, err := gemm.NewPlan[float32](dev, m, n, k)
//	a, err := gemm.NewMatrix(m, k, buffer.All())
//	err = p.Multiply(stream, 1, a, b, 0, c) // C = A B
//
// The function Multiply is C = A B for matrices in host memory.
//
// Any of the three sizes may be 0: a C of nothing is left alone, and without a k all sums are 0, so a cell c becomes alpha 0 + beta c.
// That is beta c, up to the sign of a zero, unless alpha is an infinity or no number. Sums are formed in float64 for float64 matrices and in float32 for all others, and each
// cell is rounded once. If beta is 0, C is not read for its value, so it may hold anything, numbers or not.
//
// What no grid covers is refused, on every device alike: a C of more than 1048560 rows, of float32 of more than 8388480; and
// more than 2147482623 columns, or a k above that, since indices have 32 bits.
//
// What is known of shapes and memory makes some products faster, and changes no result: a k that 4 divides, and for
// large float32 matrices that begin at multiples of 16 bytes, as allocations do, an n that 4 divides, or whole
// tiles. ChoiceFor says which kernel some operands get, and what a faster one lacks.
//
// The package imports device and the generated launchers; programs import it.
package gemm
