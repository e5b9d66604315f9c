package uniform

import (
	"math/bits"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/tools/audit/ptx"
)

// width is the bits of a type such as "s32", 1 for a predicate, 0 for what is no integer.
func width(typ string) int {
	if typ == "pred" {
		return 1
	}
	if len(typ) < 2 || !strings.ContainsRune("usb", rune(typ[0])) {
		return 0
	}
	n, err := strconv.Atoi(typ[1:])
	if err != nil || n > 64 {
		return 0
	}
	return n
}

func mask(n uint64, width int) uint64 {
	if width >= 64 {
		return n
	}
	return n & (1<<width - 1)
}

// signed is a number of a narrower width, extended by its sign.
func signed(n uint64, width int) int64 {
	if width >= 64 {
		return int64(n)
	}
	return int64(n<<(64-width)) >> (64 - width)
}

// result is what an instruction's destination i gets.
func (r *Result) result(in *ptx.Instruction, i int) value {
	switch in.Kind() {
	case "ld":
		// What another thread may be writing differs from one read to the next; a function's parameters are its caller's.
		if in.Has("volatile") || in.Has("relaxed") || in.Has("acquire") || in.Has("local") || in.Has("param") && !r.g.Func.Entry {
			return divergent(0)
		}
	case "shfl":
		return r.shuffle(in, i)
	case "vote", "redux", "elect":
		return unknown(Warp)
	case "bar", "barrier":
		return unknown(Block)
	case "match":
		if in.Has("all") {
			return unknown(Warp)
		}
		return divergent(0)
	case "atom", "activemask", "call", "ldmatrix", "mma", "wmma", "movmatrix", "alloca", "mbarrier":
		return divergent(0)
	}
	args := make([]value, len(in.Srcs))
	level, same := Block, uint8(allBits)
	for n := range in.Srcs {
		args[n] = r.operand(&in.Srcs[n], in.Block)
		if !args[n].set {
			return bottom
		}
		level, same = max(level, args[n].Level()), same&args[n].bitsOf()
	}
	if len(in.Defs) == 1 {
		if v := arithmetic(in, args); v.set {
			return v
		}
		same |= r.butterfly(in)
	}
	if level == Neither {
		return divergent(same)
	}
	return unknown(level)
}

// shuffle is what a shuffle gives; its second destination says whether the lane read another's value.
func (r *Result) shuffle(in *ptx.Instruction, i int) value {
	if len(in.Srcs) < 3 {
		return divergent(0)
	}
	v := r.operand(&in.Srcs[0], in.Block)
	from := r.operand(&in.Srcs[1], in.Block)
	segments, whole := r.operand(&in.Srcs[2], in.Block).single()
	switch {
	case !v.set || !from.set:
		return bottom
	case i > 0 || !whole:
		return divergent(0)
	case v.Level() != Neither:
		return unknown(v.Level())
	case in.Has("idx") && segments == allBits && from.Level() != Neither:
		return unknown(Warp) // all read one lane
	case in.Has("bfly"):
		// Reading lane^k turns lanes that hold the same into lanes that hold the same.
		return divergent(v.bitsOf())
	}
	return divergent(0)
}

// commutative are the operations that give the same whichever operand comes first, to the last bit.
var commutative = map[string]bool{"add": true, "mul": true, "min": true, "max": true, "and": true, "or": true, "xor": true}

// butterfly recognises v + shfl.bfly(v, k): lanes l and l^k both add the two values, so that they hold the same from then on. The result is k.
func (r *Result) butterfly(in *ptx.Instruction) uint8 {
	if !commutative[in.Kind()] || len(in.Srcs) != 2 || in.Guard != nil {
		return 0
	}
	for i := range in.Srcs {
		k, of := r.exchanged(&in.Srcs[i])
		if of != nil && of == source(&in.Srcs[1-i]) {
			return k
		}
	}
	return 0
}

// source is the value behind moves from one kind of register to another.
func source(o *ptx.Operand) *ptx.Value {
	for o.Kind == ptx.Register && o.Value != nil {
		def := o.Value.Def
		if def == nil || def.Guard != nil || def.Kind() != "mov" || len(def.Defs) != 1 || len(def.Srcs) != 1 || def.Srcs[0].Kind != ptx.Register {
			return o.Value
		}
		o = &def.Srcs[0]
	}
	return nil
}

