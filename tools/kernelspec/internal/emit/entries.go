package emit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/tools/internal/syntax"
	"github.com/warpwright/warpwright/tools/kernelspec/internal/family"
)

// Entries writes the CUDA C++ that has one extern "C" entry an instance. What an entry does stands in
// struct Entry, the only code that may build dims and views; a kernel source that defines an Entry of
// its own does not compile, and the parts of this one are private. Raw kernels are entries themselves.
func Entries(f *family.Family) []byte {
	var w writer
	w.WriteString(header(f))
	for _, s := range f.Sources {
		w.f("#include %q\n", s)
	}
	if f.Raw {
		return []byte(w.String())
	}
	w.WriteString(`
// The extents' tags: the type of an index, the shape of a launch, what the launcher has found to hold.
namespace extents {
`)
	for _, name := range extentNames(f) {
		w.f("template <class index_t, class shape_t, class facts_t = ww::Facts<1, 0, 0>>\nstruct %s { using rep = index_t; using shape = shape_t; using facts = facts_t; };\n", name)
	}
	w.WriteString(`}  // namespace extents

// The only code that may build dims and views (ww/extent.h).
struct ww::Entry {
`)
	eachEntry(&w, f, body)
	w.WriteString(`
 private:
  template <class D>
  static WW_MEM Dim<D> dim(u64 n) { return Dim<D>(n); }
  template <class V, class... A>
  static WW_MEM V view(A... from) { return V(from...); }
  template <class V, class T>
  static WW_MEM V shared(u64 offset) { return V(reinterpret_cast<T*>(static_cast<char*>(dynamic_shared()) + offset)); }
};

`)
	eachEntry(&w, f, symbol)
	return []byte(w.String())
}

// eachEntry calls write for every entry, between the guards of its kernel.
func eachEntry(w *writer, f *family.Family, write func(*writer, *family.Kernel, family.Instance)) {
	for _, k := range f.Kernels {
		guard := archGuard(k.Archs)
		if guard != "" {
			w.f("#if %s\n", guard)
		}
		for _, in := range k.Instances {
			write(w, k, in)
		}
		if guard != "" {
			w.f("#endif\n")
		}
	}
}

// extentNames are the names of all extents of the family, each once.
func extentNames(f *family.Family) []string {
	var out []string
	for _, k := range f.Kernels {
		for _, x := range k.Extents {
			if !slices.Contains(out, x.Name) {
				out = append(out, x.Name)
			}
		}
	}
	return out
}

// archGuard is the condition under which a compiler sees the entries of a kernel for some
// architectures only; the host and the emulator, which have none, always do.
func archGuard(archs []string) string {
	if len(archs) == 0 {
		return ""
	}
	out := "!defined(__CUDA_ARCH__)"
	for _, a := range archs {
		out += " || __CUDA_ARCH__ == " + strings.TrimPrefix(a, "sm_") + "0"
	}
	return out
}

// body writes what an entry does: it builds the kernel's arguments from plain words.
func body(w *writer, k *family.Kernel, in family.Instance) {
	w.f("  static WW_MEM void %s(%s) {\n", in.Entry, declared(k, in))
	for _, x := range k.Extents {
		w.f("    using %s = extents::%s<%s, Shape<%d, %d, %d, %d%s>%s>;\n", x.Name, x.Name, x.IndexIn(in), k.Block[0], k.Block[1], k.Block[2], k.Axes, aligned(k, in), facts(k, in, x))
	}
	var template, args []string
	for _, name := range k.Template {
		template = append(template, named(k, name, in))
	}
	offsets := offsets(k, in)
	for _, p := range k.Params {
		args = append(args, argument(k, p, in, offsets[p]))
	}
	w.f("    ::%s<%s>(%s);\n  }\n", k.Name, strings.Join(template, ", "), strings.Join(args, ", "))
}

// aligned is the last argument of ww::Shape, if an instance has one.
func aligned(k *family.Kernel, in family.Instance) string {
	if n := k.Aligned(in); n > 1 {
		return fmt.Sprintf(", %d", n)
	}
	return ""
}

// facts is the last argument of an extent's tag, if an instance knows anything of the extent.
func facts(k *family.Kernel, in family.Instance, x *family.Extent) string {
	if f := k.Known(in, x.Name); f != (family.Known{Multiple: 1}) {
		return fmt.Sprintf(", Facts<%d, %d, %d>", f.Multiple, f.Once, f.Exact)
	}
	return ""
}

// symbol writes the entry that a launch names.
func symbol(w *writer, k *family.Kernel, in family.Instance) {
	var args []string
	for _, p := range abi(k, in) {
		args = append(args, p.name)
	}
	w.f("extern \"C\" WW_GLOBAL(%d) void %s(%s) {\n  ww::Entry::%s(%s);\n}\n", k.Threads(), in.Entry, declared(k, in), in.Entry, strings.Join(args, ", "))
}

// declared are the parameters of an entry as C++ declares them.
func declared(k *family.Kernel, in family.Instance) string {
	var params []string
	for _, p := range abi(k, in) {
		params = append(params, p.declare())
	}
	return strings.Join(params, ", ")
}

