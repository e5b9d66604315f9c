//go:build gpu && cgo

package peer

/*
#cgo LDFLAGS: -ldl
#include "peer.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
)

// Peer is an opened GPU. Its methods may be called from any goroutine, one at a time.
type Peer struct{ c *C.ww_peer }

// Open opens the GPU with this ordinal. The libraries of peers are opened when they are asked for.
func Open(device int) (*Peer, error) {
	p := &Peer{}
	err := onThread(func(e *C.ww_err) C.int { return C.ww_peer_open(C.int(device), &p.c, e) })
	if err != nil {
		return nil, err
	}
	return p, nil
}

// onThread runs f on one operating system thread: the driver's current context belongs to a thread.
func onThread(f func(*C.ww_err) C.int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var e C.ww_err
	switch f(&e) {
	case 0:
		return nil
	case 2:
		return fmt.Errorf("peer: %w: %s", ErrAbsent, C.GoString(&e.text[0]))
	case 3:
		return fmt.Errorf("peer: %w: %s", ErrUnsupported, C.GoString(&e.text[0]))
	default:
		return fmt.Errorf("peer: %s", C.GoString(&e.text[0]))
	}
}

// do is onThread with the peer's context current.
func (p *Peer) do(f func(*C.ww_err) C.int) error {
	return onThread(func(e *C.ww_err) C.int {
		if bad := C.ww_peer_enter(p.c, e); bad != 0 {
			return bad
		}
		return f(e)
	})
}

// Copy times copies of bytes from src to dst on the device.
func (p *Peer) Copy(dst, src, bytes uint64, plan Plan) ([]float64, error) {
	return p.timed(plan, func(cp *C.ww_plan, ms *C.float, e *C.ww_err) C.int {
		return C.ww_peer_copy(p.c, C.uint64_t(dst), C.uint64_t(src), C.uint64_t(bytes), cp, ms, e)
	})
}

// Empty times nothing between two events: what every other time contains at least.
func (p *Peer) Empty(plan Plan) ([]float64, error) {
	return p.timed(plan, func(cp *C.ww_plan, ms *C.float, e *C.ww_err) C.int {
		return C.ww_peer_empty(p.c, cp, ms, e)
	})
}

// timed returns the seconds of what f measures by a plan.
func (p *Peer) timed(plan Plan, f func(*C.ww_plan, *C.float, *C.ww_err) C.int) ([]float64, error) {
	if plan.Repeat < 1 {
		return nil, errors.New("peer: requires at least one measured call")
	}
	ms := make([]C.float, plan.Repeat)
	cp := plan.c()
	if err := p.do(func(e *C.ww_err) C.int { return f(&cp, &ms[0], e) }); err != nil {
		return nil, err
	}
	out := make([]float64, len(ms))
	for i, v := range ms {
		out[i] = float64(v) / 1e3
	}
	return out, nil
}

// Close gives the library's handle and the context back.
func (p *Peer) Close() error {
	if p.c == nil {
		return nil
	}
	err := p.do(func(*C.ww_err) C.int {
		C.ww_peer_close(p.c)
		return 0
	})
	p.c = nil
	return err
}

func (p Plan) c() C.ww_plan {
	return C.ww_plan{
		warm: C.int(p.Warm), repeat: C.int(p.Repeat),
		blocker: C.uint64_t(p.Blocker), blocker_bytes: C.uint64_t(p.BlockerBytes),
	}
}