// exchanged returns k and v if the operand is shfl.bfly(v, k) over the whole warp.
func (r *Result) exchanged(o *ptx.Operand) (uint8, *ptx.Value) {
	v := source(o)
	if v == nil || v.Def == nil || v.Index != 0 || v.Def.Guard != nil || v.Def.Kind() != "shfl" || !v.Def.Has("bfly") || len(v.Def.Srcs) < 3 {
		return 0, nil
	}
	k, known := r.Constant(v.Def, &v.Def.Srcs[1])
	segments, whole := r.Constant(v.Def, &v.Def.Srcs[2])
	if !known || !whole || segments != allBits || k >= lanesInWarp || bits.OnesCount64(k) != 1 {
		return 0, nil
	}
	return uint8(k), source(&v.Def.Srcs[0])
}

// arithmetic computes what more than the level can be said of an integer operation's result; it gives bottom where that is nothing.
func arithmetic(in *ptx.Instruction, args []value) value {
	known := true
	for _, a := range args {
		known = known && a.known
	}
	if known && len(args) > 0 {
		if f := exact(in); f != nil {
			return perThread(shortened(mapped(f, args...).offset))
		}
		return bottom
	}
	for _, a := range args {
		if a.level == Neither {
			return bottom
		}
	}
	w := width(in.Type())
	if w < 16 {
		return bottom
	}
	switch op := in.Kind(); {
	case op == "mov" && len(args) == 1, op == "cvta" && len(args) == 1:
		return args[0]
	case op == "add" && len(args) == 2:
		return sum(args[0], args[1], 1, w)
	case op == "sub" && len(args) == 2:
		return sum(args[0], args[1], ^uint64(0), w)
	case op == "mul" && in.Has("lo") && len(args) == 2:
		return product(args[0], args[1], w)
	case op == "mad" && in.Has("lo") && len(args) == 3:
		return sum(product(args[0], args[1], w), args[2], 1, w)
	case op == "mul" && in.Has("wide") && len(args) == 2:
		return product(widened(args[0], w), widened(args[1], w), 2*w)
	case op == "mad" && in.Has("wide") && len(args) == 3:
		return sum(product(widened(args[0], w), widened(args[1], w), 2*w), args[2], 1, 2*w)
	case op == "cvt" && len(args) == 1:
		return converted(in, args[0])
	case op == "shl" && len(args) == 2:
		if k, ok := args[1].single(); ok && k < 64 {
			return product(args[0], constant(1<<k), w)
		}
	case op == "shr" && len(args) == 2:
		if k, ok := args[1].single(); ok && k < uint64(w) {
			return shifted(args[0], int(k), w)
		}
	case op == "and" && len(args) == 2:
		if m, ok := args[1].single(); ok {
			return masked(args[0], m, w)
		}
	case op == "or" && len(args) == 2, op == "xor" && len(args) == 2:
		return overlaid(args[0], args[1], exact(in), w)
	}
	return bottom
}

// sum is a + times*b, times being 1 or -1.
func sum(a, b value, times uint64, w int) value {
	if !a.set || !b.set || a.level == Neither || b.level == Neither {
		return bottom
	}
	v := mapped(func(n ...uint64) uint64 { return mask(n[0]+times*n[1], w) }, a, b)
	v.offset = shortened(v.offset)
	if a.known && b.known {
		return v
	}
	v.known, v.level, v.align = false, max(a.level, b.level), min(alignment(a), alignment(b))
	return v
}

// alignment is how many low bits of the base are known to be 0.
func alignment(v value) int {
	if v.known {
		return 64
	}
	return v.align
}

// product is a * b if one of them is the same known number in all threads; else only that it is as uniform as they are.
func product(a, b value, w int) value {
	if !a.set || !b.set || a.level == Neither || b.level == Neither {
		return bottom
	}
	if n, ok := a.single(); ok {
		if _, both := b.single(); !both {
			a, b = b, constant(n)
		}
	}
	n, ok := b.single()
	if !ok {
		level := max(a.Level(), b.Level())
		if level == Neither {
			return bottom
		}
		v := unknown(level)
		v.align = min(alignment(a.folded())+alignment(b.folded()), 63)
		return v
	}
	v := mapped(func(x ...uint64) uint64 { return mask(x[0]*n, w) }, a)
	v.offset = shortened(v.offset)
	if a.known {
		return v
	}
	v.known, v.level, v.align = false, a.level, min(a.align+bits.TrailingZeros64(n), 64)
	return v
}

