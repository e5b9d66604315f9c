// Package sass reads machine code as `nvdisasm -c` prints it: functions, instructions, basic blocks and loops, for sm_75, sm_86
// and sm_90.
//
// SASS has no public grammar. What is read here is what the compiler has been seen to write; whatever else stands in a listing
// is an error with its line, never skipped, so that an audit cannot pass because it did not understand.
package sass

import (
	"slices"
	"strings"

	"github.com/warpwright/warpwright/tools/audit/flow"
)

// Function is one function of a listing: the entry of a kernel, or one that the compiler put beside it.
type Function struct {
	Name string
	// Kernel is the entry in whose section the function stands: its own name if it is the entry.
	Kernel string
	Line   int
	// Blocks are in the order of their addresses, the entry's first. What nothing leads to (the padding at the end of a
	// section) is left out.
	Blocks []Block
}

// Entry says whether the function is a kernel's entry.
func (f *Function) Entry() bool { return f.Name == f.Kernel }

// Block is a run of instructions that is entered at its first and left at its last.
type Block struct {
	Instructions []Instruction
	// Succs are the blocks that may run next, without the detours.
	Succs []int
	// Detours are those of them that run only if the lanes of the warp have come apart at a collective, or never: the
	// compiler's slow path for shuffles and votes, out of line, with calls to functions of its own.
	Detours []int
	// Detour says that the block is reached through detours only.
	Detour bool
}

// Instruction is one line of code.
type Instruction struct {
	Address uint64
	Line    int
	// Guard is the predicate that must hold, P0 or !UP1; empty if there is none.
	Guard string
	// Op and Mods are the opcode: LDG and E, 64, CONSTANT.
	Op   string
	Mods []string
	// Operands are as printed, without the hints of register reuse. The names of labels are not among them.
	Operands []string
	// Targets are the labels that the instruction names.
	Targets []string
}

// Opcode is the opcode with its modifiers: LDG.E.64.CONSTANT.
func (i Instruction) Opcode() string {
	return strings.Join(append([]string{i.Op}, i.Mods...), ".")
}

// Has says whether the opcode has the modifier.
func (i Instruction) Has(mod string) bool { return slices.Contains(i.Mods, mod) }

// Conditional says whether the instruction is left out for some threads or, if it is a branch, may go both ways.
func (i Instruction) Conditional() bool {
	if i.Guard != "" && i.Guard != "PT" && i.Guard != "UPT" {
		return true
	}
	return kindOf(i.Op) == branch && len(i.Operands) > 0
}

// String is the instruction as a listing has it.
func (i Instruction) String() string {
	var s strings.Builder
	if i.Guard != "" {
		s.WriteString("@" + i.Guard + " ")
	}
	s.WriteString(i.Opcode())
	for n, operand := range slices.Concat(i.Operands, i.Targets) {
		if n > 0 {
			s.WriteString(",")
		}
		s.WriteString(" " + operand)
	}
	return s.String()
}

// Body returns the function's instructions without its detours.
func (f *Function) Body() []Instruction {
	var body []Instruction
	for _, b := range f.Blocks {
		if !b.Detour {
			body = append(body, b.Instructions...)
		}
	}
	return body
}

// All returns the function's instructions with its detours.
func (f *Function) All() []Instruction {
	var all []Instruction
	for _, b := range f.Blocks {
		all = append(all, b.Instructions...)
	}
	return all
}

// Graph returns the control flow without the detours.
func (f *Function) Graph() flow.Graph {
	g := make(flow.Graph, len(f.Blocks))
	for n, b := range f.Blocks {
		g[n] = b.Succs
	}
	return g
}

// Loops returns the natural loops over the function's blocks, outer ones first, without the detours; and whether they are all
// the cycles there are.
func (f *Function) Loops() (loops []flow.Loop, reducible bool) {
	return f.Graph().Loops()
}

// Traps returns the instructions that stop the kernel: what __trap, brkpt and a failed check come to.
func (f *Function) Traps() []Instruction {
	return f.pick(f.All(), func(i Instruction) bool { return kindOf(i.Op) == trap })
}

// Locals returns the accesses of local memory: spilled registers, arrays with an index that is no constant, frames.
func (f *Function) Locals() []Instruction {
	return f.pick(f.All(), func(i Instruction) bool {
		return slices.ContainsFunc(i.Accesses(), func(a Access) bool { return a.Space == Local })
	})
}

// Calls returns the calls of functions, without those of the detours. A jump that the compiler wrote as a call is none.
func (f *Function) Calls() []Instruction {
	return f.pick(f.Body(), func(i Instruction) bool { return kindOf(i.Op) == call && !i.jump() })
}

// Branches returns what may go two ways: conditional branches and conditional exits, without the detours and what leads to them.
func (f *Function) Branches() []Instruction {
	return f.pick(f.Body(), func(i Instruction) bool {
		switch kindOf(i.Op) {
		case branch, indexed, call, exit, ret:
			return (i.Conditional() || kindOf(i.Op) == indexed) && !i.detour()
		}
		return false
	})
}

func (f *Function) pick(from []Instruction, want func(Instruction) bool) []Instruction {
	var picked []Instruction
	for _, i := range from {
		if want(i) {
			picked = append(picked, i)
		}
	}
	return picked
}
