//go:build gpu && cgo

package peer

// #include "peer.h"
import "C"

import (
	"fmt"
	"math"
)

// CuBLAS returns nil if cuBLAS is there, and opens it, else why it is not: ErrAbsent, or why it fails.
func (p *Peer) CuBLAS() error {
	if err := p.do(func(e *C.ww_err) C.int { return C.ww_peer_cublas(p.c, e) }); err != nil {
		return fmt.Errorf("cuBLAS: %w", err)
	}
	return nil
}

// CuBLASVersion is its own number: 130002 is 13.0.2, and 120804 is 12.8.4. It is 0 until CuBLAS has opened it.
func (p *Peer) CuBLASVersion() int { return int(C.ww_peer_cublas_version(p.c)) }

// SGEMM times a product and leaves the answer in its C.
func (p *Peer) SGEMM(mode Math, g SGEMM, plan Plan) ([]float64, error) {
	if err := p.CuBLAS(); err != nil {
		return nil, err
	}
	for _, n := range []int{g.M, g.N, g.K} {
		if n < 0 || n > math.MaxInt32 {
			return nil, fmt.Errorf("peer: SGEMM of %d x %d with %d between: requires sizes of 0 to 2^31-1", g.M, g.N, g.K)
		}
	}
	product := C.ww_sgemm{m: C.int(g.M), n: C.int(g.N), k: C.int(g.K), a: C.uint64_t(g.A), b: C.uint64_t(g.B), c: C.uint64_t(g.C)}
	return p.timed(plan, func(cp *C.ww_plan, ms *C.float, e *C.ww_err) C.int {
		return C.ww_peer_sgemm(p.c, C.int(mode), &product, cp, ms, e)
	})
}
