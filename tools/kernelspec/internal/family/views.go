package family

import (
	"errors"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/tools/internal/syntax"
)

// Vocabulary is the meaning of the device headers.
type Vocabulary struct {
	views []*view
	tags  map[string]bool
}

// view is one WW_VIEW row, understood.
type view struct {
	row     *syntax.View
	literal int             // how many names of the pattern are fixed: the more, the more specific
	vars    map[string]bool // the names that are not

	kind      ParamKind
	elem      *syntax.Type    // of pointer(...) and shared(...)
	extents   []string        // of dim(...) and cells(...)
	each      []contract.Expr // of cells(...)
	count     contract.Expr   // of shared(...)
	length    contract.Expr   // of len(...)
	direction string
	validated string
	carries   []string
	index     map[string]*syntax.Type
	strides   []string
	align     contract.Expr // of align(...)
}

// NewVocabulary understands the rows of the headers.
func NewVocabulary(v *syntax.Vocabulary) (*Vocabulary, error) {
	out := &Vocabulary{tags: map[string]bool{}}
	for _, t := range v.Tags {
		out.tags[t.Text] = true
	}
	for _, row := range v.Views {
		w := &view{row: row, vars: map[string]bool{}, index: map[string]*syntax.Type{}}
		if row.Pattern.Args == nil {
			w.literal++ // a view without arguments: its name stands for itself
		} else {
			out.pattern(w, row.Pattern)
		}
		for _, a := range row.Attrs {
			if err := w.attribute(a); err != nil {
				return nil, err
			}
		}
		if err := w.complete(); err != nil {
			return nil, err
		}
		for _, other := range out.views {
			if same(other.row.Pattern, row.Pattern) {
				return nil, row.File.Errorf(row.Offset, "view %s is declared already in %s:%d", row.Pattern, other.row.File.Name, other.row.File.Line(other.row.Offset))
			}
		}
		out.views = append(out.views, w)
	}
	return out, nil
}

// fixed says that a name without arguments stands for itself in a pattern.
func (v *Vocabulary) fixed(name string) bool {
	_, err := dtype.Parse(name)
	return err == nil || v.tags[name]
}

// pattern finds the variables of a pattern.
func (v *Vocabulary) pattern(w *view, t *syntax.Type) {
	if t.Args == nil && !v.fixed(t.Name) {
		w.vars[t.Name] = true
		return
	}
	w.literal++
	for _, a := range t.Args {
		v.pattern(w, a)
	}
}

const attributes = "pointer, dim, cells, shared, len, in, out, inout, add, validated, carries, index, stride, align and token are"

func (w *view) attribute(a syntax.Attr) error {
	fail := func(format string, args ...any) error { return w.row.File.Errorf(a.Offset, format, args...) }
	want := func(n int) error {
		if len(a.Args) != n {
			return fail("%s takes %d arguments, not %d", a.Text, n, len(a.Args))
		}
		return nil
	}
	kind := func(k ParamKind) error {
		if w.kind != "" {
			return fail("a view has one of pointer, dim, cells, shared and token; this one is %s and %s", w.kind, k)
		}
		w.kind = k
		return nil
	}
	switch a.Text {
	case "in", "out", "inout", "add":
		if w.direction != "" {
			return fail("directions %s and %s exclude each other", w.direction, a.Text)
		}
		w.direction = a.Text
		return want(0)
	case "pointer":
		if err := want(1); err != nil {
			return err
		}
		w.elem = a.Args[0].Type
		return kind(Buffer)
	case "dim":
		if err := want(1); err != nil {
			return err
		}
		w.extents = []string{a.Args[0].Type.Name}
		return w.known(a, w.extents[0], kind(Dim))
	case "cells":
		for _, arg := range a.Args {
			if arg.Key == "" {
				return fail("cells takes EXTENT: INDICES A BLOCK")
			}
			w.extents = append(w.extents, arg.Key)
			w.each = append(w.each, expression(arg.Type))
			if err := w.known(a, arg.Key, nil); err != nil {
				return err
			}
		}
		if n := len(w.extents); n < 1 || n > 3 {
			return fail("a grid has from one to three axes; cells takes %d extents", n)
		}
		return kind(Cells)
	case "shared":
		if err := want(2); err != nil {
			return err
		}
		w.elem, w.count = a.Args[0].Type, expression(a.Args[1].Type)
		return kind(Shared)
	case "len":
		if err := want(1); err != nil {
			return err
		}
		w.length = expression(a.Args[0].Type)
		for _, name := range contract.Names(w.length) {
			if err := w.known(a, name, nil); err != nil {
				return err
			}
		}
		return nil
	case "validated":
		if err := want(1); err != nil {
			return err
		}
		w.validated = a.Args[0].Type.Name
		if carried(w.validated) == 0 {
			return fail("validated(%s): offsets, columns and permutation are what views may ask package valid for", a.Args[0].Type)
		}
		return nil
	case "carries":
		for _, arg := range a.Args {
			w.carries = append(w.carries, arg.Type.Name)
			if err := w.known(a, arg.Type.Name, nil); err != nil {
				return err
			}
		}
		return nil
	case "index":
		if len(a.Args) != 1 || a.Args[0].Key == "" {
			return fail("index takes EXTENT: TYPE")
		}
		w.index[a.Args[0].Key] = a.Args[0].Type
		return w.known(a, a.Args[0].Key, nil)
	case "token":
		return errors.Join(want(0), kind(Token))
	case "align":
		if err := want(1); err != nil {
			return err
		}
		w.align = expression(a.Args[0].Type)
		return nil
	case "stride":
		for _, arg := range a.Args {
			w.strides = append(w.strides, arg.Type.Name)
			if err := w.known(a, arg.Type.Name, nil); err != nil {
				return err
			}
		}
		return nil
	}
	return fail("no attribute %s (%s)", a.Text, attributes)
}

