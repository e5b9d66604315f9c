package cxx

import (
	"github.com/warpwright/warpwright/tools/internal/source"
)

// Expressions.

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
