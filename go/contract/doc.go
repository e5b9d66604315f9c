// Package contract is the relation language of kernels: expressions over lengths, extents and facts
// of the launch in checked unsigned 64-bit arithmetic, predicates of buffers, and the errors of a relation
// that fails. docs/contracts.md teaches it.
//
// An expression is made of numbers, names, + - * / %, cdiv(a, b), min(a, b), max(a, b) and
// align(a, number), which rounds up to a multiple. A name is an identifier such as M; rows.M, the
// extent M as the parameter rows carries it; grid.x; len(x), the elements of the parameter x; or
// sizeof(x), the bytes of one of them.
//
// A relation compares two expressions once, by >= > <= < == or !=; or it is divides(a, b), fits32(a),
// aligned(x, n) or disjoint(x, y).
//
// Every result lies in 0 to 2^64-1 or is an error: nothing wraps, no difference is below 0, nothing is
// divided by 0. Left is evaluated before right, and both before they are compared.
//
// It imports only the standard library.
package contract
