// Package wrap finds subscripts that are computed in 32 bits and may not fit: products, and sums that a loop adds up, of values known only
// when the kernel runs, which are widened to 64 bits on their way into an address.
package wrap

import "math/bits"

// limit stands for infinity: no sum of two such numbers overflows an int64.
const limit = 1 << 62

// Interval is the numbers from Lo to Hi; one that is empty has not been computed yet.
type Interval struct{ Lo, Hi int64 }

var (
	nothing    = Interval{1, 0}
	everything = Interval{-limit, limit}
)

func (a Interval) empty() bool { return a.Lo > a.Hi }

func (a Interval) single() bool { return a.Lo == a.Hi }

func (a Interval) within(b Interval) bool { return a.empty() || a.Lo >= b.Lo && a.Hi <= b.Hi }

func (a Interval) join(b Interval) Interval {
	switch {
	case a.empty():
		return b
	case b.empty():
		return a
	}
	return Interval{min(a.Lo, b.Lo), max(a.Hi, b.Hi)}
}

// meet is what is in both; if that is nothing, this code does not run, and any answer is right: it is the second one.
func (a Interval) meet(b Interval) Interval {
	m := Interval{max(a.Lo, b.Lo), min(a.Hi, b.Hi)}
	if m.empty() && !a.empty() {
		return b
	}
	return m
}

func saturate(n int64) int64 { return max(-limit, min(limit, n)) }

func (a Interval) add(b Interval) Interval {
	return Interval{saturate(a.Lo + b.Lo), saturate(a.Hi + b.Hi)}
}

func (a Interval) negated() Interval { return Interval{-a.Hi, -a.Lo} }

// times is the product of two numbers, or the limit that it is beyond.
func times(a, b int64) int64 {
	magnitude := func(n int64) uint64 {
		if n < 0 {
			return uint64(-n)
		}
		return uint64(n)
	}
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	n := int64(limit)
	if hi == 0 && lo < limit {
		n = int64(lo)
	}
	if (a < 0) != (b < 0) {
		return -n
	}
	return n
}

func (a Interval) mul(b Interval) Interval {
	p := [4]int64{times(a.Lo, b.Lo), times(a.Lo, b.Hi), times(a.Hi, b.Lo), times(a.Hi, b.Hi)}
	return Interval{min(p[0], p[1], p[2], p[3]), max(p[0], p[1], p[2], p[3])}
}

// div is a / b for what is not negative.
func (a Interval) div(b Interval) Interval {
	if a.Lo < 0 || b.Lo < 0 {
		return Interval{min(a.Lo, -a.Hi), max(a.Hi, -a.Lo)}
	}
	return Interval{a.Lo / max(b.Hi, 1), a.Hi / max(b.Lo, 1)}
}

// rem is a % b for what is not negative.
func (a Interval) rem(b Interval) Interval {
	if a.Lo < 0 || b.Lo < 0 {
		return a
	}
	return Interval{0, min(a.Hi, max(b.Hi-1, 0))}
}