// folded is a uniform value with its offset in the base, so that its alignment is that of the whole.
func (v value) folded() value {
	level := v.Level()
	if level == Neither {
		return v
	}
	if level == Warp {
		return v.perWarp()
	}
	return v.normal()
}

// split writes the value as base + low with low < 2^align, so that no carry goes from one to the other.
func (v value) split(w int) value {
	if v.known || v.align >= w {
		return value{set: v.set, known: v.known, level: v.level, align: w, offset: v.offset}
	}
	low := make([]uint64, len(v.offset))
	level := v.level
	for t, o := range v.offset {
		low[t] = o & (1<<v.align - 1)
		if o-low[t] != v.offset[0]-low[0] {
			level = max(level, Warp)
			if first := t - t%lanesInWarp; o-low[t] != v.offset[first]-low[first] {
				return divergent(0)
			}
		}
	}
	return value{set: true, level: level, align: v.align, offset: shortened(low)}
}

// widened is a 32-bit value in a register of 64 bits: only the base can have wrapped.
func widened(v value, w int) value {
	if !v.set || v.known {
		return v
	}
	s := v.split(w)
	if s.level == Neither {
		return bottom
	}
	return s
}

// converted is a conversion between integers.
func converted(in *ptx.Instruction, v value) value {
	parts := strings.Split(in.Op, ".")
	to, from := width(parts[len(parts)-2]), width(parts[len(parts)-1])
	switch {
	case to == 0 || from == 0:
		return bottom
	case to > from:
		return widened(v, from)
	}
	n := v
	n.offset = make([]uint64, len(v.offset))
	for t, o := range v.offset {
		n.offset[t] = mask(o, to)
	}
	n.offset = shortened(n.offset)
	n.align = min(n.align, 64)
	return n
}

// shifted is v >> k.
func shifted(v value, k, w int) value {
	s := v.split(w)
	if s.level == Neither || s.known || s.align >= w {
		return bottom
	}
	low := make([]uint64, len(s.offset))
	for t, o := range s.offset {
		low[t] = o >> k
	}
	return value{set: true, level: s.level, align: max(s.align-k, 0), offset: shortened(low)}
}

// masked is v & m.
func masked(v value, m uint64, w int) value {
	m = mask(m, w)
	s := v.split(w)
	if s.level == Neither || s.known {
		return bottom
	}
	low := make([]uint64, len(s.offset))
	for t, o := range s.offset {
		low[t] = o & m
	}
	out := value{set: true, level: s.level, align: max(s.align, bits.TrailingZeros64(m)), offset: shortened(low)}
	if s.align >= 64 || m < 1<<s.align {
		// Nothing of the base is left.
		return perThread(out.offset)
	}
	out.align = min(out.align, 63)
	if s.align < bits.TrailingZeros64(m) {
		out.offset = []uint64{0}
	}
	return out
}

// overlaid is v | n or v ^ n where n is known and has no bit in the base.
func overlaid(a, b value, f func(...uint64) uint64, w int) value {
	if a.known {
		a, b = b, a
	}
	s := a.split(w)
	if f == nil || !b.known || s.level == Neither || s.known || s.align >= 64 {
		return bottom
	}
	for _, n := range b.offset {
		if n >= 1<<s.align {
			return bottom
		}
	}
	v := mapped(f, s, b)
	v.known, v.level, v.align, v.offset = false, s.level, s.align, shortened(v.offset)
	return v
}

