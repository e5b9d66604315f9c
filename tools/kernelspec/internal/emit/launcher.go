package emit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/tools/kernelspec/internal/family"
)

// launcher writes one kernel's struct and methods.
type launcher struct {
	*writer
	k     *family.Kernel
	first int    // the index of its first entry
	name  string // of the struct
	typ   string // the struct with its type parameters, as a receiver has it
	accs  map[string]string
	vars  map[string]string // locals of extents and ranges, by the name in the source
}

func newLauncher(f *family.Family, k *family.Kernel, first int) *launcher {
	l := &launcher{k: k, first: first, name: structName(f, k), accs: map[string]string{}, vars: map[string]string{}}
	l.accumulators()
	var params []string
	for _, t := range l.typeParams() {
		params = append(params, t.name)
	}
	l.typ = l.name + brackets(params)
	names := newLocals()
	for _, x := range k.Extents {
		l.vars[x.Name] = names.name(x.Name)
	}
	for _, p := range k.Params {
		if p.Kind == family.Buffer {
			l.vars["range "+p.Name] = names.name(p.Name)
		}
	}
	for _, t := range k.Types {
		if t.Kind == family.DType {
			l.vars["type "+t.Name] = names.name(t.Name + "Type")
		}
	}
	return l
}

// accumulators names the type parameters that stand for an accumulator; one that is the same for
// every value needs none.
func (l *launcher) accumulators() {
	for _, p := range l.k.Params {
		if _, fixed := l.fixed(p.Elem); fixed || !p.Elem.Acc || l.accs[p.Elem.Param] != "" || givenNames(l.k, p) == nil {
			continue
		}
		name := "A"
		for slices.Contains(l.k.Template, name) || slices.Contains(slices.Collect(maps.Values(l.accs)), name) {
			name += p.Elem.Param
		}
		l.accs[p.Elem.Param] = name
	}
}

// fixed is the one type that an element has in every instance, if there is one.
func (l *launcher) fixed(e family.Elem) (dtype.Type, bool) {
	if e.Param == "" {
		return e.Type, true
	}
	if !e.Acc {
		return 0, false
	}
	first := e.In(l.k.Instances[0].Values)
	for _, in := range l.k.Instances {
		if e.In(in.Values) != first {
			return 0, false
		}
	}
	return first, true
}

// typeParam is a type parameter of the struct.
type typeParam struct{ name, constraint string }

func (p typeParam) String() string { return p.name + " " + p.constraint }