// known returns err, or an error if name is no variable of the pattern.
func (w *view) known(a syntax.Attr, name string, err error) error {
	if err == nil && !w.vars[name] {
		return w.row.File.Errorf(a.Offset, "%s names %s, which is no variable of %s", a.Text, name, w.row.Pattern)
	}
	return err
}

// complete checks what only the whole row shows.
func (w *view) complete() error {
	fail := func(format string, args ...any) error {
		return w.row.File.Errorf(w.row.Offset, "view "+w.row.Pattern.String()+" "+format, args...)
	}
	switch {
	case w.kind == "":
		return fail("has none of pointer, dim, cells, shared and token")
	case w.kind != Buffer && (w.direction != "" || w.length != nil || w.validated != "" || w.carries != nil || w.strides != nil || w.align != nil):
		return fail("is no pointer, so it has neither direction, len, validated, carries, stride nor align")
	case w.kind == Buffer && w.direction == "":
		return fail("has no direction: one of in, out, inout and add")
	case w.kind == Buffer && w.length == nil:
		return fail("has no len")
	case w.validated != "" && w.direction != "in":
		return fail("is validated, so it is in")
	case (w.validated == "") != (w.carries == nil):
		return fail("has only one of validated and carries")
	case w.validated != "" && len(w.carries) != carried(w.validated):
		return fail("is validated(%s), so it carries %d extents", w.validated, carried(w.validated))
	}
	if w.align != nil {
		if !product(w.align) {
			return fail("has align(%s), which is no product", w.align)
		}
		for _, name := range contract.Names(w.align) {
			if name != "sizeof("+w.elem.String()+")" && !w.vars[name] {
				return fail("has align(%s), where %s is neither a variable of the view nor sizeof(%s)", w.align, name, w.elem)
			}
		}
	}
	for _, a := range w.row.Attrs {
		if a.Text == "pointer" && a.Args[0].Const != (w.direction == "in") {
			return fail("points to const elements if and only if it is in")
		}
	}
	return nil
}

// product says that an expression is a number, a name, or a product of them.
func product(e contract.Expr) bool {
	if b, ok := e.(*contract.Binary); ok {
		return b.Op == '*' && product(b.X) && product(b.Y)
	}
	_, call := e.(*contract.Call)
	return !call
}

// carried is how many extents a handle of package valid carries: offsets M and N, columns K and N, a
// permutation its elements and its places.
func carried(validated string) int {
	switch validated {
	case "offsets", "columns", "permutation":
		return 2
	}
	return 0
}

// expression is an argument that may be a plain name as an expression.
func expression(t *syntax.Type) contract.Expr {
	if t.Expr != nil {
		return t.Expr
	}
	return contract.Name(t.Name)
}

// find returns the most specific view that matches a parameter's type, with what its variables
// stand for; nil if none does. Two equally specific ones are an error.
func (v *Vocabulary) find(t *syntax.Type) (best *view, bind map[string]*syntax.Type, rival *view) {
	for _, w := range v.views {
		b := map[string]*syntax.Type{}
		if !w.match(w.row.Pattern, t, b) {
			continue
		}
		switch {
		case best == nil || w.literal > best.literal:
			best, bind, rival = w, b, nil
		case w.literal == best.literal:
			rival = w
		}
	}
	return best, bind, rival
}

func (w *view) match(pattern, t *syntax.Type, bind map[string]*syntax.Type) bool {
	if w.vars[pattern.Name] && pattern.Args == nil {
		if before, ok := bind[pattern.Name]; ok {
			return same(before, t)
		}
		bind[pattern.Name] = t
		return true
	}
	if pattern.Name != t.Name || t.Expr != nil || len(pattern.Args) != len(t.Args) {
		return false
	}
	for i, p := range pattern.Args {
		if !w.match(p, t.Args[i], bind) {
			return false
		}
	}
	return true
}

func same(a, b *syntax.Type) bool { return a.String() == b.String() }

// patterns lists the views for messages.
func (v *Vocabulary) patterns() string {
	var out []string
	for _, w := range v.views {
		out = append(out, w.row.Pattern.String())
	}
	return strings.Join(out, "; ")
}
