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

// behind returns what may have wrapped on the way to an address: of each path, only the computation nearest to the address.
func (a *analysis) behind(address *ptx.Value) []*Wrap {
	var out []*Wrap
	seen := map[*ptx.Value]bool{}
	var wide func(v *ptx.Value)
	narrow := func(o *ptx.Operand, s sign, at *ptx.Instruction) {
		if o.Value != nil {
			out = append(out, a.narrow(o.Value, s, at)...)
		}
	}
	wide = func(v *ptx.Value) {
		if v == nil || seen[v] {
			return
		}
		seen[v] = true
		for _, from := range v.Phi {
			wide(from)
		}
		in := v.Def
		if in == nil {
			return
		}
		for _, kept := range in.Kept {
			wide(kept)
		}
		s := signed
		if strings.HasPrefix(in.Type(), "u") {
			s = unsigned
		}
		switch in.Kind() {
		case "mul", "mad":
			if in.Has("wide") {
				narrow(&in.Srcs[0], s, in)
				narrow(&in.Srcs[1], s, in)
				if len(in.Srcs) > 2 {
					wide(in.Srcs[2].Value)
				}
				return
			}
			fallthrough
		case "add", "sub", "shl", "mov", "cvta", "selp", "min", "max", "or", "xor", "neg", "not", "div":
			for i := range in.Srcs {
				wide(in.Srcs[i].Value)
			}
		case "cvt":
			if len(in.Srcs) == 1 && typeOf(in.Type()) == 32 {
				narrow(&in.Srcs[0], s, in)
				return
			}
			wide(in.Srcs[0].Value)
		}
	}
	wide(address)
	return out
}

// narrow walks back from where a value of 32 bits is widened, read as signed or unsigned. It ends where bits are cut off on purpose: at a
// mask, a shift to the right, a remainder.
func (a *analysis) narrow(from *ptx.Value, s sign, at *ptx.Instruction) []*Wrap {
	var out []*Wrap
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
		in := v.Def
		if in == nil {
			return
		}
		if exact, ok := a.wraps[in]; ok && !exact[s].empty() {
			out = append(out, &Wrap{At: in, Exact: exact[s], Range: ranges[32][s], Widened: at})
			return
		}
		for _, kept := range in.Kept {
			visit(kept)
		}
		switch in.Kind() {
		case "add", "sub", "mul", "mad", "shl", "mov", "selp", "min", "max", "or", "xor", "neg", "not", "div":
			if typeOf(in.Type()) != 32 {
				return
			}
			for i := range in.Srcs {
				visit(in.Srcs[i].Value)
			}
		case "shfl":
			visit(in.Srcs[0].Value)
		}
	}
	visit(from)
	return out
}
