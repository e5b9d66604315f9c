package emit

import (
	"fmt"
	"go/format"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/tools/kernelspec/internal/family"
)

const module = "github.com/warpwright/warpwright/go/"

// Launchers writes the Go package that checks and launches the family's kernels.
func Launchers(f *family.Family, pkg string) ([]byte, error) {
	if err := checkNames(f); err != nil {
		return nil, err
	}
	var body writer
	loader(&body, f)
	tiers(&body, f)
	for _, t := range f.Tags() {
		enum(&body, t)
	}
	first := 0
	for _, k := range f.Kernels {
		l := newLauncher(f, k, first)
		l.write(&body)
		first += len(k.Instances)
	}
	var w writer
	w.WriteString(header(f))
	w.f("\n// Package %s launches the kernels of family %s. Each kernel is a struct: its fields are the\n", pkg, f.Name)
	w.f("// arguments, Check is its contract, Launch checks and enqueues it.\npackage %s\n\nimport (\n", pkg)
	text := body.String()
	for _, std := range []string{"math", "strconv"} {
		if strings.Contains(text, std+".") {
			w.f("%q\n", std)
		}
	}
	w.f("\n")
	for _, own := range []string{"contract", "device", "dtype", "kernels/launch", "manifest", "valid"} {
		if strings.Contains(text, own[strings.LastIndex(own, "/")+1:]+".") {
			w.f("%q\n", module+own)
		}
	}
	w.f(")\n%s", text)
	out, err := format.Source([]byte(w.String()))
	if err != nil {
		return nil, fmt.Errorf("generated Go: %w", err)
	}
	return out, nil
}

func loader(w *writer, f *family.Family) {
	w.f(`
// Kernels is the family on one device.
type Kernels struct {
	dev     *device.Device
	entries []*device.Kernel // as Entries names them; nil on a device that launches nothing
}

// Load makes the family ready on d. On a device that launches nothing it succeeds all the same:
// contracts can be checked there, launches are refused.
func Load(d *device.Device) (*Kernels, error) {
	k := &Kernels{dev: d}
	if !d.Launches() {
		return k, nil
	}
`)
	if slices.ContainsFunc(f.Kernels, narrowed) {
		loadParts(w, f)
	} else {
		w.f("var err error\nk.entries, err = d.Entries(%q, Entries(), map[string]string{\n", f.Name)
		for _, k := range f.Kernels {
			w.f("%q: %q,\n", k.Name, k.Hash)
		}
		w.f("})\nif err != nil {\nreturn nil, err\n}\n")
	}
	w.f(`return k, nil
}

// ready returns an error unless entries can be launched.
func (k *Kernels) ready(kernel string) error {
	if k == nil || k.entries == nil {
		return launch.Refused(kernel)
	}
	return nil
}

// Entries names every entry of the family, in the order of the spec.
func Entries() []string {
	return []string{
`)
	for _, k := range f.Kernels {
		for _, in := range k.Instances {
			w.f("%q,\n", in.Entry)
		}
	}
	w.f("}\n}\n")
}

func narrowed(k *family.Kernel) bool { return len(k.Archs) > 0 }

// loadParts loads kernel by kernel and leaves out those that the device's image does not have.
func loadParts(w *writer, f *family.Family) {
	w.f("names := Entries()\nk.entries = make([]*device.Kernel, len(names))\n")
	w.f("for _, part := range []struct {\nkernel, hash string\nfirst, end int\narchs []int // nil for all\n}{\n")
	first := 0
	for _, k := range f.Kernels {
		end := first + len(k.Instances)
		archs := "nil"
		if narrowed(k) {
			archs = "[]int{" + strings.ReplaceAll(strings.Join(k.Archs, ", "), "sm_", "") + "}"
		}
		w.f("{%q, %q, %d, %d, %s},\n", k.Name, k.Hash, first, end, archs)
		first = end
	}
	w.f("} {\nif part.archs != nil && !launch.Compiled(d, part.archs) {\ncontinue\n}\n")
	w.f("entries, err := d.Entries(%q, names[part.first:part.end], map[string]string{part.kernel: part.hash})\n", f.Name)
	w.f("if err != nil {\nreturn nil, err\n}\ncopy(k.entries[part.first:], entries)\n}\n")
}

func tiers(w *writer, f *family.Family) {
	w.f(`
// Tiers is the operator's table for an architecture (90 for sm_90): its own, or that of the nearest
// lower one that has a table, so that 80 uses that of 75. ok is false where there is neither.
func Tiers(operator string, arch int) (t manifest.TierTable, ok bool) {
	return manifest.TiersFor(tiers(), operator, arch)
}

func tiers() []manifest.TierTable {
	return []manifest.TierTable{
`)
	for _, t := range f.Tiers {
		w.f("{Operator: %q, Arch: %d, By: %q, Source: %q, Tiers: []manifest.Tier{\n", t.Operator, t.Arch, t.By, t.Source)
		for _, row := range t.Tiers {
			w.f("{From: %s, Kernel: %q", strconv.FormatFloat(row.From, 'g', -1, 64), row.Kernel)
			if len(row.Types) > 0 {
				var types []string
				for _, name := range slices.Sorted(maps.Keys(row.Types)) {
					types = append(types, fmt.Sprintf("%q: %q", name, row.Types[name]))
				}
				w.f(", Types: map[string]string{%s}", strings.Join(types, ", "))
			}
			w.f("},\n")
		}
		w.f("}},\n")
	}
	w.f("}\n}\n")
}

func enum(w *writer, t *family.TypeParam) {
	w.f("\n// %s is %s; it chooses the instance of a kernel.\ntype %s uint8\n", t.Name, either(t.Values), t.Name)
	w.f("\n// The values of %s.\nconst (\n", t.Name)
	for i, v := range t.Values {
		if i == 0 {
			w.f("%s %s = iota\n", v, t.Name)
		} else {
			w.f("%s\n", v)
		}
	}
	w.f(")\n\n// String is the value's name.\nfunc (v %s) String() string {\nswitch v {\n", t.Name)
	for _, v := range t.Values {
		w.f("case %s:\nreturn %q\n", v, v)
	}
	w.f("}\nreturn \"%s(\" + strconv.Itoa(int(v)) + \")\"\n}\n", t.Name)
}

// either prints 4, 8 or 16.
func either(values []string) string {
	last := len(values) - 1
	if last == 0 {
		return values[0]
	}
	return strings.Join(values[:last], ", ") + " or " + values[last]
}
