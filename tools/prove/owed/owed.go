// Package owed forms what an entry owes: that its contract implies each promise which the views of its parameters make on
// the strength of it, and that the launch itself is sound. tools/prove/lemma does the rest, once for all entries.
package owed

import (
	"fmt"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/tools/internal/obligations"
	"github.com/warpwright/warpwright/tools/prove/arith"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// Obligation is one thing that an entry owes.
type Obligation struct {
	Name     string // what is promised
	Premises []smt.Premise
	Goal     smt.Bool
	Fault    Fault // of a refutation
}

// Fault says what a launch with such values would do: what is wrong, and the indices of the thread that does it, by
// extent, as far as some are known.
type Fault func(smt.Model) (says string, at map[string]smt.Int)

// entry is an entry on the way to its obligations.
type entry struct {
	*obligations.Entry
	scope   *arith.Scope
	extents map[string]*obligations.Extent
	known   []smt.Premise // what holds of every launch that is not refused
	out     []Obligation
	err     error
}

// argued is an entry with what is known of the arguments of its launch.
func argued(e *obligations.Entry) *entry {
	x := &entry{Entry: e, scope: arith.NewScope(e.Numbers), extents: map[string]*obligations.Extent{}}
	for i := range e.Extents {
		x.extents[e.Extents[i].Name] = &e.Extents[i]
	}
	x.contract()
	x.memory()
	return x
}

// Of are the obligations of an entry.
func Of(e *obligations.Entry) ([]Obligation, error) {
	x := argued(e)
	derived := x.known // what is known before the device has looked at the grid
	x.launch()
	x.owesExtents()
	x.owesBuffers()
	x.owesCells(derived)
	x.owesShared()
	x.owesFacts()
	if x.err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name, x.err)
	}
	return x.out, nil
}

// Contract is what holds of the arguments of a launch that its launcher does not refuse.
func Contract(e *obligations.Entry) ([]smt.Premise, error) {
	x := argued(e)
	return x.known, x.err
}

// Launch is Contract, and what holds if the device does not refuse the launch and a thread runs.
func Launch(e *obligations.Entry) ([]smt.Premise, error) {
	x := argued(e)
	x.launch()
	return x.known, x.err
}

func (x *entry) know(name string, is smt.Bool) {
	x.known = append(x.known, smt.Premise{Name: name, Is: is})
}

// owe adds an obligation.
func (x *entry) owe(name string, goal smt.Bool, fault Fault) {
	x.out = append(x.out, Obligation{Name: name, Premises: x.known, Goal: goal, Fault: fault})
}

// expr is the value of an expression, over whole numbers without bounds.
func (x *entry) expr(text string) (smt.Int, smt.Bool) {
	e, err := contract.Parse(text)
	if err != nil {
		x.err = fmt.Errorf("%q: %w", text, err)
		return smt.Number(0), smt.False()
	}
	return x.scope.Expr(e)
}

func (x *entry) value(text string) smt.Int {
	v, _ := x.expr(text)
	return v
}
