package wrap

import (
	"slices"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/tools/audit/flow"
	"github.com/warpwright/warpwright/tools/audit/ptx"
)

// Bounds is what is known before a launch.
type Bounds struct {
	Block  [3]int
	Blocks [3]int64            // the largest grid
	Params map[string]Interval // by name; one that is missing is anything
	// Products are bounds on more than one of them.
	Products []Product
}

// sign is how the 32 bits of a register are read: PTX multiplies signed and unsigned numbers alike, and only what widens a
// number says which it was.
type sign int

const (
	signed sign = iota
	unsigned
)

var ranges = map[int][2]Interval{
	1:  {{0, 1}, {0, 1}},
	8:  {{-1 << 7, 1<<7 - 1}, {0, 1<<8 - 1}},
	16: {{-1 << 15, 1<<15 - 1}, {0, 1<<16 - 1}},
	32: {{-1 << 31, 1<<31 - 1}, {0, 1<<32 - 1}},
	64: {everything, everything},
}

// pair is a value's interval if its bits are read as a signed or as an unsigned number.
type pair [2]Interval

// agreed makes the two readings of one register agree: where one of them excludes the top bit, the other has the same numbers.
func (p pair) agreed(width int) pair {
	if width != 32 || p[signed].empty() || p[unsigned].empty() {
		return p
	}
	low := Interval{0, 1<<31 - 1}
	switch {
	case p[unsigned].within(low):
		p[signed] = p[signed].meet(p[unsigned])
		p[unsigned] = p[signed]
	case p[signed].within(low):
		p[unsigned] = p[unsigned].meet(p[signed])
		p[signed] = p[unsigned]
	}
	return p
}

// analysis finds an interval for each value. It assumes that nothing wrapped so far: what may is reported, and what follows from it is not
// reported once more.
type analysis struct {
	g      *ptx.Graph
	bounds *Bounds
	values []pair
	wraps  map[*ptx.Instruction]pair // the exact results of products and steps that do not fit
	rounds int
}

// widenAfter is how many rounds an interval may grow step by step.
const widenAfter = 4

func analyze(g *ptx.Graph, b *Bounds) *analysis {
	a := &analysis{g: g, bounds: b, values: make([]pair, len(g.Values))}
	for i := range a.values {
		a.values[i] = pair{nothing, nothing}
	}
	for a.rounds = 0; a.step(false); a.rounds++ {
	}
	// What was widened too far comes back as far as the loops' own tests say.
	for range 3 {
		a.wraps = map[*ptx.Instruction]pair{}
		a.step(true)
	}
	return a
}

// step computes all values anew. Going down, a phi forgets what it was before.
func (a *analysis) step(down bool) bool {
	changed := false
	for b := range a.g.Blocks {
		block := &a.g.Blocks[b]
		if !block.Reachable {
			continue
		}
		for _, phi := range block.Phis {
			next := pair{nothing, nothing}
			for i, v := range phi.Phi {
				if v.Def == nil && v.Phi == nil {
					continue // undefined on this way
				}
				one := a.along(v, block.Preds[i], b)
				for s := range next {
					next[s] = next[s].join(one[s])
				}
			}
			old := a.values[phi.ID]
			if !down {
				for s := range next {
					next[s] = a.grown(old[s], next[s], ranges[registerWidth(phi)][s])
				}
			}
			changed = a.set(phi, next) || changed
		}
		for _, in := range a.g.Func.Instructions[block.First:block.End] {
			for i, v := range in.Defs {
				next := a.result(in, i)
				if in.Guard != nil {
					kept := a.read(in.Kept[i], b)
					for s := range next {
						next[s] = next[s].join(kept[s])
					}
				}
				changed = a.set(v, next) || changed
			}
		}
	}
	return changed
}

func (a *analysis) set(v *ptx.Value, to pair) bool {
	if a.values[v.ID] == to {
		return false
	}
	a.values[v.ID] = to
	return true
}

// grown is the next interval of a phi: after some rounds a bound that still moves goes as far as it can.
func (a *analysis) grown(old, next, all Interval) Interval {
	next = next.join(old)
	if a.rounds < widenAfter || old.empty() {
		return next
	}
	if next.Lo < old.Lo {
		next.Lo = all.Lo
	}
	if next.Hi > old.Hi {
		next.Hi = all.Hi
	}
	return next
}

// registerWidth goes by nvcc's names of registers; what is not one of them is as wide as it can be.
func registerWidth(v *ptx.Value) int {
	name := strings.TrimRight(v.Register, "0123456789@")
	switch name {
	case "%p":
		return 1
	case "%rs":
		return 16
	case "%r":
		return 32
	}
	return 64
}

// read is a value as block b sees it: within what the tests say that every way to the block has passed.
func (a *analysis) read(v *ptx.Value, b int) pair {
	if v.Def == nil && v.Phi == nil {
		return ranges[registerWidth(v)]
	}
	p := a.values[v.ID]
	for at := b; at != flow.None && at != v.Block; at = a.g.Idom[at] {
		if preds := a.g.Blocks[at].Preds; len(preds) == 1 {
			p = a.tested(p, v, preds[0], at)
		}
	}
	return p.agreed(registerWidth(v))
}

// along is a value as it comes from one block to another.
func (a *analysis) along(v *ptx.Value, from, to int) pair {
	return a.tested(a.read(v, from), v, from, to).agreed(registerWidth(v))
}

