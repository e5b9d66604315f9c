package family

import (
	"slices"
	"strings"

	"github.com/warpwright/warpwright/tools/internal/source"
	"github.com/warpwright/warpwright/tools/internal/syntax"
)

// New reads a family from its sources and the headers of the device vocabulary.
func New(name string, sources, headers []*source.File) (*Family, error) {
	var rows syntax.Vocabulary
	for _, h := range headers {
		if err := rows.AddHeader(h); err != nil {
			return nil, err
		}
	}
	voc, err := NewVocabulary(&rows)
	if err != nil {
		return nil, err
	}
	f := &Family{Name: name, Headers: source.Digest(headers)}
	b := builder{f, map[string]*syntax.Kernel{}, map[string]string{}}
	for _, s := range sources {
		f.Sources = append(f.Sources, s.Name)
		parsed, err := syntax.Kernels(s)
		if err != nil {
			return nil, err
		}
		if len(parsed) == 0 {
			return nil, s.Errorf(0, "no kernel in this source: a kernel is a function with WW_KERNEL(...) before its template head; what kernels share is in a header")
		}
		for _, src := range parsed {
			if err := b.name(src); err != nil {
				return nil, err
			}
			k, err := voc.kernel(src)
			if err != nil {
				return nil, err
			}
			if err := b.entries(src, k); err != nil {
				return nil, err
			}
			f.Kernels = append(f.Kernels, k)
		}
	}
	return f, nil
}

// builder knows the names that the family has already.
type builder struct {
	f       *Family
	kernels map[string]*syntax.Kernel
	owner   map[string]string // kernel by entry
}

// plain says that a name is of small letters and digits, in parts joined by one underscore: an entry's
// name appends lower-case values to it, and Go's makes a capital of each part's first letter.
func plain(name string) bool {
	for _, part := range strings.Split(name, "_") {
		if part == "" || strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return false
		}
	}
	return true
}

func (b *builder) name(k *syntax.Kernel) error {
	name := k.Name.Text
	if before := b.kernels[name]; before != nil {
		return k.File.Errorf(k.Name.Offset, "kernel %s stands already in %s:%d", name, before.File.Name, before.File.Line(before.Name.Offset))
	}
	b.kernels[name] = k
	if !strings.HasPrefix(name, b.f.Name+"_") {
		return k.File.Errorf(k.Name.Offset, "kernel %s is of family %s, so its name begins with %s_", name, b.f.Name, b.f.Name)
	}
	if !plain(name) {
		return k.File.Errorf(k.Name.Offset, "kernel %s: a name is of small letters and digits in parts joined by one _", name)
	}
	return nil
}

func (b *builder) entries(src *syntax.Kernel, k *Kernel) error {
	for _, in := range k.Instances {
		if other, ok := b.owner[in.Entry]; ok {
			for _, p := range src.Annotation.Prefers {
				if in.Prefer != nil && in.Prefer.Name == p.Name.Text {
					return src.File.Errorf(p.Name.Offset, "entry %s, a variant of %s, is one of %s already", in.Entry, k.Name, other)
				}
			}
			return src.File.Errorf(src.Name.Offset, "entry %s of %s is one of %s already", in.Entry, k.Name, other)
		}
		b.owner[in.Entry] = k.Name
	}
	return nil
}

// Tags are the tag parameters of all kernels, each once with every value that a kernel gives it.
func (f *Family) Tags() []*TypeParam {
	var out []*TypeParam
	for _, k := range f.Kernels {
		for _, t := range k.Types {
			if t.Kind != Tag {
				continue
			}
			i := slices.IndexFunc(out, func(o *TypeParam) bool { return o.Name == t.Name })
			if i < 0 {
				out = append(out, &TypeParam{Name: t.Name, Kind: Tag})
				i = len(out) - 1
			}
			for _, v := range t.Values {
				if !slices.Contains(out[i].Values, v) {
					out[i].Values = append(out[i].Values, v)
				}
			}
		}
	}
	return out
}
