package family

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
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
		r.template, r.block, r.params, r.extentsUsed, r.extentValues, r.relations, r.grid, r.requires, r.rest, r.instances, r.constants, r.loops, r.strips, r.prefers,
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

// params matches each parameter with a view.
func (r *resolver) params() error {
	for _, t := range r.src.Template {
		if reserved(t.Text) {
			return r.fail(t.Offset, "%s is a name of the launch itself in expressions (block, grid, shared and sms are)", t.Text)
		}
	}
	for _, p := range r.src.Params {
		if reserved(p.Name.Text) {
			return r.fail(p.Name.Offset, "%s is a name of the launch itself in expressions (block, grid, shared and sms are)", p.Name.Text)
		}
		out, err := r.param(p)
		if err != nil {
			return err
		}
		r.out.Params = append(r.out.Params, out)
	}
	return nil
}

func (r *resolver) param(p syntax.Param) (*Param, error) {
	if e, ok := r.elem(p.Type); ok {
		return &Param{Src: p, Name: p.Name.Text, Kind: Scalar, Elem: e}, nil
	}
	// A tag decides which view it is, so each value of the tag is a case of its own.
	tags := r.tagsOf(p.Type)
	if len(tags) > 1 {
		return nil, r.fail(p.Type.Offset, "the type of %s depends on two tags, %s and %s; one is supported", p.Name.Text, tags[0].Name, tags[1].Name)
	}
	if len(tags) == 0 {
		return r.viewParam(p, p.Type, Where{})
	}
	var out *Param
	for _, value := range tags[0].Values {
		c, err := r.viewParam(p, substitute(p.Type, tags[0].Name, value), Where{tags[0].Name, value})
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = c
			continue
		}
		if c.Kind != out.Kind || c.Elem != out.Elem || c.Direction != out.Direction || c.Validated != out.Validated ||
			!slices.Equal(c.Extents, out.Extents) || !slices.Equal(texts(c.Each), texts(out.Each)) ||
			!slices.Equal(texts(c.Strides), texts(out.Strides)) || fmt.Sprint(c.Align) != fmt.Sprint(out.Align) || !slices.Equal(c.Carries, out.Carries) {
			return nil, r.fail(p.Type.Offset, "%s is a different kind of argument for %s: %s and for %s: %s; only its length may differ",
				p.Name.Text, tags[0].Name, tags[0].Values[0], tags[0].Name, value)
		}
		out.Lens = append(out.Lens, c.Lens...)
		out.Views = append(out.Views, c.Views...)
	}
	return out, nil
}

func texts(list []contract.Expr) []string {
	var out []string
	for _, e := range list {
		out = append(out, e.String())
	}
	return out
}

