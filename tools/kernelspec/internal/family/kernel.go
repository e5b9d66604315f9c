package family

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/internal/syntax"
)

// Step is the most by which a loop over an extent steps past it, a block's width: an extent plus
// Step must still be an index (ww/range.h).
const Step = 1024

// archs are the architectures that kernels are compiled for.
func archs() []string {
	var out []string
	for _, a := range manifest.Archs() {
		out = append(out, fmt.Sprintf("sm_%d", a))
	}
	return out
}

// resolver turns one parsed kernel into a Kernel.
type resolver struct {
	voc *Vocabulary
	src *syntax.Kernel
	out *Kernel

	types   map[string]*TypeParam
	ints    map[string]bool
	extents map[string]*Extent
	used    map[string]bool // views and extents that the parameters use
}

func (v *Vocabulary) kernel(k *syntax.Kernel) (*Kernel, error) {
	r := &resolver{
		voc: v, src: k,
		out: &Kernel{
			Src: k, Name: k.Name.Text, Doc: k.Doc, Source: k.File.Name, Line: k.File.Line(k.Name.Offset),
		},
		types:   map[string]*TypeParam{},
		ints:    map[string]bool{},
		extents: map[string]*Extent{},
		used:    map[string]bool{},
	}
	for _, step := range []func() error{
		r.template, r.block, r.params, r.extentsUsed, r.extentValues, r.relations, r.grid, r.requires, r.rest, r.instances, r.constants, r.loops, r.strips, r.terms, r.prefers,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	r.hash()
	return r.out, nil
}

func (r *resolver) fail(offset int, format string, args ...any) error {
	return r.src.File.Errorf(offset, format, args...)
}

// template sorts the template's parameters into instance parameters, BLOCK and extents.
func (r *resolver) template() error {
	ints := map[string]bool{}
	var names []string
	for _, t := range r.src.Template {
		ints[t.Text] = t.Int
		names = append(names, t.Text)
		r.out.Template = append(r.out.Template, t.Text)
	}
	for _, l := range r.src.Annotation.Types {
		isInt, ok := ints[l.Name.Text]
		switch {
		case !ok:
			return r.fail(l.Name.Offset, "types names %s, which is no template parameter of %s (%s are)", l.Name.Text, r.out.Name, strings.Join(names, ", "))
		case isBlock(l.Name.Text):
			return r.fail(l.Name.Offset, "%s is the number of threads a block, from block(...); it has no values of its own", l.Name.Text)
		case r.types[l.Name.Text] != nil:
			return r.fail(l.Name.Offset, "types names %s twice", l.Name.Text)
		}
		t, err := r.typeParam(l, isInt)
		if err != nil {
			return err
		}
		r.types[t.Name] = t
		r.out.Types = append(r.out.Types, t)
	}
	for _, t := range r.src.Template {
		switch {
		case r.types[t.Text] != nil || isBlock(t.Text) && t.Int:
		case t.Int:
			return r.fail(t.Offset, "int %s has no values: name it in types(...)", t.Text)
		default:
			r.extents[t.Text] = &Extent{Name: t.Text, Index: Elem{Type: dtype.U64}}
			r.out.Extents = append(r.out.Extents, r.extents[t.Text])
		}
	}
	return nil
}

func isBlock(name string) bool {
	_, ok := BlockParam(name)
	return ok
}

func (r *resolver) typeParam(l syntax.TypeList, isInt bool) (*TypeParam, error) {
	t := &TypeParam{Name: l.Name.Text}
	for _, v := range l.Values {
		kind := DType
		if _, err := dtype.Parse(v.Text); err != nil {
			kind = Tag
		}
		if isInt {
			kind = Int
			if n, err := strconv.ParseUint(v.Text, 10, 31); err != nil || n == 0 {
				return nil, r.fail(v.Offset, "%s is no value for int %s: a whole number from 1 to 2^31-1 is", v.Text, t.Name)
			}
		} else if kind == Tag && !r.voc.tags[v.Text] {
			return nil, r.fail(v.Offset, "%s is no value for class %s: an element type (f32 f64 f16 bf16 i32 i64 u32 u64 u8) or a WW_TAG is", v.Text, t.Name)
		}
		if t.Kind != "" && t.Kind != kind {
			return nil, r.fail(v.Offset, "%s mixes element types and tags", t.Name)
		}
		if slices.Contains(t.Values, v.Text) {
			return nil, r.fail(v.Offset, "%s has the value %s twice", t.Name, v.Text)
		}
		t.Kind = kind
		t.Values = append(t.Values, v.Text)
	}
	return t, nil
}

// block evaluates block(...), which is the same for all instances.
func (r *resolver) block() error {
	r.out.Block = [3]uint32{1, 1, 1}
	if r.src.Annotation.Block == nil {
		return r.fail(r.src.Offset, "WW_KERNEL has no block(...)")
	}
	limits := [3]uint64{1024, 1024, 64}
	for i, t := range r.src.Annotation.Block {
		e, err := syntax.Expr(r.src.File, t)
		if err != nil {
			return err
		}
		if names := contract.Names(e); names != nil {
			return r.fail(r.find(t, names[0]), "block(...) is the same for every launch, so it is made of numbers; %s is none", names[0])
		}
		n, err := e.Eval(nil)
		if err != nil {
			return r.fail(t.Offset, "%v", err)
		}
		if n == 0 || n > limits[i] {
			return r.fail(t.Offset, "a block has from 1 to %d threads along %c, not %d", limits[i], "xyz"[i], n)
		}
		r.out.Block[i] = uint32(n)
	}
	if n := r.out.Threads(); n > 1024 {
		return r.fail(r.src.Annotation.Block[0].Offset, "a block has at most 1024 threads, not %d", n)
	}
	return nil
}

// rest takes over what needs no more than a check.
func (r *resolver) rest() error {
	a := &r.src.Annotation
	for _, w := range a.Archs {
		if !slices.Contains(archs(), w.Text) {
			return r.fail(w.Offset, "%s is no architecture that kernels are compiled for (%s are)", w.Text, list(archs()))
		}
		if slices.Contains(r.out.Archs, w.Text) {
			return r.fail(w.Offset, "archs names %s twice", w.Text)
		}
		r.out.Archs = append(r.out.Archs, w.Text)
	}
	for i, e := range a.Exceptions {
		for _, before := range a.Exceptions[:i] {
			if before.Rule.Text == e.Rule.Text {
				return r.fail(e.Rule.Offset, "except names the rule %s twice", e.Rule.Text)
			}
		}
		r.out.Exceptions = append(r.out.Exceptions, manifest.Exception{Rule: e.Rule.Text, Reason: e.Reason})
	}
	if err := r.token(); err != nil {
		return err
	}
	for _, p := range r.out.Params {
		if p.Kind != Shared {
			continue
		}
		bytes := contract.Expr(&contract.Call{
			Func: "align",
			X:    &contract.Binary{Op: '*', X: p.Count, Y: contract.Name("sizeof(" + p.Name + ")")},
			Y:    contract.Number(16),
		})
		if r.out.Shared != nil {
			bytes = &contract.Binary{Op: '+', X: r.out.Shared, Y: bytes}
		}
		r.out.Shared = bytes
	}
	return nil
}

// token checks that a kernel which holds a token says why, and that one which says why holds it.
func (r *resolver) token() error {
	u := r.src.Annotation.Unchecked
	for _, p := range r.out.Params {
		switch {
		case p.Kind != Token:
		case u == nil:
			return r.fail(p.Src.Type.Offset, "%s lets %s reach past the contract: say why, as unchecked(\"reason\") in WW_KERNEL", p.Name, r.out.Name)
		case r.out.Unchecked != "":
			return r.fail(p.Src.Type.Offset, "%s is a second %s; one is enough", p.Name, p.Src.Type)
		default:
			r.out.Unchecked = u.Text
		}
	}
	if u != nil && r.out.Unchecked == "" {
		return r.fail(u.Offset, "unchecked(...) gives a reason, but %s has no parameter of type Unchecked, so all its accesses are checked by type", r.out.Name)
	}
	return nil
}

// hash is over the tokens of annotation, signature and the views in it: what a launcher relies on.
func (r *resolver) hash() {
	views := make([]string, 0, len(r.out.Views))
	for _, v := range r.out.Views {
		views = append(views, strings.Join(v.Tokens, " "))
	}
	sort.Strings(views)
	text := "contract 1\n" + strings.Join(r.src.Tokens, " ") + "\n" + strings.Join(views, "\n")
	sum := sha256.Sum256([]byte(text))
	r.out.Hash = hex.EncodeToString(sum[:16])
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
