package lemma

import (
	"math/big"

	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// A value is a number, truth, *object, pointer, closure, opaque, builtin, array, or a place: what may be assigned to.
type value interface{}

// number is a whole number of a type.
type number struct {
	t *intType
	v smt.Int

	power bool     // it is a power of two, if it is positive
	below *smt.Int // a power of two of which the number is one less
	clear *smt.Int // the number is ~(p - 1): a mask of what is not below the power of two p
}

func (n number) known() (*big.Int, bool) { return n.v.IsNumber() }

// truth is a truth value.
type truth struct {
	v smt.Bool
	c int8 // 1: true, -1: false, 0: not known
}

func (t truth) known() bool { return t.c != 0 }
func (t truth) holds() bool { return t.c > 0 }

func fact(b bool) truth {
	if b {
		return truth{smt.True(), 1}
	}
	return truth{smt.False(), -1}
}

func not(a truth) truth {
	if a.known() {
		return fact(!a.holds())
	}
	return truth{v: smt.Not(a.v)}
}

func and(a, b truth) truth {
	switch {
	case a.c < 0 || b.c < 0:
		return fact(false)
	case a.c > 0:
		return b
	case b.c > 0:
		return a
	}
	return truth{v: smt.And(a.v, b.v)}
}

func or(a, b truth) truth { return not(and(not(a), not(b))) }

// object is an object of a class.
type object struct {
	t      *class
	fields map[string]*cell
}

// cell is a variable.
type cell struct {
	v    value
	born int // in which guard; see machine.guarded
}

// pointer points at an element of a region.
type pointer struct {
	to   *region
	off  smt.Int
	elem typ
	word int64 // bytes that an access takes, where it is not one element
	null bool
}

// region is memory: a buffer, or a block's shared memory.
type region struct {
	name      string
	elem      typ
	len       smt.Int
	align     smt.Int // the first element lies at a multiple of so many elements
	aligned   bool
	shared    bool
	of        *cxx.Class // whose member points there
	written   bool       // some thread may write there
	validated string     // offsets, columns, permutation
	below     smt.Int
}

// closure is a lambda with what it has captured.
type closure struct {
	fn  *cxx.Lambda
	env *env
}

// opaque is a value of which nothing matters.
type opaque struct {
	t      typ
	kernel bool // the kernel's code gives it: if it is an object of the vocabulary, it keeps the law of its class
}

// builtin is threadIdx, blockIdx or gridDim.
type builtin struct{ name string }

// array is an array of values.
type array struct {
	len  smt.Int
	elem typ
}

// memory is a place in a region.
type memory struct {
	p    pointer
	text string
}

// slot is a place in an array.
type slot struct{ elem typ }

// typeName is a type where a value may stand: Ix<D> in Ix<D>(...).
type typeName struct{ t typ }

// method is a member function of an object, or a set of functions.
type method struct {
	this *object
	in   *class
	name string
	args []cxx.Arg
	env  *env // where the arguments are named
	free []*cxx.Function

	unknown bool // of an object of which nothing is known, but
	of      typ  // its type
	kernel  bool // and it is the kernel's, as what its members return is
}

// list is {a, b, c}.
type list struct {
	at   cxx.Place
	args []value
}

// folded arithmetic.

func add(a, b smt.Int) smt.Int {
	x, ok := a.IsNumber()
	y, also := b.IsNumber()
	switch {
	case ok && also:
		return smt.Big(new(big.Int).Add(x, y))
	case ok && x.Sign() == 0:
		return b
	case also && y.Sign() == 0:
		return a
	}
	return a.Plus(b)
}

func sub(a, b smt.Int) smt.Int {
	x, ok := a.IsNumber()
	y, also := b.IsNumber()
	switch {
	case ok && also:
		return smt.Big(new(big.Int).Sub(x, y))
	case also && y.Sign() == 0:
		return a
	}
	return a.Minus(b)
}

func mul(a, b smt.Int) smt.Int {
	x, ok := a.IsNumber()
	y, also := b.IsNumber()
	one := big.NewInt(1)
	switch {
	case ok && also:
		return smt.Big(new(big.Int).Mul(x, y))
	case ok && x.Sign() == 0 || also && y.Sign() == 0:
		return smt.Number(0)
	case ok && x.Cmp(one) == 0:
		return b
	case also && y.Cmp(one) == 0:
		return a
	}
	return a.Times(b)
}

func div(a, b smt.Int) smt.Int {
	x, ok := a.IsNumber()
	y, also := b.IsNumber()
	switch {
	case ok && also && y.Sign() > 0 && x.Sign() >= 0:
		return smt.Big(new(big.Int).Div(x, y))
	case also && y.Cmp(big.NewInt(1)) == 0:
		return a
	}
	return a.Divide(b)
}

func mod(a, b smt.Int) smt.Int {
	x, ok := a.IsNumber()
	y, also := b.IsNumber()
	switch {
	case ok && also && y.Sign() > 0 && x.Sign() >= 0:
		return smt.Big(new(big.Int).Mod(x, y))
	case also && y.Cmp(big.NewInt(1)) == 0:
		return smt.Number(0)
	}
	return a.Modulo(b)
}

// compare compares, at once where both are known.
func compare(op string, a, b smt.Int) truth {
	x, ok := a.IsNumber()
	y, also := b.IsNumber()
	if ok && also {
		c := x.Cmp(y)
		switch op {
		case "<":
			return fact(c < 0)
		case "<=":
			return fact(c <= 0)
		case ">":
			return fact(c > 0)
		case ">=":
			return fact(c >= 0)
		case "==":
			return fact(c == 0)
		}
		return fact(c != 0)
	}
	if t, ok := ranged(op, a, b); ok {
		return t
	}
	switch op {
	case "<":
		return truth{v: a.Less(b)}
	case "<=":
		return truth{v: a.AtMost(b)}
	case ">":
		return truth{v: a.Greater(b)}
	case ">=":
		return truth{v: a.AtLeastTerm(b)}
	case "==":
		return truth{v: a.Equal(b)}
	}
	return truth{v: a.Differs(b)}
}

// ranged compares variables by the ranges that they are declared with.
func ranged(op string, a, b smt.Int) (truth, bool) {
	bounds := func(v smt.Int) (low, high *big.Int) {
		if n, ok := v.IsNumber(); ok {
			return n, n
		}
		return v.Range()
	}
	al, ah := bounds(a)
	bl, bh := bounds(b)
	below := func(x, y *big.Int, least int) bool { return x != nil && y != nil && x.Cmp(y) <= -least }
	switch op {
	case "<":
		return order(below(ah, bl, 1), below(bh, al, 0))
	case "<=":
		return order(below(ah, bl, 0), below(bh, al, 1))
	case ">":
		return order(below(bh, al, 1), below(ah, bl, 0))
	case ">=":
		return order(below(bh, al, 0), below(ah, bl, 1))
	case "==":
		return order(false, below(ah, bl, 1) || below(bh, al, 1))
	}
	return order(below(ah, bl, 1) || below(bh, al, 1), false)
}

func order(yes, no bool) (truth, bool) { return fact(yes), yes || no }
