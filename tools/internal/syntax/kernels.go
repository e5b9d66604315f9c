package syntax

import (
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/tools/internal/source"
)

// Kernels reads the WW_KERNEL functions of a kernel source. It refuses what would let device code
// past the contract: entries and shared memory that the source declares itself.
func Kernels(f *source.File) ([]*Kernel, error) {
	p, err := newParser(f)
	if err != nil {
		return nil, err
	}
	if err := p.directives(); err != nil {
		return nil, err
	}
	var out []*Kernel
	for p.peek().Kind != source.End {
		if !p.peek().Is("WW_KERNEL") {
			if err := p.allowed(); err != nil {
				return nil, err
			}
			p.next()
			continue
		}
		k, err := p.kernel()
		if err != nil {
			return nil, err
		}
		first := p.at
		if err := p.body(k.Name.Text); err != nil {
			return nil, err
		}
		k.Body = p.toks[first:p.at]
		out = append(out, k)
	}
	return out, nil
}

// kernel reads from WW_KERNEL up to the body.
func (p *parser) kernel() (*Kernel, error) {
	first := p.at
	k := &Kernel{File: p.file, Offset: p.peek().Offset}
	k.Doc = p.doc(k.Offset)
	p.next()
	if err := p.annotation(&k.Annotation); err != nil {
		return nil, err
	}
	var err error
	if k.Template, err = p.templateHead(); err != nil {
		return nil, err
	}
	if !p.accept("WW_DEV") || !p.accept("void") {
		return nil, p.fail("WW_KERNEL is not followed by a kernel: expected WW_DEV void NAME(...) after the template head, found %s", found(p.peek()))
	}
	if k.Name, err = p.ident("the kernel's name"); err != nil {
		return nil, err
	}
	if k.Params, err = p.params(); err != nil {
		return nil, err
	}
	k.Tokens = p.words(first)
	return k, nil
}

func (p *parser) annotation(a *Annotation) error {
	if err := p.expect("(", "after WW_KERNEL"); err != nil {
		return err
	}
	seen := map[string]bool{}
	for {
		name, err := p.ident("a clause")
		if err != nil {
			return err
		}
		if err := p.clause(a, name, seen); err != nil {
			return err
		}
		if p.accept(")") {
			return nil
		}
		if err := p.expect(",", "or ) after "+name.Text+"(...)"); err != nil {
			return err
		}
	}
}

func (p *parser) clause(a *Annotation, name Word, seen map[string]bool) error {
	const usable = "block, grid, types, requires, archs, prefer, except and unchecked are"
	switch name.Text {
	case "block", "grid", "types", "requires", "archs", "prefer", "except", "unchecked":
	case "shared":
		return p.file.Errorf(name.Offset, "no clause shared: its size follows from the Shared<T, n> parameters (%s)", usable)
	default:
		return p.file.Errorf(name.Offset, "no clause %s (%s)", name.Text, usable)
	}
	if seen[name.Text] && name.Text != "except" && name.Text != "prefer" {
		return p.file.Errorf(name.Offset, "clause %s stands twice", name.Text)
	}
	seen[name.Text] = true
	if err := p.expect("(", "after "+name.Text); err != nil {
		return err
	}
	var err error
	switch name.Text {
	case "block":
		a.Block, err = p.shape(name)
	case "grid":
		a.Grid, err = p.shape(name)
	case "requires":
		a.Requires, err = p.texts(name.Text)
	case "types":
		a.Types, err = p.types()
	case "archs":
		a.Archs, err = p.archs()
	case "unchecked":
		a.Unchecked = &Word{Offset: name.Offset}
		if a.Unchecked.Text, err = p.reason("unchecked(...)"); err == nil {
			err = p.expect(")", "after the reason")
		}
	case "except":
		var e Exception
		e, err = p.exception()
		a.Exceptions = append(a.Exceptions, e)
	case "prefer":
		var f Prefer
		f, err = p.prefer(name)
		a.Prefers = append(a.Prefers, f)
	}
	return err
}