// exact returns an integer operation as a function, nil for what is none.
func exact(in *ptx.Instruction) func(...uint64) uint64 {
	op, typ := in.Kind(), in.Type()
	w := width(typ)
	if w == 0 {
		return nil
	}
	sign := typ[0] == 's'
	wide := func(n uint64) uint64 {
		if sign {
			return uint64(signed(n, w))
		}
		return mask(n, w)
	}
	result := w
	if in.Has("wide") {
		result = 2 * w
	}
	// binary ops see their operands extended as their type says.
	binary := func(f func(a, b uint64) uint64) func(...uint64) uint64 {
		return func(n ...uint64) uint64 { return mask(f(wide(n[0]), wide(n[1])), result) }
	}
	switch op {
	case "mov", "cvta":
		return func(n ...uint64) uint64 { return mask(n[0], w) }
	case "cvt":
		parts := strings.Split(in.Op, ".")
		to := width(parts[len(parts)-2])
		if to == 0 || in.Has("sat") {
			return nil
		}
		return func(n ...uint64) uint64 { return mask(wide(n[0]), to) }
	case "add":
		return binary(func(a, b uint64) uint64 { return a + b })
	case "sub":
		return binary(func(a, b uint64) uint64 { return a - b })
	case "mul":
		if in.Has("hi") {
			return nil
		}
		return binary(func(a, b uint64) uint64 { return a * b })
	case "mad":
		if in.Has("hi") {
			return nil
		}
		return func(n ...uint64) uint64 { return mask(wide(n[0])*wide(n[1])+n[2], result) }
	case "and":
		return binary(func(a, b uint64) uint64 { return a & b })
	case "or":
		return binary(func(a, b uint64) uint64 { return a | b })
	case "xor":
		return binary(func(a, b uint64) uint64 { return a ^ b })
	case "not":
		return func(n ...uint64) uint64 { return mask(^n[0], w) }
	case "neg":
		return func(n ...uint64) uint64 { return mask(-n[0], w) }
	case "popc":
		return func(n ...uint64) uint64 { return uint64(bits.OnesCount64(mask(n[0], w))) }
	case "min":
		return binary(func(a, b uint64) uint64 { return pick(less(a, b, sign), a, b) })
	case "max":
		return binary(func(a, b uint64) uint64 { return pick(less(a, b, sign), b, a) })
	case "shl":
		return func(n ...uint64) uint64 {
			if n[1] >= uint64(w) {
				return 0
			}
			return mask(n[0]<<n[1], w)
		}
	case "shr":
		return func(n ...uint64) uint64 {
			k := min(n[1], 63)
			if sign {
				return mask(uint64(signed(n[0], w)>>k), w)
			}
			if n[1] >= uint64(w) {
				return 0
			}
			return mask(n[0], w) >> k
		}
	case "div", "rem":
		return binary(func(a, b uint64) uint64 { return quotient(a, b, sign, op == "rem") })
	case "selp":
		return func(n ...uint64) uint64 { return mask(pick(n[2] != 0, n[0], n[1]), w) }
	case "setp":
		return comparison(in, wide, sign)
	}
	return nil
}

func pick(first bool, a, b uint64) uint64 {
	if first {
		return a
	}
	return b
}

func less(a, b uint64, sign bool) bool {
	if sign {
		return int64(a) < int64(b)
	}
	return a < b
}

// quotient is a/b or a%b; whatever the device gives for a division by zero, it is the same for equal operands.
func quotient(a, b uint64, sign, rest bool) uint64 {
	switch {
	case b == 0 || sign && b == ^uint64(0):
		if rest {
			return 0
		}
		return -a
	case sign && rest:
		return uint64(int64(a) % int64(b))
	case sign:
		return uint64(int64(a) / int64(b))
	case rest:
		return a % b
	}
	return a / b
}

// comparison is a setp of two integers without a further predicate.
func comparison(in *ptx.Instruction, wide func(uint64) uint64, sign bool) func(...uint64) uint64 {
	parts := strings.Split(in.Op, ".")
	if len(parts) != 3 {
		return nil
	}
	holds := map[string]func(a, b uint64) bool{
		"eq": func(a, b uint64) bool { return a == b },
		"ne": func(a, b uint64) bool { return a != b },
		"lt": func(a, b uint64) bool { return less(a, b, sign) },
		"le": func(a, b uint64) bool { return !less(b, a, sign) },
		"gt": func(a, b uint64) bool { return less(b, a, sign) },
		"ge": func(a, b uint64) bool { return !less(a, b, sign) },
		"lo": func(a, b uint64) bool { return a < b },
		"ls": func(a, b uint64) bool { return a <= b },
		"hi": func(a, b uint64) bool { return a > b },
		"hs": func(a, b uint64) bool { return a >= b },
	}[parts[1]]
	if holds == nil {
		return nil
	}
	return func(n ...uint64) uint64 {
		if len(n) == 2 && holds(wide(n[0]), wide(n[1])) {
			return 1
		}
		return 0
	}
}
