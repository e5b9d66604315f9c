package emit

import (
	"github.com/warpwright/warpwright/tools/internal/obligations"
	"github.com/warpwright/warpwright/tools/kernelspec/internal/family"
)

// Obligations writes what must be proved of each entry: what its launcher checks, what its views promise. All
// of it comes from what the entries and launchers are printed from.
func Obligations(f *family.Family) ([]byte, error) {
	out := &obligations.File{Schema: obligations.Schema, Family: f.Name, Headers: f.Headers, Entries: []obligations.Entry{}}
	for _, k := range f.Kernels {
		for _, in := range k.Instances {
			out.Entries = append(out.Entries, owes(k, in))
		}
	}
	return out.Write()
}

// owes is what one entry owes.
func owes(k *family.Kernel, in family.Instance) obligations.Entry {
	e := obligations.Entry{
		Name: in.Entry, Kernel: k.Name, Source: k.Source, Line: k.Line, Unchecked: k.Unchecked,
		Numbers: k.Env(in), Block: k.Block, Axes: k.Axes, Shared: "0",
	}
	for i, g := range k.Grid {
		e.Grid[i] = g.String()
	}
	if k.Shared != nil {
		e.Shared = k.Shared.String()
	}
	for _, x := range k.Extents {
		known := k.Known(in, x.Name)
		if known.Multiple == 1 {
			known.Multiple = 0 // as good as nothing
		}
		e.Extents = append(e.Extents, obligations.Extent{
			Name: x.Name, Is: source(x), Index: x.IndexIn(in).String(), Multiple: known.Multiple, Once: known.Once, Exact: known.Exact,
		})
	}
	for _, r := range k.Relations {
		if r.In(in) && !decided(k, r) {
			e.Checked = append(e.Checked, obligations.Relation{Text: r.Replace(k.Terms()).String(), From: kinds[r.Kind]})
		}
	}
	if in.Prefer != nil {
		e.Prefer = in.Prefer.Name
		for _, f := range in.Prefer.Facts {
			for _, r := range f.Relations {
				e.Checked = append(e.Checked, obligations.Relation{Text: r.Replace(k.Terms()).String(), From: obligations.Fact})
			}
		}
	}
	if n := k.Aligned(in); n > 1 {
		e.Align = n
	}
	for _, l := range k.Loops {
		e.Loops = append(e.Loops, obligations.Loop{Extent: l.Extent, Text: l.Text, Takes: k.Number(l.Takes, in)})
	}
	for _, p := range k.Scalars() {
		if e.Scalars == nil {
			e.Scalars = map[string]uint64{}
		}
		e.Scalars[p.Name] = 1<<(8*p.Elem.Type.Size()) - 1
	}
	places := offsets(k, in)
	for _, p := range k.Params {
		if view := p.ViewIn(in); view != nil {
			o := param(k, p, in)
			o.View, o.Offset = view.Pattern.String(), places[p]
			e.Params = append(e.Params, o)
		}
	}
	return e
}

// kinds name the kinds of relation.
var kinds = map[family.RelationKind]string{
	family.SameExtent: obligations.Same, family.IndexRange: obligations.Index, family.GridRange: obligations.Grid,
	family.BufferLen: obligations.Length, family.Required: obligations.Required,
}

// source is what a launcher reads the value of an extent off; nothing where the caller gives it as a number.
func source(x *family.Extent) string {
	switch {
	case x.From.Validated != "":
		return x.From.Name + "." + x.Name
	case x.From.Kind == family.Buffer:
		return "len(" + x.From.Name + ")"
	}
	return ""
}

// param is what a parameter that is a view promises.
func param(k *family.Kernel, p *family.Param, in family.Instance) obligations.Param {
	out := obligations.Param{Name: p.Name, Type: instantiate(k, p.Src.Type, in), Direction: p.Direction, Validated: p.Validated}
	size := uint64(p.Elem.In(in.Values).Size())
	switch p.Kind {
	case family.Cells:
		for i, x := range p.Extents {
			axis := "xyz"[len(p.Extents)-1-i:][:1]
			out.Cells = append(out.Cells, obligations.Laid{Extent: x, Each: k.Number(p.Each[i], in), Axis: axis})
		}
	case family.Shared:
		out.Elem, out.Size, out.Count = p.Elem.In(in.Values).String(), size, k.Number(p.Count, in)
	case family.Buffer:
		out.Elem, out.Size, out.Align = p.Elem.In(in.Values).String(), size, alignment(k, p, in)
		out.Len = p.LenIn(in).String()
		for _, x := range p.Carries {
			out.Carries = append(out.Carries, obligations.Carried{Extent: x, Own: p.Name + "." + x})
		}
		arg := &obligations.Argument{Align: alignment(k, p, in), Proof: p.Validated}
		for _, q := range apart(k, p) {
			arg.Apart = append(arg.Apart, q.Name)
		}
		out.Argument = arg
	}
	return out
}
