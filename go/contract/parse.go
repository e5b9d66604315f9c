package contract

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseError is a text that is no expression or relation.
type ParseError struct {
	Text   string
	Offset int // of the byte in Text at which it goes wrong; len(Text) at the end
	Msg    string
}

// Column is the place of the mistake, counted in bytes from 1.
func (e *ParseError) Column() int { return e.Offset + 1 }

// Error prints the text with a caret below the mistake.
func (e *ParseError) Error() string {
	flat := strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return ' '
		}
		return r
	}, e.Text)
	indent := len([]rune(e.Text[:min(e.Offset, len(e.Text))]))
	return fmt.Sprintf("column %d: %s\n  %s\n  %s^", e.Column(), e.Msg, flat, strings.Repeat(" ", indent))
}

// maxDepth bounds the nesting of an expression, so that no input exhausts the stack.
const maxDepth = 100

// Parse reads an expression. Its error is a *ParseError.
func Parse(text string) (Expr, error) {
	p := parser{text: text}
	e, err := p.sum(0)
	if err == nil {
		err = p.end("expression")
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// ParseRelation reads a relation. Its error is a *ParseError.
func ParseRelation(text string) (*Relation, error) {
	p := parser{text: text}
	r, err := p.relation()
	if err != nil {
		return nil, err
	}
	if err := p.end("relation"); err != nil {
		return nil, err
	}
	return r, nil
}

// FindName returns the offset at which a name first stands in the text of an expression or relation,
// or -1.
func FindName(text, name string) int {
	p := parser{text: text, uses: map[string]int{}}
	_, _ = p.relation() // an expression is none, but its names have been seen when that turns out
	if offset, ok := p.uses[name]; ok {
		return offset
	}
	return -1
}

type parser struct {
	text string
	at   int
	last int            // where the token read last begins
	uses map[string]int // where each name stands first, if anybody asks
}

// use notes a name.
func (p *parser) use(name string, offset int) Expr {
	if _, ok := p.uses[name]; !ok && p.uses != nil {
		p.uses[name] = offset
	}
	return Name(name)
}

// relation reads a predicate or a comparison.
func (p *parser) relation() (*Relation, error) {
	if r, err := p.predicate(); r != nil || err != nil {
		return r, err
	}
	left, err := p.sum(0)
	if err != nil {
		return nil, err
	}
	op := p.comparison()
	if op == "" {
		return nil, p.fail("a relation compares two expressions with >= > <= < == or !=, found %s", p.found())
	}
	right, err := p.sum(0)
	if err != nil {
		return nil, err
	}
	if p.comparison() != "" {
		return nil, p.failLast("a relation has one comparison; write two relations")
	}
	return &Relation{left, op, right}, nil
}

// predicate reads one if one stands here.
func (p *parser) predicate() (*Relation, error) {
	p.space()
	start := p.at
	r := &Relation{Op: p.word()}
	if !predicate(r.Op) || p.peek() != '(' {
		p.at = start
		return nil, nil
	}
	p.next()
	var err error
	if r.Left, err = p.argument(r.Op, r.Op == Aligned || r.Op == Disjoint); err != nil {
		return nil, err
	}
	if r.Op != Fits32 {
		if err := p.comma(r.Op); err != nil {
			return nil, err
		}
		p.space()
		second := p.at
		if r.Right, err = p.argument(r.Op, r.Op == Disjoint); err != nil {
			return nil, err
		}
		if r.Op == Aligned && r.Right == Number(0) {
			p.last = second
			return nil, p.failLast("aligned takes a number of bytes above 0")
		}
	}
	if err := p.expect(')'); err != nil {
		return nil, err
	}
	if p.comparison() != "" {
		return nil, p.failLast("%s(...) is a relation by itself and is compared with nothing", r.Op)
	}
	return r, nil
}

// argument reads one of a predicate.
func (p *parser) argument(of string, buffer bool) (Expr, error) {
	if !buffer {
		return p.sum(1)
	}
	if !isLetter(p.peek()) {
		return nil, p.fail("%s takes the name of a buffer, found %s", of, p.found())
	}
	name := p.word()
	p.use("addr("+name+")", p.last)
	return Buffer(name), nil
}

// comma reads what separates two arguments.
func (p *parser) comma(of string) error {
	if p.peek() != ',' {
		return p.fail("%s takes two arguments; expected a comma, found %s", of, p.found())
	}
	p.next()
	return nil
}

// sum reads terms joined by + and -.
func (p *parser) sum(depth int) (Expr, error) {
	return p.chain("+-", p.product, depth)
}

// product reads operands joined by *, / and %.
func (p *parser) product(depth int) (Expr, error) {
	return p.chain("*/%", p.operand, depth)
}

func (p *parser) chain(ops string, operand func(int) (Expr, error), depth int) (Expr, error) {
	e, err := operand(depth)
	if err != nil {
		return nil, err
	}
	for n := 0; strings.IndexByte(ops, p.peek()) >= 0; n++ {
		if n == maxDepth {
			return nil, p.fail("more than %d operators in a row", maxDepth)
		}
		op := p.next()
		right, err := operand(depth)
		if err != nil {
			return nil, err
		}
		e = &Binary{op, e, right}
	}
	return e, nil
}

func (p *parser) operand(depth int) (Expr, error) {
	c := p.peek()
	switch {
	case depth == maxDepth:
		return nil, p.fail("nested more than %d deep", maxDepth)
	case c == '(':
		p.next()
		e, err := p.sum(depth + 1)
		if err != nil {
			return nil, err
		}
		return e, p.expect(')')
	case isDigit(c):
		return p.number()
	case isLetter(c):
		return p.name(depth)
	}
	return nil, p.fail("expected a number, a name, a function or (, found %s", p.found())
}

func (p *parser) number() (Expr, error) {
	word := p.word()
	v, err := strconv.ParseUint(word, 10, 64)
	if err != nil || len(word) > 1 && word[0] == '0' {
		return nil, p.failLast("%s is no decimal number from 0 to 2^64-1", word)
	}
	return Number(v), nil
}

// name reads a name, a qualified name, len(x), sizeof(x) or a call.
func (p *parser) name(depth int) (Expr, error) {
	word := p.word()
	start := p.last
	switch p.peek() {
	case '.':
		p.next()
		if !isLetter(p.peek()) {
			return nil, p.fail("expected a name after %s., found %s", word, p.found())
		}
		return p.use(word+"."+p.word(), start), nil
	case '(':
		p.next()
	default:
		return p.use(word, start), nil
	}
	switch word {
	case "len", "sizeof":
		if !isLetter(p.peek()) {
			return nil, p.fail("%s takes the name of a parameter, found %s", word, p.found())
		}
		of := p.word()
		return p.use(word+"("+of+")", start), p.expect(')')
	case "cdiv", "min", "max", "align":
		return p.call(word, depth)
	}
	p.last = start
	if predicate(word) {
		return nil, p.failLast("%s(...) is a relation by itself, no part of an expression", word)
	}
	return nil, p.failLast("no function %s (cdiv, min, max, align, len and sizeof are)", word)
}

func (p *parser) call(name string, depth int) (Expr, error) {
	x, err := p.sum(depth + 1)
	if err != nil {
		return nil, err
	}
	if err := p.comma(name); err != nil {
		return nil, err
	}
	p.space()
	start := p.at
	y, err := p.sum(depth + 1)
	if err != nil {
		return nil, err
	}
	if n, ok := y.(Number); name == "align" && (!ok || n == 0) {
		p.last = start
		return nil, p.failLast("align takes a number above 0 as its second argument")
	}
	return &Call{name, x, y}, p.expect(')')
}

// comparison reads a comparison operator if one stands here.
func (p *parser) comparison() string {
	p.space()
	for _, op := range []string{">=", "<=", "==", "!=", ">", "<"} {
		if strings.HasPrefix(p.text[p.at:], op) {
			p.last = p.at
			p.at += len(op)
			return op
		}
	}
	return ""
}

func (p *parser) end(what string) error {
	if p.space(); p.at < len(p.text) {
		return p.fail("expected the end of the %s, found %s", what, p.found())
	}
	return nil
}

func (p *parser) expect(c byte) error {
	if p.peek() != c {
		return p.fail("expected %c, found %s", c, p.found())
	}
	p.next()
	return nil
}

func (p *parser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// peek returns the next byte that is no space, or 0.
func (p *parser) peek() byte {
	if p.space(); p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// next takes the byte that peek has shown.
func (p *parser) next() byte {
	p.last = p.at
	p.at++
	return p.text[p.last]
}

// word takes the letters and digits from here on.
func (p *parser) word() string {
	p.last = p.at
	for p.at < len(p.text) && (isLetter(p.text[p.at]) || isDigit(p.text[p.at])) {
		p.at++
	}
	return p.text[p.last:p.at]
}

// found describes what stands here, for messages.
func (p *parser) found() string {
	p.space()
	if p.at == len(p.text) {
		return "the end"
	}
	at := p.at
	defer func() { p.at = at }()
	if word := p.word(); word != "" {
		return word
	}
	for _, r := range p.text[at:] {
		return fmt.Sprintf("%q", r)
	}
	return "the end"
}

// fail makes an error at the next token.
func (p *parser) fail(format string, args ...any) error {
	p.space()
	return &ParseError{p.text, p.at, fmt.Sprintf(format, args...)}
}

// failLast makes an error at the token read last.
func (p *parser) failLast(format string, args ...any) error {
	return &ParseError{p.text, p.last, fmt.Sprintf(format, args...)}
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
