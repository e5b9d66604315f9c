// Package family gives kernels their meaning: it matches each parameter with a view of the device
// vocabulary, finds what gives every extent its value, forms the contract's relations and counts out
// the instances. What it returns is whole and consistent; packages that emit files need no checks.
package family

import (
	"slices"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/internal/syntax"
)

// Family is a kernel family.
type Family struct {
	Name    string
	Raw     bool     // its kernels have no contracts
	Sources []string // repository paths
	Headers string   // source.Digest of the vocabulary's
	Kernels []*Kernel
	Tiers   []manifest.TierTable
}

// Kernel is one WW_KERNEL function, or one raw kernel.
type Kernel struct {
	Raw        bool
	Src        *syntax.Kernel
	Name       string
	Doc        string
	Source     string
	Line       int
	Block      [3]uint32
	Grid       [3]contract.Expr
	Axes       int           // of the grid, as grid(...) has them
	Shared     contract.Expr // dynamic shared bytes; nil for none
	Template   []string      // the template head's parameters
	Types      []*TypeParam  // in the order of types(...)
	Extents    []*Extent     // in the order of the template head
	Params     []*Param
	Relations  []Relation
	Archs      []string
	Exceptions []manifest.Exception
	Unchecked  string         // why it may reach past the contract; empty if it may not
	Views      []*syntax.View // that its parameters use
	Hash       string
	Loops      []Loop     // of the body, over a Dim, by the whole grid
	Prefers    []*Prefer  // variants, the strongest first
	Instances  []Instance // without a Prefer, then of the first one, and so on
}

// Base are the instances without facts.
func (k *Kernel) Base() []Instance {
	n := slices.IndexFunc(k.Instances, func(in Instance) bool { return in.Prefer != nil })
	if n < 0 {
		return k.Instances
	}
	return k.Instances[:n]
}

// Threads is the number of threads a block.
func (k *Kernel) Threads() uint32 { return k.Block[0] * k.Block[1] * k.Block[2] }

// Scalars are the parameters that expressions may name: unsigned numbers of one type in all instances.
func (k *Kernel) Scalars() []*Param {
	var out []*Param
	for _, p := range k.Params {
		if p.Kind == Scalar && p.Elem.Param == "" && slices.Contains([]dtype.Type{dtype.U8, dtype.U32, dtype.U64}, p.Elem.Type) {
			out = append(out, p)
		}
	}
	return out
}

// BlockParam is the name in expressions of a template parameter that stands for the threads a block, in
// all or along one axis; false for every other name.
func BlockParam(name string) (contract.Name, bool) {
	switch name {
	case "BLOCK":
		return "block", true
	case "BLOCK_X":
		return "block.x", true
	case "BLOCK_Y":
		return "block.y", true
	case "BLOCK_Z":
		return "block.z", true
	}
	return "", false
}

// Kind is what the values of an instance parameter are.
type Kind string

// The kinds of instance parameter.
const (
	DType Kind = "dtype"
	Tag   Kind = "tag"
	Int   Kind = "int"
)

// TypeParam is an instance parameter.
type TypeParam struct {
	Name   string
	Kind   Kind
	Values []string
}

// Instance is one choice of values, and of the facts that it may rely on: an entry.
type Instance struct {
	Entry  string
	Values map[string]string // by instance parameter
	Prefer *Prefer           // nil for an entry that relies on the contract alone
}

// Extent is a template parameter that stands for a length.
type Extent struct {
	Name  string
	From  *Param // what gives it its value
	Place int    // its place among From's carried extents, where From is a handle
	Index Elem   // the type of its indices
}

// Elem is an element type: a fixed one, that of an instance parameter, or its accumulator's.
type Elem struct {
	Type  dtype.Type // where Param is empty
	Param string
	Acc   bool
}

// In returns the type in an instance.
func (e Elem) In(values map[string]string) dtype.Type {
	t := e.Type
	if e.Param != "" {
		t, _ = dtype.Parse(values[e.Param])
	}
	if e.Acc {
		return t.Accumulator()
	}
	return t
}

func (e Elem) String() string {
	switch {
	case e.Acc:
		return "Acc<" + e.Param + ">"
	case e.Param != "":
		return e.Param
	default:
		return e.Type.String()
	}
}

// ParamKind is what a parameter of a kernel is to its launcher.
type ParamKind string

// The kinds of parameter.
const (
	Dim    ParamKind = "dim"
	Cells  ParamKind = "cells" // several extents, over which the grid is laid
	Scalar ParamKind = "scalar"
	Buffer ParamKind = "buffer"
	Shared ParamKind = "shared"
	Token  ParamKind = "token" // neither an argument nor a word of the entry
)

// Param is a parameter of a kernel.
type Param struct {
	Src       syntax.Param
	Name      string
	Kind      ParamKind
	Elem      Elem            // of a scalar, buffer or shared memory
	Extents   []string        // of a dim, one; of cells, from the grid's last axis to x
	Each      []contract.Expr // of cells: how many indices of each extent a block has
	Count     contract.Expr   // elements of shared memory
	Lens      []Length        // of a buffer: the least lengths, one a case
	Direction string          // "in", "out", "inout" or "add"
	Validated string          // "offsets", "columns" or "permutation" for a handle
	Carries   []string        // the extents of a handle
	Strides   []contract.Expr // the extents, or numbers, that its constructor takes
	Align     contract.Expr   // bytes that a buffer begins at a multiple of; nil for its element's
	Views     []View          // what it is to the vocabulary, one a case
}

// View is a row of the vocabulary and when it applies.
type View struct {
	Where
	Row *syntax.View
}

// ViewIn is the row that applies in an instance; nil for a scalar.
func (p *Param) ViewIn(in Instance) *syntax.View {
	for _, v := range p.Views {
		if v.In(in) {
			return v.Row
		}
	}
	return nil
}

// LenIn is the least length of a buffer in an instance.
func (p *Param) LenIn(in Instance) contract.Expr {
	for _, l := range p.Lens {
		if l.In(in) {
			return l.Expr
		}
	}
	return nil
}

// Word names the word of the entry that has the value of an extent: a dim's own name, or grid_M for the extent M
// of cells that are called grid.
func (p *Param) Word(extent string) string {
	if p.Kind == Dim {
		return p.Name
	}
	return p.Name + "_" + extent
}

// Written says that the kernel writes the buffer.
func (p *Param) Written() bool { return p.Kind == Buffer && p.Direction != "in" }

// Where is a condition on an instance: Param has Value. The zero Where always holds.
type Where struct{ Param, Value string }

// In says that the condition holds in an instance.
func (w Where) In(in Instance) bool { return w.Param == "" || in.Values[w.Param] == w.Value }

func (w Where) String() string {
	if w.Param == "" {
		return ""
	}
	return " where " + w.Param + ": " + w.Value
}

// Length is a least length and when it applies.
type Length struct {
	Where
	Expr contract.Expr
}

// String prints the length with its condition.
func (l Length) String() string { return l.Expr.String() + l.Where.String() }

// RelationKind says where a relation comes from.
type RelationKind uint8

// The kinds of relation.
const (
	SameExtent RelationKind = iota // two handles carry one extent
	IndexRange                     // an extent fits its index type
	GridRange                      // the grid that follows from cells fits the device
	BufferLen                      // a buffer has its length
	Required                       // requires(...)
)

// Relation is one relation of the contract.
type Relation struct {
	Where
	*contract.Relation
	Kind RelationKind
}

// String prints the relation with its condition.
func (r Relation) String() string { return r.Relation.String() + r.Where.String() }
