package wrap

import (
	"strings"

	"github.com/warpwright/warpwright/tools/audit/ptx"
)

// Wrap is a 32-bit computation that may not fit and that an address depends on.
type Wrap struct {
	At      *ptx.Instruction // the product or step
	Exact   Interval         // what it may be
	Range   Interval         // what fits
	Widened *ptx.Instruction // where it becomes 64 bits
	Memory  []*ptx.Instruction
}

// Find returns the wraps of a function, one for each computation, in the order of the text. Accesses to shared and local memory do not count: their
// addresses are of 32 bits and what they reach is small.
func Find(g *ptx.Graph, b *Bounds) []*Wrap {
	a := analyze(g, b)
	var out []*Wrap
	found := map[*ptx.Instruction]*Wrap{}
	for i := range g.Blocks {
		block := &g.Blocks[i]
		if !block.Reachable {
			continue
		}
		for _, in := range g.Func.Instructions[block.First:block.End] {
			address := globalAddress(in)
			if address == nil {
				continue
			}
			for _, w := range a.behind(address) {
				if found[w.At] == nil {
					found[w.At] = w
					out = append(out, w)
				}
				found[w.At].Memory = append(found[w.At].Memory, in)
			}
		}
	}
	return out
}

// globalAddress returns the address in global memory that an instruction accesses, nil if there is none.
func globalAddress(in *ptx.Instruction) *ptx.Value {
	switch in.Kind() {
	case "ld", "st", "atom", "red", "prefetch", "cp", "ldu":
	default:
		return nil
	}
	for _, space := range []string{"param", "const", "local"} {
		if in.Has(space) {
			return nil
		}
	}
	if strings.Contains(in.Op, ".shared") && !strings.Contains(in.Op, ".global") {
		return nil
	}
	for i := len(in.Srcs) - 1; i >= 0; i-- {
		// Of a copy, the last address is the global one it reads.
		if o := &in.Srcs[i]; o.Kind == ptx.Address && len(o.Parts) > 0 {
			return o.Parts[0].Value
		}
	}
	return nil
}

// back walks from a value to what it is computed of, each value once. step names, of an instruction, the operands to go on with, or
// says that it ends there.
func back(from *ptx.Value, step func(in *ptx.Instruction) (operands []ptx.Operand, ends bool)) {
	seen := map[*ptx.Value]bool{}
	var visit func(v *ptx.Value)
	visit = func(v *ptx.Value) {
		if v == nil || seen[v] {
			return
		}
		seen[v] = true
		for _, one := range v.Phi {
			visit(one)
		}
		if v.Def == nil {
			return
		}
		operands, ends := step(v.Def)
		if ends {
			return
		}
		for _, kept := range v.Def.Kept {
			visit(kept)
		}
		for i := range operands {
			visit(operands[i].Value)
		}
	}
	visit(from)
}

// behind returns what may have wrapped on the way to an address: of each path, only the computation nearest to the address.
func (a *analysis) behind(address *ptx.Value) []*Wrap {
	var out []*Wrap
	back(address, func(in *ptx.Instruction) (operands []ptx.Operand, ends bool) {
		s := signed
		if strings.HasPrefix(in.Type(), "u") {
			s = unsigned
		}
		switch in.Kind() {
		case "mul", "mad":
			if in.Has("wide") {
				out = append(append(out, a.narrow(in.Srcs[0].Value, s, in)...), a.narrow(in.Srcs[1].Value, s, in)...)
				return in.Srcs[2:], false
			}
			return in.Srcs, false
		case "add", "sub", "shl", "mov", "cvta", "selp", "min", "max", "or", "xor", "neg", "not", "div":
			return in.Srcs, false
		case "cvt":
			if len(in.Srcs) == 1 && typeOf(in.Type()) == 32 {
				out = append(out, a.narrow(in.Srcs[0].Value, s, in)...)
				return nil, false
			}
			return in.Srcs[:1], false
		}
		return nil, false
	})
	return out
}

// narrow walks back from where a value of 32 bits is widened, read as signed or unsigned. It ends where bits are cut off on purpose: at a
// mask, a shift to the right, a remainder.
func (a *analysis) narrow(from *ptx.Value, s sign, at *ptx.Instruction) []*Wrap {
	var out []*Wrap
	back(from, func(in *ptx.Instruction) (operands []ptx.Operand, ends bool) {
		if exact, ok := a.wraps[in]; ok && !exact[s].empty() {
			out = append(out, &Wrap{At: in, Exact: exact[s], Range: ranges[32][s], Widened: at})
			return nil, true
		}
		switch in.Kind() {
		case "add", "sub", "mul", "mad", "shl", "mov", "selp", "min", "max", "or", "xor", "neg", "not", "div":
			if typeOf(in.Type()) == 32 {
				return in.Srcs, false
			}
		case "shfl":
			return in.Srcs[:1], false
		}
		return nil, false
	})
	return out
}
