package emit

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

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
		"a", "c", "d", "s", "i", "on", "err", "lengths", "left", "right", "config", "slots", "block",
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
	out = strings.ToLower(out[:1]) + out[1:]
	for base := out; l[out] || token.IsKeyword(out); {
		out = base + "_"
		base = out
	}
	l[out] = true
	return out
}

// reserved are the exported names that every generated package has.
var reserved = []string{"Kernels", "Load", "Entries", "Tiers"}

// methods are those of a launcher, which its fields must not be called.
var methods = []string{"Entry", "Check", "CheckExact", "Config", "Launch"}

// checkNames refuses sources from which two Go declarations of one name would follow.
func checkNames(f *family.Family) error {
	owner := map[string]string{}
	for _, name := range reserved {
		owner[name] = "part of every launcher package"
	}
	declare := func(name, what string) error {
		if other, ok := owner[name]; ok {
			return fmt.Errorf("%s would be %s in Go, which is %s", what, name, other)
		}
		owner[name] = what
		return nil
	}
	for _, t := range f.Tags() {
		if err := declare(t.Name, "tag parameter "+t.Name); err != nil {
			return err
		}
		for _, v := range t.Values {
			if err := declare(v, "value "+v+" of "+t.Name); err != nil {
				return err
			}
		}
	}
	for _, k := range f.Kernels {
		if err := declare(structName(f, k), "kernel "+k.Name); err != nil {
			return fmt.Errorf("%s:%d: %w", k.Source, k.Line, err)
		}
		if err := checkFields(k); err != nil {
			return fmt.Errorf("%s:%d: %s: %w", k.Source, k.Line, k.Name, err)
		}
	}
	return nil
}

func checkFields(k *family.Kernel) error {
	owner := map[string]string{}
	declare := func(name, what string) error {
		if slices.Contains(methods, name) {
			return fmt.Errorf("%s would be the field %s, which is a method of every launcher; rename it", what, name)
		}
		if other, ok := owner[name]; ok {
			return fmt.Errorf("%s and %s would both be the field %s; rename one", other, what, name)
		}
		owner[name] = what
		return nil
	}
	for _, t := range k.Types {
		if t.Kind == family.DType {
			continue
		}
		if !token.IsExported(t.Name) {
			return fmt.Errorf("%s becomes a field of the launcher, so it begins with a capital letter", t.Name)
		}
		if err := declare(t.Name, "template parameter "+t.Name); err != nil {
			return err
		}
	}
	for _, p := range k.Params {
		if !hasField(k, p) {
			continue
		}
		if name := goName(p.Name); name == "" || !token.IsExported(name) {
			return fmt.Errorf("parameter %s gives no exported Go name", p.Name)
		} else if err := declare(name, "parameter "+p.Name); err != nil {
			return err
		}
	}
	return nil
}

// hasField says that the caller gives the parameter: what a handle carries, and shared memory, he
// does not.
func hasField(k *family.Kernel, p *family.Param) bool {
	switch p.Kind {
	case family.Shared:
		return false
	case family.Dim:
		return extent(k, p.Extent).From == p
	}
	return true
}

func extent(k *family.Kernel, name string) *family.Extent {
	i := slices.IndexFunc(k.Extents, func(x *family.Extent) bool { return x.Name == name })
	return k.Extents[i]
}
