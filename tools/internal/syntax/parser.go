package syntax

import (
	"errors"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/tools/internal/source"
)

// maxDepth bounds how deep template arguments nest, so that no input exhausts the stack.
const maxDepth = 50

// parser walks over the tokens that are neither comments nor preprocessor lines.
type parser struct {
	file *source.File
	all  []source.Token // with comments and preprocessor lines
	toks []source.Token
	at   int
}

func newParser(f *source.File) (*parser, error) {
	all, err := f.Tokens()
	if err != nil {
		return nil, err
	}
	p := &parser{file: f, all: all}
	for _, t := range all {
		if t.Kind != source.Comment && t.Kind != source.Preproc {
			p.toks = append(p.toks, t)
		}
	}
	return p, nil
}

func (p *parser) peek() source.Token { return p.toks[p.at] }

func (p *parser) next() source.Token {
	t := p.toks[p.at]
	if t.Kind != source.End {
		p.at++
	}
	return t
}

// accept takes the next token if it is text.
func (p *parser) accept(text string) bool {
	if !p.peek().Is(text) {
		return false
	}
	p.next()
	return true
}

func (p *parser) expect(text, where string) error {
	if !p.accept(text) {
		return p.fail("expected %s %s, found %s", text, where, found(p.peek()))
	}
	return nil
}

func (p *parser) ident(what string) (Word, error) {
	t := p.peek()
	if t.Kind != source.Ident {
		return Word{}, p.fail("expected %s, found %s", what, found(t))
	}
	p.next()
	return Word{t.Text, t.Offset}, nil
}

// fail makes an error at the next token.
func (p *parser) fail(format string, args ...any) error {
	return p.file.Errorf(p.peek().Offset, format, args...)
}

func found(t source.Token) string {
	if t.Kind == source.End {
		return "the end of the file"
	}
	return t.Text
}

// texts reads pieces separated by commas up to the closing parenthesis, which it takes.
func (p *parser) texts(what string) ([]Text, error) {
	var out []Text
	for {
		first, depth := p.at, 0
		for depth > 0 || !p.peek().Is(",") && !p.peek().Is(")") {
			switch t := p.next(); {
			case t.Kind == source.End:
				return nil, p.fail("%s has no closing parenthesis", what)
			case t.Is("("):
				depth++
			case t.Is(")"):
				depth--
			}
		}
		if first == p.at {
			return nil, p.fail("%s has an empty argument", what)
		}
		out = append(out, p.text(first, p.at))
		if !p.accept(",") {
			p.next()
			return out, nil
		}
	}
}

// text is the source from token first up to token end, with comments blanked out.
func (p *parser) text(first, end int) Text {
	from := p.toks[first].Offset
	var b strings.Builder
	at := from
	for _, t := range p.toks[first:end] {
		for ; at < t.Offset; at++ {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
		at = t.EndOffset()
	}
	return Text{b.String(), from}
}

// words are the texts of the tokens from token first up to the current one.
func (p *parser) words(first int) []string {
	var out []string
	for _, t := range p.toks[first:p.at] {
		out = append(out, t.Text)
	}
	return out
}

// Expr parses a text of a clause as an expression; the error points into the file.
func Expr(f *source.File, t Text) (contract.Expr, error) {
	e, err := contract.Parse(t.Text)
	return e, relocate(f, t.Offset, err)
}

// Relation parses a text of a clause as a relation; the error points into the file.
func Relation(f *source.File, t Text) (*contract.Relation, error) {
	r, err := contract.ParseRelation(t.Text)
	return r, relocate(f, t.Offset, err)
}

func relocate(f *source.File, offset int, err error) error {
	var pe *contract.ParseError
	if errors.As(err, &pe) {
		return f.Errorf(offset+pe.Offset, "%s", pe.Msg)
	}
	return err
}

// typ reads a type or, where expressions may stand, a template argument.
func (p *parser) typ(depth int) (*Type, error) {
	if depth > maxDepth {
		return nil, p.fail("types nest more than %d deep", maxDepth)
	}
	name, err := p.ident("a type")
	if err != nil {
		return nil, err
	}
	t := &Type{Offset: name.Offset, Name: name.Text}
	if !p.accept("<") {
		return t, nil
	}
	for {
		arg, err := p.typeArg(depth + 1)
		if err != nil {
			return nil, err
		}
		t.Args = append(t.Args, arg)
		if p.accept(">") {
			return t, nil
		}
		if err := p.expect(",", "or > in the arguments of "+name.Text); err != nil {
			return nil, err
		}
	}
}

// typeArg reads a type, or an expression up to the comma or bracket that ends the argument.
func (p *parser) typeArg(depth int) (*Type, error) {
	if p.peek().Kind == source.Ident {
		if after := p.toks[p.at+1]; after.Is("<") || after.Is(",") || after.Is(">") || after.Is(")") {
			return p.typ(depth)
		}
	}
	first, nested := p.at, 0
	for nested > 0 || !p.peek().Is(",") && !p.peek().Is(">") && !p.peek().Is(")") {
		switch t := p.next(); {
		case t.Kind == source.End:
			return nil, p.fail("a template argument has no end")
		case t.Is("("):
			nested++
		case t.Is(")"):
			nested--
		}
	}
	if first == p.at {
		return nil, p.fail("expected a template argument, found %s", found(p.peek()))
	}
	text := p.text(first, p.at)
	e, err := Expr(p.file, text)
	if err != nil {
		return nil, err
	}
	if n, ok := e.(contract.Name); ok { // (M), or M before a comment: a name all the same
		return &Type{Offset: text.Offset, Name: string(n)}, nil
	}
	return &Type{Offset: text.Offset, Expr: e}, nil
}
