package contract

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Relation is what a contract requires of its values: one comparison of two expressions, or one predicate.
type Relation struct {
	Left  Expr
	Op    string // ">=", ">", "<=", "<", "==" or "!="; or Divides, Fits32, Aligned or Disjoint
	Right Expr   // nil for Fits32
}

// The predicates. Aligned has a Buffer on its left, Disjoint on both sides.
const (
	Divides  = "divides"  // divides(a, b): b is a multiple of a, and a is not 0
	Fits32   = "fits32"   // fits32(a): 0 <= a <= 2^31-1, so that an int holds a
	Aligned  = "aligned"  // aligned(x, n): the buffer x begins at a multiple of n bytes, and n is not 0
	Disjoint = "disjoint" // disjoint(x, y): the buffers x and y share no byte
)

// Max32 is the greatest number that Fits32 admits.
const Max32 = math.MaxInt32

func predicate(word string) bool {
	switch word {
	case Divides, Fits32, Aligned, Disjoint:
		return true
	}
	return false
}

func (r *Relation) String() string {
	switch {
	case !predicate(r.Op):
		return r.Left.String() + " " + r.Op + " " + r.Right.String()
	case r.Right == nil:
		return r.Op + "(" + r.Left.String() + ")"
	default:
		return r.Op + "(" + r.Left.String() + ", " + r.Right.String() + ")"
	}
}

// Names returns the names in the relation, each once, in the order of their first use.
func (r *Relation) Names() []string { return names(r.Left, r.Right) }

// OfBuffers says whether the relation asks for the length or the place of a buffer.
func (r *Relation) OfBuffers() bool {
	return slices.ContainsFunc(r.Names(), func(name string) bool {
		return strings.HasPrefix(name, "len(") || strings.HasPrefix(name, "addr(")
	})
}

// Replace returns the relation with names replaced as Replace does it.
func (r *Relation) Replace(with map[string]Expr) *Relation {
	out := &Relation{Left: Replace(r.Left, with), Op: r.Op}
	if r.Right != nil {
		out.Right = Replace(r.Right, with)
	}
	return out
}

// Check returns nil if the relation holds, else what is wrong with it. Both sides are evaluated first, the
// left one before the right one; a side that cannot be computed is a violation too, with its cause in Err.
func (r *Relation) Check(env Env) *Violation {
	v := &Violation{Relation: r.String()}
	var err error
	if v.Left, err = r.Left.Eval(env); err != nil {
		return v.failed(err)
	}
	v.Right = Max32 // of Fits32, which has no right side
	if r.Right != nil {
		if v.Right, err = r.Right.Eval(env); err != nil {
			return v.failed(err)
		}
	}
	holds := false
	switch r.Op {
	case Divides:
		holds = v.Left != 0 && v.Right%v.Left == 0
		v.Values = fmt.Sprintf("%d does not divide %d", v.Left, v.Right)
		if v.Left == 0 {
			v.Values = fmt.Sprintf("0 divides nothing, and the right side is %d", v.Right)
		}
	case Fits32:
		holds = v.Left <= v.Right
		v.Values = fmt.Sprintf("%d is above %d", v.Left, v.Right)
	case Aligned:
		holds = v.Right != 0 && v.Left%v.Right == 0
		v.Values = fmt.Sprintf("%s begins at %#x, which is no multiple of %d bytes", r.Left, v.Left, v.Right)
	case Disjoint:
		xEnd, err := end(r.Left, v.Left, env)
		if err != nil {
			return v.failed(err)
		}
		yEnd, err := end(r.Right, v.Right, env)
		if err != nil {
			return v.failed(err)
		}
		holds = max(v.Left, v.Right) >= min(xEnd, yEnd)
		v.Values = fmt.Sprintf("%s is [%#x, %#x), %s is [%#x, %#x)", r.Left, v.Left, xEnd, r.Right, v.Right, yEnd)
	default:
		holds = compare(v.Left, r.Op, v.Right)
	}
	if holds {
		return nil
	}
	return v
}

// end is the address after a buffer's last byte.
func end(x Expr, begin uint64, env Env) (uint64, error) {
	b, _ := x.(Buffer)
	bytes := &Binary{'*', Name("len(" + string(b) + ")"), Name("sizeof(" + string(b) + ")")}
	return (&Binary{'+', Number(begin), bytes}).Eval(env)
}

func compare(left uint64, op string, right uint64) bool {
	switch op {
	case ">=":
		return left >= right
	case ">":
		return left > right
	case "<=":
		return left <= right
	case "<":
		return left < right
	case "==":
		return left == right
	default:
		return left != right
	}
}

// Lengths says how long a buffer must be, beside the length that the contract names.
type Lengths uint8

// The modes of Lengths.
const (
	AtLeast Lengths = iota // what a kernel needs
	Exact                  // what a public function asks for, so that a mistake shows
	Unknown                // anything: the buffers are not there yet
)

// Hold says whether a buffer of have elements is long enough for a contract that names want.
func (l Lengths) Hold(have, want uint64) bool {
	return have == want || have > want && l == AtLeast || l == Unknown
}

// String is the comparison: ">=" or "==".
func (l Lengths) String() string {
	if l == Exact {
		return "=="
	}
	return ">="
}
