// Package uniform finds, for each value of a kernel, which threads of a block hold it alike, and for each place in its control flow
// which threads come by together. The shape of the block is known exactly, so the numbers of threads are too: what a
// kernel computes from them alone is computed here, for every thread.
package uniform

import "math/bits"

// Level says which threads a value is the same for, or which come by a place together: the later, the fewer.
type Level int

// The levels.
const (
	Block   Level = iota // all threads of the block
	Warp                 // all lanes of each warp
	Neither              // no such promise
)

// String names the level.
func (l Level) String() string {
	switch l {
	case Block:
		return "block-uniform"
	case Warp:
		return "warp-uniform"
	}
	return "divergent"
}

// lanesInWarp is the width of a warp on every architecture there is.
const lanesInWarp = 32

// value is base + offset[t] in thread t, modulo 2^64 or, for a narrower register, 2^width.
//
// The base is not known, but it is the same for all threads (level Block) or all lanes of a warp (Warp), and it is a multiple
// of 2^align. With known, the base is 0: the value is known for each thread. At level Neither there is no base and no offset;
// `same` are then the bits b of a lane's number such that lane and lane^b still hold the same, which is what a butterfly of
// shuffles makes true one bit after the other.
type value struct {
	set    bool // false: not computed yet
	known  bool
	level  Level
	align  int
	offset []uint64 // one for each thread, or a single one for all
	same   uint8
}

// allBits is `same` of a value that is the same in all lanes.
const allBits = lanesInWarp - 1

var bottom = value{}

// divergent is a value of which nothing is known.
func divergent(same uint8) value {
	if same == allBits {
		return unknown(Warp)
	}
	return value{set: true, level: Neither, same: same}
}

// unknown is a value of which only the level is known.
func unknown(l Level) value {
	if l == Neither {
		return divergent(0)
	}
	return value{set: true, level: l, offset: []uint64{0}}
}

// constant is the same known number in all threads.
func constant(n uint64) value { return value{set: true, known: true, offset: []uint64{n}} }

// perThread is a value that is known for each thread.
func perThread(offset []uint64) value {
	return value{set: true, known: true, offset: offset}
}

// at is the offset in a thread.
func (v value) at(t int) uint64 {
	if len(v.offset) == 1 {
		return v.offset[0]
	}
	return v.offset[t]
}

// Level returns which threads hold the value alike.
func (v value) Level() Level {
	if !v.set {
		return Block
	}
	if v.level == Neither || len(v.offset) == 1 {
		return v.level
	}
	level := v.level
	for t, o := range v.offset {
		if o != v.offset[t-t%lanesInWarp] {
			return Neither
		}
		if o != v.offset[0] {
			level = Warp
		}
	}
	return level
}

// bitsOf returns `same` of any value.
func (v value) bitsOf() uint8 {
	if v.level == Neither {
		return v.same
	}
	if v.Level() != Neither {
		return allBits
	}
	var same uint8
	for b := 1; b < lanesInWarp; b *= 2 {
		alike := true
		for t := range v.offset {
			if u := t ^ b; u >= len(v.offset) || v.offset[u] != v.offset[t] {
				alike = false
				break
			}
		}
		if alike {
			same |= uint8(b)
		}
	}
	return same
}

// single is the number if it is known and the same in all threads.
func (v value) single() (uint64, bool) {
	if !v.set || !v.known {
		return 0, false
	}
	for _, o := range v.offset {
		if o != v.offset[0] {
			return 0, false
		}
	}
	return v.offset[0], true
}

// mapped is a known value with a function applied in each thread.
func mapped(f func(...uint64) uint64, args ...value) value {
	n := 1
	for _, a := range args {
		n = max(n, len(a.offset))
	}
	out := make([]uint64, n)
	in := make([]uint64, len(args))
	for t := range out {
		for i, a := range args {
			in[i] = a.at(t)
		}
		out[t] = f(in...)
	}
	return perThread(out)
}

// normal moves what all threads, or all lanes of a warp, have in common from the offsets into the base, so that values that
// differ in the base alone look alike. The number itself is forgotten.
func (v value) normal() value {
	if !v.set || v.level == Neither {
		return v
	}
	align := v.align
	if v.known {
		align = 64
	}
	out := make([]uint64, len(v.offset))
	for t, o := range v.offset {
		common := v.offset[0]
		if v.level == Warp {
			common = v.offset[t-t%lanesInWarp]
		}
		out[t] = o - common
		align = min(align, bits.TrailingZeros64(common))
	}
	if v.level == Warp && len(v.offset) > 1 {
		// Offsets that only told the warps apart are gone now.
		out = shortened(out)
	}
	return value{set: true, level: v.level, align: align, offset: shortened(out)}
}

// shortened is a list of one if all are equal.
func shortened(offset []uint64) []uint64 {
	for _, o := range offset {
		if o != offset[0] {
			return offset
		}
	}
	return offset[:1]
}

// perWarp is the value with the base seen as one a warp.
func (v value) perWarp() value {
	if v.level == Neither || !v.set {
		return v
	}
	n := v
	if n.known {
		n.known, n.align = false, 64
	}
	n.level = Warp
	return n.normal()
}

// equal compares all that is known.
func (v value) equal(w value) bool {
	if v.set != w.set || v.known != w.known || v.level != w.level || v.align != w.align || v.same != w.same || len(v.offset) != len(w.offset) {
		return false
	}
	for i := range v.offset {
		if v.offset[i] != w.offset[i] {
			return false
		}
	}
	return true
}

// join is what holds of a value that is one or the other, the same choice for all threads of the level.
func join(v, w value, choice Level) value {
	switch {
	case !v.set:
		return w
	case !w.set, v.known && v.equal(w):
		return v
	case choice == Neither:
		return divergent(0)
	}
	v, w = v.normal(), w.normal()
	if v.level == Neither || w.level == Neither {
		return divergent(v.bitsOf() & w.bitsOf())
	}
	if max(v.level, w.level, choice) == Block && sameOffsets(v, w) {
		return value{set: true, level: Block, align: min(v.align, w.align), offset: v.offset}
	}
	v, w = v.perWarp(), w.perWarp()
	if sameOffsets(v, w) {
		return value{set: true, level: Warp, align: min(v.align, w.align), offset: v.offset}
	}
	return divergent(v.bitsOf() & w.bitsOf())
}

func sameOffsets(v, w value) bool {
	if len(v.offset) != len(w.offset) {
		return false
	}
	for i := range v.offset {
		if v.offset[i] != w.offset[i] {
			return false
		}
	}
	return true
}
