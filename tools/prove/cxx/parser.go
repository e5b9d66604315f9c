package cxx

import (
	"strings"

	"github.com/warpwright/warpwright/tools/internal/source"
)

// Read reads headers, in the order in which they include each other.
func Read(files []*source.File) (*Unit, error) {
	u := &Unit{}
	known := map[string]kind{"static_cast": template, "reinterpret_cast": template}
	var streams [][]source.Token
	for _, f := range files {
		toks, err := tokens(f)
		if err != nil {
			return nil, err
		}
		collect(toks, known)
		streams = append(streams, toks)
	}
	for i, f := range files {
		p := &parser{file: f, toks: streams[i], known: known}
		if err := p.caught(func() { p.scope(u, "") }); err != nil {
			return nil, err
		}
	}
	return u, nil
}

// Expression reads one expression, which may use names of the unit's templates.
func Expression(f *source.File) (Expr, error) {
	toks, err := tokens(f)
	if err != nil {
		return nil, err
	}
	p := &parser{file: f, toks: toks, known: map[string]kind{"alignment": value, "multiple": value}}
	var e Expr
	err = p.caught(func() {
		e = p.expr()
		if p.peek().Kind != source.End {
			p.failed("expected the end, found %s", p.peek().Text)
		}
	})
	return e, err
}

// kind is what a name before < may be.
type kind uint8

const (
	template kind = iota + 1 // of classes or functions: followed by (, :: or {
	value                    // a concept or a template of variables: an expression of its own
)

// collect finds the names of templates, so that < after them can open arguments.
func collect(toks []source.Token, known map[string]kind) {
	for i, t := range toks {
		if t.Is("concept") {
			known[toks[i+1].Text] = value
		}
		if !t.Is("template") || !toks[i+1].Is("<") {
			continue
		}
		depth, j := 0, i+1
		for ; j < len(toks)-1; j++ {
			if toks[j].Text == "<" {
				depth++
			} else if toks[j].Text == ">" {
				if depth--; depth == 0 {
					break
				}
			}
		}
		// The name is the last word before what ends the declaration's head.
		paren := 0
		for j++; j < len(toks)-1; j++ {
			text := toks[j].Text
			if text == "requires" && toks[j+1].Is("(") {
				for j++; j < len(toks)-1; j++ {
					if toks[j].Is("(") {
						paren++
					} else if toks[j].Is(")") {
						if paren--; paren == 0 {
							break
						}
					}
				}
				continue
			}
			if text == "class" || text == "struct" {
				known[toks[j+1].Text] = template
				break
			}
			if text == "constexpr" && variable(toks[j:]) {
				k := j
				for toks[k].Text != "=" && toks[k].Text != "<" {
					k++
				}
				known[toks[k-1].Text] = value
				break
			}
			if text == "(" {
				if toks[j-1].Kind == source.Ident && toks[j-1].Text != "operator" {
					known[toks[j-1].Text] = template
				}
				break
			}
			if text == "using" {
				known[toks[j+1].Text] = template
				break
			}
			if text == ";" || text == "{" {
				break
			}
		}
	}
}

// variable says that a declaration after constexpr is one of a variable: = comes before any (.
func variable(toks []source.Token) bool {
	for _, t := range toks {
		switch t.Text {
		case "=":
			return true
		case "(", "{", ";":
			return false
		}
	}
	return false
}

type parser struct {
	file  *source.File
	toks  []source.Token
	at    int
	known map[string]kind

	angles bool // in template arguments, where > closes them
}

// failure is how errors travel inside the parser: nothing of it leaves the package.
type failure struct{ err error }

func (p *parser) caught(read func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(failure)
			if !ok {
				panic(r)
			}
			err = f.err
		}
	}()
	read()
	return nil
}

func (p *parser) failed(format string, args ...any) {
	panic(failure{p.file.Errorf(p.peek().Offset, format, args...)})
}

func (p *parser) peek() source.Token { return p.toks[p.at] }

func (p *parser) ahead(n int) source.Token {
	return p.toks[min(p.at+n, len(p.toks)-1)]
}

func (p *parser) is(text string) bool {
	t := p.peek()
	return t.Text == text && t.Kind != source.String && t.Kind != source.End
}

