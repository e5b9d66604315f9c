package emit

import (
	"strings"

	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/internal/syntax"
	"github.com/warpwright/warpwright/tools/kernelspec/internal/family"
)

// Spec writes the family as JSON.
func Spec(f *family.Family) ([]byte, error) {
	s := manifest.Spec{Schema: manifest.SpecSchema, Family: f.Name, Tiers: f.Tiers}
	seen := map[*syntax.View]bool{}
	for _, k := range f.Kernels {
		for _, v := range k.Views {
			if !seen[v] {
				seen[v] = true
				s.Views = append(s.Views, manifest.View{Pattern: v.Pattern.String(), File: v.File.Name, Line: v.File.Line(v.Offset)})
			}
		}
		s.Kernels = append(s.Kernels, specKernel(k))
		for _, in := range k.Instances {
			e := manifest.Entry{Name: in.Entry, Kernel: k.Name, Types: in.Values}
			if in.Prefer != nil {
				e.Prefer = in.Prefer.Name
			}
			offset := 0
			for _, p := range abi(k, in) {
				offset = (offset + p.size - 1) / p.size * p.size
				e.Params = append(e.Params, manifest.EntryParam{Name: p.name, Type: p.typ, Offset: offset, Size: p.size})
				offset += p.size
			}
			s.Entries = append(s.Entries, e)
		}
	}
	return s.Write()
}

func specKernel(k *family.Kernel) manifest.Kernel {
	out := manifest.Kernel{
		Name: k.Name, Doc: k.Doc, Source: k.Source, Line: k.Line, Raw: k.Raw, Block: k.Block,
		Archs: k.Archs, Hash: k.Hash, Exceptions: k.Exceptions, Unchecked: k.Unchecked,
		Relations: []string{},
	}
	for i, e := range k.Grid {
		if e != nil { // a raw kernel has none
			out.Grid[i] = e.String()
		}
	}
	if k.Shared != nil {
		out.Shared = k.Shared.String()
	}
	for _, t := range k.Types {
		out.Types = append(out.Types, manifest.TypeParam{Name: t.Name, Kind: string(t.Kind), Values: t.Values})
	}
	for _, x := range k.Extents {
		from := x.From.Name
		if x.From.Kind == family.Cells {
			from = x.From.Word(x.Name)
		}
		out.Extents = append(out.Extents, manifest.Extent{Name: x.Name, From: from, Index: x.Index.String()})
	}
	for _, p := range k.Params {
		m := manifest.Param{Name: p.Name, Type: p.Src.Type.String(), Kind: string(p.Kind), Direction: p.Direction, Validated: p.Validated, Carries: p.Carries}
		if p.Align != nil {
			m.Align = p.Align.String()
		}
		switch p.Kind {
		case family.Token:
		case family.Dim:
			m.Extent = p.Extents[0]
		case family.Cells: // to a launch, a Dim of each extent
			for _, x := range p.Extents {
				out.Params = append(out.Params, manifest.Param{Name: p.Word(x), Type: m.Type, Kind: string(family.Dim), Extent: x})
			}
			continue
		default:
			m.Elem = p.Elem.String()
		}
		var lens []string
		for _, l := range p.Lens {
			lens = append(lens, l.String())
		}
		m.Len = strings.Join(lens, "; ")
		if p.Count != nil {
			m.Len = p.Count.String()
		}
		out.Params = append(out.Params, m)
	}
	for _, p := range k.Prefers {
		m := manifest.Prefer{Name: p.Name}
		for _, f := range p.Facts {
			fact := manifest.Fact{Text: f.String()}
			for _, r := range f.Relations {
				fact.Relations = append(fact.Relations, r.String())
			}
			m.Facts = append(m.Facts, fact)
		}
		out.Prefers = append(out.Prefers, m)
	}
	for _, r := range k.Relations {
		out.Relations = append(out.Relations, r.String())
		if r.Kind == family.Required {
			out.Requires = append(out.Requires, r.String())
		}
	}
	return out
}