// prefer reads NAME: fact, fact.
func (p *parser) prefer(clause Word) (Prefer, error) {
	out := Prefer{Offset: clause.Offset}
	var err error
	if out.Name, err = p.ident("the name of a variant in prefer(NAME: fact, ...)"); err != nil {
		return out, err
	}
	if err := p.expect(":", "after "+out.Name.Text+" in prefer(NAME: fact, ...)"); err != nil {
		return out, err
	}
	first := p.at
	facts, err := p.texts("prefer")
	if err != nil {
		return out, err
	}
	end := p.at
	for p.at = first; len(out.Facts) < len(facts); p.next() { // the comma or parenthesis behind a fact
		f, err := p.fact(facts[len(out.Facts)])
		if err != nil {
			return out, err
		}
		out.Facts = append(out.Facts, f)
	}
	p.at = end
	return out, nil
}

// fact reads once(M, block) or N % 4 == 0; text is all of it.
func (p *parser) fact(text Text) (Fact, error) {
	out := Fact{Text: text}
	end := text.Offset + len(text.Text)
	if t := p.peek(); t.Kind == source.Ident && p.toks[p.at+1].Is("(") {
		call := p.at
		p.at += 2
		args, err := p.texts(t.Text)
		if err != nil {
			return out, err
		}
		if p.peek().Offset >= end {
			out.Func, out.Args = Word{t.Text, t.Offset}, args
			return out, nil
		}
		p.at = call
	}
	for p.peek().Offset < end {
		p.next()
	}
	return out, nil
}

func (p *parser) shape(name Word) ([]Text, error) {
	t, err := p.texts(name.Text)
	if err == nil && len(t) > 3 {
		err = p.file.Errorf(t[3].Offset, "%s has more than three extents", name.Text)
	}
	return t, err
}

// types reads W: f32 f64; S: 4 8.
func (p *parser) types() ([]TypeList, error) {
	var out []TypeList
	for {
		name, err := p.ident("a template parameter in types")
		if err != nil {
			return nil, err
		}
		if err := p.expect(":", "after "+name.Text+" in types"); err != nil {
			return nil, err
		}
		l := TypeList{Name: name}
		for t := p.peek(); t.Kind == source.Ident || t.Kind == source.Number; t = p.peek() {
			l.Values = append(l.Values, Word{t.Text, t.Offset})
			p.next()
		}
		if l.Values == nil {
			return nil, p.fail("expected a value of %s, found %s", name.Text, found(p.peek()))
		}
		out = append(out, l)
		if p.accept(")") {
			return out, nil
		}
		if err := p.expect(";", "or ) after the values of "+name.Text); err != nil {
			return nil, err
		}
	}
}

func (p *parser) archs() ([]Word, error) {
	var out []Word
	for {
		w, err := p.ident("an architecture such as sm_90")
		if err != nil {
			return nil, err
		}
		out = append(out, w)
		if p.accept(")") {
			return out, nil
		}
		if err := p.expect(",", "or ) in archs"); err != nil {
			return nil, err
		}
	}
}

func (p *parser) exception() (Exception, error) {
	rule, err := p.ident("a rule in except(rule, \"reason\")")
	if err != nil {
		return Exception{}, err
	}
	// A rule is words with hyphens between them: one-warp-block.
	for p.accept("-") {
		word, err := p.ident("the rest of the rule in except")
		if err != nil {
			return Exception{}, err
		}
		rule.Text += "-" + word.Text
	}
	if err := p.expect(",", "after the rule in except"); err != nil {
		return Exception{}, err
	}
	reason, err := p.reason("except(" + rule.Text + ", ...)")
	if err != nil {
		return Exception{}, err
	}
	return Exception{rule, reason}, p.expect(")", "after the reason")
}

// reason reads why a rule is not kept.
func (p *parser) reason(of string) (string, error) {
	t := p.peek()
	reason, err := strconv.Unquote(t.Text)
	if t.Kind != source.String || err != nil || strings.TrimSpace(reason) == "" {
		return "", p.fail("expected the reason of %s as a string, found %s", of, found(t))
	}
	p.next()
	return reason, nil
}

