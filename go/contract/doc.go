// Package contract is the relation language of kernels: expressions over lengths, extents and facts
// of the device in checked unsigned 64-bit arithmetic, and the errors of a relation that fails.
//
// An expression is made of numbers, names, + - * / %, cdiv(a, b), min(a, b), max(a, b) and
// align(a, number), which rounds up to a multiple. A name is an identifier such as M; rows.M, the
// extent M as the parameter rows carries it; len(x), the elements of the parameter x; or sizeof(x),
// the bytes of one of them. A relation compares two expressions once: >= > <= < == or !=.
//
// It imports only the standard library.
package contract
