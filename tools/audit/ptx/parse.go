package ptx

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads a PTX file.
func Parse(text string) (*Module, error) {
	p := &parser{module: &Module{}, files: map[string]string{}, at: map[position]position{}}
	s := scanner{text: text, line: 1}
	for {
		st, err := s.next()
		if err != nil {
			return nil, err
		}
		if st.kind == end {
			break
		}
		if err := p.statement(st); err != nil {
			return nil, fmt.Errorf("ptx: line %d: %w: %.80q", st.line, err, st.text)
		}
	}
	if p.f != nil {
		return nil, fmt.Errorf("ptx: function %s has no end", p.f.Name)
	}
	// The files' names stand behind the instructions.
	for _, f := range p.module.Funcs {
		for _, in := range f.Instructions {
			for i := range in.Places {
				in.Places[i].File = p.files[in.Places[i].File]
			}
		}
	}
	return p.module, nil
}

// position is a file's number and a place in it, as a .loc directive has them.
type position struct{ file, line, column string }

type parser struct {
	module *Module
	f      *Func
	files  map[string]string
	scopes []scope
	opened int // scopes opened in this function, for the names of their registers
	labels []string
	where  position
	at     map[position]position // the call into which the code at a position was inlined
}

// scope is a pair of braces in a function: registers that it declares hide those outside.
type scope struct {
	id     int
	names  map[string]bool
	ranges map[string]int // of %r<12>: %r and 12
}

func (p *parser) statement(st statement) error {
	switch st.kind {
	case open:
		if p.f != nil {
			p.push()
		}
		return nil
	case shut:
		return p.shut()
	case label:
		if p.f == nil {
			return fmt.Errorf("a label outside a function")
		}
		p.labels = append(p.labels, st.text)
		p.f.labels[st.text] = len(p.f.Instructions)
		return nil
	case header:
		return p.header(st)
	}
	if strings.HasPrefix(st.text, ".") {
		return p.directive(st)
	}
	if p.f == nil {
		return fmt.Errorf("an instruction outside a function")
	}
	return p.instruction(st)
}

func (p *parser) push() {
	p.scopes = append(p.scopes, scope{id: p.opened, names: map[string]bool{}, ranges: map[string]int{}})
	p.opened++
}

func (p *parser) shut() error {
	if len(p.scopes) == 0 {
		return fmt.Errorf("a brace too many")
	}
	if p.scopes = p.scopes[:len(p.scopes)-1]; len(p.scopes) == 0 {
		p.f = nil
	}
	return nil
}

func (p *parser) header(st statement) error {
	if p.f != nil {
		return fmt.Errorf("a function in a function")
	}
	f := &Func{Line: st.line, labels: map[string]int{}, targets: map[string][]string{}}
	text := st.text
	if before, after, ok := strings.Cut(text, ".entry"); ok && !strings.Contains(before, "(") {
		f.Entry, text = true, after
	} else {
		_, text, _ = strings.Cut(text, ".func")
		// The results of a function stand before its name.
		if text = strings.TrimSpace(text); strings.HasPrefix(text, "(") {
			_, text, _ = strings.Cut(text, ")")
		}
	}
	name, rest, _ := strings.Cut(text, "(")
	params, rest, _ := strings.Cut(rest, ")")
	if name == text {
		// No parameters: the directives follow the name.
		fields := strings.Fields(text)
		if len(fields) == 0 {
			return fmt.Errorf("a function without a name")
		}
		name, rest = fields[0], strings.Join(fields[1:], " ")
	}
	if f.Name = strings.TrimSpace(name); f.Name == "" || strings.ContainsAny(f.Name, " \t") {
		return fmt.Errorf("%q is no name of a function", name)
	}
	for _, param := range strings.Split(params, ",") {
		if one, ok := parameter(param); ok {
			f.Params = append(f.Params, one)
		}
	}
	var err error
	if f.MaxThreads, err = bounds(rest, ".maxntid"); err != nil {
		return err
	}
	if f.ReqThreads, err = bounds(rest, ".reqntid"); err != nil {
		return err
	}
	p.module.Funcs = append(p.module.Funcs, f)
	if st.declaration {
		p.module.Funcs = p.module.Funcs[:len(p.module.Funcs)-1]
		return nil
	}
	p.f, p.opened, p.where, p.labels = f, 0, position{}, nil
	p.push()
	return nil
}

// parameter reads `.param .u64 .ptr .align 1 NAME` or `.param .align 8 .b8 NAME[16]`.
func parameter(text string) (Param, bool) {
	fields := strings.Fields(text)
	if len(fields) < 3 || fields[0] != ".param" {
		return Param{}, false
	}
	one := Param{Name: fields[len(fields)-1]}
	for _, word := range fields[1 : len(fields)-1] {
		if digits := strings.TrimLeft(word, ".bufs"); digits != word && digits != "" && strings.Trim(digits, "0123456789") == "" {
			one.Type = word
		}
	}
	return one, one.Type != ""
}

