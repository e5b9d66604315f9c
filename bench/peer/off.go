//go:build !(gpu && cgo)

package peer

import "fmt"

// Peer is an opened GPU.
type Peer struct{}

// Open says that this program has no peers.
func Open(int) (*Peer, error) {
	return nil, fmt.Errorf("peer: %w: this program was built without the tag gpu or without cgo", ErrAbsent)
}

// CuSPARSE says that there is none.
func (*Peer) CuSPARSE() error { return ErrAbsent }

// CuSPARSEVersion is the library's own number.
func (*Peer) CuSPARSEVersion() int { return 0 }

// CuBLAS says that there is none.
func (*Peer) CuBLAS() error { return ErrAbsent }

// CuBLASVersion is the library's own number.
func (*Peer) CuBLASVersion() int { return 0 }

// SpMV measures nothing.
func (*Peer) SpMV(Algorithm, []SpMV, Plan) (*Timing, error) { return nil, ErrAbsent }

// SGEMM measures nothing.
func (*Peer) SGEMM(Math, SGEMM, Plan) ([]float64, error) { return nil, ErrAbsent }

// Copy measures nothing.
func (*Peer) Copy(dst, src, bytes uint64, plan Plan) ([]float64, error) { return nil, ErrAbsent }

// Empty measures nothing.
func (*Peer) Empty(Plan) ([]float64, error) { return nil, ErrAbsent }

// Close does nothing.
func (*Peer) Close() error { return nil }