// tested narrows a value by the choice that leads from one block to another.
func (a *analysis) tested(p pair, v *ptx.Value, from, to int) pair {
	if predicate, holds, ok := a.taken(from, to); ok {
		return a.given(p, v, predicate, holds, from)
	}
	return p
}

// taken is the predicate that leads from one block to another, and whether it holds on that way.
func (a *analysis) taken(from, to int) (predicate *ptx.Value, holds, ok bool) {
	in := a.g.Conditional(from)
	if in == nil || in.Kind() != "bra" || in.Guard == nil || in.Guard.Value == nil || len(a.g.Blocks[from].Succs) != 2 {
		return nil, false, false
	}
	jumped := a.g.Label(in.Srcs[0].Text) == to
	return in.Guard.Value, jumped != in.Negated, true
}

// given narrows a value by a predicate that is known to hold or not.
func (a *analysis) given(p pair, v, predicate *ptx.Value, holds bool, b int) pair {
	in := predicate.Def
	if in == nil || in.Guard != nil || len(in.Defs) != 1 {
		return p
	}
	operand := func(i int) *ptx.Value { return in.Srcs[i].Value }
	switch {
	case in.Op == "not.pred" && operand(0) != nil:
		return a.given(p, v, operand(0), !holds, b)
	case in.Op == "and.pred" && holds, in.Op == "or.pred" && !holds:
		for i := range in.Srcs {
			if operand(i) != nil {
				p = a.given(p, v, operand(i), holds, b)
			}
		}
		return p
	case in.Kind() == "setp" && len(in.Srcs) == 2:
		return a.compared(p, v, in, holds)
	}
	return p
}

var opposite = map[string]string{
	"lt": "ge", "ge": "lt", "le": "gt", "gt": "le", "eq": "ne", "ne": "eq", "lo": "hs", "hs": "lo", "ls": "hi", "hi": "ls",
}

var turned = map[string]string{
	"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne", "lo": "hi", "hi": "lo", "ls": "hs", "hs": "ls",
}

// relationOf is what a setp says of v if it holds or not, v on the left, and what it is compared with; nil where v is neither side.
func relationOf(v *ptx.Value, in *ptx.Instruction, relation string, holds bool) (string, *ptx.Operand) {
	if !holds {
		relation = opposite[relation]
	}
	switch v {
	case in.Srcs[1].Value:
		return turned[relation], &in.Srcs[0]
	case in.Srcs[0].Value:
		return relation, &in.Srcs[1]
	}
	return "", nil
}

// compared narrows a value that a setp compares.
func (a *analysis) compared(p pair, v *ptx.Value, in *ptx.Instruction, holds bool) pair {
	parts := strings.Split(in.Op, ".")
	if len(parts) != 3 || !slices.Contains([]string{"s16", "u16", "s32", "u32", "b32", "s64", "u64", "b64"}, parts[2]) {
		return p
	}
	relation, other := relationOf(v, in, parts[1], holds)
	if other == nil {
		return p
	}
	readings := []sign{signed}
	switch {
	case parts[2][0] == 'u' || len(relation) == 2 && strings.Contains("lo ls hi hs", relation):
		readings = []sign{unsigned}
	case relation == "eq":
		readings = []sign{signed, unsigned}
	}
	to := a.operand(other, in.Block)
	for _, s := range readings {
		if to[s].empty() {
			continue
		}
		narrow := everything
		switch relation {
		case "lt", "lo":
			narrow.Hi = to[s].Hi - 1
		case "le", "ls":
			narrow.Hi = to[s].Hi
		case "gt", "hi":
			narrow.Lo = to[s].Lo + 1
		case "ge", "hs":
			narrow.Lo = to[s].Lo
		case "eq":
			narrow = to[s]
		}
		if !p[s].empty() {
			p[s] = p[s].meet(narrow)
		}
	}
	return p
}

func (a *analysis) operand(o *ptx.Operand, b int) pair {
	switch o.Kind {
	case ptx.Register:
		if o.Value != nil {
			return a.read(o.Value, b)
		}
	case ptx.Immediate:
		n := Interval{o.Number, o.Number}
		if n.Lo < -limit || n.Lo > limit {
			return pair{everything, everything}
		}
		return pair{n, n}
	case ptx.Special:
		return a.special(o.Text)
	}
	return pair{everything, everything}
}

func (a *analysis) special(name string) pair {
	same := func(lo, hi int64) pair { return pair{{lo, hi}, {lo, hi}} }
	base, axis, _ := strings.Cut(name, ".")
	i := strings.Index("xyz", axis)
	if axis == "" || i < 0 {
		i = 0
	}
	switch base {
	case "%tid":
		return same(0, int64(a.bounds.Block[i])-1)
	case "%ntid":
		return same(int64(a.bounds.Block[i]), int64(a.bounds.Block[i]))
	case "%ctaid":
		return same(0, max(a.bounds.Blocks[i], 1)-1)
	case "%nctaid":
		return same(1, max(a.bounds.Blocks[i], 1))
	case "%laneid":
		return same(0, 31)
	case "%warpid":
		return same(0, 31)
	}
	return ranges[32]
}

// typeOf returns the width and, where the type says it, the sign of an integer type; width 0 for what is no integer.
func typeOf(typ string) int {
	if typ == "pred" {
		return 1
	}
	if len(typ) < 2 || !strings.ContainsRune("usb", rune(typ[0])) {
		return 0
	}
	n, err := strconv.Atoi(typ[1:])
	if _, ok := ranges[n]; err != nil || !ok {
		return 0
	}
	return n
}