// bounds reads the one to three numbers of a directive such as .maxntid; the axes that it leaves out are 1.
func bounds(text, directive string) ([3]int, error) {
	var n [3]int
	_, after, ok := strings.Cut(text, directive)
	if !ok {
		return n, nil
	}
	after, _, _ = strings.Cut(after, ".")
	fields := strings.FieldsFunc(after, func(r rune) bool { return strings.ContainsRune(", \t\n", r) })
	if len(fields) == 0 || len(fields) > 3 {
		return n, fmt.Errorf("%s has %d numbers", directive, len(fields))
	}
	n = [3]int{1, 1, 1}
	for i, field := range fields {
		v, err := strconv.Atoi(field)
		if err != nil || v < 1 {
			return n, fmt.Errorf("%s: %q is no number of threads", directive, field)
		}
		n[i] = v
	}
	return n, nil
}

func (p *parser) directive(st statement) error {
	fields := strings.Fields(strings.ReplaceAll(st.text, ",", " , "))
	switch fields[0] {
	case ".target":
		if len(fields) < 2 {
			return fmt.Errorf("no target")
		}
		p.module.Target = fields[1]
	case ".file":
		_, name, ok := strings.Cut(st.text, `"`)
		name, _, end := strings.Cut(name, `"`)
		if len(fields) < 3 || !ok || !end {
			return fmt.Errorf("no name of a file")
		}
		p.files[fields[1]] = name
	case ".loc":
		return p.loc(fields)
	case ".reg":
		return p.declare(st.text)
	case ".branchtargets", ".calltargets":
		if p.f == nil || len(p.labels) == 0 {
			return fmt.Errorf("targets without a label")
		}
		var names []string
		for _, f := range fields[1:] {
			if f != "," {
				names = append(names, f)
			}
		}
		p.f.targets[p.labels[len(p.labels)-1]] = names
	}
	return nil
}

// loc reads `.loc 2 13 5, function_name NAME, inlined_at 1 28 3`.
func (p *parser) loc(fields []string) error {
	if len(fields) < 4 {
		return fmt.Errorf("want a file, a line and a column")
	}
	p.where = position{fields[1], fields[2], fields[3]}
	delete(p.at, p.where)
	for i, f := range fields {
		if f == "inlined_at" && i+3 < len(fields) {
			p.at[p.where] = position{fields[i+1], fields[i+2], fields[i+3]}
		}
	}
	return nil
}

// places follows the inlining from the current position outwards.
func (p *parser) places() []Place {
	var out []Place
	seen := map[position]bool{}
	for at, ok := p.where, p.where != (position{}); ok && !seen[at]; at, ok = p.at[at] {
		seen[at] = true
		line, err := strconv.Atoi(at.line)
		if err != nil {
			break
		}
		out = append(out, Place{at.file, line})
	}
	return out
}

// declare reads `.reg .b32 %r<12>;` and `.reg .pred p, q;`.
func (p *parser) declare(text string) error {
	if len(p.scopes) == 0 {
		return fmt.Errorf("registers outside a function")
	}
	sc := &p.scopes[len(p.scopes)-1]
	fields := strings.Fields(strings.ReplaceAll(text, ",", " "))
	for _, name := range fields[1:] {
		if strings.HasPrefix(name, ".") {
			continue
		}
		if prefix, count, ok := strings.Cut(name, "<"); ok {
			n, err := strconv.Atoi(strings.TrimSuffix(count, ">"))
			if err != nil {
				return fmt.Errorf("%q declares no number of registers", name)
			}
			sc.ranges[prefix] = n
			continue
		}
		sc.names[name] = true
	}
	return nil
}

// register returns the unique name of a register, or false if nothing declares one of that name.
func (p *parser) register(name string) (string, bool) {
	prefix := strings.TrimRight(name, "0123456789")
	number, err := strconv.Atoi(name[len(prefix):])
	for i := len(p.scopes) - 1; i >= 0; i-- {
		sc := &p.scopes[i]
		n, ranged := sc.ranges[prefix]
		if sc.names[name] || ranged && err == nil && number < n {
			if i == 0 {
				return name, true
			}
			return fmt.Sprintf("%s@%d", name, sc.id), true
		}
	}
	return "", false
}

// noResult are the instructions whose operands are all read.
var noResult = map[string]bool{
	"st": true, "bra": true, "brx": true, "bar": true, "barrier": true, "ret": true, "red": true, "membar": true, "fence": true, "exit": true,
	"trap": true, "brkpt": true, "prefetch": true, "prefetchu": true, "call": true, "cp": true, "discard": true, "applypriority": true,
	"nanosleep": true, "pmevent": true, "setmaxnreg": true, "stmatrix": true, "griddepcontrol": true, "multimem": true, "wgmma": true,
}

