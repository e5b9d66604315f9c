package wrap

import (
	"math/bits"
	"strings"

	"github.com/warpwright/warpwright/tools/audit/ptx"
)

// result is the interval of an instruction's result i.
func (a *analysis) result(in *ptx.Instruction, i int) pair {
	w := typeOf(in.Type())
	wide := in.Has("wide")
	if wide {
		w *= 2
	}
	if in.Kind() == "cvt" {
		parts := strings.Split(in.Op, ".")
		w = typeOf(parts[len(parts)-2])
	}
	if w == 0 {
		w = registerWidth(in.Defs[i])
	}
	all := pair(ranges[w])
	args := make([]pair, len(in.Srcs))
	for n := range in.Srcs {
		args[n] = a.operand(&in.Srcs[n], in.Block)
		if args[n][signed].empty() || args[n][unsigned].empty() {
			return pair{nothing, nothing}
		}
	}
	var exact pair
	for s := range exact {
		v, ok := a.exact(in, sign(s), args, all[s])
		if !ok {
			return all
		}
		exact[s] = v
	}
	out := exact
	for s := range out {
		if len(a.bounds.Products) > 0 && w == 32 && exact[s].Lo >= 0 && exact[s].Hi > all[s].Hi {
			if m := a.below(&ptx.Operand{Kind: ptx.Register, Value: in.Defs[i]}, in.Block); m != nil {
				exact[s].Hi = min(exact[s].Hi, max(a.most(m, in.Block)-1, 0))
				out[s] = exact[s]
			}
		}
		if !exact[s].within(all[s]) {
			if w == 32 && a.multiplies(in) {
				wrapped := a.wraps[in]
				if wrapped == (pair{}) {
					wrapped = pair{nothing, nothing}
				}
				wrapped[s] = exact[s]
				if a.wraps != nil {
					a.wraps[in] = wrapped
				}
			}
			out[s] = exact[s].meet(all[s])
			if exact[s].Lo < 0 && sign(s) == unsigned && exact[signed].within(all[signed]) {
				out[s] = all[s] // it is below 0, which only the signed reading can say
			}
		}
	}
	return out.agreed(w)
}

// exact is what an operation gives if its result had room. It says no for an operation that is not looked into.
func (a *analysis) exact(in *ptx.Instruction, s sign, args []pair, all Interval) (Interval, bool) {
	arg := func(i int) Interval { return args[i][s] }
	typed := func(i int) Interval {
		if strings.HasPrefix(in.Type(), "u") {
			return args[i][unsigned]
		}
		return args[i][signed]
	}
	n := len(args)
	switch op := in.Kind(); {
	case op == "ld" && in.Has("param") && n == 1 && len(in.Srcs[0].Parts) == 1:
		if known, ok := a.bounds.Params[in.Srcs[0].Parts[0].Text]; ok && in.Srcs[0].Number == 0 {
			return known.meet(all), true
		}
	case op == "ld":
		// A load of fewer bits than its register has.
		if t := in.Type(); typeOf(t) == 8 || typeOf(t) == 16 {
			r := ranges[typeOf(t)]
			if t[0] == 's' {
				return r[signed], true
			}
			return r[unsigned], true
		}
	case (op == "mov" || op == "cvta") && n == 1:
		return arg(0), true
	case op == "cvt" && n == 1:
		return converted(in, args[0], s)
	case op == "add" && n == 2:
		return arg(0).add(arg(1)), true
	case op == "sub" && n == 2:
		if x := args[0][unsigned]; part(in.Srcs[1].Value, in.Srcs[0].Value) && (s == unsigned || x.within(all)) {
			return Interval{0, x.Hi}, true
		}
		return arg(0).add(arg(1).negated()), true
	case op == "neg" && n == 1:
		return arg(0).negated(), true
	case op == "mul" && in.Has("lo") && n == 2:
		return arg(0).mul(arg(1)), true
	case op == "mad" && in.Has("lo") && n == 3:
		return arg(0).mul(arg(1)).add(arg(2)), true
	case op == "mul" && in.Has("wide") && n == 2:
		return typed(0).mul(typed(1)), true
	case op == "mad" && in.Has("wide") && n == 3:
		return typed(0).mul(typed(1)).add(arg(2)), true
	case op == "shl" && n == 2:
		// A shift by more than there are bits gives 0.
		if k := args[1][unsigned]; k.Lo >= 0 {
			v := arg(0).mul(Interval{1 << min(k.Lo, 61), 1 << min(k.Hi, 61)})
			if k.Hi >= 32 {
				v = v.join(Interval{0, 0})
			}
			return v, true
		}
	case op == "shr" && n == 2:
		if k := args[1][unsigned]; k.Lo >= 0 && k.Hi < 62 {
			v := typed(0)
			if strings.HasPrefix(in.Type(), "b") {
				v = args[0][unsigned]
			}
			return Interval{min(v.Lo>>k.Lo, v.Lo>>k.Hi), max(v.Hi>>k.Lo, v.Hi>>k.Hi)}, true
		}
	case op == "and" && n == 2:
		return both(arg(0), arg(1)), true
	case (op == "or" || op == "xor") && n == 2:
		// As large as the bits that either may have.
		if x, y := arg(0), arg(1); x.Lo >= 0 && y.Lo >= 0 {
			return Interval{0, int64(1)<<bits.Len64(uint64(max(x.Hi, y.Hi))) - 1}, true
		}
	case op == "not" && n == 1 && s == signed:
		return Interval{-1, -1}.add(arg(0).negated()), true
	case op == "min" && n == 2:
		x, y := typed(0), typed(1)
		return Interval{min(x.Lo, y.Lo), min(x.Hi, y.Hi)}, true
	case op == "max" && n == 2:
		x, y := typed(0), typed(1)
		return Interval{max(x.Lo, y.Lo), max(x.Hi, y.Hi)}, true
	case op == "div" && n == 2:
		return typed(0).div(typed(1)), true
	case op == "rem" && n == 2:
		return typed(0).rem(typed(1)), true
	case op == "selp" && n == 3:
		return arg(0).join(arg(1)), true
	case op == "setp":
		return Interval{0, 1}, true
	case op == "popc" || op == "clz":
		return Interval{0, 64}, true
	case op == "shfl" && n > 0:
		return arg(0), true
	}
	return Interval{}, false
}

