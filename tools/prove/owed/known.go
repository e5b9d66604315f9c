package owed

import (
	"fmt"
	"maps"
	"slices"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/tools/internal/obligations"
	"github.com/warpwright/warpwright/tools/prove/promise"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// contract is what the launcher's relations say, and what gives extents their values.
func (x *entry) contract() {
	for _, r := range x.Checked {
		is, err := x.scope.Relation(r.Text)
		if err != nil {
			x.err = err
			return
		}
		x.know(r.Text, is)
	}
	for _, e := range x.Extents {
		if e.Is != "" {
			x.know(e.Name+" is "+e.Is, x.scope.Name(e.Name).Equal(x.scope.Name(e.Is)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(x.Scalars)) {
		x.know(name+" is of its type", x.scope.Name(name).AtMost(smt.Unsigned(x.Scalars[name])))
	}
	x.know("a device has fewer than 2^31 multiprocessors", x.scope.Name("sms").Less(smt.Power(31)))
}

// memory is what holds of arguments in device memory.
func (x *entry) memory() {
	for i := range x.Params {
		p := &x.Params[i]
		if p.Argument == nil {
			continue
		}
		elements, at := x.elements(p), x.address(p)
		x.known = append(x.known, promise.Memory(p.Name, elements, p.Size))
		x.know(fmt.Sprintf("%s begins at a multiple of %d bytes", p.Name, p.Argument.Align), promise.Multiple(at, p.Argument.Align))
		for _, q := range p.Argument.Apart {
			x.apart(p, x.param(q), fmt.Sprintf("%s and %s share no byte", p.Name, q))
		}
		for _, q := range x.Params[:i] {
			if q.Argument != nil && q.Elem != p.Elem {
				x.apart(p, &q, fmt.Sprintf("%s and %s are of different types, and a buffer keeps its type", q.Name, p.Name))
			}
		}
		x.proof(p, elements)
	}
}

// param finds a parameter by its name.
func (x *entry) param(name string) *obligations.Param {
	for i := range x.Params {
		if x.Params[i].Name == name {
			return &x.Params[i]
		}
	}
	x.err = fmt.Errorf("no parameter %s", name)
	return &obligations.Param{}
}

func (x *entry) apart(p, q *obligations.Param, name string) { x.know(name, x.disjoint(p, q)) }

// disjoint says that two buffers share no byte. An empty one shares none wherever it begins.
func (x *entry) disjoint(p, q *obligations.Param) smt.Bool {
	from, pBytes := x.bytes(p)
	to, qBytes := x.bytes(q)
	zero := smt.Number(0)
	return smt.Or(from.Plus(pBytes).AtMost(to), to.Plus(qBytes).AtMost(from), pBytes.Equal(zero), qBytes.Equal(zero))
}

// elements and address are the length of a buffer and the place where it begins.
func (x *entry) elements(p *obligations.Param) smt.Int { return x.scope.Name("len(" + p.Name + ")") }

func (x *entry) address(p *obligations.Param) smt.Int { return x.scope.Name("addr(" + p.Name + ")") }

// bytes are where a buffer begins and how long it is.
func (x *entry) bytes(p *obligations.Param) (from, count smt.Int) {
	return x.address(p), x.elements(p).Times(smt.Unsigned(p.Size))
}

// proof is what a handle of package valid has proved of its array: how long it is, and below what its elements lie.
func (x *entry) proof(p *obligations.Param, elements smt.Int) {
	if p.Argument.Proof == "" || len(p.Carries) != 2 {
		return
	}
	if p.Argument.Proof != "permutation" && p.Carries[0].Own == p.Carries[1].Own {
		x.err = fmt.Errorf("%s: %s is the name of both numbers that a proof of %s is of", p.Name, p.Carries[0].Own, p.Argument.Proof)
		return
	}
	first, second := x.scope.Name(p.Carries[0].Own), x.scope.Name(p.Carries[1].Own)
	name := p.Name + " is validated: " + p.Argument.Proof
	max32 := smt.Number(contract.Max32)
	switch p.Argument.Proof {
	case "offsets": // the last of them is the number of entries, so it has their type
		most := promise.MaxInt()
		if p.Elem == dtype.I32.String() {
			most = max32
		}
		x.know(name, smt.And(elements.Equal(first.Plus(smt.Number(1))), second.AtMost(most)))
	case "columns":
		x.know(name, smt.And(elements.Equal(second), first.AtMost(max32)))
	case "permutation":
		x.know(name, smt.And(elements.Equal(first), elements.Equal(second), first.AtMost(max32)))
	default:
		x.err = fmt.Errorf("%s: no proof %q is known", p.Name, p.Argument.Proof)
	}
}

// launch is what is known of a launch that the device has not refused, and of which a thread runs.
func (x *entry) launch() {
	for i, text := range x.Grid {
		axis := axes[i : i+1]
		blocks, computable := x.expr(text)
		x.know("gridDim."+axis+" is "+text, smt.And(computable, promise.Grid(axis).Equal(blocks)))
	}
}

const axes = "xyz"