func (p *parser) instruction(st statement) error {
	in := &Instruction{Line: st.line, Text: st.text, Places: p.places()}
	text := st.text
	if strings.HasPrefix(text, "@") {
		i := strings.IndexAny(text, " \t")
		if i < 0 {
			return fmt.Errorf("a guard of nothing")
		}
		name := text[1:i]
		name, in.Negated = strings.CutPrefix(name, "!")
		guard, err := p.operand(name)
		if err != nil || guard.Kind != Register {
			return fmt.Errorf("the guard %q is no register", name)
		}
		in.Guard, text = &guard, strings.TrimSpace(text[i:])
	}
	in.Op, text, _ = strings.Cut(text, " ")
	operands, err := p.operands(text)
	if err != nil {
		return err
	}
	switch kind := in.Kind(); {
	case kind == "call":
		in.call(operands)
	case noResult[kind] && !((kind == "bar" || kind == "barrier") && in.Has("red")) || len(operands) == 0:
		in.Srcs = operands
	default:
		in.Dsts, in.Srcs = operands[:1], operands[1:]
		// d|p is two destinations.
		if d := operands[0]; d.Kind == Vector && strings.Contains(d.Text, "|") {
			in.Dsts = d.Parts
		}
	}
	p.f.Instructions = append(p.f.Instructions, in)
	return nil
}

// call sorts the operands of `call (results), name, (arguments)`: what is in parentheses before the name is written.
func (in *Instruction) call(operands []Operand) {
	for i, o := range operands {
		if i == 0 && o.Kind == Vector {
			in.Dsts = o.Parts
			continue
		}
		in.Srcs = append(in.Srcs, o)
	}
}

// Kind is what stands before the first dot of the operation: "ld".
func (in *Instruction) Kind() string {
	kind, _, _ := strings.Cut(in.Op, ".")
	return kind
}

// Has says whether the operation has a part: "sync" in shfl.sync.bfly.b32.
func (in *Instruction) Has(part string) bool {
	for rest := in.Op; ; {
		one, after, more := strings.Cut(rest, ".")
		if one == part {
			return true
		}
		if !more {
			return false
		}
		rest = after
	}
}

// Type is the last part of the operation: "f32".
func (in *Instruction) Type() string { return in.Op[strings.LastIndex(in.Op, ".")+1:] }

// operands splits at the commas that stand in no bracket.
func (p *parser) operands(text string) ([]Operand, error) {
	var out []Operand
	for _, part := range split(text, ',') {
		o, err := p.operand(part)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// split cuts a list at a separator outside brackets, leaving out an empty list's only part.
func split(text string, at byte) []string {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	var out []string
	depth, from := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		case at:
			if depth == 0 {
				out = append(out, strings.TrimSpace(text[from:i]))
				from = i + 1
			}
		}
	}
	return append(out, strings.TrimSpace(text[from:]))
}

func (p *parser) operand(text string) (Operand, error) {
	o := Operand{Text: text}
	if parts := split(text, '|'); len(parts) > 1 {
		return p.group(o, parts)
	}
	switch {
	case text == "":
		return o, fmt.Errorf("an empty operand")
	case strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}"), strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")"):
		return p.group(o, split(text[1:len(text)-1], ','))
	case strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]"):
		return p.address(o, strings.TrimSpace(text[1:len(text)-1]))
	}
	if name, ok := p.register(text); ok {
		o.Kind, o.Text = Register, name
		return o, nil
	}
	// A negated predicate: what it is made of, but not itself.
	if strings.HasPrefix(text, "!") {
		return p.group(o, []string{text[1:]})
	}
	if n, ok := integer(text); ok {
		o.Kind, o.Number = Immediate, n
		return o, nil
	}
	if strings.HasPrefix(text, "%") {
		o.Kind = Special
		return o, nil
	}
	o.Kind = Symbol
	return o, nil
}

func (p *parser) group(o Operand, parts []string) (Operand, error) {
	o.Kind = Vector
	for _, part := range parts {
		one, err := p.operand(part)
		if err != nil {
			return o, err
		}
		o.Parts = append(o.Parts, one)
	}
	return o, nil
}

// address reads what stands in the brackets of [%rd1+4], [name+-8] or, for textures and bulk copies, [a, {b, c}].
func (p *parser) address(o Operand, text string) (Operand, error) {
	o.Kind = Address
	parts := split(text, ',')
	base := parts[0]
	if i := strings.LastIndexByte(base, '+'); i > 0 {
		if n, ok := integer(strings.TrimSpace(base[i+1:])); ok {
			o.Number, base = n, strings.TrimSpace(base[:i])
		}
	}
	parts[0] = base
	for _, part := range parts {
		one, err := p.operand(part)
		if err != nil {
			return o, err
		}
		o.Parts = append(o.Parts, one)
	}
	return o, nil
}

// integer reads a decimal or hexadecimal number, with an optional U behind.
func integer(text string) (int64, bool) {
	text = strings.TrimSuffix(text, "U")
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return n, true
	}
	n, err := strconv.ParseUint(text, 0, 64)
	return int64(n), err == nil
}
