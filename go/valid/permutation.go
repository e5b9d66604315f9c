package valid

import (
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/warpwright/warpwright/go/device"
)

// Permutation is a validated order of the numbers below N, on a device: each of them stands in it once. So
// no two places of it lead to the same element, and what is written through it by many threads is written
// once.
type Permutation struct {
	array[int32]
}

// CheckPermutation returns an error unless each number in [0, len(order)) stands in order once.
func CheckPermutation(order []int32) error {
	n := len(order)
	if err := below("places", n); err != nil {
		return err
	}
	seen := make([]uint32, (n+31)/32) // a bit a number
	mark := markAlone
	if parts(n) > 1 {
		mark = markTogether
	}
	if i := first(n, func(lo, hi int) int { return shift(mark(seen, order[lo:hi], uint32(n)), lo) }); i >= 0 {
		return &IndexError{"permutation", i, int64(order[i]), fmt.Sprintf("0 <= element < %d", n)}
	}
	// n numbers below n: none stands twice if all are there.
	if count(seen) == n {
		return nil
	}
	return twice(order, seen)
}

// markAlone sets the bits of numbers below n. It returns the index of the first number that is not, or -1.
func markAlone(seen []uint32, order []int32, n uint32) int {
	for i, v := range order {
		if uint32(v) >= n {
			return i
		}
		seen[uint32(v)/32] |= 1 << (uint32(v) % 32)
	}
	return -1
}

// markTogether is markAlone for many goroutines at once.
func markTogether(seen []uint32, order []int32, n uint32) int {
	for i, v := range order {
		if uint32(v) >= n {
			return i
		}
		atomic.OrUint32(&seen[uint32(v)/32], 1<<(uint32(v)%32))
	}
	return -1
}

func count(seen []uint32) (n int) {
	for _, w := range seen {
		n += bits.OnesCount32(w)
	}
	return n
}

// twice names the first number that has been there before.
func twice(order []int32, seen []uint32) error {
	clear(seen)
	for i, v := range order {
		if seen[v/32]&(1<<(v%32)) != 0 {
			return &IndexError{"permutation", i, int64(v), fmt.Sprintf("each element once: permutation[%d] is the same", slices.Index(order, v))}
		}
		seen[v/32] |= 1 << (v % 32)
	}
	return nil
}

// NewPermutation validates order, then uploads it.
func NewPermutation(d *device.Device, order []int32) (*Permutation, error) {
	if err := CheckPermutation(order); err != nil {
		return nil, err
	}
	a, err := upload(d, "permutation", order)
	if err != nil {
		return nil, err
	}
	return &Permutation{a}, nil
}

// Len is N, the number of places and of elements.
func (p *Permutation) Len() uint64 { return p.len() }
