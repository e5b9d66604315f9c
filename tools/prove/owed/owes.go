package owed

import (
	"fmt"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/tools/internal/obligations"
	"github.com/warpwright/warpwright/tools/prove/arith"
	"github.com/warpwright/warpwright/tools/prove/promise"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// owesExtents: indices fit their type, and no loop over them wraps.
func (x *entry) owesExtents() {
	for _, e := range x.Extents {
		rep, err := dtype.Parse(e.Index)
		if err != nil {
			x.err = fmt.Errorf("indices of %s: %w", e.Name, err)
			return
		}
		n := x.scope.Name(e.Name)
		last := map[string]smt.Int{e.Name: n.Minus(smt.Number(1))}
		x.owe(fmt.Sprintf("indices of %s fit %s, with room for a step past the last", e.Name, rep), promise.Extent(n, rep),
			func(m smt.Model) (string, map[string]smt.Int) {
				return fmt.Sprintf("counts %s in %s past the end of the type", e.Name, rep), last
			})
		stride := promise.Grid("x").Times(smt.Unsigned(threads(x.Entry)))
		x.owe(fmt.Sprintf("a loop of the whole grid over %s stays within 64 bits", e.Name), n.Plus(stride).AtMost(smt.Big(arith.Max())),
			func(m smt.Model) (string, map[string]smt.Int) {
				return fmt.Sprintf("steps from an index of %s past 2^64-1", e.Name), last
			})
	}
	limits := [3]uint64{1024, 1024, 64}
	goal := smt.Unsigned(threads(x.Entry)).AtMost(smt.Number(1024))
	for i, n := range x.Block {
		goal = smt.And(goal, smt.Unsigned(uint64(n)).In(smt.Number(1), smt.Unsigned(limits[i])))
	}
	x.owe("a block has at most 1024 threads", goal, nowhere("is one of a block that no device has"))
	x.owe("the grid has one block along each axis that it has not", promise.Flat(smt.Number(int64(x.Axes))),
		nowhere("is one of several that own the same things, since their blocks differ along an axis that their types do not have"))
}

// nowhere is a fault of no particular thread.
func nowhere(says string) Fault {
	return func(smt.Model) (string, map[string]smt.Int) { return says, nil }
}

// owesBuffers: every buffer has what its view promises.
func (x *entry) owesBuffers() {
	for i := range x.Params {
		p := &x.Params[i]
		if p.Argument == nil {
			continue
		}
		x.owesLength(p)
		x.owe(fmt.Sprintf("%s begins at a multiple of %d bytes", p.Name, p.Align), promise.Multiple(x.address(p), p.Align),
			func(m smt.Model) (string, map[string]smt.Int) {
				return fmt.Sprintf("accesses %s at %#x, which is no multiple of %d", p.Name, m["addr("+p.Name+")"], p.Align), nil
			})
		x.owesProof(p)
		for j := range x.Params {
			q := &x.Params[j]
			if q.Argument == nil || i == j || p.Direction == "in" || q.Direction != "in" && j < i {
				continue
			}
			x.owe(fmt.Sprintf("%s, which is written, and %s share no byte", p.Name, q.Name), x.disjoint(p, q),
				func(m smt.Model) (string, map[string]smt.Int) {
					return fmt.Sprintf("writes %s where %s lies: they begin at %#x and %#x", p.Name, q.Name, m["addr("+p.Name+")"], m["addr("+q.Name+")"]), nil
				})
		}
	}
}

// owesLength: a buffer has the elements that its view names.
func (x *entry) owesLength(p *obligations.Param) {
	e, err := contract.Parse(p.Len)
	if err != nil {
		x.err = fmt.Errorf("len of %s: %w", p.Name, err)
		return
	}
	elements, named := x.elements(p), x.value(p.Len)
	verb := map[string]string{"in": "reads", "out": "writes"}[p.Direction]
	if verb == "" {
		verb = "reads and writes"
	}
	at := map[string]smt.Int{}
	for _, name := range contract.Names(e) {
		if x.extents[name] != nil {
			at[name] = x.scope.Name(name).Minus(smt.Number(1))
		}
	}
	x.owe(fmt.Sprintf("len(%s) >= %s", p.Name, p.Len), promise.Length(elements, named),
		func(m smt.Model) (string, map[string]smt.Int) {
			last, _ := m.Value(named.Minus(smt.Number(1)))
			return fmt.Sprintf("%s %s[%s]", verb, p.Name, last), at
		})
}

// owesProof: a validated array proves what its view promises, of the extents of the launch.
func (x *entry) owesProof(p *obligations.Param) {
	if p.Validated == "" {
		return
	}
	if p.Argument.Proof != p.Validated {
		x.owe(fmt.Sprintf("%s is validated: %s", p.Name, p.Validated), smt.False(), nowhere(fmt.Sprintf("reads an index from %s, which nobody has validated", p.Name)))
		return
	}
	// Of offsets the entries, of columns and permutations the elements: what is read there is below the handle's own extent.
	i := 0
	if p.Validated == "offsets" {
		i = 1
	}
	below, own := p.Carries[i].Extent, p.Carries[i].Own
	x.owe(fmt.Sprintf("what %s holds is validated for %s", p.Name, below), x.scope.Name(own).AtMost(x.scope.Name(below)),
		func(m smt.Model) (string, map[string]smt.Int) {
			return fmt.Sprintf("reads an index of %s from %s that was validated below %s = %s", below, p.Name, own, m[own]), nil
		})
}

// owesCells: the grid that follows from cells has a block for every index, no index beyond a block's, and fits
// every device.
func (x *entry) owesCells(derived []smt.Premise) {
	for _, p := range x.Params {
		for _, c := range p.Cells {
			n, grid := x.scope.Name(c.Extent), promise.Grid(c.Axis)
			x.owe(fmt.Sprintf("gridDim.%s has a block for every %d indices of %s", c.Axis, c.Each, c.Extent), promise.Covers(grid, n, c.Each),
				func(m smt.Model) (string, map[string]smt.Int) {
					return fmt.Sprintf("is the last one along %s, and nobody has index %s of %s", c.Axis, plus(m[c.Extent], -1), c.Extent), map[string]smt.Int{c.Extent: grid.Times(smt.Unsigned(c.Each)).Minus(smt.Number(1))}
				})
			x.owe(fmt.Sprintf("the last block along %s begins below %s", c.Axis, c.Extent), promise.Last(grid, n, c.Each),
				func(m smt.Model) (string, map[string]smt.Int) {
					return fmt.Sprintf("begins beyond %s", c.Extent), map[string]smt.Int{c.Extent: grid.Minus(smt.Number(1)).Times(smt.Unsigned(c.Each))}
				})
			if c.Axis == "x" {
				continue
			}
			text := x.Grid[int(c.Axis[0]-'x')]
			blocks := x.value(text)
			x.out = append(x.out, Obligation{
				Name: fmt.Sprintf("grid.%s <= %d", c.Axis, promise.GridYZ), Premises: derived, Goal: blocks.AtMost(smt.Number(promise.GridYZ)),
				Fault: func(m smt.Model) (string, map[string]smt.Int) {
					v, _ := m.Value(blocks)
					return fmt.Sprintf("would be one of a grid of %s blocks along %s, which no device has", v, c.Axis), nil
				},
			})
		}
	}
}

// sharedAlign is what the layout aligns every shared parameter to, and what the launch aligns all of it to.
const sharedAlign = 16

// owesShared: shared parameters lie within the bytes of the launch, and apart.
func (x *entry) owesShared() {
	bytes := x.value(x.Shared)
	for i, p := range x.Params {
		if p.Count == 0 {
			continue
		}
		from := smt.Unsigned(p.Offset)
		end := from.Plus(smt.Unsigned(p.Count).Times(smt.Unsigned(p.Size)))
		x.owe(fmt.Sprintf("%s lies within the shared bytes of a block", p.Name), smt.And(end.AtMost(bytes), bytes.AtMost(smt.Number(1<<32-1))),
			func(m smt.Model) (string, map[string]smt.Int) {
				have, _ := m.Value(bytes)
				return fmt.Sprintf("accesses the last element of %s, which ends at byte %d of %s bytes of shared memory", p.Name, p.Offset+p.Count*p.Size, have), nil
			})
		x.owe(fmt.Sprintf("%s begins at a multiple of %d bytes of shared memory", p.Name, sharedAlign), promise.Multiple(from, sharedAlign),
			nowhere(fmt.Sprintf("accesses %s at byte %d of shared memory", p.Name, p.Offset)))
		for _, q := range x.Params[:i] {
			if q.Count == 0 {
				continue
			}
			other := smt.Unsigned(q.Offset)
			x.owe(fmt.Sprintf("%s and %s share no byte of shared memory", q.Name, p.Name),
				smt.Or(end.AtMost(other), other.Plus(smt.Unsigned(q.Count).Times(smt.Unsigned(q.Size))).AtMost(from)),
				nowhere(fmt.Sprintf("writes %s over %s: they begin at bytes %d and %d of shared memory", p.Name, q.Name, p.Offset, q.Offset)))
		}
	}
}

// owesFacts: what the types of a variant say of extents and addresses holds.
func (x *entry) owesFacts() {
	for _, e := range x.Extents {
		n, grid := x.scope.Name(e.Name), promise.Grid("x")
		wrong := func(m smt.Model) (string, map[string]smt.Int) {
			return fmt.Sprintf("relies on a fact of %s = %s that does not hold", e.Name, m[e.Name]), map[string]smt.Int{e.Name: n.Minus(smt.Number(1))}
		}
		if e.Multiple > 1 {
			x.owe(fmt.Sprintf("%s is a multiple of %d", e.Name, e.Multiple), promise.Multiple(n, e.Multiple), wrong)
		}
		if e.Once > 0 {
			all := grid.Times(smt.Unsigned(e.Once))
			x.owe(fmt.Sprintf("gridDim.x times %d are all indices of %s", e.Once, e.Name), all.AtLeastTerm(n), wrong)
			if e.Index == dtype.I32.String() {
				x.owe(fmt.Sprintf("gridDim.x times %d fits the indices of %s", e.Once, e.Name), all.AtMost(smt.Number(contract.Max32)), wrong)
			}
		}
		if e.Exact > 0 {
			x.owe(fmt.Sprintf("gridDim.x times %d are all indices of %s and no more", e.Exact, e.Name), grid.Times(smt.Unsigned(e.Exact)).Equal(n), wrong)
		}
	}
	for i := range x.Params {
		p := &x.Params[i]
		if x.Align > 1 && p.Argument != nil {
			x.owe(fmt.Sprintf("%s begins at a multiple of %d bytes, as all buffers do", p.Name, x.Align), promise.Multiple(x.address(p), x.Align),
				nowhere(fmt.Sprintf("takes the address of %s for a multiple of %d", p.Name, x.Align)))
		}
	}
}
