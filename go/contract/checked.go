package contract

import "math/bits"

// Checked computes like Eval, for code that is generated from expressions: it does not stop at a
// result outside the 64-bit range but remembers it, so that one test at the end serves a whole
// expression.
//
//	var c contract.Checked
//	n := c.Add(c.Mul(m, k), 1)
//	if !c.OK() { ... }
type Checked struct{ bad uint64 }

// OK says that every result so far was right.
func (c *Checked) OK() bool { return c.bad == 0 }

// Add returns x + y.
func (c *Checked) Add(x, y uint64) uint64 {
	sum, carry := bits.Add64(x, y, 0)
	c.bad |= carry
	return sum
}

// Sub returns x - y, which must not be below 0.
func (c *Checked) Sub(x, y uint64) uint64 {
	diff, borrow := bits.Sub64(x, y, 0)
	c.bad |= borrow
	return diff
}

// Mul returns x * y.
func (c *Checked) Mul(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	c.bad |= hi
	return lo
}

// Div returns x / y, rounded down; y must not be 0.
func (c *Checked) Div(x, y uint64) uint64 {
	if y == 0 {
		c.bad = 1
		return 0
	}
	return x / y
}

// Mod returns x % y; y must not be 0.
func (c *Checked) Mod(x, y uint64) uint64 {
	if y == 0 {
		c.bad = 1
		return 0
	}
	return x % y
}

// CeilDiv returns x / y, rounded up; y must not be 0.
func (c *Checked) CeilDiv(x, y uint64) uint64 {
	if y == 0 {
		c.bad = 1
		return 0
	}
	q := x / y
	if q*y != x {
		q++
	}
	return q
}

// Align returns the least multiple of y that is not below x; y must not be 0.
func (c *Checked) Align(x, y uint64) uint64 { return c.Mul(c.CeilDiv(x, y), y) }
