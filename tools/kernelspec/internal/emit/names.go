package emit

import (
	"go/token"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/tools/internal/syntax"
	"github.com/warpwright/warpwright/tools/kernelspec/internal/family"
)

// goName turns row_ptr into RowPtr.
func goName(s string) string {
	var b strings.Builder
	for _, part := range strings.Split(s, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// structName is the launcher of a kernel: MvGroup for csr_mv_group.
func structName(f *family.Family, k *family.Kernel) string {
	return goName(strings.TrimPrefix(k.Name, f.Name+"_"))
}

// locals gives names to local variables of one generated function's scope, apart from each other and
// from all that the function mentions.
type locals map[string]bool

func newLocals() locals {
	l := locals{}
	for _, name := range []string{
		"a", "c", "d", "s", "i", "r", "on", "err", "lengths", "left", "right", "config", "slots", "block",
		"contract", "device", "dtype", "launch", "manifest", "math", "strconv", "valid",
		"uint8", "uint32", "uint64", "int", "int32", "int64", "float32", "float64", "string", "error",
		"min", "max", "len", "nil", "true", "false",
	} {
		l[name] = true
	}
	return l
}

// name makes a local out of a name of the source.
func (l locals) name(of string) string {
	out := goName(of)
	if out == "" {
		out = "v"
	}
	out = strings.ToLower(out[:1]) + out[1:]
	for base := out; l[out] || token.IsKeyword(out); {
		out = base + "_"
		base = out
	}
	l[out] = true
	return out
}

// names finds sources from which two Go declarations of one name would follow.
type names map[string]string // what has the name already

// declare takes a name, or fails at a place of the kernel's source.
func (n names) declare(k *family.Kernel, offset int, name, what string) error {
	if other, ok := n[name]; ok {
		return k.Src.File.Errorf(offset, "%s is %s in Go, which is the name of %s already; rename it", what, name, other)
	}
	n[name] = what
	return nil
}

func checkNames(f *family.Family) error {
	types := names{}
	for _, name := range []string{"Kernels", "Load", "Entries", "Tiers"} {
		types[name] = "a part of every launcher package"
	}
	tags := map[string]string{} // parameter by its name, and by each of its values
	for _, k := range f.Kernels {
		if err := types.declare(k, k.Src.Name.Offset, structName(f, k), "kernel "+k.Name); err != nil {
			return err
		}
		if err := types.declare(k, k.Src.Name.Offset, structName(f, k)+"Ready", "the checked launch of "+k.Name); err != nil {
			return err
		}
		for _, l := range k.Src.Annotation.Types {
			if !slices.ContainsFunc(k.Types, func(t *family.TypeParam) bool { return t.Name == l.Name.Text && t.Kind == family.Tag }) {
				continue
			}
			for _, w := range append([]syntax.Word{l.Name}, l.Values...) {
				what := "tag parameter " + w.Text
				if w != l.Name {
					what = "a value of tag parameter " + l.Name.Text
				}
				if tags[w.Text] == what {
					continue
				}
				tags[w.Text] = what
				if err := types.declare(k, w.Offset, w.Text, what); err != nil {
					return err
				}
			}
		}
		if err := checkFields(k); err != nil {
			return err
		}
	}
	return nil
}

// checkFields does the same for the fields of one launcher.
func checkFields(k *family.Kernel) error {
	fields := names{}
	for _, name := range []string{"Chosen", "Check", "CheckExact", "CheckSizes", "Config", "Launch", "LaunchExact", "Ready", "ReadyExact"} {
		fields[name] = "a method of every launcher"
	}
	field := func(offset int, name, what string) error {
		if !token.IsExported(name) {
			return k.Src.File.Errorf(offset, "%s becomes a field of the Go launcher, so its name begins with a letter that has a capital", what)
		}
		return fields.declare(k, offset, name, what)
	}
	for _, l := range k.Src.Annotation.Types {
		if slices.ContainsFunc(k.Types, func(t *family.TypeParam) bool { return t.Name == l.Name.Text && t.Kind != family.DType }) {
			if err := field(l.Name.Offset, l.Name.Text, "template parameter "+l.Name.Text); err != nil {
				return err
			}
		}
	}
	for _, p := range k.Params {
		for _, name := range givenNames(k, p) {
			if err := field(p.Src.Name.Offset, goName(name), "parameter "+name); err != nil {
				return err
			}
		}
	}
	return nil
}

// givenNames are the names under which the caller gives the parameter: its own, or those of the extents
// of cells. What a handle carries, and shared memory, he does not give.
func givenNames(k *family.Kernel, p *family.Param) []string {
	var out []string
	switch p.Kind {
	case family.Shared, family.Token:
	case family.Cells:
		for _, x := range p.Extents {
			if extent(k, x).From == p {
				out = append(out, x)
			}
		}
	case family.Dim:
		if extent(k, p.Extents[0]).From == p {
			out = append(out, p.Name)
		}
	default:
		out = append(out, p.Name)
	}
	return out
}

func extent(k *family.Kernel, name string) *family.Extent {
	i := slices.IndexFunc(k.Extents, func(x *family.Extent) bool { return x.Name == name })
	return k.Extents[i]
}
