// Package ptx reads PTX as nvcc writes it: the entries with their instructions, and for each the graph of its control flow and
// its values in static single assignment, which is what the audits reason about.
package ptx

import (
	"fmt"
	"slices"
)

// Module is one PTX file.
type Module struct {
	Target string // "sm_90"
	Funcs  []*Func
}

// Func is an entry, or a function that nvcc has not inlined.
type Func struct {
	Name   string
	Entry  bool
	Line   int
	Params []Param
	// MaxThreads and ReqThreads are the bounds of .maxntid and .reqntid, zero where the directive is missing.
	MaxThreads, ReqThreads [3]int
	Instructions           []*Instruction

	labels  map[string]int // the instruction that follows the label
	targets map[string][]string
}

// Param is one parameter of an entry: ".u64" and its name.
type Param struct{ Type, Name string }

// Place is a line of a source, known if nvcc ran with -lineinfo.
type Place struct {
	File string
	Line int
}

// String is file:line.
func (p Place) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// Instruction is one instruction.
type Instruction struct {
	Line    int    // of the PTX file
	Text    string // as written, on one line
	Op      string // "ld.global.nc.f32"
	Guard   *Operand
	Negated bool // the guard is @!p
	Dsts    []Operand
	Srcs    []Operand
	// Places are where the instruction comes from: the innermost line first, then the lines into which it was inlined.
	Places []Place

	Block int
	// Defs are the values of the registers among Dsts, filled in by Graph.
	Defs []*Value
	// Kept holds, for a guarded instruction, the values that its registers keep if the guard does not hold.
	Kept []*Value
}

// OperandKind says what an operand is.
type OperandKind int

// The kinds of operands.
const (
	Register  OperandKind = iota
	Immediate             // an integer: Number
	Special               // a special register: %tid.x
	Symbol                // a name, a label or a constant that is no integer
	Address               // [base + Number]: Parts has the base
	Vector                // {a, b}: Parts
)

// Operand is one operand.
type Operand struct {
	Kind   OperandKind
	Text   string
	Number int64
	Parts  []Operand
	Value  *Value // of a register that is read, filled in by Graph
}

// registers calls f for each register in the operand.
func (o *Operand) registers(f func(*Operand)) {
	if o.Kind == Register {
		f(o)
	}
	for i := range o.Parts {
		o.Parts[i].registers(f)
	}
}

// Reads returns the values that the instruction reads, its guard's among them.
func (in *Instruction) Reads() []*Value {
	var out []*Value
	add := func(o *Operand) { out = append(out, o.Value) }
	for i := range in.Srcs {
		in.Srcs[i].registers(add)
	}
	for i := range in.Dsts {
		// An address among the destinations is read.
		if in.Dsts[i].Kind == Address {
			in.Dsts[i].registers(add)
		}
	}
	if in.Guard != nil {
		add(in.Guard)
	}
	return append(out, in.Kept...)
}

// TakePlaces gives instructions the places that those of another module have: the same source compiled with -lineinfo, for any architecture.
// Functions whose code differs there are left without.
func (m *Module) TakePlaces(from *Module) {
	others := map[string]*Func{}
	for _, f := range from.Funcs {
		others[f.Name] = f
	}
	for _, f := range m.Funcs {
		if g := others[f.Name]; g != nil && slices.EqualFunc(f.Instructions, g.Instructions, func(a, b *Instruction) bool { return a.Op == b.Op }) {
			for i, in := range f.Instructions {
				in.Places = g.Instructions[i].Places
			}
		}
	}
}
