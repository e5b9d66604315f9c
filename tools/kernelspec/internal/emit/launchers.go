package emit

import (
	"fmt"
	"go/format"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/dtype"
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

// extents writes the function that reads the extents off the arguments.
func (l *launcher) extents() {
	var results, values []string
	for _, x := range l.k.Extents {
		results = append(results, l.vars[x.Name])
		values = append(values, l.extentValue(x))
	}
	if len(l.handles()) == 0 {
		return
	}
	l.f("\n// extents reads the extents off the arguments.\n")
	l.f("func (a *%s) extents() (%s uint64, err error) {\n", l.typ, strings.Join(results, ", "))
	zeros := strings.Repeat("0, ", len(results))
	for _, p := range l.handles() {
		l.f("if a.%s == nil {\nreturn %slaunch.Missing(%q, %q)\n}\n", goName(p.Name), zeros, l.k.Name, p.Name)
	}
	l.f("return %s, nil\n}\n", strings.Join(values, ", "))
}

// extentValue is the expression that gives an extent its value.
func (l *launcher) extentValue(x *family.Extent) string {
	field := "a." + goName(x.From.Name)
	switch {
	case x.From.Validated != "":
		return carried(x.From, x.Place)
	case x.From.Kind == family.Dim:
		return field
	case x.From.Kind == family.Cells:
		return "a." + goName(x.Name)
	default:
		return "uint64(" + field + ".Len())"
	}
}

// carried is the call that returns what a handle carries; package valid has these methods.
func carried(p *family.Param, place int) string {
	method := "Entries"
	switch {
	case p.Validated == "permutation":
		method = "Len"
	case place == 0 && p.Validated == "offsets":
		method = "Rows"
	case place == 0:
		method = "Columns"
	}
	return "a." + goName(p.Name) + "." + method + "()"
}

// readExtents writes the locals of those extents that text, the code after it, mentions. Where there are
// handles, one may be missing: failed are the results before the error that the function then returns, or
// ignore. always asks for the handles' check even where no extent is mentioned.
func (l *launcher) readExtents(failed, text string, always bool) {
	var names []string
	any := false
	for _, x := range l.k.Extents {
		name := l.vars[x.Name]
		if !mentions(text, name) {
			name = "_"
		} else {
			any = true
			if len(l.handles()) == 0 {
				l.f("%s := %s\n", name, l.extentValue(x))
			}
		}
		names = append(names, name)
	}
	switch {
	case len(l.handles()) == 0:
	case any && failed == ignore:
		l.f("%s, _ := a.extents() // check has found the handles\n", strings.Join(names, ", "))
	case any:
		l.f("%s, err := a.extents()\nif err != nil {\nreturn %serr\n}\n", strings.Join(names, ", "), failed)
	case always:
		l.f("if %s, err := a.extents(); err != nil {\nreturn %serr\n}\n", strings.Join(names, ", "), failed)
	}
}

// ignore stands for the results before an error that cannot be.
const ignore = "ignore"

// mentions says that Go text has a word.
func mentions(text, word string) bool {
	word = " " + word + " "
	return strings.Contains(" "+strings.Map(func(r rune) rune {
		if r == '_' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return ' '
	}, text)+" ", word)
}

// expr prints an expression as Go; arith is set if it uses the checked arithmetic c.
func (l *launcher) expr(e contract.Expr, arith *bool) string {
	if contract.Names(e) == nil {
		if n, err := e.Eval(nil); err == nil {
			return strconv.FormatUint(n, 10)
		}
	}
	switch e := e.(type) {
	case contract.Buffer:
		return l.bufferRange(l.param(string(e))) + ".Lo"
	case contract.Name:
		return l.value(string(e))
	case *contract.Binary:
		*arith = true
		name := map[byte]string{'+': "Add", '-': "Sub", '*': "Mul", '/': "Div", '%': "Mod"}[e.Op]
		return fmt.Sprintf("c.%s(%s, %s)", name, l.expr(e.X, arith), l.expr(e.Y, arith))
	case *contract.Call:
		name := e.Func
		if name == "cdiv" || name == "align" {
			*arith = true
			name = map[string]string{"cdiv": "c.CeilDiv", "align": "c.Align"}[name]
		}
		return fmt.Sprintf("%s(%s, %s)", name, l.expr(e.X, arith), l.expr(e.Y, arith))
	}
	return e.String()
}

// value is what a name of an expression is in Go.
func (l *launcher) value(name string) string {
	if v, ok := l.vars[name]; ok {
		return v
	}
	switch name {
	case "sms":
		return "uint64(d.Info().Multiprocessors)"
	case "block", "block.x", "block.y", "block.z":
		return strconv.FormatUint(l.k.Env(l.k.Instances[0])[name], 10)
	}
	if of, ok := strings.CutPrefix(name, "len("); ok {
		p := l.param(strings.TrimSuffix(of, ")"))
		if p.Validated != "" {
			return "uint64(a." + goName(p.Name) + ".Slice().Len())"
		}
		return "uint64(a." + goName(p.Name) + ".Len())"
	}
	if of, ok := strings.CutPrefix(name, "addr("); ok {
		return l.bufferRange(l.param(strings.TrimSuffix(of, ")"))) + ".Lo"
	}
	if of, ok := strings.CutPrefix(name, "sizeof("); ok {
		return l.size(l.param(strings.TrimSuffix(of, ")")).Elem)
	}
	if of, x, ok := strings.Cut(name, "."); ok {
		p := l.param(of)
		return carried(p, slices.Index(p.Carries, x))
	}
	return "uint64(a." + goName(name) + ")" // an integer parameter or an unsigned scalar
}

func (l *launcher) param(name string) *family.Param {
	i := slices.IndexFunc(l.k.Params, func(p *family.Param) bool { return p.Name == name })
	return l.k.Params[i]
}

// size is the Go expression of an element's bytes.
func (l *launcher) size(e family.Elem) string {
	if t, ok := l.fixed(e); ok {
		return strconv.Itoa(t.Size())
	}
	if e.Acc && l.accs[e.Param] == "" { // shared memory only
		return "uint64(dtype.Of[" + e.Param + "]().Accumulator().Size())"
	}
	return "launch.Size[" + l.goElem(e) + "]()"
}

func (l *launcher) check() {
	l.f("\n// Check returns an error unless the launch keeps the kernel's contract on d.\n")
	l.f("func (a *%s) Check(d *device.Device) error {\n_, err := a.check(d, contract.AtLeast)\nreturn err\n}\n", l.typ)
	l.f("\n// CheckExact is Check, but every buffer must be exactly as long as the contract names.\n")
	l.f("func (a *%s) CheckExact(d *device.Device) error {\n_, err := a.check(d, contract.Exact)\nreturn err\n}\n", l.typ)
	l.f("\n// CheckSizes is Check without the buffers: an error says that there are none with which a launch would keep the contract.\n")
	l.f("func (a *%s) CheckSizes(d *device.Device) error {\n_, err := a.check(d, contract.Unknown)\nreturn err\n}\n", l.typ)
	l.f("\n// check returns the place of the entry in Entries if the contract holds.\n")
	l.f("func (a *%s) check(d *device.Device, lengths contract.Lengths) (int, error) {\n", l.typ)
	l.f("if d == nil {\nreturn 0, launch.Missing(%q, \"device\")\n}\n", l.k.Name)
	locals, values := l.dtypes()
	if locals != nil {
		l.f("%s := %s\n", strings.Join(locals, ", "), strings.Join(values, ", "))
	}
	l.f("i := a.index(%s)\n", strings.Join(locals, ", "))
	if len(l.k.Types) > 0 {
		l.f("if i < 0 {\nreturn 0, a.noInstance(%s)\n}\n", strings.Join(locals, ", "))
	}

	outer := l.writer
	l.writer = &writer{}
	arith := l.relations()
	l.glance()
	text := l.String()
	l.writer = outer

	l.readExtents("0, ", text, true)
	if arith {
		l.f("var c contract.Checked\n")
	}
	l.f("%s}\n", text)
}

// decided says that kernelspec itself has found the relation to hold in every instance, since all of its
// names are numbers there.
func decided(k *family.Kernel, r family.Relation) bool {
	env := k.Env(k.Instances[0])
	return r.Kind == family.Required && !slices.ContainsFunc(r.Replace(k.Terms()).Names(), func(name string) bool {
		_, ok := env[name]
		return !ok
	})
}

// relations writes the relations in order; it says whether they use checked arithmetic.
func (l *launcher) relations() (arith bool) {
	for _, r := range l.k.Relations {
		if decided(l.k, r) {
			continue
		}
		checked := false
		fails := l.fails(r, &checked)
		if checked {
			fails += " || !c.OK()"
		}
		if r.Kind == family.Required && r.OfBuffers() {
			fails = "lengths != contract.Unknown && (" + fails + ")"
		}
		text := strconv.Quote(r.Relation.String())
		if r.Kind == family.BufferLen {
			text = fmt.Sprintf("%q+lengths.String()+%q", r.Left.String()+" ", " "+r.Right.String())
		}
		where := l.where(r.Where)
		if where != "" {
			l.f("if %s {\n", where)
		}
		l.f("if %s {\nreturn 0, launch.Violated(a.entry(), %s, a.values(d), %s)\n}\n", fails, text, l.terms(r.Relation))
		if where != "" {
			l.f("}\n")
		}
		arith = arith || checked
	}
	return arith
}

// fails is the Go condition under which a relation does not hold, overflow aside.
func (l *launcher) fails(r family.Relation, arith *bool) string {
	rel := r.Replace(l.k.Terms())
	switch {
	case r.Op == contract.Divides:
		*arith = true
		return fmt.Sprintf("c.Mod(%s, %s) != 0", l.expr(rel.Right, arith), l.expr(rel.Left, arith))
	case r.Op == contract.Fits32:
		return fmt.Sprintf("%s > %d", l.expr(rel.Left, arith), contract.Max32)
	case r.Op == contract.Aligned:
		*arith = true
		return fmt.Sprintf("c.Mod(%s, %s) != 0", l.expr(rel.Left, arith), l.expr(rel.Right, arith))
	case r.Op == contract.Disjoint:
		x, y := l.param(rel.Left.String()), l.param(rel.Right.String())
		return fmt.Sprintf("launch.Overlap(%s, %s)", l.bufferRange(x), l.bufferRange(y))
	case r.Kind == family.BufferLen:
		return fmt.Sprintf("!lengths.Hold(%s, %s)", l.expr(rel.Left, arith), l.expr(rel.Right, arith))
	default:
		return l.expr(rel.Left, arith) + " " + opposite(r.Op) + " " + l.expr(rel.Right, arith)
	}
}

// terms are what the names of a launch's shape stand for in relations, as Go.
func (l *launcher) terms(relations ...*contract.Relation) string {
	all := l.k.Terms()
	var out, seen []string
	for _, r := range relations {
		for _, name := range r.Names() {
			if e, ok := all[name]; ok && !slices.Contains(seen, name) {
				seen = append(seen, name)
				out = append(out, fmt.Sprintf("%q: %q", name, e.String()))
			}
		}
	}
	if out == nil {
		return "nil"
	}
	return "launch.Terms{" + strings.Join(out, ", ") + "}"
}

// operand is a side of a relation, typed even if it is a number.
func (l *launcher) operand(e contract.Expr, arith *bool) string {
	s := l.expr(e, arith)
	if _, err := strconv.ParseUint(s, 10, 64); err == nil {
		return "uint64(" + s + ")"
	}
	return s
}

func opposite(op string) string {
	return map[string]string{">=": "<", ">": "<=", "<=": ">", "<": ">=", "==": "!=", "!=": "=="}[op]
}

func (l *launcher) where(w family.Where) string {
	for _, t := range l.k.Types {
		switch {
		case t.Name != w.Param:
		case t.Kind == family.DType:
			return l.vars["type "+t.Name] + " == dtype." + strings.ToUpper(w.Value)
		default:
			return "a." + t.Name + " == " + w.Value
		}
	}
	return ""
}

// buffers are the parameters in device memory.
func (l *launcher) buffers() []*family.Param {
	var out []*family.Param
	for _, p := range l.k.Params {
		if p.Kind == family.Buffer {
			out = append(out, p)
		}
	}
	return out
}

// glance writes one condition under which all arguments are as they must be; where it does not hold, the
// slow test follows, which knows the rules themselves.
func (l *launcher) glance() {
	buffers := l.buffers()
	if buffers == nil {
		l.f("return i, nil\n")
		return
	}
	tests := l.alive()
	var sizes []string
	addresses := map[string][]string{} // by alignment
	for _, p := range buffers {
		size := l.align(p)
		if addresses[size] == nil {
			sizes = append(sizes, size)
		}
		addresses[size] = append(addresses[size], l.bufferRange(p)+".Lo")
	}
	for _, size := range sizes {
		if size != "1" {
			tests = append(tests, fmt.Sprintf("launch.Multiple(%s, %s)", strings.Join(addresses[size], "|"), size))
		}
	}
	for _, p := range buffers {
		for _, q := range apart(l.k, p) {
			tests = append(tests, fmt.Sprintf("%s.Apart(%s)", l.bufferRange(p), l.bufferRange(q)))
		}
	}
	l.f("if lengths == contract.Unknown ||\n%s {\nreturn i, nil\n}\n", strings.Join(tests, " &&\n"))
	l.f("return i, a.arguments(d)\n")
}

// apart are the buffers that must share no byte with p because p is written; of two that are written the first one
// has the other.
func apart(k *family.Kernel, p *family.Param) []*family.Param {
	var out []*family.Param
	before := true
	for _, q := range k.Params {
		switch {
		case q == p:
			before = false
		case q.Kind == family.Buffer && p.Written() && !(q.Written() && before) && sameElem(k, p, q):
			out = append(out, q)
		}
	}
	return out
}

// alive are the conditions that time can change.
func (l *launcher) alive() []string {
	tests := []string{"d.Alive()"}
	for _, p := range l.buffers() {
		tests = append(tests, l.bufferRange(p)+".On(d)")
	}
	for _, p := range l.handles() {
		tests = append(tests, "a."+goName(p.Name)+".Fresh()")
	}
	return tests
}

// sameElem says that in some instance two buffers have elements of one type. Only then can they share
// memory: a buffer of package device keeps its type.
func sameElem(k *family.Kernel, p, q *family.Param) bool {
	return slices.ContainsFunc(k.Instances, func(in family.Instance) bool { return p.Elem.In(in.Values) == q.Elem.In(in.Values) })
}

// arguments writes the slow test.
func (l *launcher) arguments() {
	if l.buffers() == nil {
		return
	}
	l.f("\n// arguments looks at one argument after the other and says what is wrong.\n")
	l.f("func (a *%s) arguments(d *device.Device) error {\nreturn launch.Arguments(a.entry(), d,\n", l.typ)
	for _, p := range l.buffers() {
		l.f("launch.Argument{Param: %q, Memory: %s, Align: %s", p.Name, l.bufferRange(p), l.align(p))
		if p.Validated != "" {
			l.f(", Proved: a.%s.Proved", goName(p.Name))
		}
		if p.Written() {
			l.f(", Written: true")
		}
		l.f("},\n")
	}
	l.f(")\n}\n")
}

// align is the Go expression of the bytes that a buffer must begin at a multiple of: those of its element,
// unless its view says otherwise; a number if it is the same in every instance.
func (l *launcher) align(p *family.Param) string {
	if p.Align == nil {
		return l.size(p.Elem)
	}
	var checked bool // remains false: no align of a view has a function in it
	return l.constant(p.Align, &checked)
}

// alignment is what l.align prints, in an instance.
func alignment(k *family.Kernel, p *family.Param, in family.Instance) uint64 {
	if p.Align == nil {
		return uint64(p.Elem.In(in.Values).Size())
	}
	return k.Number(p.Align, in)
}

// product prints a number of each instance in plain arithmetic: it is small in all of them.
func (l *launcher) product(e contract.Expr) string {
	switch e := e.(type) {
	case contract.Name:
		return l.value(string(e))
	case *contract.Binary:
		return fmt.Sprintf("(%s %c %s)", l.product(e.X), e.Op, l.product(e.Y))
	}
	return e.String()
}

// values writes the function that gives the names of the contract and the shape their values.
func (l *launcher) values() {
	var names []string
	use := func(more []string) {
		for _, name := range more {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, r := range l.k.Relations {
		if !decided(l.k, r) {
			use(r.Replace(l.k.Terms()).Names())
		}
	}
	for _, p := range l.k.Prefers {
		for _, f := range p.Facts {
			for _, r := range f.Relations {
				use(r.Replace(l.k.Terms()).Names())
			}
		}
	}
	for _, e := range l.k.Grid {
		use(contract.Names(e))
	}
	if l.k.Shared != nil {
		use(contract.Names(l.k.Shared))
	}
	if names == nil {
		return
	}
	outer := l.writer
	l.writer = &writer{}
	l.f("return contract.Env{\n")
	for _, name := range names {
		l.f("%q: %s,\n", name, l.value(name))
	}
	l.f("}\n")
	text := l.String()
	l.writer = outer
	l.f("\n// values are those of the names in the contract, for the text of an error.\n")
	l.f("func (a *%s) values(d *device.Device) contract.Env {\n", l.typ)
	l.readExtents(ignore, text, false)
	l.f("%s}\n", text)
}

func (l *launcher) bufferRange(p *family.Param) string {
	if p.Validated != "" {
		return "a." + goName(p.Name) + ".Slice().Range()"
	}
	return "a." + goName(p.Name) + ".Range()"
}

func (l *launcher) config() {
	l.f("\n// Config is the shape of the launch on d.\n")
	l.f("func (a *%s) Config(d *device.Device) (device.Config, error) {\n", l.typ)
	outer := l.writer
	l.writer = &writer{}
	arith := false
	var dims []string
	for i, e := range l.k.Grid {
		dims = append(dims, l.shape("grid."+"xyz"[i:i+1], "grid"+"XYZ"[i:i+1], e, &arith))
	}
	shared := ""
	if l.k.Shared != nil {
		shared = ", Shared: " + l.shape("shared", "shared", l.k.Shared, &arith)
	}
	text := l.String()
	l.writer = outer
	if mentions(text, "d") || strings.Contains(text, "d.Info") {
		l.f("if d == nil {\nreturn device.Config{}, launch.Missing(%q, \"device\")\n}\n", l.k.Name)
	}
	l.readExtents("device.Config{}, ", text, true)
	if arith {
		l.f("var c contract.Checked\n")
	}
	b := l.k.Block
	l.f("%sreturn device.Config{Grid: device.Dim3{X: %s, Y: %s, Z: %s}, Block: device.Dim3{X: %d, Y: %d, Z: %d}%s}, nil\n}\n",
		text, dims[0], dims[1], dims[2], b[0], b[1], b[2], shared)
}

// shape writes the evaluation of one 32-bit fact of a launch and returns its value.
func (l *launcher) shape(what, local string, e contract.Expr, arith *bool) string {
	if n, ok := e.(contract.Number); ok && n < 1<<32 {
		return n.String()
	}
	value := l.operand(e, arith)
	test := fmt.Sprintf("%s > math.MaxUint32", local)
	if *arith {
		test = "!c.OK() || " + test
	}
	l.f("%s := %s\nif %s {\n", local, value, test)
	l.f("return device.Config{}, launch.TooLarge(a.entry(), %q, %q, a.values(d))\n}\n", what, e.String())
	return "uint32(" + local + ")"
}

func (l *launcher) launch() {
	l.f("\n// Launch checks the contract and enqueues the kernel on s (nil: the default stream).\n//\n//ww:launch %s\n", l.k.Name)
	l.f("func (a *%s) Launch(on *Kernels, s *device.Stream) error { return a.launch(on, s, contract.AtLeast) }\n", l.typ)
	l.f("\n// LaunchExact is Launch with the contract of CheckExact.\n//\n//ww:launch %s\n", l.k.Name)
	l.f("func (a *%s) LaunchExact(on *Kernels, s *device.Stream) error { return a.launch(on, s, contract.Exact) }\n", l.typ)
	l.f("\nfunc (a *%s) launch(on *Kernels, s *device.Stream, lengths contract.Lengths) error {\n", l.typ)
	l.f("i, config, err := a.prepare(on, lengths)\nif err != nil {\nreturn err\n}\nreturn a.enqueue(on, s, i, config)\n}\n")

	l.f("\n// prepare does what comes before a launch: the check, the shape.\n")
	l.f("func (a *%s) prepare(on *Kernels, lengths contract.Lengths) (int, device.Config, error) {\n", l.typ)
	l.f("if err := on.ready(%q); err != nil {\nreturn 0, device.Config{}, err\n}\n", l.k.Name)
	l.f("i, err := a.check(on.dev, lengths)\nif err != nil {\nreturn 0, device.Config{}, err\n}\n")
	place := "i"
	if l.k.Prefers != nil {
		place = "i + " + l.times("a.variant(&config)")
	}
	l.f("config, err := a.Config(on.dev)\n")
	if narrowed(l.k) {
		l.f("if err == nil && on.entries[i] == nil {\nerr = launch.NoArch(a.entry(), on.dev, %q)\n}\n", strings.Join(l.k.Archs, " "))
	}
	if l.k.Prefers != nil {
		l.f("if err != nil {\nreturn 0, config, err\n}\nreturn %s, config, nil\n}\n", place)
	} else {
		l.f("return %s, config, err\n}\n", place)
	}

	outer := l.writer
	l.writer = &writer{}
	var slots []string
	for _, p := range l.k.Params {
		switch p.Kind {
		case family.Dim, family.Cells:
			for _, x := range p.Extents {
				slots = append(slots, l.vars[x])
			}
		case family.Scalar:
			slots = append(slots, "launch.Word(a."+goName(p.Name)+")")
		case family.Buffer:
			if !p.Written() {
				slots = append(slots, l.bufferRange(p)+".Lo")
				continue
			}
			r := l.vars["range "+p.Name]
			l.f("%s := %s\n%s.Touch()\n", r, l.bufferRange(p), r)
			slots = append(slots, r+".Lo")
		}
	}
	l.f("slots := [...]uint64{%s}\n", strings.Join(slots, ", "))
	text := l.String()
	l.writer = outer
	l.f("\n// enqueue packs the arguments and launches.\n")
	l.f("func (a *%s) enqueue(on *Kernels, s *device.Stream, i int, config device.Config) error {\n", l.typ)
	l.readExtents(ignore, text, false)
	l.f("%sreturn on.entries[i].Launch(s, config, slots[:])\n}\n", text)
}

// ready writes the launch that has been checked and can be enqueued later.
func (l *launcher) ready() {
	name := l.name + "Ready"
	var params []string
	for _, t := range l.typeParams() {
		params = append(params, t.name)
	}
	typ := name + brackets(params)
	l.f("\n// %s is a launch of %s whose contract holds: a copy of the arguments, so that nothing but time can\n", name, l.k.Name)
	l.f("// change what was checked.\ntype %s%s struct {\non *Kernels\na %s\ni int\nconfig device.Config\n}\n", name, brackets(l.typeParams()), l.typ)
	l.f("\n// Ready checks the contract and returns the launch: for work of several steps that must all be possible\n// before the first.\n")
	l.f("func (a *%s) Ready(on *Kernels) (%s, error) { return a.hold(on, contract.AtLeast) }\n", l.typ, typ)
	l.f("\n// ReadyExact is Ready with the contract of CheckExact.\n")
	l.f("func (a *%s) ReadyExact(on *Kernels) (%s, error) { return a.hold(on, contract.Exact) }\n", l.typ, typ)
	l.f("\nfunc (a *%s) hold(on *Kernels, lengths contract.Lengths) (%s, error) {\n", l.typ, typ)
	l.f("i, config, err := a.prepare(on, lengths)\nif err != nil {\nreturn %s{}, err\n}\nreturn %s{on, *a, i, config}, nil\n}\n", typ, typ)
	l.f("\n// Launch enqueues the kernel on s (nil: the default stream).")
	tests := l.alive()
	if l.buffers() != nil {
		l.f(" What time can change is looked at again:\n// whether the buffers are open and the proofs hold.")
	}
	l.f("\n//\n//ww:launch %s\nfunc (r *%s) Launch(s *device.Stream) error {\n", l.k.Name, typ)
	l.f("if err := r.on.ready(%q); err != nil {\nreturn err\n}\n", l.k.Name)
	if l.buffers() != nil {
		l.f("a, d := &r.a, r.on.dev\n")
		l.f("if !(%s) {\nif err := a.arguments(d); err != nil {\nreturn err\n}\n}\n", strings.Join(tests, " &&\n"))
	}
	l.f("return r.a.enqueue(r.on, s, r.i, r.config)\n}\n")
}