// brackets prints [A, B], and nothing for no parameters.
func brackets[T any](params []T) string {
	if len(params) == 0 {
		return ""
	}
	var out []string
	for _, p := range params {
		out = append(out, fmt.Sprint(p))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// typeParams are the struct's type parameters: its element types, then their accumulators.
func (l *launcher) typeParams() []typeParam {
	var out []typeParam
	for _, t := range l.k.Types {
		if t.Kind == family.DType {
			out = append(out, typeParam{t.Name, constraint(t.Values)})
		}
	}
	for _, t := range l.k.Types {
		if acc := l.accs[t.Name]; acc != "" {
			out = append(out, typeParam{acc, "dtype.Float"})
		}
	}
	return out
}

// constraint is the narrowest constraint of package dtype that admits the values.
func constraint(values []string) string {
	in := func(types ...string) bool {
		return !slices.ContainsFunc(values, func(v string) bool { return !slices.Contains(types, v) })
	}
	switch {
	case in("f32", "f64", "f16", "bf16"):
		return "dtype.Float"
	case in("i32", "i64"):
		return "dtype.Offset"
	}
	return "dtype.Element"
}

// goElem is the Go type of an element.
func (l *launcher) goElem(e family.Elem) string {
	t, ok := l.fixed(e)
	if !ok && e.Acc {
		return l.accs[e.Param]
	}
	if !ok {
		return e.Param
	}
	switch t {
	case dtype.F32:
		return "float32"
	case dtype.F64:
		return "float64"
	case dtype.F16:
		return "dtype.Float16"
	case dtype.BF16:
		return "dtype.BFloat16"
	case dtype.I32:
		return "int32"
	case dtype.I64:
		return "int64"
	case dtype.U32:
		return "uint32"
	case dtype.U64:
		return "uint64"
	default:
		return "uint8"
	}
}

func (l *launcher) write(w *writer) {
	l.writer = w
	l.fields()
	l.entryName()
	l.index()
	l.extents()
	l.check()
	l.values()
	l.arguments()
	l.config()
	l.variant()
	l.chosen()
	l.launch()
	l.ready()
}

func (l *launcher) fields() {
	l.f("\n// %s is a launch of %s (%s).\n", l.name, l.k.Name, l.k.Source)
	if l.k.Doc != "" {
		l.f("//\n//\t%s\n", strings.ReplaceAll(l.k.Doc, "\n", "\n//\t"))
	}
	l.f("type %s%s struct {\n", l.name, brackets(l.typeParams()))
	for _, t := range l.k.Types {
		switch t.Kind {
		case family.Tag:
			l.f("%s %s // %s\n", t.Name, t.Name, either(t.Values))
		case family.Int:
			l.f("%s int // %s\n", t.Name, either(t.Values))
		}
	}
	for _, p := range l.k.Params {
		for _, name := range givenNames(l.k, p) {
			l.f("%s %s // %s\n", goName(name), l.fieldType(p), l.fieldDoc(p, name))
		}
	}
	l.f("}\n")
}

func (l *launcher) fieldType(p *family.Param) string {
	switch {
	case p.Extents != nil:
		return "uint64"
	case p.Kind == family.Scalar:
		return l.goElem(p.Elem)
	case p.Validated == "offsets":
		return "*valid.Offsets[" + l.goElem(p.Elem) + "]"
	case p.Validated == "columns":
		return "*valid.Columns"
	case p.Validated == "permutation":
		return "*valid.Permutation"
	}
	return "device.Slice[" + l.goElem(p.Elem) + "]"
}

func (l *launcher) fieldDoc(p *family.Param, name string) string {
	if p.Kind == family.Dim {
		return "the extent " + p.Extents[0]
	}
	if p.Kind == family.Cells {
		return "the extent " + name
	}
	if p.Kind == family.Scalar {
		return p.Elem.String()
	}
	out := p.Direction + " " + p.Elem.String()
	if p.Validated != "" {
		return out + ", validated; gives " + strings.Join(p.Carries, " and ")
	}
	if p.Align != nil {
		out += ", at a multiple of " + p.Align.String() + " bytes"
	}
	var lengths []string
	for _, length := range p.Lens {
		text := length.Expr.String()
		if length.Param != "" {
			text += " (" + length.Value + ")"
		}
		lengths = append(lengths, text)
	}
	return out + ", at least " + strings.Join(lengths, " or ")
}

func (l *launcher) entryName() {
	l.f("\n// entry names the instance that the fields choose, as errors do.\nfunc (a *%s) entry() string {\nreturn launch.EntryName(%q", l.typ, l.k.Name)
	for _, t := range l.k.Types {
		if t.Kind == family.DType {
			l.f(", dtype.Of[%s]()", t.Name)
		} else {
			l.f(", a.%s", t.Name)
		}
	}
	l.f(")\n}\n")
}

// dtypes are the locals that hold the instance's element types, and what gives them their values.
func (l *launcher) dtypes() (locals, values []string) {
	for _, t := range l.k.Types {
		if t.Kind == family.DType {
			locals = append(locals, l.vars["type "+t.Name])
			values = append(values, "dtype.Of["+t.Name+"]()")
		}
	}
	return locals, values
}

// index writes the arithmetic from instance values to the entry's place, small enough to be inlined, and
// beside it what says why there is none.
func (l *launcher) index() {
	locals, _ := l.dtypes()
	params := ""
	if locals != nil {
		params = strings.Join(locals, ", ") + " dtype.Type"
	}
	what := "the entry"
	if l.k.Prefers != nil {
		what = "the entry that relies on the contract alone"
	}
	l.f("\n// index is the place of %s in Entries, or -1 if there is none for the fields.\n", what)
	l.f("func (a *%s) index(%s) int {\n", l.typ, params)
	if len(l.k.Types) == 0 {
		l.f("return %d\n}\n", l.first)
		return
	}
	l.f("i := %d\n", l.first)
	step := len(l.k.Base())
	type reason struct{ where, err string }
	var reasons []reason
	for _, t := range l.k.Types {
		step /= len(t.Values)
		value, values := "a."+t.Name, slices.Clone(t.Values)
		if t.Kind == family.DType {
			value = l.vars["type "+t.Name]
			for n, v := range values {
				values[n] = "dtype." + strings.ToUpper(v)
			}
		}
		l.f("switch %s {\n", value)
		for n, v := range values {
			l.f("case %s:\n", v)
			if n > 0 {
				l.f("i += %d\n", n*step)
			}
		}
		l.f("default:\nreturn -1\n}\n")
		reasons = append(reasons, reason{
			value + " != " + strings.Join(values, " && "+value+" != "),
			fmt.Sprintf("launch.NoInstance(%q, %q, %s, %q)", l.k.Name, t.Name, value, strings.Join(t.Values, " ")),
		})
	}
	for _, t := range l.k.Types {
		if acc := l.accs[t.Name]; acc != "" {
			local := l.vars["type "+t.Name]
			where := fmt.Sprintf("dtype.Of[%s]() != %s.Accumulator()", acc, local)
			l.f("if %s {\nreturn -1\n}\n", where)
			reasons = append(reasons, reason{where, fmt.Sprintf("launch.NotAccumulator(%q, %q, dtype.Of[%s](), %q, %s)", l.k.Name, acc, acc, t.Name, local)})
		}
	}
	l.f("return i\n}\n")
	l.f("\n// noInstance says why index has found none.\nfunc (a *%s) noInstance(%s) error {\n", l.typ, params)
	last := len(reasons) - 1
	for _, r := range reasons[:last] {
		l.f("if %s {\nreturn %s\n}\n", r.where, r.err)
	}
	l.f("return %s\n}\n", reasons[last].err)
}

func (l *launcher) handles() []*family.Param {
	var out []*family.Param
	for _, p := range l.k.Params {
		if p.Validated != "" {
			out = append(out, p)
		}
	}
	return out
}
