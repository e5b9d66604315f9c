package family

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/internal/source"
	"github.com/warpwright/warpwright/tools/internal/syntax"
)

// NewRaw reads a family of raw kernels: each is its only entry, and nothing is known of a parameter
// but its type.
func NewRaw(name string, sources []*source.File) (*Family, error) {
	f := &Family{Name: name, Raw: true}
	b := builder{f, map[string]*syntax.Kernel{}, map[string]string{}}
	for _, s := range sources {
		f.Sources = append(f.Sources, s.Name)
		parsed, err := syntax.RawKernels(s)
		if err != nil {
			return nil, err
		}
		for _, src := range parsed {
			if err := b.name(&syntax.Kernel{File: src.File, Name: src.Name}); err != nil {
				return nil, err
			}
			k, err := rawKernel(src)
			if err != nil {
				return nil, err
			}
			f.Kernels = append(f.Kernels, k)
		}
	}
	return f, nil
}

func rawKernel(src *syntax.Raw) (*Kernel, error) {
	k := &Kernel{
		Raw: true, Name: src.Name.Text, Doc: src.Doc, Source: src.File.Name, Line: src.File.Line(src.Name.Offset),
		Instances: []Instance{{Entry: src.Name.Text}},
	}
	if src.Bounds != nil {
		e, err := syntax.Expr(src.File, *src.Bounds)
		if err != nil {
			return nil, err
		}
		n, err := e.Eval(nil)
		if err != nil {
			return nil, src.File.Errorf(src.Bounds.Offset, "launch bounds of a raw kernel are made of numbers: %v", err)
		}
		if n == 0 || n > 1024 {
			return nil, src.File.Errorf(src.Bounds.Offset, "a block has from 1 to 1024 threads, not %d", n)
		}
		k.Block = [3]uint32{uint32(n), 1, 1}
	}
	for _, p := range src.Params {
		out, err := rawParam(src.File, p)
		if err != nil {
			return nil, err
		}
		k.Params = append(k.Params, out)
	}
	sum := sha256.Sum256([]byte("raw 1\n" + strings.Join(src.Tokens, " ")))
	k.Hash = manifest.RawHash + hex.EncodeToString(sum[:16])
	return k, nil
}

func rawParam(f *source.File, p syntax.RawParam) (*Param, error) {
	written := strings.Join(p.Words, " ")
	elem, ok := rawType(written, p.Pointer)
	switch {
	case ok:
	case written == "long" || written == "unsigned long":
		return nil, f.Errorf(p.Offset, "%s is of another size elsewhere: write long long or u64, int or i32", written)
	case p.Pointer:
		return nil, f.Errorf(p.Offset, "%s* points to no element type: %s are, and vectors of them such as float4", written, rawNames)
	default:
		return nil, f.Errorf(p.Offset, "%s is no element type (%s are): a raw kernel takes those by value, pointers to them, and no structures", written, rawNames)
	}
	out := &Param{Name: p.Name.Text, Kind: Scalar, Elem: Elem{Type: elem}}
	if p.Pointer {
		written += "*"
		out.Kind, out.Direction = Buffer, "inout"
		if p.Const {
			written, out.Direction = "const "+written, "in"
		}
	}
	out.Src = syntax.Param{Name: p.Name, Type: &syntax.Type{Offset: p.Offset, Name: written}}
	return out, nil
}

const rawNames = "float, double, __half, __nv_bfloat16, int, unsigned, long long, unsigned long long, unsigned char and their names in ww/dtype.h"

// rawType is the element type of a C++ type; of a vector that is pointed to, its components'.
func rawType(written string, pointer bool) (dtype.Type, bool) {
	name := strings.TrimPrefix(strings.TrimPrefix(written, "ww::"), "std::")
	if d, err := dtype.Parse(name); err == nil {
		return d, true
	}
	switch name {
	case "float":
		return dtype.F32, true
	case "double":
		return dtype.F64, true
	case "__half":
		return dtype.F16, true
	case "__nv_bfloat16":
		return dtype.BF16, true
	case "int", "signed", "signed int", "int32_t":
		return dtype.I32, true
	case "long long", "long long int", "int64_t":
		return dtype.I64, true
	case "unsigned", "unsigned int", "uint32_t":
		return dtype.U32, true
	case "unsigned long long", "unsigned long long int", "uint64_t", "size_t":
		return dtype.U64, true
	case "unsigned char", "uint8_t":
		return dtype.U8, true
	}
	if base := strings.TrimRight(name, "234"); pointer && len(base) == len(name)-1 {
		switch base {
		case "float":
			return dtype.F32, true
		case "double":
			return dtype.F64, true
		case "int":
			return dtype.I32, true
		case "uint":
			return dtype.U32, true
		case "longlong":
			return dtype.I64, true
		case "ulonglong":
			return dtype.U64, true
		case "uchar":
			return dtype.U8, true
		}
	}
	return 0, false
}