func (p *parser) next() source.Token {
	t := p.peek()
	if t.Kind != source.End {
		p.at++
	}
	return t
}

func (p *parser) accept(text string) bool {
	if !p.is(text) {
		return false
	}
	p.at++
	return true
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		found := p.peek().Text
		if p.peek().Kind == source.End {
			found = "the end of the file"
		}
		p.failed("expected %s, found %s", text, found)
	}
}

func (p *parser) place() Place { return Place{p.file, p.peek().Offset} }

func (p *parser) ident() string {
	if p.peek().Kind != source.Ident {
		p.failed("expected a name, found %q", p.peek().Text)
	}
	return p.next().Text
}

// tried runs read; if it fails, nothing has been read.
func (p *parser) tried(read func()) bool {
	at, angles := p.at, p.angles
	if err := p.caught(read); err != nil {
		p.at, p.angles = at, angles
		return false
	}
	return true
}

// balanced skips from an opening token to the one that closes it.
func (p *parser) balanced(open, closing string) {
	p.expect(open)
	for depth := 1; depth > 0; {
		switch {
		case p.peek().Kind == source.End:
			p.failed("%s without %s", open, closing)
		case p.is(open):
			depth++
		case p.is(closing):
			depth--
		}
		p.next()
	}
}

// typ reads a type.
func (p *parser) typ() *Type {
	t := &Type{Place: p.place()}
	t.Const = p.accept("const")
	p.accept("typename")
	if p.is("decltype") {
		p.next()
		p.expect("(")
		t.Decltype = p.expr()
		p.expect(")")
	} else if p.is("unsigned") || p.is("signed") || p.is("long") || p.is("short") || p.is("char") {
		var words []string
		for p.is("unsigned") || p.is("signed") || p.is("long") || p.is("short") || p.is("int") || p.is("char") {
			words = append(words, p.next().Text)
		}
		t.Path = []Part{{Name: strings.Join(words, " ")}}
	} else {
		t.Path = p.path(true)
		if p.is("auto") && len(t.Path) == 1 {
			if t.Path[0].Name != "Held" {
				p.failed("the concept %s before auto: the reader knows Held there, which asks for the token", t.Path[0].Name)
			}
			p.next()
			t.Path, t.Held = []Part{{Name: "auto"}}, true
		}
	}
	if p.accept("const") {
		t.Const = true
	}
	for p.is("*") {
		p.next()
		t.Pointer++
	}
	if p.accept("&") || p.accept("&&") {
		t.Ref = true
	}
	t.Pack = p.accept("...")
	return t
}

// path reads a name with its qualifiers. Where a type is expected any name may have arguments, else only that of a
// template.
func (p *parser) path(isType bool) []Part {
	var out []Part
	for {
		p.accept("template")
		part := Part{Name: p.ident()}
		if p.is("<") {
			k := p.known[part.Name]
			if strings.HasSuffix(part.Name, "_v") {
				k = value
			}
			if isType || k != 0 || len(out) > 0 {
				p.tried(func() {
					a := p.args()
					if !isType && k != value && !p.is("(") && !p.is("::") && !p.is("{") {
						p.failed("no template")
					}
					part.Args, part.Has = a, true
				})
			}
		}
		out = append(out, part)
		if !p.is("::") {
			return out
		}
		p.next()
	}
}

// args reads <...>.
func (p *parser) args() []Arg {
	p.expect("<")
	out := []Arg{}
	for !p.accept(">") {
		if len(out) > 0 {
			p.expect(",")
		}
		out = append(out, p.arg())
	}
	return out
}

func (p *parser) arg() Arg {
	var a Arg
	if p.tried(func() {
		if p.peek().Kind != source.Ident || p.is("sizeof") || p.is("true") || p.is("false") {
			p.failed("no type")
		}
		a.Type = p.typ()
		if p.is("(") { // a type of functions
			p.failed("no type")
		}
		if !p.is(",") && !p.is(">") {
			p.failed("no type")
		}
	}) {
		return a
	}
	old := p.angles
	p.angles = true
	a.Expr = p.binary(0)
	p.angles = old
	return a
}