// argument builds what the kernel takes from what the entry has.
func argument(k *family.Kernel, p *family.Param, in family.Instance, offset uint64) string {
	switch p.Kind {
	case family.Dim:
		return dim(k, p.Extents[0])
	case family.Cells:
		var dims []string
		for _, x := range p.Extents {
			dims = append(dims, dim(k, x))
		}
		return fmt.Sprintf("Entry::view<%s>(%s)", instantiate(k, p.Src.Type, in), strings.Join(dims, ", "))
	case family.Buffer:
		from := p.Name
		for _, s := range p.Strides {
			if n, err := s.Eval(k.Env(in)); err == nil {
				from += fmt.Sprintf(", Dim<Const<%d>>()", n)
			} else {
				from += ", " + dim(k, s.String())
			}
		}
		return fmt.Sprintf("Entry::view<%s>(%s)", instantiate(k, p.Src.Type, in), from)
	case family.Token:
		return fmt.Sprintf("Entry::view<%s>()", p.Src.Type)
	case family.Shared:
		return fmt.Sprintf("Entry::shared<%s, %s>(%d)", instantiate(k, p.Src.Type, in), p.Elem.In(in.Values), offset)
	default:
		return p.Name
	}
}

// dim builds the Dim of an extent from the word that has its value.
func dim(k *family.Kernel, extent string) string {
	for _, p := range k.Params {
		if slices.Contains(p.Extents, extent) {
			return fmt.Sprintf("Entry::dim<%s>(%s)", extent, p.Word(extent))
		}
	}
	panic("no word has the value of " + extent) // package family has found one
}

// offsets are where in shared memory the parameters lie that are there.
func offsets(k *family.Kernel, in family.Instance) map[*family.Param]uint64 {
	out := map[*family.Param]uint64{}
	next := uint64(0)
	for _, p := range k.Params {
		if p.Kind == family.Shared {
			out[p] = next
			next += sharedBytes(k, p, in)
		}
	}
	return out
}

// sharedBytes is the room that a shared parameter takes.
func sharedBytes(k *family.Kernel, p *family.Param, in family.Instance) uint64 {
	bytes := k.Number(p.Count, in) * uint64(p.Elem.In(in.Values).Size())
	return (bytes + 15) / 16 * 16
}

// instantiate prints a parameter's type with the values of an instance in place of its parameters.
func instantiate(k *family.Kernel, t *syntax.Type, in family.Instance) string {
	if t.Expr != nil {
		return strconv.FormatUint(k.Number(family.InBlocks(t.Expr), in), 10)
	}
	if t.Args == nil {
		return named(k, t.Name, in)
	}
	var args []string
	for _, a := range t.Args {
		args = append(args, instantiate(k, a, in))
	}
	return t.Name + "<" + strings.Join(args, ", ") + ">"
}

// named is what a parameter of the kernel's template stands for in an instance: a value, or itself.
func named(k *family.Kernel, name string, in family.Instance) string {
	if v, ok := in.Values[name]; ok {
		return v
	}
	if b, ok := family.BlockParam(name); ok {
		return strconv.FormatUint(k.Env(in)[string(b)], 10)
	}
	return name
}

// word is one parameter of an entry.
type word struct {
	name, typ string
	pointer   bool
	size      int
}

func (p word) declare() string {
	if p.pointer {
		return p.typ + " __restrict__ " + p.name
	}
	return p.typ + " " + p.name
}

// abi are the parameters of an entry.
func abi(k *family.Kernel, in family.Instance) []word {
	var out []word
	for _, p := range k.Params {
		elem := p.Elem.In(in.Values)
		if k.Raw { // as it is written
			w := word{p.Name, p.Src.Type.Name, p.Kind == family.Buffer, elem.Size()}
			if w.pointer {
				w.size = 8
			}
			out = append(out, w)
			continue
		}
		switch p.Kind {
		case family.Dim, family.Cells:
			for _, x := range p.Extents {
				out = append(out, word{p.Word(x), "u64", false, 8})
			}
		case family.Scalar:
			out = append(out, word{p.Name, elem.String(), false, elem.Size()})
		case family.Buffer:
			typ := elem.String() + "*"
			if !p.Written() {
				typ = "const " + typ
			}
			out = append(out, word{p.Name, typ, true, 8})
		}
	}
	return out
}

// Emulator writes the emulator's table; include is the path under which it finds the entries.
func Emulator(f *family.Family, include string) []byte {
	var w writer
	w.WriteString(header(f))
	w.f("#include \"emu/cuda.h\"\n#include \"emu/table.h\"\n\n#include %q\n\n", include)
	w.f("static const emu::Registration registration(%q, {\n", f.Name)
	for _, k := range f.Kernels {
		for _, in := range k.Instances {
			w.f("    emu::entry<%s>(%q, %q, %q),\n", function(k, in), in.Entry, k.Name, k.Hash)
		}
	}
	w.f("});\n")
	return []byte(w.String())
}

// function names an entry's function. Without instance values the kernel's template has the name too, and the
// type tells them apart.
func function(k *family.Kernel, in family.Instance) string {
	if k.Raw || in.Entry != k.Name {
		return "&" + in.Entry
	}
	var types []string
	for _, p := range abi(k, in) {
		types = append(types, p.typ)
	}
	return fmt.Sprintf("static_cast<void (*)(%s)>(&%s)", strings.Join(types, ", "), in.Entry)
}
