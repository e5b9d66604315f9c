package cxx

import (
	"fmt"
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

// Precedence, from the loosest.
var levels = [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

// expr reads an expression with assignments.
func (p *parser) expr() Expr {
	x := p.conditional()
	at := p.place()
	switch op := p.peek().Text; op {
	case "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=":
		if p.peek().Kind == source.Punct {
			p.next()
			return &Binary{at, op, x, p.initializer()}
		}
	}
	return x
}

// initializer is an expression or braces.
func (p *parser) initializer() Expr {
	if p.is("{") {
		return p.braces(nil)
	}
	return p.expr()
}

func (p *parser) conditional() Expr {
	c := p.binary(0)
	if !p.is("?") {
		return c
	}
	at := p.place()
	p.next()
	x := p.expr()
	p.expect(":")
	return &Cond{at, c, x, p.expr()}
}

func (p *parser) binary(level int) Expr {
	if level == len(levels) {
		return p.unary()
	}
	x := p.binary(level + 1)
	for {
		op := ""
		for _, o := range levels[level] {
			if p.is(o) && p.peek().Kind == source.Punct && !(p.angles && (o == "<" || o == ">")) {
				op = o
			}
			if o == ">>" && !p.angles && p.is(">") && p.ahead(1).Text == ">" && p.ahead(1).Offset == p.peek().Offset+1 {
				op = o
			}
		}
		if op == ">" && p.ahead(1).Text == ">" && p.ahead(1).Offset == p.peek().Offset+1 {
			op = ""
		}
		if op == "" {
			return x
		}
		at := p.place()
		p.next()
		if op == ">>" {
			p.next()
		}
		x = &Binary{at, op, x, p.binary(level + 1)}
	}
}

func (p *parser) unary() Expr {
	at := p.place()
	switch op := p.peek().Text; {
	case p.peek().Kind == source.Punct && (op == "!" || op == "-" || op == "+" || op == "*" || op == "&" || op == "~" || op == "++" || op == "--"):
		p.next()
		return &Unary{at, op, p.unary(), false}
	case op == "sizeof" && p.peek().Kind == source.Ident:
		return p.sizeOf()
	}
	return p.postfix(p.primary())
}

func (p *parser) sizeOf() Expr {
	at := p.place()
	p.next()
	if p.accept("...") {
		p.expect("(")
		name := p.ident()
		p.expect(")")
		return &SizeOf{Place: at, Pack: name}
	}
	if !p.is("(") {
		return &SizeOf{Place: at, X: p.unary()}
	}
	s := &SizeOf{Place: at}
	start := p.at
	p.tried(func() {
		p.expect("(")
		s.Type = p.typ()
		p.expect(")")
	})
	end := p.at
	p.at = start
	if !p.tried(func() {
		p.expect("(")
		s.X = p.expr()
		p.expect(")")
	}) {
		s.X, p.at = nil, end
	}
	if s.X == nil && s.Type == nil {
		p.failed("sizeof of neither a type nor an expression")
	}
	return s
}

func (p *parser) list(closing string) []Expr {
	var out []Expr
	defer func(old bool) { p.angles = old }(p.angles)
	p.angles = false
	for !p.accept(closing) {
		if len(out) > 0 {
			p.expect(",")
		}
		at := p.place()
		e := p.initializer()
		if p.accept("...") {
			e = &Expand{at, e}
		}
		out = append(out, e)
	}
	return out
}

func (p *parser) braces(t *Type) Expr {
	at := p.place()
	p.expect("{")
	return &Braces{at, t, p.list("}")}
}

func (p *parser) primary() Expr {
	at, t := p.place(), p.peek()
	switch t.Kind {
	case source.Number:
		p.next()
		return &Number{at, t.Text}
	case source.String:
		for p.peek().Kind == source.String {
			p.next()
		}
		return &Text{at}
	case source.Ident:
		return p.named()
	}
	switch {
	case p.accept("("):
		old := p.angles
		p.angles = false
		e := p.expr()
		if p.accept(",") { // a fold over the comma
			p.expect("...")
			e = &Expand{at, e}
		}
		p.expect(")")
		p.angles = old
		return e
	case p.is("["):
		return p.lambda()
	case p.is("{"):
		return p.braces(nil)
	}
	p.failed("expected an expression, found %q", t.Text)
	return nil
}

func (p *parser) named() Expr {
	at := p.place()
	switch p.peek().Text {
	case "true", "false", "nullptr", "this":
		return &Word{at, p.next().Text}
	case "static_cast", "reinterpret_cast":
		reinterpret := p.next().Text == "reinterpret_cast"
		p.expect("<")
		t := p.typ()
		p.expect(">")
		p.expect("(")
		x := p.expr()
		p.expect(")")
		return &Cast{at, reinterpret, t, x}
	case "typename", "decltype":
		t := p.typ()
		if p.is("{") {
			return p.braces(t)
		}
		p.expect("(")
		return &Construct{at, t, p.list(")")}
	case "requires":
		p.failed("a requires expression stands where a value is")
	}
	n := &Name{at, p.path(false)}
	if p.is("{") && p.ahead(1).Kind != source.End {
		return p.braces(&Type{Place: at, Path: n.Path})
	}
	return n
}

func (p *parser) postfix(x Expr) Expr {
	for {
		at := p.place()
		switch {
		case p.accept("("):
			x = &Call{at, x, p.list(")")}
		case p.accept("["):
			x = &Index{at, x, p.expr()}
			p.expect("]")
		case p.accept(".") || p.accept("->"):
			at = p.place()
			part := p.path(false)
			if len(part) != 1 {
				p.failed("a member's name has no qualifier")
			}
			x = &Member{at, x, part[0]}
		case p.is("++") || p.is("--"):
			x = &Unary{at, p.next().Text, x, true}
		default:
			return x
		}
	}
}

func (p *parser) lambda() Expr {
	l := &Lambda{Place: p.place()}
	p.expect("[")
	if !p.accept("&") || !p.accept("]") { // a copy would keep what a variable was
		p.failed("a lambda captures all by reference: [&]")
	}
	if p.is("(") {
		l.Params = p.params()
	}
	l.Body = p.block()
	return l
}

func (p *parser) params() []Param {
	p.expect("(")
	var out []Param
	for !p.accept(")") {
		if len(out) > 0 {
			p.expect(",")
		}
		v := Param{Place: p.place(), Type: p.typ()}
		if p.peek().Kind == source.Ident {
			v.Name = p.ident()
		}
		out = append(out, v)
	}
	return out
}

// Statements.

func (p *parser) block() *Block {
	b := &Block{Place: p.place()}
	p.expect("{")
	for !p.is("}") {
		b.List = append(b.List, p.stmt())
	}
	b.End = p.place().Offset
	p.expect("}")
	return b
}

func (p *parser) stmt() Stmt {
	at := p.place()
	switch p.peek().Text {
	case "{":
		return p.block()
	case "if":
		p.next()
		s := &If{Place: at, Constexpr: p.accept("constexpr")}
		p.expect("(")
		s.Cond = p.expr()
		p.expect(")")
		s.Then = p.stmt()
		if p.accept("else") {
			s.Else = p.stmt()
		}
		return s
	case "for":
		return p.loop()
	case "return":
		p.next()
		s := &Return{Place: at}
		if !p.is(";") {
			s.X = p.initializer()
		}
		p.expect(";")
		return s
	case "using":
		return Using{p.alias(nil)}
	case "static_assert":
		return Asserted{p.assert()}
	case ";":
		p.next()
		return &Block{Place: at}
	case "extern":
		for !p.accept(";") {
			if p.next().Kind == source.End {
				p.failed("a declaration has no end")
			}
		}
		return &Extern{at}
	}
	if d := p.declaration(); d != nil {
		return d
	}
	s := &Do{at, p.expr()}
	p.expect(";")
	return s
}

func (p *parser) assert() *Assert {
	a := &Assert{Place: p.place()}
	p.next()
	p.expect("(")
	a.Cond = p.expr()
	if p.accept(",") {
		a.Text = p.peek().Text
		p.next()
	}
	p.expect(")")
	p.expect(";")
	return a
}

func (p *parser) alias(head []TemplateParam) *Alias {
	a := &Alias{Place: p.place(), Head: head}
	p.expect("using")
	a.Name = p.ident()
	p.expect("=")
	a.Type = p.typ()
	p.expect(";")
	return a
}

// declaration reads the declaration of variables; nil if there is none.
func (p *parser) declaration() Stmt {
	at := p.place()
	start := p.at
	constant := p.accept("constexpr")
	var t *Type
	if !p.tried(func() {
		t = p.typ()
		if !(p.peek().Kind == source.Ident && (len(t.Path) > 0 || t.Decltype != nil)) && !(p.is("[") && len(t.Path) == 1 && t.Path[0].Name == "auto") {
			p.failed("no declaration")
		}
		switch p.ahead(1).Text {
		case "=", "(", "{", ";", ",", "[":
		default:
			if !p.is("[") {
				p.failed("no declaration")
			}
		}
	}) {
		p.at = start
		if constant {
			p.failed("constexpr declares no variable that the reader knows")
		}
		return nil
	}
	out := &Decls{Place: at}
	for {
		d := &Decl{Place: p.place(), Constexpr: constant, Type: t}
		if p.accept("[") {
			for !p.accept("]") {
				if len(d.Names) > 0 {
					p.expect(",")
				}
				d.Names = append(d.Names, p.ident())
			}
		} else {
			d.Name = p.ident()
		}
		switch {
		case p.accept("["):
			d.Size = p.expr()
			p.expect("]")
		case p.accept("="):
			d.Args, d.Assigned = []Expr{p.initializer()}, true
		case p.accept("("):
			d.Args = p.list(")")
			if d.Args == nil {
				p.failed("a function declared inside a function")
			}
		case p.is("{"):
			d.Args = []Expr{p.braces(t)}
			d.Assigned = true
		}
		out.List = append(out.List, d)
		if p.accept(";") {
			return out
		}
		p.expect(",")
	}
}

func (p *parser) loop() Stmt {
	at := p.place()
	p.next()
	p.expect("(")
	r := &RangeFor{Place: at}
	if p.tried(func() {
		r.Type = p.typ()
		if p.accept("[") {
			for !p.accept("]") {
				if len(r.Names) > 0 {
					p.expect(",")
				}
				r.Names = append(r.Names, p.ident())
			}
		} else {
			r.Name = p.ident()
		}
		p.expect(":")
	}) {
		r.Range = p.expr()
		p.expect(")")
		r.Body = p.stmt()
		return r
	}
	f := &For{Place: at}
	if !p.accept(";") {
		if d := p.declaration(); d != nil {
			f.Init = d
		} else {
			f.Init = &Do{p.place(), p.expr()}
			p.expect(";")
		}
	}
	if !p.is(";") {
		f.Cond = p.expr()
	}
	p.expect(";")
	if !p.is(")") {
		f.Step = p.expr()
	}
	p.expect(")")
	f.Body = p.stmt()
	return f
}

// args prints template arguments.
func args(list []Arg) string {
	var out []string
	for _, a := range list {
		out = append(out, a.String())
	}
	return "<" + strings.Join(out, ", ") + ">"
}

// String prints the argument.
func (a Arg) String() string {
	if a.Type != nil {
		return a.Type.String()
	}
	return Print(a.Expr)
}

// String prints the type.
func (t *Type) String() string {
	out := ""
	if t.Const {
		out = "const "
	}
	if t.Decltype != nil {
		out += "decltype(" + Print(t.Decltype) + ")"
	}
	out += path(t.Path) + strings.Repeat("*", t.Pointer)
	if t.Ref {
		out += "&"
	}
	if t.Pack {
		out += "..."
	}
	return out
}

func path(parts []Part) string {
	var out []string
	for _, p := range parts {
		s := p.Name
		if p.Has {
			s += args(p.Args)
		}
		out = append(out, s)
	}
	return strings.Join(out, "::")
}

func prints(list []Expr) string {
	var out []string
	for _, e := range list {
		out = append(out, Print(e))
	}
	return strings.Join(out, ", ")
}

// Print writes an expression as it stood, with parentheses where operators meet.
func Print(e Expr) string {
	nested := func(x Expr) string {
		switch x.(type) {
		case *Binary, *Cond:
			return "(" + Print(x) + ")"
		}
		return Print(x)
	}
	switch e := e.(type) {
	case *Number:
		return e.Text
	case *Text:
		return `"..."`
	case *Word:
		return e.Name
	case *Name:
		return path(e.Path)
	case *Member:
		return nested(e.X) + "." + path([]Part{e.Name})
	case *Call:
		return nested(e.Fn) + "(" + prints(e.Args) + ")"
	case *Braces:
		if e.Type == nil {
			return "{" + prints(e.Args) + "}"
		}
		return e.Type.String() + "{" + prints(e.Args) + "}"
	case *Construct:
		return e.Type.String() + "(" + prints(e.Args) + ")"
	case *Index:
		return nested(e.X) + "[" + Print(e.I) + "]"
	case *Unary:
		if e.Post {
			return nested(e.X) + e.Op
		}
		return e.Op + nested(e.X)
	case *Binary:
		return nested(e.X) + " " + e.Op + " " + nested(e.Y)
	case *Cond:
		return nested(e.C) + " ? " + Print(e.X) + " : " + Print(e.Y)
	case *Cast:
		return "static_cast<" + e.Type.String() + ">(" + Print(e.X) + ")"
	case *SizeOf:
		if e.Type != nil {
			return "sizeof(" + e.Type.String() + ")"
		}
		return "sizeof(" + Print(e.X) + ")"
	case *Lambda:
		return "[&](...) {...}"
	case *Expand:
		return Print(e.X) + "..."
	}
	return fmt.Sprintf("%T", e)
}