func (p *parser) templateHead() ([]TemplateParam, error) {
	if !p.accept("template") {
		return nil, p.fail("WW_KERNEL is not followed by a kernel: expected a template head, found %s", found(p.peek()))
	}
	if err := p.expect("<", "after template"); err != nil {
		return nil, err
	}
	var out []TemplateParam
	seen := map[string]bool{}
	for {
		isInt := p.peek().Is("int")
		if !isInt && !p.peek().Is("class") && !p.peek().Is("typename") {
			return nil, p.fail("a template parameter of a kernel is class NAME or int NAME, found %s", found(p.peek()))
		}
		p.next()
		name, err := p.ident("the name of a template parameter")
		if err != nil {
			return nil, err
		}
		if seen[name.Text] {
			return nil, p.file.Errorf(name.Offset, "template parameter %s stands twice", name.Text)
		}
		seen[name.Text] = true
		out = append(out, TemplateParam{name, isInt})
		if p.accept(">") {
			return out, nil
		}
		if err := p.expect(",", "or > after template parameter "+name.Text); err != nil {
			return nil, err
		}
	}
}

func (p *parser) params() ([]Param, error) {
	if err := p.expect("(", "after the kernel's name"); err != nil {
		return nil, err
	}
	if p.accept(")") {
		return nil, nil
	}
	var out []Param
	seen := map[string]bool{}
	for {
		if p.peek().Is("const") || p.peek().Kind == source.Ident && (p.toks[p.at+1].Is("*") || p.toks[p.at+1].Is("&")) {
			return nil, p.fail("a kernel takes views and plain scalars by value: no const, no pointer, no reference")
		}
		if p.peek().Is("ww") {
			return nil, p.allowed()
		}
		t, err := p.typ(0)
		if err != nil {
			return nil, err
		}
		if p.peek().Kind != source.Ident {
			return nil, p.fail("expected the name of a parameter of type %s, found %s (a kernel takes views and plain scalars by value)", t, found(p.peek()))
		}
		name, _ := p.ident("")
		if seen[name.Text] {
			return nil, p.file.Errorf(name.Offset, "parameter %s stands twice", name.Text)
		}
		seen[name.Text] = true
		out = append(out, Param{name, t})
		if p.accept(")") {
			return out, nil
		}
		if err := p.expect(",", "or ) after parameter "+name.Text); err != nil {
			return nil, err
		}
	}
}

// body skips the function's body.
func (p *parser) body(kernel string) error {
	open := p.peek()
	if !open.Is("{") {
		return p.fail("expected the body of %s, found %s", kernel, found(open))
	}
	depth := 0
	for {
		if p.peek().Is("WW_KERNEL") {
			return p.fail("WW_KERNEL inside the body of %s", kernel)
		}
		if err := p.allowed(); err != nil {
			return err
		}
		switch t := p.next(); {
		case t.Kind == source.End:
			return p.file.Errorf(open.Offset, "the body of %s has no end", kernel)
		case t.Is("{"):
			depth++
		case t.Is("}"):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// doc is the text of the comments that end on the line before offset.
func (p *parser) doc(offset int) string {
	last := len(p.all)
	for i, t := range p.all {
		if t.Offset >= offset {
			last = i
			break
		}
	}
	line := p.file.Line(offset)
	first := last
	for first > 0 {
		t := p.all[first-1]
		if t.Kind != source.Comment || p.file.Line(t.EndOffset()-1) != line-1 {
			break
		}
		line = p.file.Line(t.Offset)
		if first > 1 && p.file.Line(p.all[first-2].EndOffset()-1) == line {
			break // behind code on the same line: a remark about that code
		}
		first--
	}
	var lines []string
	for _, t := range p.all[first:last] {
		text := strings.TrimPrefix(t.Text, "//")
		if strings.HasPrefix(t.Text, "/*") {
			text = strings.TrimSuffix(strings.TrimPrefix(t.Text, "/*"), "*/")
		}
		for _, l := range strings.Split(text, "\n") {
			l = strings.TrimSpace(l)
			if strings.HasPrefix(t.Text, "/*") {
				l = strings.TrimSpace(strings.TrimLeft(l, "*"))
			}
			lines = append(lines, l)
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
