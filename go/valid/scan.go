package valid

import (
	"runtime"
	"slices"
	"unsafe"

	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/internal/plain"
)

// grain is the least number of elements that a goroutine is worth.
const grain = 1 << 16

// parts is how many goroutines n elements are worth on this machine.
func parts(n int) int { return min(runtime.GOMAXPROCS(0), 1+n/grain) }

// first is the least index of n that find reports, or -1, with all cores at work on large n. find returns
// the first one in [lo, hi), or -1.
func first(n int, find func(lo, hi int) int) int {
	parts := parts(n)
	if parts == 1 {
		return find(0, n)
	}
	found := make([]int, parts)
	plain.Parallel(parts, func(i int) {
		lo, hi := i*(n/parts), (i+1)*(n/parts)
		if i == parts-1 {
			hi = n
		}
		found[i] = find(lo, hi)
	})
	if i := slices.IndexFunc(found, func(i int) bool { return i >= 0 }); i >= 0 {
		return found[i]
	}
	return -1
}

// words is the memory of s, 8 bytes a word, as far as it fills whole ones: lanes of 2 or 4 elements that one
// operation serves together. Which lane is the first does not matter to what follows.
func words[T dtype.Element](s []T) []uint64 {
	n := len(s) * dtype.Of[T]().Size() / 8
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(s))), n)
}

// lanes is a word with v in every lane of so many bits.
func lanes(v uint64, bits int) uint64 {
	for ; bits < 64; bits *= 2 {
		v |= v << bits
	}
	return v
}

// outside is the first index of s that is not in [0, k), or -1; k is at most 2^31. A lane c is outside if it
// has its sign bit, or c + (2^31 - k) has; of a c without it the sum stays in its lane, and one with it is
// found whatever it does to its neighbour.
func outside(s []int32, k uint32) int {
	w, sign, add := words(s), lanes(1<<31, 32), lanes(1<<31-uint64(k), 32)
	i := 0
	for ; i+8 <= len(w); i += 8 {
		a := (*[8]uint64)(w[i:])
		bad := a[0] | (a[0] + add) | a[1] | (a[1] + add) | a[2] | (a[2] + add) | a[3] | (a[3] + add) |
			a[4] | (a[4] + add) | a[5] | (a[5] + add) | a[6] | (a[6] + add) | a[7] | (a[7] + add)
		if bad&sign != 0 {
			break
		}
	}
	for i *= 2; i < len(s); i++ {
		if uint32(s[i]) >= k { // what is negative is large without its sign
			return i
		}
	}
	return -1
}

// exponent is a float type's bits of the exponent; the sign follows them.
func exponent[W dtype.Float]() (mask uint64, bits int) {
	switch dtype.Of[W]() {
	case dtype.F32:
		return 0xFF << 23, 32
	case dtype.F64:
		return 0x7FF << 52, 64
	case dtype.F16:
		return 0x1F << 10, 16
	default:
		return 0xFF << 7, 16
	}
}

// infinite is the first index of s whose value is infinite or NaN, or -1. Such numbers have all bits of
// their exponent set, so that one more of its lowest bit carries into the sign, and no further.
func infinite[W dtype.Float](s []W) int {
	mask, bits := exponent[W]()
	low := mask & -mask
	w, m, l, sign := words(s), lanes(mask, bits), lanes(low, bits), lanes(1<<(bits-1), bits)
	i := 0
	for ; i+8 <= len(w); i += 8 {
		a := (*[8]uint64)(w[i:])
		bad := (a[0]&m + l) | (a[1]&m + l) | (a[2]&m + l) | (a[3]&m + l) |
			(a[4]&m + l) | (a[5]&m + l) | (a[6]&m + l) | (a[7]&m + l)
		if bad&sign != 0 {
			break
		}
	}
	for i *= 64 / bits; i < len(s); i++ {
		if v := dtype.ToFloat64(s[i]); v-v != 0 {
			return i
		}
	}
	return -1
}

// falls is the first index of s whose element is less than the one before it, or -1.
func falls[T int32 | int64](s []T) int {
	i := 0
	for ; i+9 <= len(s); i += 8 {
		a := (*[9]T)(s[i:])
		if a[1] < a[0] || a[2] < a[1] || a[3] < a[2] || a[4] < a[3] ||
			a[5] < a[4] || a[6] < a[5] || a[7] < a[6] || a[8] < a[7] {
			break
		}
	}
	for i = max(i, 1); i < len(s); i++ {
		if s[i] < s[i-1] {
			return i
		}
	}
	return -1
}

// firstOutside is outside for all cores.
func firstOutside(s []int32, k int) int {
	return first(len(s), func(lo, hi int) int { return shift(outside(s[lo:hi], uint32(k)), lo) })
}

// firstFall is falls for all cores. A part begins with the last element of the one before it.
func firstFall[T int32 | int64](s []T) int {
	return first(len(s), func(lo, hi int) int {
		lo = max(lo-1, 0)
		return shift(falls(s[lo:hi]), lo)
	})
}

// shift is an index of a part as one of the whole.
func shift(i, lo int) int {
	if i < 0 {
		return -1
	}
	return lo + i
}
