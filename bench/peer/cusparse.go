//go:build gpu && cgo

package peer

// #include "peer.h"
import "C"

import (
	"errors"
	"fmt"
)

// CuSPARSE returns nil if cuSPARSE is there, and opens it, else why it is not: ErrAbsent, or why it fails.
func (p *Peer) CuSPARSE() error {
	if err := p.do(func(e *C.ww_err) C.int { return C.ww_peer_cusparse(p.c, e) }); err != nil {
		return fmt.Errorf("cuSPARSE: %w", err)
	}
	return nil
}

// CuSPARSEVersion is its own number: 12503 is 12.5.3. It is 0 until CuSPARSE has opened it.
func (p *Peer) CuSPARSEVersion() int { return int(C.ww_peer_cusparse_version(p.c)) }

// SpMV times products that take the sets in rotation and leaves each set's answer in its Y. All sets
// have the first one's direction.
func (p *Peer) SpMV(a Algorithm, sets []SpMV, plan Plan) (*Timing, error) {
	if err := p.CuSPARSE(); err != nil {
		return nil, err
	}
	if len(sets) == 0 {
		return nil, errors.New("peer: SpMV requires at least one set")
	}
	in := make([]C.ww_spmv, len(sets))
	for i, s := range sets {
		in[i] = C.ww_spmv{
			rows: C.int64_t(s.Rows), cols: C.int64_t(s.Cols), nnz: C.int64_t(s.NNZ),
			offsets: C.uint64_t(s.Offsets), columns: C.uint64_t(s.Columns), values: C.uint64_t(s.Values),
			x: C.uint64_t(s.X), y: C.uint64_t(s.Y),
		}
	}
	transposed := C.int(0)
	if sets[0].Transposed {
		transposed = 1
	}
	var preprocess C.float
	var workspace C.uint64_t
	seconds, err := p.timed(plan, func(cp *C.ww_plan, ms *C.float, e *C.ww_err) C.int {
		return C.ww_peer_spmv(p.c, C.int(a), transposed, &in[0], C.int(len(in)), cp, ms, &preprocess, &workspace, e)
	})
	if err != nil {
		return nil, err
	}
	return &Timing{seconds, float64(preprocess) / 1e3, uint64(workspace)}, nil
}
