package cxx

import (
	"github.com/warpwright/warpwright/tools/internal/source"
)

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
