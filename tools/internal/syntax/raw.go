package syntax

import (
	"strings"

	"github.com/warpwright/warpwright/tools/internal/source"
)

// Raw is a kernel without a contract: extern "C" __global__ void NAME(pointers and scalars).
type Raw struct {
	File   *source.File
	Doc    string
	Name   Word
	Bounds *Text // the threads of its launch bounds; nil without
	Params []RawParam
	Tokens []string // the signature
}

// RawParam is a parameter of a raw kernel: a plain scalar, or a pointer to such.
type RawParam struct {
	Name    Word
	Words   []string // of the type, without const: "unsigned", "int"
	Offset  int      // of the type
	Const   bool
	Pointer bool
}

// RawKernels reads the raw kernels of a source. What it cannot read it refuses: a kernel that is left
// out would be one that nobody knows of.
func RawKernels(f *source.File) ([]*Raw, error) {
	p, err := newParser(f)
	if err != nil {
		return nil, err
	}
	if err := p.hiddenKernels(); err != nil {
		return nil, err
	}
	var out []*Raw
	statement := 0 // the token that begins what is read now
	for p.peek().Kind != source.End {
		t := p.peek()
		switch {
		case t.Is("WW_KERNEL"):
			return nil, p.fail("WW_KERNEL in a raw source: a kernel with a contract belongs to a family (kernel_family)")
		case p.entryWord():
			return nil, p.notReadable(statement)
		case t.Is("extern") && p.at+1 < len(p.toks) && p.toks[p.at+1].Text == `"C"`:
			k, err := p.raw()
			if err != nil {
				return nil, err
			}
			if k != nil {
				out = append(out, k)
				statement = p.at
			}
			continue
		}
		p.next()
		if t.Is(";") || t.Is("{") || t.Is("}") {
			statement = p.at
		}
	}
	return out, nil
}

// entryWord says whether the next token makes a function a kernel.
func (p *parser) entryWord() bool { return p.peek().Is("__global__") || p.peek().Is("WW_GLOBAL") }

// hiddenKernels refuses kernels in preprocessor lines.
func (p *parser) hiddenKernels() error {
	return p.inDirectives(func(inner []source.Token, i int) string {
		if w := inner[i]; w.Is("__global__") || w.Is("WW_GLOBAL") {
			return w.Text + " in a preprocessor line: kernelspec reads the source as it stands"
		}
		return ""
	})
}

// notReadable says what is wrong with a kernel that does not begin with extern "C".
func (p *parser) notReadable(statement int) error {
	word := p.peek()
	for _, t := range p.toks[statement:p.at] {
		if t.Is("template") {
			return p.file.Errorf(t.Offset, "a template is no raw kernel: it has no name to launch it by; write one extern \"C\" __global__ function for each instance")
		}
	}
	return p.file.Errorf(word.Offset, "a raw kernel begins with extern \"C\" %s: without it, its name in the image is not the one written", word.Text)
}

// raw reads a declaration that begins with extern "C"; nil if it is no kernel.
func (p *parser) raw() (*Raw, error) {
	first := p.at
	k := &Raw{File: p.file, Doc: p.doc(p.peek().Offset)}
	p.next()
	p.next()
	if p.peek().Is("{") {
		return nil, p.fail("an extern \"C\" block: write extern \"C\" before each raw kernel")
	}
	kernel := false
	for {
		switch {
		case p.accept("__global__"):
			kernel = true
			continue
		case p.peek().Is("WW_GLOBAL"), p.peek().Is("__launch_bounds__"):
			kernel = kernel || p.peek().Is("WW_GLOBAL")
			if err := p.bounds(k); err != nil {
				return nil, err
			}
			continue
		}
		break
	}
	if !kernel {
		return nil, nil
	}
	if !p.accept("void") {
		return nil, p.fail("expected void in extern \"C\" __global__ void NAME(...), found %s", found(p.peek()))
	}
	if p.peek().Is("__launch_bounds__") {
		if err := p.bounds(k); err != nil {
			return nil, err
		}
	}
	var err error
	if k.Name, err = p.ident("the kernel's name"); err != nil {
		return nil, err
	}
	if k.Params, err = p.rawParams(); err != nil {
		return nil, err
	}
	k.Tokens = p.words(first)
	return k, p.skip(k.Name.Text)
}

// bounds reads __launch_bounds__(threads[, blocks]) or WW_GLOBAL(threads).
func (p *parser) bounds(k *Raw) error {
	word := p.next()
	if k.Bounds != nil {
		return p.file.Errorf(word.Offset, "launch bounds stand twice")
	}
	if err := p.expect("(", "after "+word.Text); err != nil {
		return err
	}
	texts, err := p.texts(word.Text)
	if err != nil {
		return err
	}
	k.Bounds = &texts[0]
	return nil
}

// skip passes over the function's body.
func (p *parser) skip(kernel string) error {
	open := p.peek()
	if !open.Is("{") {
		return p.fail("expected the body of %s, found %s", kernel, found(open))
	}
	for depth := 0; ; {
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

func (p *parser) rawParams() ([]RawParam, error) {
	if err := p.expect("(", "after the kernel's name"); err != nil {
		return nil, err
	}
	if p.accept(")") {
		return nil, nil
	}
	var out []RawParam
	seen := map[string]bool{}
	for {
		param, err := p.rawParam()
		if err != nil {
			return nil, err
		}
		if seen[param.Name.Text] {
			return nil, p.file.Errorf(param.Name.Offset, "parameter %s stands twice", param.Name.Text)
		}
		seen[param.Name.Text] = true
		out = append(out, param)
		if p.accept(")") {
			return out, nil
		}
		if err := p.expect(",", "or ) after parameter "+param.Name.Text); err != nil {
			return nil, err
		}
	}
}

// rawParam reads [const] TYPE NAME, or [const] TYPE* [const] [__restrict__] NAME.
func (p *parser) rawParam() (RawParam, error) {
	out := RawParam{Offset: p.peek().Offset}
	var last Word // the word that is the name, should no * follow it
	for p.peek().Kind == source.Ident {
		w, _ := p.ident("")
		if w.Text == "const" {
			out.Const = true
			continue
		}
		for p.peek().Is(":") && p.toks[p.at+1].Is(":") && p.toks[p.at+2].Kind == source.Ident {
			p.next()
			p.next()
			w.Text += "::" + p.next().Text
		}
		out.Words = append(out.Words, w.Text)
		last = w
	}
	switch t := p.peek(); {
	case t.Is("*"):
		out.Pointer = true
		p.next()
	case t.Is("&"):
		return out, p.fail("a reference: a raw kernel takes pointers and plain scalars")
	case t.Is("<"):
		return out, p.fail("%s is a template: a raw kernel takes pointers and plain scalars", strings.Join(out.Words, " "))
	case t.Is("["):
		return out, p.fail("an array: write a pointer")
	case len(out.Words) == 0:
		return out, p.fail("expected the type of a parameter, found %s", found(t))
	case len(out.Words) == 1:
		return out, p.fail("expected the name of a parameter of type %s, found %s", out.Words[0], found(t))
	default:
		out.Words, out.Name = out.Words[:len(out.Words)-1], last
		return out, nil
	}
	if p.peek().Is("*") {
		return out, p.fail("a pointer to a pointer: the launcher knows no type of what it points to; pass one pointer for each array")
	}
	for p.accept("const") || p.accept("__restrict__") || p.accept("__restrict") {
	}
	var err error
	out.Name, err = p.ident("the name of a parameter behind *")
	return out, err
}
