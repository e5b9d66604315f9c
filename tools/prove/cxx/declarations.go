package cxx

import (
	"strings"

	"github.com/warpwright/warpwright/tools/internal/source"
)

// scope reads the declarations of a namespace up to its closing brace, or to the end of the file.
func (p *parser) scope(u *Unit, namespace string) {
	for {
		switch {
		case p.peek().Kind == source.End:
			if namespace != "" {
				p.failed("namespace %s has no end", namespace)
			}
			return
		case namespace != "" && p.accept("}"):
			return
		case p.accept(";"):
		case p.accept("namespace"):
			name := p.ident()
			p.expect("{")
			p.scope(u, name)
		case p.is("WW_VIEW"):
			p.next()
			p.balanced("(", ")")
			p.expect(";")
		case p.is("WW_TAG"):
			c := &Class{Place: p.place(), Defined: true}
			p.next()
			p.expect("(")
			c.Name = p.ident()
			p.expect(")")
			p.expect(";")
			u.Classes = append(u.Classes, c)
		default:
			p.declared(u, nil)
		}
	}
}

// declared reads one declaration of a namespace, or of the class in.
func (p *parser) declared(u *Unit, in *Class) {
	head, requires := p.head()
	switch {
	case p.is("static_assert"):
		a := p.assert()
		if in != nil {
			in.Asserts = append(in.Asserts, a)
		}
	case p.is("concept"):
		p.next()
		u.Concepts = append(u.Concepts, p.concept())
	case p.is("friend"):
		p.next()
		for !p.accept(";") {
			if p.peek().Kind == source.End || p.is("{") {
				p.failed("a friend is declared, not defined")
			}
			p.next()
		}
	case p.is("using"):
		if in != nil && p.ahead(2).Text == "::" { // the constructors of the base
			p.next()
			base := p.ident()
			p.expect("::")
			if p.ident() != base {
				p.failed("using of a base names its constructors")
			}
			p.expect(";")
			in.Inherits = true
			return
		}
		a := p.alias(head)
		if in != nil {
			in.Aliases = append(in.Aliases, a)
		} else {
			u.Aliases = append(u.Aliases, a)
		}
	case p.is("class") || p.is("struct"):
		c := p.class(u, head, in)
		if in != nil {
			in.Classes = append(in.Classes, c)
		} else {
			u.Classes = append(u.Classes, c)
		}
	default:
		p.member(u, in, head, requires)
	}
}

// concept reads the name and what it asks.
func (p *parser) concept() *Concept {
	c := &Concept{Place: p.place(), Name: p.ident()}
	p.expect("=")
	var words []string
	for depth := 0; depth > 0 || !p.accept(";"); words = append(words, p.next().Text) {
		switch {
		case p.peek().Kind == source.End:
			p.failed("a concept has no end")
		case p.is("{"):
			depth++
		case p.is("}"):
			depth--
		}
	}
	c.Text = strings.Join(words, " ")
	return c
}

// head reads template <...> and a requires clause behind it.
func (p *parser) head() ([]TemplateParam, Expr) {
	if !p.is("template") {
		return nil, nil
	}
	p.next()
	p.expect("<")
	out := []TemplateParam{}
	for !p.accept(">") {
		if len(out) > 0 {
			p.expect(",")
		}
		t := TemplateParam{Place: p.place()}
		if p.accept("class") || p.accept("typename") {
			t.Pack = p.accept("...")
		} else {
			t.Type = p.typ()
			t.Pack, t.Type.Pack = t.Type.Pack, false
		}
		if p.peek().Kind == source.Ident {
			t.Name = p.ident()
		}
		if p.accept("=") {
			a := p.arg()
			t.Default = &a
		}
		out = append(out, t)
	}
	var requires Expr
	if at := p.place(); p.accept("requires") {
		if p.accept("requires") { // what an expression must be able to do: a text to us
			if p.is("(") {
				p.balanced("(", ")")
			}
			p.balanced("{", "}")
			return out, &Text{at}
		}
		p.expect("(")
		requires = p.expr()
		p.expect(")")
	}
	return out, requires
}

func (p *parser) class(u *Unit, head []TemplateParam, outer *Class) *Class {
	c := &Class{Place: p.place(), Head: head, Outer: outer}
	public := p.next().Text == "struct"
	c.Name = p.ident()
	if p.accept("::") { // struct ww::Entry and the like would be a lie
		p.failed("a class is defined where it is declared")
	}
	if p.is("<") {
		c.Args, c.Special = p.args(), true
	}
	p.accept("final")
	if p.accept(";") {
		return c
	}
	if p.accept(":") {
		for {
			if !p.accept("public") {
				p.accept("private")
			}
			c.Bases = append(c.Bases, p.typ())
			if !p.accept(",") {
				break
			}
		}
	}
	c.Defined = true
	p.expect("{")
	for !p.accept("}") {
		switch {
		case (p.is("public") || p.is("private") || p.is("protected")) && p.ahead(1).Text == ":":
			public = p.next().Text == "public"
			p.next()
		case p.accept(";"):
		default:
			methods, fields := len(c.Methods), len(c.Fields)
			p.declared(u, c)
			for _, m := range c.Methods[methods:] {
				m.Public = public
			}
			for _, f := range c.Fields[fields:] {
				f.Public = public
			}
		}
	}
	p.expect(";")
	return c
}