// tagsOf are the tag parameters in a type.
func (r *resolver) tagsOf(t *syntax.Type) []*TypeParam {
	var out []*TypeParam
	if p := r.types[t.Name]; p != nil && p.Kind == Tag && t.Args == nil {
		out = append(out, p)
	}
	for _, a := range t.Args {
		for _, p := range r.tagsOf(a) {
			if !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

func substitute(t *syntax.Type, name, value string) *syntax.Type {
	c := *t
	if t.Name == name && t.Args == nil {
		c.Name = value
	}
	c.Args = slices.Clone(t.Args)
	for i, a := range c.Args {
		c.Args[i] = substitute(a, name, value)
	}
	return &c
}

// viewParam matches a parameter's type with a view.
func (r *resolver) viewParam(p syntax.Param, t *syntax.Type, where Where) (*Param, error) {
	w, bind, rival := r.voc.find(t)
	if w == nil {
		return nil, r.fail(p.Type.Offset, "%s is neither an element type nor a view (%s)", t, r.voc.patterns())
	}
	if rival != nil {
		return nil, r.fail(p.Type.Offset, "%s is both %s and %s, and neither is more specific", t, w.row.Pattern, rival.row.Pattern)
	}
	if !slices.Contains(r.out.Views, w.row) {
		r.out.Views = append(r.out.Views, w.row)
	}
	out := &Param{Src: p, Name: p.Name.Text, Kind: w.kind, Direction: w.direction, Validated: w.validated, Views: []View{{where, w.row}}}
	var err error
	if w.elem != nil {
		if out.Elem, err = r.boundElem(t, w.elem, bind); err != nil {
			return nil, err
		}
	}
	for _, name := range w.extents {
		x, err := r.boundExtent(t, name, bind)
		if err != nil {
			return nil, err
		}
		out.Extents = append(out.Extents, x)
	}
	for _, e := range w.each {
		n, err := r.count(t, e, bind)
		if err != nil {
			return nil, err
		}
		out.Each = append(out.Each, n)
	}
	for _, name := range w.strides {
		e, err := r.boundExpr(t, contract.Name(name), bind)
		if err != nil {
			return nil, err
		}
		out.Strides = append(out.Strides, e)
	}
	for _, c := range w.carries {
		e, err := r.boundExtent(t, c, bind)
		if err != nil {
			return nil, err
		}
		out.Carries = append(out.Carries, e)
	}
	if w.length != nil {
		e, err := r.boundExpr(t, w.length, bind)
		if err != nil {
			return nil, err
		}
		out.Lens = []Length{{where, e}}
	}
	if w.count != nil {
		if out.Count, err = r.count(t, w.count, bind); err != nil {
			return nil, err
		}
	}
	if w.align != nil {
		// The size of the view's element is that of the parameter's.
		size := map[string]contract.Expr{"sizeof(" + w.elem.String() + ")": contract.Name("sizeof(" + out.Name + ")")}
		if out.Align, err = r.countWith(t, w.align, bind, size); err != nil {
			return nil, err
		}
	}
	for _, d := range r.values(out.Elem) {
		if out.Validated != "" && d != dtype.I32 && (d != dtype.I64 || out.Validated != "offsets") {
			return nil, r.fail(p.Type.Offset, "%s holds %s of type %s; package valid proves i32 or i64 offsets, and i32 columns and permutations", p.Name.Text, out.Validated, d)
		}
	}
	for _, name := range sortedKeys(w.index) {
		if err := r.index(t, name, w.index[name], bind); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// elem reads a type as an element type.
func (r *resolver) elem(t *syntax.Type) (Elem, bool) {
	if t.Expr != nil {
		return Elem{}, false
	}
	if t.Name == "Acc" && len(t.Args) == 1 {
		e, ok := r.elem(t.Args[0])
		if !ok || e.Acc {
			return Elem{}, false
		}
		if e.Param == "" {
			return Elem{Type: e.Type.Accumulator()}, true
		}
		return Elem{Param: e.Param, Acc: true}, true
	}
	if t.Args != nil {
		return Elem{}, false
	}
	if d, err := dtype.Parse(t.Name); err == nil {
		return Elem{Type: d}, true
	}
	if p := r.types[t.Name]; p != nil && p.Kind == DType {
		return Elem{Param: t.Name}, true
	}
	return Elem{}, false
}

func (r *resolver) boundElem(t, e *syntax.Type, bind map[string]*syntax.Type) (Elem, error) {
	if b, ok := bind[e.Name]; ok && e.Args == nil && e.Expr == nil {
		e = b
	}
	out, ok := r.elem(e)
	if !ok {
		return Elem{}, r.fail(e.Offset, "%s in %s is no element type: a parameter with element types as values, Acc of one, or f32 f64 f16 bf16 i32 i64 u32 u64 u8 is", e, t)
	}
	return out, nil
}

func (r *resolver) boundExtent(t *syntax.Type, name string, bind map[string]*syntax.Type) (string, error) {
	b := bind[name]
	if b.Args != nil || b.Expr != nil || r.extents[b.Name] == nil {
		return "", r.fail(b.Offset, "%s in %s stands where an extent must: a class parameter of the template that types(...) does not name", b, t)
	}
	r.used[b.Name] = true
	return b.Name, nil
}

// boundExpr replaces the variables of a length by the extents and integers that they stand for.
func (r *resolver) boundExpr(t *syntax.Type, e contract.Expr, bind map[string]*syntax.Type) (contract.Expr, error) {
	with := map[string]contract.Expr{}
	for _, name := range contract.Names(e) {
		b := bind[name]
		if fixed(b) {
			b = b.Args[0]
		}
		if t := r.types[b.Name]; b.Expr != nil || t != nil && t.Kind == Int {
			c, err := r.constant(b)
			if err != nil {
				return nil, err
			}
			with[name] = c
			continue
		}
		x, err := r.boundExtent(t, name, bind)
		if err != nil {
			return nil, err
		}
		with[name] = contract.Name(x)
	}
	return contract.Replace(e, with), nil
}

// fixed says that a type is an extent which it knows itself: Const<3>.
func fixed(t *syntax.Type) bool { return t.Name == "Const" && len(t.Args) == 1 }

// count replaces the variables of an expression by what is a number in each instance.
func (r *resolver) count(t *syntax.Type, e contract.Expr, bind map[string]*syntax.Type) (contract.Expr, error) {
	return r.countWith(t, e, bind, map[string]contract.Expr{})
}

// countWith is count where some names stand for something already.
func (r *resolver) countWith(t *syntax.Type, e contract.Expr, bind map[string]*syntax.Type, with map[string]contract.Expr) (contract.Expr, error) {
	for _, name := range contract.Names(e) {
		if with[name] != nil || slices.Contains(launchNames(), name) {
			continue
		}
		b := bind[name]
		if b == nil {
			return nil, r.fail(t.Offset, "%s in the view of %s is no variable", name, t)
		}
		c, err := r.constant(b)
		if err != nil {
			return nil, err
		}
		with[name] = c
	}
	return contract.Replace(e, with), nil
}

// constant is a template argument that is a number in each instance, with BLOCK as block.
func (r *resolver) constant(b *syntax.Type) (contract.Expr, error) {
	e := expression(b)
	usable := []string{}
	for _, t := range r.src.Template {
		if t.Int {
			usable = append(usable, t.Text)
		}
	}
	for _, name := range contract.Names(e) {
		if !slices.Contains(usable, name) {
			return nil, r.fail(b.Offset, "%s in a template argument is no int parameter of the template (usable: %s)", name, list(usable))
		}
	}
	return InBlocks(e), nil
}

// InBlocks names the parameters that stand for threads a block as expressions do.
func InBlocks(e contract.Expr) contract.Expr {
	with := map[string]contract.Expr{}
	for _, name := range contract.Names(e) {
		if to, ok := BlockParam(name); ok {
			with[name] = to
		}
	}
	return contract.Replace(e, with)
}

// index notes the type that a view stores indices of an extent in.
func (r *resolver) index(t *syntax.Type, name string, typ *syntax.Type, bind map[string]*syntax.Type) error {
	if fixed(bind[name]) {
		return nil
	}
	x, err := r.boundExtent(t, name, bind)
	if err != nil {
		return err
	}
	e, err := r.boundElem(t, typ, bind)
	if err != nil {
		return err
	}
	for _, d := range r.values(e) {
		if d != dtype.I32 && d != dtype.I64 {
			return r.fail(t.Offset, "%s indexes %s by %s; indices are i32 or i64", t, x, d)
		}
	}
	if before := r.extents[x].Index; before.Type != dtype.U64 && before != e {
		return r.fail(t.Offset, "%s indexes %s by %s, another parameter by %s", t, x, e, before)
	}
	r.extents[x].Index = e
	return nil
}

// values are the types that an element can have over all instances.
func (r *resolver) values(e Elem) []dtype.Type {
	if e.Param == "" {
		return []dtype.Type{e.Type}
	}
	var out []dtype.Type
	for _, v := range r.types[e.Param].Values {
		out = append(out, e.In(map[string]string{e.Param: v}))
	}
	return out
}

func (r *resolver) extentsUsed() error {
	for _, t := range r.src.Template {
		if r.extents[t.Text] != nil && !r.used[t.Text] {
			return r.fail(t.Offset, "class %s is neither an instance parameter (name it in types) nor the extent of a parameter", t.Text)
		}
	}
	return nil
}

// extentValues finds what gives each extent its value: a validated handle, else a Dim, else the
// first buffer that is as long as the extent.
func (r *resolver) extentValues() error {
	for _, x := range r.out.Extents {
		for i, p := range r.out.Params {
			if !p.dim(x.Name) {
				continue
			}
			for _, q := range r.out.Params[:i] {
				if q.dim(x.Name) {
					return r.fail(p.Src.Name.Offset, "%s and %s are both Dim<%s>; one extent has one Dim", q.Name, p.Name, x.Name)
				}
			}
		}
		for _, gives := range []func(*Param) bool{
			func(p *Param) bool { return slices.Contains(p.Carries, x.Name) },
			func(p *Param) bool { return p.dim(x.Name) },
			func(p *Param) bool { return slices.Contains(p.Extents, x.Name) },
			func(p *Param) bool { return len(p.Lens) == 1 && p.Lens[0].Expr == contract.Name(x.Name) },
		} {
			if i := slices.IndexFunc(r.out.Params, gives); i >= 0 && x.From == nil {
				x.From = r.out.Params[i]
				x.Place = slices.Index(x.From.Carries, x.Name)
			}
		}
		if x.From == nil {
			i := slices.IndexFunc(r.src.Template, func(t syntax.TemplateParam) bool { return t.Text == x.Name })
			return r.fail(r.src.Template[i].Offset, "nothing gives extent %s its value: no validated array carries it, no parameter is Dim<%s> or has it as its cells, no buffer has the length %s", x.Name, x.Name, x.Name)
		}
	}
	for i, p := range r.out.Params {
		for _, q := range r.out.Params[:i] {
			if p.Validated == "permutation" && q.Validated == p.Validated && slices.Equal(p.Carries, q.Carries) {
				return r.fail(p.Src.Name.Offset, "%s and %s both lead from %s to %s: one element would belong to two threads; give one of them extents of its own",
					q.Name, p.Name, p.Carries[1], p.Carries[0])
			}
		}
	}
	for _, p := range r.out.Params {
		for _, s := range p.Strides {
			x, ok := s.(contract.Name)
			if !ok || r.extents[string(x)] == nil || slices.ContainsFunc(r.out.Params, func(q *Param) bool { return slices.Contains(q.Extents, string(x)) }) {
				continue
			}
			return r.fail(p.Src.Type.Offset, "the rows of %s are %s apart, which the device must know: add a parameter Dim<%s>", p.Name, x, x)
		}
	}
	return nil
}

// dim says that the parameter is the Dim of an extent.
func (p *Param) dim(extent string) bool { return p.Kind == Dim && p.Extents[0] == extent }

// relations forms what the signature implies.
func (r *resolver) relations() error {
	add := func(kind RelationKind, where Where, left contract.Expr, op string, right contract.Expr) {
		r.out.Relations = append(r.out.Relations, Relation{where, &contract.Relation{Left: left, Op: op, Right: right}, kind})
	}
	for _, p := range r.out.Params {
		for _, name := range p.Carries {
			if x := r.extents[name]; x.From != p {
				add(SameExtent, Where{}, contract.Name(p.Name+"."+name), "==", contract.Name(x.From.Name+"."+name))
			}
		}
	}
	for _, x := range r.out.Extents {
		for _, t := range r.values(x.Index) {
			where := Where{}
			if x.Index.Param != "" {
				where = Where{x.Index.Param, t.String()}
			}
			if left, most := r.indexBound(x, t); left != nil {
				add(IndexRange, where, left, "<=", most)
			}
		}
	}
	for _, p := range r.out.Params {
		if p.Validated != "" { // its length follows from the proof
			continue
		}
		for _, l := range p.Lens {
			if name, ok := l.Expr.(contract.Name); ok && r.extents[string(name)] != nil && r.extents[string(name)].From == p {
				continue // the extent is this length
			}
			add(BufferLen, l.Where, contract.Name("len("+p.Name+")"), ">=", l.Expr)
		}
	}
	return nil
}

// indexBound is what the contract asks of an extent, so that no loop over it can wrap in the type of its indices:
// that it, or where a step could pass it, is at most a number. It is nil if a buffer is as long as the extent: then it is
// far from the end of 64 bits.
func (r *resolver) indexBound(x *Extent, t dtype.Type) (left contract.Expr, most contract.Number) {
	left = contract.Name(x.Name)
	last := &contract.Binary{Op: '+', X: left, Y: contract.Number(Step)}
	switch {
	case t == dtype.I32:
		return last, math.MaxInt32
	case t == dtype.I64 && !r.held(x, 2):
		return last, math.MaxInt64
	case t == dtype.U64 && !r.held(x, 1):
		return left, math.MaxInt64
	}
	return nil, 0
}

// held says that whatever the instance, some buffer holds an element of so many bytes or more for each index of an
// extent. The bytes of a buffer are counted by an int.
func (r *resolver) held(x *Extent, bytes int) bool {
	return slices.ContainsFunc(r.out.Params, func(p *Param) bool {
		return p.Kind == Buffer &&
			!slices.ContainsFunc(p.Lens, func(l Length) bool { return !r.reaches(l.Expr, x.Name) }) &&
			!slices.ContainsFunc(r.values(p.Elem), func(t dtype.Type) bool { return t.Size() < bytes })
	})
}

// reaches says that a length cannot be below an extent: it is the extent, more of it, or as many times it as a
// number says.
func (r *resolver) reaches(length contract.Expr, extent string) bool {
	switch e := length.(type) {
	case contract.Name:
		return string(e) == extent
	case *contract.Binary:
		x, y := r.reaches(e.X, extent), r.reaches(e.Y, extent)
		return e.Op == '+' && (x || y) || e.Op == '*' && (x && r.positive(e.Y) || y && r.positive(e.X))
	}
	return false
}

// positive says that an expression is a number, and not 0: a literal or an integer of the instance.
func (r *resolver) positive(e contract.Expr) bool {
	switch e := e.(type) {
	case contract.Number:
		return e > 0
	case contract.Name:
		return r.types[string(e)] != nil
	}
	return false
}

func (r *resolver) grid() error {
	r.out.Grid = [3]contract.Expr{contract.Number(1), contract.Number(1), contract.Number(1)}
	if i := slices.IndexFunc(r.out.Params, func(p *Param) bool { return p.Kind == Cells }); i >= 0 {
		return r.cells(r.out.Params[i], r.out.Params[i+1:])
	}
	if r.src.Annotation.Grid == nil {
		return r.fail(r.src.Offset, "WW_KERNEL has no grid(...)")
	}
	r.out.Axes = len(r.src.Annotation.Grid)
	usable := append(r.names(), launchNames()...)
	for i, t := range r.src.Annotation.Grid {
		e, err := syntax.Expr(r.src.File, t)
		if err == nil {
			err = r.checkNames(t, e, usable)
		}
		if err != nil {
			return err
		}
		r.out.Grid[i] = e
	}
	return nil
}

// maxGridYZ is how many blocks a grid can have along y and along z, on every device.
const maxGridYZ = 65535

// cells lays the grid over the extents of p, so that a block is there for every index.
func (r *resolver) cells(p *Param, rest []*Param) error {
	if r.src.Annotation.Grid != nil {
		return r.fail(r.src.Annotation.Grid[0].Offset, "grid(...) beside %s %s, from which the grid follows", p.Src.Type, p.Name)
	}
	for _, q := range rest {
		if q.Kind == Cells {
			return r.fail(q.Src.Type.Offset, "%s and %s both lay the grid; a launch has one", p.Name, q.Name)
		}
	}
	r.out.Axes = len(p.Extents)
	for _, q := range r.out.Params {
		if x := strings.TrimPrefix(q.Name, p.Name+"_"); x != q.Name && slices.Contains(p.Extents, x) {
			return r.fail(q.Src.Name.Offset, "%s is the word of the entry that has extent %s of %s; rename one", q.Name, x, p.Name)
		}
	}
	for i, x := range p.Extents {
		axis := len(p.Extents) - 1 - i
		r.out.Grid[axis] = &contract.Call{Func: "cdiv", X: contract.Name(x), Y: p.Each[i]}
		if axis > 0 {
			r.out.Relations = append(r.out.Relations, Relation{Where{}, &contract.Relation{Left: r.out.Grid[axis], Op: "<=", Right: contract.Number(maxGridYZ)}, GridRange})
		}
	}
	return nil
}

// launchNames are what expressions may name of the launch.
func launchNames() []string { return []string{"block", "block.x", "block.y", "block.z", "sms"} }

func (r *resolver) requires() error {
	usable := append(append(r.names(), launchNames()...), "grid.x", "grid.y", "grid.z", "shared")
	for _, p := range r.out.Params {
		switch p.Kind {
		case Buffer:
			usable = append(usable, "len("+p.Name+")", "sizeof("+p.Name+")")
		case Shared:
			usable = append(usable, "sizeof("+p.Name+")")
		}
	}
	for _, t := range r.src.Annotation.Requires {
		rel, err := syntax.Relation(r.src.File, t)
		if err == nil {
			err = r.checkRelation(t, rel, usable)
		}
		if err != nil {
			return err
		}
		r.out.Relations = append(r.out.Relations, Relation{Where{}, rel, Required})
	}
	return nil
}

// checkRelation checks the names of a relation; a predicate's buffers are parameters.
func (r *resolver) checkRelation(t syntax.Text, rel *contract.Relation, usable []string) error {
	for _, e := range []contract.Expr{rel.Left, rel.Right} {
		if e == nil {
			continue
		}
		b, ok := e.(contract.Buffer)
		if !ok {
			if err := r.checkNames(t, e, usable); err != nil {
				return err
			}
			continue
		}
		var buffers []string
		for _, p := range r.out.Params {
			if p.Kind == Buffer {
				buffers = append(buffers, p.Name)
			}
		}
		if !slices.Contains(buffers, string(b)) {
			return r.fail(r.find(t, "addr("+string(b)+")"), "%s is no buffer (%s are)", b, list(buffers))
		}
	}
	return nil
}

// reserved are the names of a launch itself.
func reserved(name string) bool {
	return slices.Contains([]string{"block", "grid", "shared", "sms"}, name)
}

// names are the names that every expression may use: extents, integers and unsigned scalars.
func (r *resolver) names() []string {
	var out []string
	for _, x := range r.out.Extents {
		out = append(out, x.Name)
	}
	for _, t := range r.out.Types {
		if t.Kind == Int {
			out = append(out, t.Name)
		}
	}
	for _, p := range r.out.Scalars() {
		out = append(out, p.Name)
	}
	return out
}

func (r *resolver) checkNames(t syntax.Text, e contract.Expr, usable []string) error {
	for _, name := range contract.Names(e) {
		if !slices.Contains(usable, name) {
			return r.fail(r.find(t, name), "%s is no name here (usable: %s)", name, list(usable))
		}
	}
	return nil
}

// find is where a name stands in an expression's text.
func (r *resolver) find(t syntax.Text, name string) int {
	return t.Offset + max(0, contract.FindName(t.Text, name))
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

// instances counts out the values of the instance parameters, the last one fastest.
func (r *resolver) instances() error {
	r.out.Instances = []Instance{{Entry: r.out.Name, Values: map[string]string{}}}
	for _, t := range r.out.Types {
		var next []Instance
		for _, in := range r.out.Instances {
			for _, v := range t.Values {
				values := map[string]string{t.Name: v}
				for k, v := range in.Values {
					values[k] = v
				}
				next = append(next, Instance{Entry: in.Entry + "_" + strings.ToLower(v), Values: values})
			}
		}
		if len(next) > 4096 {
			return r.fail(r.src.Name.Offset, "%s has more than 4096 instances", r.out.Name)
		}
		r.out.Instances = next
	}
	return nil
}

// constants evaluates all that is a number in each instance, so that a division by zero or too much
// shared memory is found here and not at a launch.
func (r *resolver) constants() error {
	for _, in := range r.out.Instances {
		env := r.out.Env(in)
		for _, p := range r.out.Params {
			if err := numbers(p.Src.Type, env); err != nil {
				return r.fail(p.Src.Type.Offset, "in %s: the type of %s: %v", in.Entry, p.Name, err)
			}
			for _, e := range p.Each {
				if n, err := e.Eval(env); err != nil || n == 0 || n > Step {
					return r.fail(p.Src.Type.Offset, "in %s: a block has from 1 to %d indices of an extent; %s is %d", in.Entry, Step, e, n)
				}
			}
			for _, e := range p.Strides {
				if n, err := e.Eval(env); err == nil && n == 0 {
					return r.fail(p.Src.Type.Offset, "in %s: the rows of %s are %s apart, which is 0", in.Entry, p.Name, e)
				}
			}
		}
		for i, t := range r.src.Annotation.Grid {
			if err := foldable(r.out.Grid[i], env); err != nil {
				return r.fail(t.Offset, "in %s: %v", in.Entry, err)
			}
		}
		if err := r.decided(in, env); err != nil {
			return err
		}
		for _, p := range r.out.Params {
			if p.Align != nil {
				if n, err := p.Align.Eval(env); err != nil || n == 0 || n&(n-1) != 0 || n > 256 {
					return r.fail(p.Src.Type.Offset, "in %s: %s begins at a multiple of %s = %d bytes; a power of two up to 256 is what a device's memory can promise", in.Entry, p.Name, p.Align, n)
				}
			}
			if p.Kind != Shared {
				continue
			}
			n, err := p.Count.Eval(env)
			if err == nil && n == 0 {
				err = errors.New("no elements of shared memory")
			}
			if err != nil {
				return r.fail(p.Src.Type.Offset, "in %s: %v", in.Entry, err)
			}
		}
		if r.out.Shared != nil {
			if n, err := r.out.Shared.Eval(env); err != nil || n > math.MaxUint32 {
				return r.fail(r.src.Name.Offset, "in %s: shared memory of %s bytes does not fit 32 bits", in.Entry, r.out.Shared)
			}
		}
	}
	return nil
}

// numbers evaluates the numbers in a type; not all of them stand in a view's attributes.
func numbers(t *syntax.Type, env contract.Env) error {
	if t.Expr != nil {
		_, err := InBlocks(t.Expr).Eval(env)
		return err
	}
	for _, a := range t.Args {
		if err := numbers(a, env); err != nil {
			return err
		}
	}
	return nil
}

// decided fails if a relation of requires(...) can never hold in an instance, because both of its sides are
// numbers there or one of them has no value.
func (r *resolver) decided(in Instance, env contract.Env) error {
	for i, t := range r.src.Annotation.Requires {
		rel := r.out.Relations[len(r.out.Relations)-len(r.src.Annotation.Requires)+i].Relation.Replace(r.out.Terms())
		for _, e := range []contract.Expr{rel.Left, rel.Right} {
			if e == nil {
				continue
			}
			if err := foldable(e, env); err != nil {
				return r.fail(t.Offset, "in %s: %v", in.Entry, err)
			}
		}
		if slices.ContainsFunc(rel.Names(), func(name string) bool { _, ok := env[name]; return !ok }) {
			continue
		}
		if v := rel.Check(env); v != nil {
			v.Kernel, v.Relation = in.Entry, t.Text
			return r.fail(t.Offset, "no launch can keep this: %v", v)
		}
	}
	return nil
}

// Terms are the names that stand for expressions in requires(...): the shape of a launch.
func (k *Kernel) Terms() map[string]contract.Expr {
	out := map[string]contract.Expr{"shared": contract.Number(0)}
	if k.Shared != nil {
		out["shared"] = k.Shared
	}
	for i, axis := range []string{"x", "y", "z"} {
		out["grid."+axis], out["block."+axis] = k.Grid[i], contract.Number(k.Block[i])
	}
	return out
}

// Env are the names that are numbers in an instance: block, integers, sizes of elements.
func (k *Kernel) Env(in Instance) contract.Env {
	env := contract.Env{
		"block": uint64(k.Threads()), "block.x": uint64(k.Block[0]), "block.y": uint64(k.Block[1]), "block.z": uint64(k.Block[2]),
	}
	for _, t := range k.Types {
		if t.Kind == Int {
			env[t.Name], _ = strconv.ParseUint(in.Values[t.Name], 10, 64)
		}
	}
	for _, p := range k.Params {
		if p.Kind == Buffer || p.Kind == Shared {
			env["sizeof("+p.Name+")"] = uint64(p.Elem.In(in.Values).Size())
		}
	}
	return env
}

// foldable evaluates the parts of e whose names all have values.
func foldable(e contract.Expr, env contract.Env) error {
	for _, name := range contract.Names(e) {
		if _, ok := env[name]; ok {
			continue
		}
		switch e := e.(type) {
		case *contract.Binary:
			return errors.Join(foldable(e.X, env), foldable(e.Y, env), zero(e.Op == '/' || e.Op == '%', e.Y, env))
		case *contract.Call:
			return errors.Join(foldable(e.X, env), foldable(e.Y, env), zero(e.Func == "cdiv", e.Y, env))
		}
		return nil
	}
	_, err := e.Eval(env)
	return err
}

// zero is an error if a divisor is a number and 0.
func zero(divides bool, e contract.Expr, env contract.Env) error {
	if n, err := e.Eval(env); divides && err == nil && n == 0 {
		return fmt.Errorf("%s is 0: %w", e, contract.ErrZero)
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

func sortedKeys[T any](m map[string]T) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
