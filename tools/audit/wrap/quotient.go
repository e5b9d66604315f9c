package wrap

import (
	"math"

	"github.com/warpwright/warpwright/tools/audit/ptx"
)

// part says whether q is the upper half of the product of x with a constant, both read as unsigned numbers of 32 bits, and so no more
// than x. nvcc divides by a constant so, and takes the half from x to make room for one bit more.
func part(q, x *ptx.Value) bool {
	if x == nil {
		return false
	}
	if in := sole(q, "mul"); in != nil {
		return in.Has("hi") && in.Type() == "u32" && scales(in, x)
	}
	cvt := sole(q, "cvt")
	if cvt == nil || !cvt.Has("u32") || !cvt.Has("u64") {
		return false
	}
	shr := sole(cvt.Srcs[0].Value, "shr")
	if shr == nil || shr.Type() != "u64" || shr.Srcs[1].Kind != ptx.Immediate || shr.Srcs[1].Number != 32 {
		return false
	}
	mul := sole(shr.Srcs[0].Value, "mul")
	return mul != nil && mul.Has("wide") && mul.Type() == "u32" && scales(mul, x)
}

// sole is the instruction that always defines v, if it is of that kind.
func sole(v *ptx.Value, kind string) *ptx.Instruction {
	if v == nil || v.Def == nil || v.Def.Guard != nil || v.Def.Kind() != kind {
		return nil
	}
	return v.Def
}

// scales says whether an instruction multiplies x by a constant of 32 bits.
func scales(in *ptx.Instruction, x *ptx.Value) bool {
	k := in.Srcs[1]
	return in.Srcs[0].Value == x && k.Kind == ptx.Immediate && k.Number >= math.MinInt32 && k.Number <= math.MaxUint32
}
