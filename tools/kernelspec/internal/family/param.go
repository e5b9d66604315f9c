package family

import (
	"fmt"
	"maps"
	"slices"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/tools/internal/syntax"
)

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
		return nil, r.fail(p.Type.Offset, "%s is neither an element type (f16 bf16 f32 f64 i32 i64 u8 u32 u64) nor a view (%s)", t, r.voc.patterns())
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
	for _, name := range slices.Sorted(maps.Keys(w.index)) {
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
