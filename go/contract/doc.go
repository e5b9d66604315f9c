// Package contract is the relation language of kernels: expressions over lengths, extents and facts
// of the device in checked unsigned 64-bit arithmetic, and the errors of a relation that fails.
//
// It imports only the standard library.
package contract
