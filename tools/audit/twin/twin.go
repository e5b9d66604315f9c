// Package twin compares kernels that mean the same: one whose accesses are safe by its types, one written by hand without any
// check, and one that checks every access. The safe one must cost what the raw one costs.
//
// Compared is SASS, since that is what runs. Two spellings of one thing are equal here:
//
//   - the polarity of a branch and the order of blocks: branches are counted, not read;
//   - a load through the read-only cache or past it, and other hints: an access is its kind, space and width;
//   - how often a loop was unrolled: 8 copies of a body and 16 copies of it are compared a copy, and the row says so;
//   - what only runs when the lanes of a warp have come apart at a collective.
//
// So it is blind to meaning, to a flipped condition for one. That is the work of the tests that run the kernels.
package twin

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/tools/audit/flow"
	"github.com/warpwright/warpwright/tools/audit/sass"
)

// The bounds: what the safe kernel may have more than the raw one, in parts of a hundred.
const (
	LoopPercent   = 2
	KernelPercent = 5
)

// Loop is a hot loop: one that touches memory, with as many loops around it as any that does. What the compiler made of the
// case that a loop has nothing to do is less deep.
type Loop struct {
	// Address is where it begins.
	Address uint64
	// Accesses is what one copy of its body does to memory, without hints.
	Accesses map[sass.Access]int
	// Copies is how often the body is there: the greatest common divisor of its accesses and its floating-point arithmetic, so
	// that one load more a copy is not taken for another number of copies. It is 1 if there is no arithmetic.
	Copies int
	// Fused is how many of its instructions multiply and add.
	Fused int
	// Instructions, Branches and Compares are those of all copies together.
	Instructions, Branches, Compares int
}

// Measure is what one kernel costs.
type Measure struct {
	Instructions int
	Accesses     map[sass.Access]int
	Branches     int
	Compares     int // of integers; the words of one operand count once
	Locals       int
	Calls        int
	Traps        int
	// Loops are the hot loops. Of those with the same accesses it has the one with the most copies: the others are remainders.
	Loops []Loop
}

// Of measures a kernel.
func Of(f *sass.Function) (Measure, error) {
	loops, reducible := f.Loops()
	if !reducible {
		return Measure{}, fmt.Errorf("%s has a cycle with two entrances: its loops cannot be told apart", f.Name)
	}
	m := Measure{
		Instructions: len(f.Body()),
		Accesses:     plain(f.Body()),
		Branches:     len(f.Branches()),
		Compares:     compares(f.Body()),
		Locals:       len(f.Locals()),
		Calls:        len(f.Calls()),
		Traps:        len(f.Traps()),
	}
	// Loops come outer ones first, so a parent's depth is known before its own are asked for.
	depths, deepest := make([]int, len(loops)), 0
	touches := make([]bool, len(loops))
	for n, l := range loops {
		if l.Parent != flow.None {
			depths[n] = depths[l.Parent] + 1
		}
		if touches[n] = len(plain(body(f, l))) > 0; touches[n] {
			deepest = max(deepest, depths[n])
		}
	}
	hot := map[string]Loop{}
	for n, l := range loops {
		if !touches[n] || depths[n] < deepest {
			continue
		}
		h := heat(f, l)
		old, seen := hot[h.name()]
		if !seen || h.Copies > old.Copies || (h.Copies == old.Copies && h.Instructions > old.Instructions) {
			hot[h.name()] = h
		}
	}
	for _, name := range slices.Sorted(maps.Keys(hot)) {
		m.Loops = append(m.Loops, hot[name])
	}
	return m, nil
}

func body(f *sass.Function, l flow.Loop) []sass.Instruction {
	var in []sass.Instruction
	for _, b := range l.Nodes {
		in = append(in, f.Blocks[b].Instructions...)
	}
	return in
}

func heat(f *sass.Function, l flow.Loop) Loop {
	in := body(f, l)
	h := Loop{
		Address:      f.Blocks[l.Header].Instructions[0].Address,
		Accesses:     plain(in),
		Copies:       1,
		Instructions: len(in),
		Compares:     compares(in),
	}
	for _, b := range f.Branches() {
		if slices.ContainsFunc(in, func(i sass.Instruction) bool { return i.Address == b.Address }) {
			h.Branches++
		}
	}
	sums := arithmetic(in)
	h.Fused = sums["FFMA"] + sums["DFMA"] + sums["HFMA2"]
	if len(sums) > 0 {
		h.Copies = 0
		for _, n := range sums {
			h.Copies = gcd(h.Copies, n)
		}
		for _, n := range h.Accesses {
			h.Copies = gcd(h.Copies, n)
		}
	}
	for a := range h.Accesses {
		h.Accesses[a] /= h.Copies
	}
	return h
}

// arithmetic counts sums and products of floating-point values by opcode. With a zero among its operands such an instruction
// moves or converts.
func arithmetic(instructions []sass.Instruction) map[string]int {
	counts := map[string]int{}
	for _, i := range instructions {
		switch i.Op {
		case "FADD", "FMUL", "FFMA", "DADD", "DMUL", "DFMA", "HADD2", "HMUL2", "HFMA2":
			if !slices.ContainsFunc(i.Operands, func(o string) bool { return strings.Contains(o, "RZ") }) {
				counts[i.Op]++
			}
		}
	}
	return counts
}

// name is equal for loops that do the same.
func (l Loop) name() string { return describe(l.Accesses) }

func describe(accesses map[sass.Access]int) string {
	var parts []string
	for a, n := range accesses {
		parts = append(parts, fmt.Sprintf("%d %s", n, a))
	}
	slices.Sort(parts)
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

func plain(instructions []sass.Instruction) map[sass.Access]int {
	counts := map[sass.Access]int{}
	for a, n := range sass.Count(instructions) {
		counts[a.Plain()] += n
	}
	return counts
}

// compares counts comparisons of integers. EX compares the upper words of what the instruction before it began.
func compares(instructions []sass.Instruction) int {
	n := 0
	for _, i := range instructions {
		if (i.Op == "ISETP" || i.Op == "UISETP") && !i.Has("EX") {
			n++
		}
	}
	return n
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// total is the number of accesses of one kind.
func total(accesses map[sass.Access]int, kind sass.Kind) int {
	n := 0
	for a, k := range accesses {
		if a.Kind == kind {
			n += k
		}
	}
	return n
}
