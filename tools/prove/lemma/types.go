package lemma

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// A typ is a type of the program: *intType, boolType, *class, *pointerType, *extent, opaqueType.
type typ interface{ String() string }

type boolType struct{}

func (boolType) String() string { return "bool" }

// intType is a type of whole numbers.
type intType struct {
	name   string
	bits   uint
	signed bool
}

func (t *intType) String() string { return t.name }

func (t *intType) least() *big.Int {
	if !t.signed {
		return new(big.Int)
	}
	n := new(big.Int).Lsh(big.NewInt(1), t.bits-1)
	return n.Neg(n)
}

func (t *intType) most() *big.Int {
	bits := t.bits
	if t.signed {
		bits--
	}
	n := new(big.Int).Lsh(big.NewInt(1), bits)
	return n.Sub(n, big.NewInt(1))
}

// ints are the types of whole numbers by all their names.
func ints() map[string]*intType {
	u8, u16 := &intType{"u8", 8, false}, &intType{"u16", 16, false}
	i32, u32 := &intType{"i32", 32, true}, &intType{"u32", 32, false}
	i64, u64 := &intType{"i64", 64, true}, &intType{"u64", 64, false}
	return map[string]*intType{
		"u8": u8, "i32": i32, "u32": u32, "i64": i64, "u64": u64, "int": i32, "unsigned": u32, "unsigned int": u32, "unsigned short": u16,
		"unsigned char": u8, "long long": i64, "unsigned long long": u64,
		"std::uint8_t": u8, "std::uint16_t": u16, "std::int32_t": i32, "std::uint32_t": u32, "std::int64_t": i64, "std::uint64_t": u64,
	}
}

// pointerType points to elements of a type.
type pointerType struct{ elem typ }

func (t *pointerType) String() string { return t.elem.String() + "*" }

// opaqueType is a type of which only the name is known: of an element, of a value, of a function that the kernel gives.
type opaqueType struct {
	name string
	elem bool // it is a type of elements, which has a size
}

func (t *opaqueType) String() string { return t.name }

// extent is a tag D: its size is a symbol, its index type is settled by the assignment.
type extent struct {
	name string
	size smt.Int
}

func (t *extent) String() string { return t.name }

// class is a class with arguments for its parameters.
type class struct {
	decl  *cxx.Class
	outer *class
	bind  map[string]binding
	key   string
}

func (t *class) String() string { return t.key }

// binding is what a template parameter stands for.
type binding struct {
	t    typ
	n    value // of a number or a truth value
	pack []binding
	many bool
}

func (b binding) String() string {
	switch {
	case b.many:
		var out []string
		for _, e := range b.pack {
			out = append(out, e.String())
		}
		return strings.Join(out, ", ")
	case b.t != nil:
		return b.t.String()
	}
	switch v := b.n.(type) {
	case number:
		if c, ok := v.v.IsNumber(); ok {
			return c.String()
		}
		return v.v.String()
	case truth:
		if v.known() {
			return fmt.Sprint(v.holds())
		}
		return v.v.String()
	}
	return "?"
}

func (b binding) same(o binding) bool { return b.String() == o.String() }

// named makes the key of a class.
func named(decl *cxx.Class, outer *class, bind map[string]binding) string {
	out := decl.Name
	if outer != nil {
		out = outer.key + "::" + out
	}
	var args []string
	if decl.Special {
		for _, a := range decl.Args {
			args = append(args, replaced(a.String(), bind))
		}
	} else {
		for _, p := range decl.Head {
			args = append(args, bind[p.Name].String())
		}
	}
	if args != nil {
		out += "<" + strings.Join(args, ", ") + ">"
	}
	return out
}

// replaced prints a pattern with what its names stand for.
func replaced(pattern string, bind map[string]binding) string {
	var b strings.Builder
	for i := 0; i < len(pattern); {
		j := i
		for j < len(pattern) && (pattern[j] == '_' || pattern[j] >= '0' && pattern[j] <= '9' || pattern[j] >= 'a' && pattern[j] <= 'z' || pattern[j] >= 'A' && pattern[j] <= 'Z') {
			j++
		}
		if j == i {
			b.WriteByte(pattern[i])
			i++
			continue
		}
		if v, ok := bind[pattern[i:j]]; ok {
			b.WriteString(v.String())
		} else {
			b.WriteString(pattern[i:j])
		}
		i = j
	}
	return b.String()
}

// reps are the types that an index may have.
func reps() map[string]dtype.Type {
	return map[string]dtype.Type{"i32": dtype.I32, "i64": dtype.I64, "u64": dtype.U64}
}

// assignment settles what a run leaves open: "rep(D)": "i32", "S": "8", "Whole": "true".
type assignment map[string]string

func (a assignment) with(name, value string) assignment {
	out := maps.Clone(a)
	if out == nil {
		out = assignment{}
	}
	out[name] = value
	return out
}

// shared is what two threads of a launch have in common.
func (a assignment) shared() assignment {
	out := maps.Clone(a)
	maps.DeleteFunc(out, func(name, _ string) bool { return differs()[name] })
	return out
}

func (a assignment) String() string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(a)) {
		out = append(out, k+" = "+a[k])
	}
	return strings.Join(out, ", ")
}