// both is x & y.
func both(x, y Interval) Interval {
	switch {
	case x.Lo >= 0 && y.Lo >= 0:
		return Interval{0, min(x.Hi, y.Hi)}
	case y.Lo >= 0:
		return Interval{0, y.Hi}
	case x.Lo >= 0:
		return Interval{0, x.Hi}
	}
	return everything
}

// converted is a conversion between integers. One to fewer bits keeps a number that fits.
func converted(in *ptx.Instruction, v pair, s sign) (Interval, bool) {
	parts := strings.Split(in.Op, ".")
	to, from := parts[len(parts)-2], parts[len(parts)-1]
	if typeOf(to) == 0 || typeOf(from) == 0 {
		return Interval{}, false
	}
	reading := signed
	if from[0] == 'u' {
		reading = unsigned
	}
	n := v[reading]
	if all := ranges[typeOf(to)][s]; !n.within(all) {
		return all, true
	}
	return n, true
}

// multiplies says whether an instruction's result may be far larger than its operands: a product, or what a loop adds up in steps that are
// not known before the kernel runs.
func (a *analysis) multiplies(in *ptx.Instruction) bool {
	switch in.Kind() {
	case "mul", "mad", "shl":
		return true
	case "add":
		return a.steps(in)
	}
	return false
}

// steps recognises i += step in a loop.
func (a *analysis) steps(in *ptx.Instruction) bool {
	if len(in.Srcs) != 2 || len(in.Defs) != 1 {
		return false
	}
	for i := range in.Srcs {
		v, step := in.Srcs[i].Value, &in.Srcs[1-i]
		if v == nil || v.Phi == nil || a.operand(step, in.Block)[signed].single() || step.Kind != ptx.Register {
			continue
		}
		for _, from := range v.Phi {
			if from == in.Defs[0] && a.constantIn(step.Value, v.Block) {
				return true
			}
		}
	}
	return false
}

// constantIn says whether a value was there before the loop began.
func (a *analysis) constantIn(v *ptx.Value, header int) bool {
	for _, l := range a.g.Loops {
		if l.Header != header {
			continue
		}
		for _, b := range l.Nodes {
			if b == v.Block {
				return false
			}
		}
		return true
	}
	return false
}
