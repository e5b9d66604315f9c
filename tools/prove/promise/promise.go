// Package promise has the words in which the two halves of a proof meet.
//
// A view's WW_VIEW row promises what its member functions need of a launch. The lemma of the view takes the promise for
// true, once and for all; each entry proves it, from the contract that its launcher checks. Both say it by the functions here, so that neither
// proves less than the other assumes. What is a Premise holds of every launch, and its name says who sees to it.
package promise

import (
	"fmt"

	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// Step is the most by which a loop steps past its extent: a block's width, or a tile's.
const Step = 1024

// The most blocks of a grid along x, and along y and z, on every device.
const (
	GridX  = 1<<31 - 1
	GridYZ = 65535
)

// MaxInt is the greatest number of Go's int, 2^63-1: a length never exceeds it.
func MaxInt() smt.Int { return smt.Power(63).Minus(smt.Number(1)) }

// Extent promises that indices below d fit their type, with room for a loop's last step. Indices of 64 bits
// without a sign have more room than a grid has threads, if d is a number that an int holds.
func Extent(d smt.Int, rep dtype.Type) smt.Bool {
	switch rep {
	case dtype.I32:
		return d.Plus(smt.Number(Step)).AtMost(smt.Number(1<<31 - 1))
	case dtype.I64:
		return d.Plus(smt.Number(Step)).AtMost(MaxInt())
	default:
		return d.AtMost(MaxInt())
	}
}

// Length promises that a buffer of so many elements has those that its view names.
func Length(elements, named smt.Int) smt.Bool { return elements.AtLeastTerm(named) }

// Multiple promises that an address, or an offset, is a multiple of so many bytes.
func Multiple(of smt.Int, bytes uint64) smt.Bool {
	return of.Modulo(smt.Unsigned(bytes)).Equal(smt.Number(0))
}

// Covers promises a block for every index below d, where a block has each of them.
func Covers(grid, d smt.Int, each uint64) smt.Bool {
	return grid.Times(smt.Unsigned(each)).AtLeastTerm(d)
}

// Last promises that no index of the last block goes past d by more than a step: blockIdx * each + each stays in
// the type of the indices.
func Last(grid, d smt.Int, each uint64) smt.Bool {
	return grid.Times(smt.Unsigned(each)).Less(d.Plus(smt.Unsigned(each)))
}

// Flat promises one block along each axis that a grid does not have: so threads of one row of blocks differ along x alone.
func Flat(axes smt.Int) smt.Bool {
	one := smt.Number(1)
	return smt.And(smt.Implies(axes.AtMost(one), Grid("y").Equal(one)), smt.Implies(axes.AtMost(smt.Number(2)), Grid("z").Equal(one)))
}

// Memory holds of every buffer: its bytes are counted by an int (go/device Alloc refuses more).
func Memory(name string, elements smt.Int, bytes uint64) smt.Premise {
	return smt.Premise{
		Name: fmt.Sprintf("%s is memory: its bytes are a number that an int holds", name),
		Is:   smt.And(elements.AtLeastTerm(smt.Number(0)), elements.Times(smt.Unsigned(bytes)).AtMost(MaxInt())),
	}
}

// Grid is how many blocks there are along an axis ("x", "y" or "z"): one at least, since there is a thread, and no more than
// the device admits, since go/device refuses more.
func Grid(axis string) smt.Int {
	most := int64(GridYZ)
	if axis == "x" {
		most = GridX
	}
	return smt.Var("gridDim."+axis).Within(1, most)
}
