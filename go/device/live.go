package device

import (
	"slices"
	"sync"
	"weak"
)

// liveBuffers are the open buffers of a device by address: they tell what the words of a launch that was
// written by hand point to. Launches of generated code know their buffers and never come here.
//
// The pointers are weak, so that a buffer that was forgotten is collected all the same.
type liveBuffers struct {
	mu    sync.RWMutex
	at    []liveBuffer // by address; none overlaps another
	sweep int          // at this length the collected ones are dropped
}

type liveBuffer struct {
	addr, end uint64
	p         weak.Pointer[buffer]
}

// after is the place of the first buffer that begins beyond addr.
func (l *liveBuffers) after(addr uint64) int {
	i, _ := slices.BinarySearchFunc(l.at, addr, func(b liveBuffer, addr uint64) int {
		if b.addr <= addr {
			return -1
		}
		return 1
	})
	return i
}

// add takes in a new buffer. What is listed at its addresses is no more: it was collected, or was lost
// with its memory.
func (l *liveBuffers) add(b *buffer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.at) >= l.sweep {
		l.at = slices.DeleteFunc(l.at, func(b liveBuffer) bool { return b.p.Value() == nil })
		l.sweep = 2*len(l.at) + 64
	}
	from, to := l.after(b.addr), l.after(b.end-1)
	if from > 0 && l.at[from-1].end > b.addr {
		from--
	}
	l.at = slices.Replace(l.at, from, to, liveBuffer{b.addr, b.end, weak.Make(b)})
}

// remove forgets a buffer; one that is not listed is no error.
func (l *liveBuffers) remove(b *buffer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := l.after(b.addr) - 1; i >= 0 && l.at[i].p == weak.Make(b) {
		l.at = slices.Delete(l.at, i, i+1)
	}
}

// find returns the buffer that an address lies in, or nil.
func (l *liveBuffers) find(addr uint64) *buffer {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if i := l.after(addr) - 1; i >= 0 && addr < l.at[i].end {
		return l.at[i].p.Value()
	}
	return nil
}