// member reads a function, or variables.
func (p *parser) member(u *Unit, in *Class, head []TemplateParam, requires Expr) {
	f := &Function{Place: p.place(), Class: in, Head: head, Requires: requires, Public: true}
	constant := false
	for {
		switch p.peek().Text {
		case "WW_MEM", "WW_DEV", "explicit", "inline":
			p.next()
			continue
		case "static":
			f.Static = true
			p.next()
			continue
		case "constexpr":
			constant = true
			p.next()
			continue
		}
		break
	}
	f.Place = p.place()
	switch {
	case in != nil && p.is(in.Name) && p.ahead(1).Text == "(":
		f.Name, f.Ctor = p.ident(), true
	case p.is("operator"):
		p.next()
		f.Conversion, f.Name = true, "operator"
		f.Result = p.typ()
	default:
		f.Result = p.typ()
		f.Place = p.place()
		if p.peek().Kind != source.Ident {
			p.failed("expected a member, found %q", p.peek().Text)
		}
		f.Name = p.qualified()
	}
	if !p.is("(") {
		p.variables(u, in, f, head, constant)
		return
	}
	f.Params = p.params()
	p.accept("const")
	switch {
	case p.accept("="):
		f.Deleted = p.accept("delete")
		if !f.Deleted {
			p.expect("default")
		}
		p.expect(";")
	case p.accept(";"):
	default:
		if p.accept(":") {
			f.Inits = p.inits()
		}
		f.Body = p.block()
	}
	if f.Ctor && f.Body != nil && len(f.Params) == 1 && in.Name != "Sealed" && f.Params[0].Type.Path[0].Name == in.Name {
		panic(failure{f.Errorf("a copy of %s has what it is a copy of: no constructor says otherwise", in.Name)})
	}
	if in != nil {
		in.Methods = append(in.Methods, f)
	} else {
		u.Functions = append(u.Functions, f)
	}
}

// qualified reads the function's name; that of a member defined outside its class has the class before it.
func (p *parser) qualified() string {
	if p.is("operator") {
		return p.operator()
	}
	at := p.at
	name := p.ident()
	if !p.is("<") {
		return name
	}
	p.args()
	if !p.accept("::") { // a specialisation of a variable: its arguments are read there
		p.at = at + 1
		return name
	}
	if p.is("operator") {
		return name + "::" + p.operator()
	}
	return name + "::" + p.ident()
}

func (p *parser) operator() string {
	p.next()
	switch {
	case p.accept("("):
		p.expect(")")
		return "operator()"
	case p.accept("["):
		p.expect("]")
		return "operator[]"
	}
	if p.peek().Kind != source.Punct {
		p.failed("no operator %s", p.peek().Text)
	}
	return "operator" + p.next().Text
}

func (p *parser) inits() []Init {
	var out []Init
	for {
		i := Init{Place: p.place(), Name: p.ident()}
		if p.is("<") {
			p.args()
		}
		p.expect("(")
		i.Args = p.list(")")
		out = append(out, i)
		if !p.accept(",") {
			return out
		}
	}
}

// variables reads fields and constants, the first of whose names has been read.
func (p *parser) variables(u *Unit, in *Class, f *Function, head []TemplateParam, constant bool) {
	at, name := f.Place, f.Name
	var special []Arg
	if constant && p.is("<") {
		special = p.args()
	}
	for {
		if constant {
			c := &Const{Place: at, Head: head, Type: f.Result, Name: name, Args: special}
			p.expect("=")
			c.Value = p.conditional()
			c.End = p.place().Offset
			if in != nil {
				in.Consts = append(in.Consts, c)
			} else {
				u.Consts = append(u.Consts, c)
			}
		} else {
			if in == nil || f.Static {
				p.failed("%s is data outside of an object", name)
			}
			if f.Result.Ref {
				p.failed("a field that is a reference")
			}
			v := &Field{Place: at, Name: name, Type: f.Result}
			if p.accept("[") {
				v.Size = p.expr()
				p.expect("]")
			}
			if p.is("=") || p.is("{") {
				p.failed("a field is set by a constructor")
			}
			in.Fields = append(in.Fields, v)
		}
		if p.accept(";") {
			return
		}
		p.expect(",")
		at, name = p.place(), p.ident()
	}
}
