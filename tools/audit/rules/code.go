package rules

import (
	"fmt"

	"github.com/warpwright/warpwright/go/audit"
	"github.com/warpwright/warpwright/tools/audit/sass"
)

// Usage is what ptxas says that an entry takes a thread, in bytes.
type Usage struct{ Stack, SpillStores, SpillLoads int }

// Code judges one entry's machine code: the functions that stand in its section.
func Code(u Usage, functions []*sass.Function) []audit.Finding {
	var out []audit.Finding
	add := func(rule string, in *sass.Instruction, says string, args ...any) {
		f := audit.Finding{Rule: rule, Says: fmt.Sprintf(says, args...)}
		if in != nil {
			f.Instruction = in.String()
		}
		out = append(out, f)
	}
	var locals, traps []sass.Instruction
	for _, f := range functions {
		locals = append(locals, f.Locals()...)
		traps = append(traps, f.Traps()...)
	}
	if u.SpillStores+u.SpillLoads > 0 {
		add(Spills, nil, "ptxas ran out of registers: %d bytes of spill stores and %d of spill loads a thread", u.SpillStores, u.SpillLoads)
	}
	switch {
	case len(locals) > 0:
		add(LocalMemory, &locals[0], "%d accesses of local memory, %d bytes a thread: spilled registers, or an array whose subscripts are not known at compile time", len(locals), u.Stack)
	case u.Stack > 0:
		add(LocalMemory, nil, "a stack of %d bytes a thread", u.Stack)
	}
	if len(traps) > 0 {
		add(Trap, &traps[0], "%d instructions that end the whole grid", len(traps))
	}
	return out
}

// Count is the instructions of an entry's machine code.
func Count(functions []*sass.Function) int {
	n := 0
	for _, f := range functions {
		n += len(f.All())
	}
	return n
}

// AnyGrid is the largest grid of a launch of which nothing is known: one of no more than 2^31-1 threads along an axis, so that the number of a thread
// fits an int.
func AnyGrid(block [3]int) [3]int64 {
	var out [3]int64
	for i, most := range []int64{1<<31 - 1, 65535, 65535} {
		out[i] = max(1, min(most, (1<<31-1)/int64(block[i])))
	}
	return out
}
