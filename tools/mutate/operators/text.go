package operators

import (
	"slices"
	"strings"

	"github.com/warpwright/warpwright/tools/internal/source"
)

// region says what kind of text a token stands in.
type region uint8

const (
	skipped   region = iota // no operator may edit here
	code                    // bodies, members, parameters
	signature               // a kernel's parameters, from its name to its body
	view                    // a WW_VIEW row
	kernel                  // a WW_KERNEL annotation
)

// token is one token, with operators of several characters in one.
type token struct {
	source.Token
	region region
	// match is the other bracket of a pair, angle brackets of templates included; -1 for all else.
	match int
	// statement says that a statement of a body begins here.
	statement bool
	// device says that compilers for a GPU alone read it.
	device bool
}

// condition is a part of a file between #if and #endif.
type condition struct {
	emulator, device bool // who alone reads it
	older            bool // devices for which no net compiles do
}

// conditions are those around a token, the outermost first.
type conditions []condition

// read goes on behind a directive.
func (c *conditions) read(directive string) {
	last := len(*c) - 1
	switch {
	case strings.HasPrefix(directive, "ifdef WW_EMU"):
		*c = append(*c, condition{emulator: true})
	case strings.HasPrefix(directive, "ifndef WW_EMU"):
		*c = append(*c, condition{device: true})
	case strings.HasPrefix(directive, "if"):
		*c = append(*c, condition{})
	case strings.HasPrefix(directive, "else") && last >= 0:
		switch at := &(*c)[last]; {
		case at.emulator || at.device:
			at.emulator, at.device = at.device, at.emulator
		default:
			at.older = true // the vocabulary asks for nothing else
		}
	case strings.HasPrefix(directive, "endif") && last >= 0:
		*c = (*c)[:last]
	}
}

// region is what stands there before anything else is known.
func (c conditions) region() region {
	if slices.ContainsFunc(c, func(x condition) bool { return x.emulator || x.older }) {
		return skipped
	}
	return code
}

func (c conditions) device() bool {
	return slices.ContainsFunc(c, func(x condition) bool { return x.device })
}

// text is a file as operators see it.
type text struct {
	file   *source.File
	tokens []token
}

// read splits a file and finds out what stands where.
func read(f *source.File) (*text, error) {
	all, err := f.Tokens()
	if err != nil {
		return nil, err
	}
	t := &text{file: f}
	var open conditions
	for _, tok := range all {
		switch tok.Kind {
		case source.Comment, source.End:
			continue
		case source.Preproc:
			open.read(strings.TrimSpace(strings.TrimPrefix(tok.Text, "#")))
			t.tokens = append(t.tokens, token{Token: tok, match: -1})
			continue
		}
		t.tokens = append(t.tokens, token{Token: tok, region: open.region(), device: open.device(), match: -1})
	}
	t.pair()
	t.merge()
	t.pair()
	t.regions()
	t.statements()
	return t, nil
}

// is says that token i is there and reads so.
func (t *text) is(i int, texts ...string) bool {
	if i < 0 || i >= len(t.tokens) {
		return false
	}
	tok := t.tokens[i]
	return tok.Kind != source.Preproc && slices.Contains(texts, tok.Text)
}

// sequence says that the tokens from i on read so.
func (t *text) sequence(i int, texts ...string) bool {
	for n, x := range texts {
		if !t.is(i+n, x) {
			return false
		}
	}
	return true
}

func (t *text) kind(i int, k source.Kind) bool {
	return i >= 0 && i < len(t.tokens) && t.tokens[i].Kind == k
}

// adjacent says that nothing stands between token i and the next.
func (t *text) adjacent(i int) bool {
	return i >= 0 && i+1 < len(t.tokens) && t.tokens[i].EndOffset() == t.tokens[i+1].Offset
}

// around is the innermost bracket in which token i stands, -1 for none.
func (t *text) around(i int) int {
	for j := min(i, len(t.tokens)) - 1; j >= 0; j-- {
		if m := t.tokens[j].match; m > i {
			return j
		} else if m >= 0 && m < j {
			j = m
		}
	}
	return -1
}

// between is the text from token i up to, without, token j.
func (t *text) between(i, j int) string {
	if j <= i {
		return ""
	}
	return t.file.Text[t.tokens[i].Offset:t.tokens[j-1].EndOffset()]
}

// replace makes the edit that puts text in place of tokens i up to, without, j.
func (t *text) replace(i, j int, with string) edit {
	return edit{t.tokens[i].Offset, t.tokens[j-1].EndOffset(), with}
}

// pair matches brackets. Angle brackets are those of a template if the name before them touches them, as the house writes it, or if
// they follow the word itself.
func (t *text) pair() {
	var open []int
	for i := range t.tokens {
		t.tokens[i].match = -1
	}
	for i, tok := range t.tokens {
		if tok.Kind != source.Punct {
			continue
		}
		switch tok.Text {
		case "(", "[", "{":
			open = append(open, i)
		case "<":
			if t.is(i-1, "template") || t.kind(i-1, source.Ident) && t.adjacent(i-1) {
				open = append(open, i)
			}
		case ">":
			if n := len(open); n > 0 && t.tokens[open[n-1]].Text == "<" {
				t.tokens[open[n-1]].match, t.tokens[i].match = i, open[n-1]
				open = open[:n-1]
			}
		case ")", "]", "}":
			for len(open) > 0 && t.tokens[open[len(open)-1]].Text == "<" {
				open = open[:len(open)-1] // it was a comparison after all
			}
			if n := len(open); n > 0 {
				t.tokens[open[n-1]].match, t.tokens[i].match = i, open[n-1]
				open = open[:n-1]
			}
		}
	}
}

// operators of several characters, the longer ones first.
var operators = []string{"<<=", ">>=", "...", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "++", "--", "->", "::", "<<", ">>"}

// merge joins the characters of an operator.
func (t *text) merge() {
	var out []token
	for i := 0; i < len(t.tokens); i++ {
		tok := t.tokens[i]
		if tok.Kind == source.Punct && tok.match < 0 {
			for _, op := range operators {
				n := len(op)
				if i+n > len(t.tokens) || !strings.HasPrefix(t.file.Text[tok.Offset:], op) ||
					slices.ContainsFunc(t.tokens[i:i+n], func(o token) bool { return o.Kind != source.Punct || o.match >= 0 }) {
					continue
				}
				tok.Text = op
				i += n - 1
				break
			}
		}
		out = append(out, tok)
	}
	t.tokens = out
}

// mark gives a region to tokens i up to, without, j, unless they are skipped already.
func (t *text) mark(i, j int, r region) {
	for ; i < j && i < len(t.tokens); i++ {
		if t.tokens[i].region != skipped {
			t.tokens[i].region = r
		}
	}
}

// until is the index behind the next token of that text at this depth.
func (t *text) until(i int, end string) int {
	for ; i < len(t.tokens); i++ {
		if t.is(i, end) {
			return i + 1
		}
		if m := t.tokens[i].match; m > i {
			i = m
		}
	}
	return len(t.tokens)
}

func (t *text) regions() {
	for i := 0; i < len(t.tokens); i++ {
		switch {
		case t.is(i, "static_assert") && t.is(i+1, "("), t.is(i, "WW_TAG"), t.is(i, "requires") && t.is(i+1, "(") && t.tokens[i].region == code:
			t.mark(i, t.tokens[i+1].match+1, skipped)
		case t.is(i, "friend", "namespace", "concept") || t.sequence(i, "using", "namespace"):
			if t.is(i, "namespace") {
				t.mark(i, i+2, skipped)
				continue
			}
			t.mark(i, t.until(i, ";"), skipped)
		case t.is(i, "template") && t.is(i+1, "<"):
			t.mark(i, t.tokens[i+1].match+1, skipped)
		case t.sequence(i, "[", "["):
			t.mark(i, t.tokens[i].match+1, skipped)
		case t.is(i, "WW_VIEW"):
			t.mark(i, t.until(i, ";"), view)
			t.mark(i+2, t.comma(i+2), skipped) // the pattern is a name
		case t.is(i, "WW_KERNEL") && t.is(i+1, "("):
			end := t.tokens[i+1].match
			t.mark(i, end+1, kernel)
			body := t.until(end, "{") - 1
			for p := end; p < body; p++ {
				if t.is(p, "(") {
					t.mark(p, t.tokens[p].match+1, signature)
				}
			}
		}
	}
	for i := range t.tokens { // what refuses at compile time: the value behind is never made
		if t.is(i, "{") && t.tokens[i].match > i && t.refuses(i+1, t.tokens[i].match) {
			t.mark(i, t.tokens[i].match+1, skipped)
		}
	}
}

// comma is the index of the next comma at this depth, or of the bracket that closes it.
func (t *text) comma(i int) int {
	for ; i < len(t.tokens); i++ {
		m := t.tokens[i].match
		if m > i {
			i = m
		} else if t.is(i, ",") || t.is(i, ")", "]", ">", "}") && m >= 0 {
			return i
		}
	}
	return len(t.tokens)
}

// refuses says that a body has assertions and then only a value to return: an overload that only says why it is the wrong one.
func (t *text) refuses(i, end int) bool {
	asserts := 0
	for t.is(i, "static_assert") {
		i = t.until(i, ";")
		asserts++
	}
	if asserts == 0 {
		return false
	}
	if i == end {
		return true
	}
	rest := t.between(i, end)
	return t.is(i, "return") && (strings.Contains(rest, "{}") || strings.Contains(rest, "nullptr") || strings.Contains(rest, "Mint(), 0)") || strings.Contains(rest, "*this")) &&
		t.until(i, ";") == end
}

// statements finds where the statements of bodies begin.
func (t *text) statements() {
	var scopes []bool // whether the braces around are a body's
	start := 0        // of what stands before a brace
	for i := range t.tokens {
		switch {
		case t.is(i, "{"):
			body := t.isBody(start, i)
			scopes = append(scopes, body)
			start = i + 1
			t.begin(start, body)
		case t.is(i, "}"):
			if n := len(scopes); n > 0 {
				scopes = scopes[:n-1]
			}
			start = i + 1
			t.begin(start, len(scopes) > 0 && scopes[len(scopes)-1] && !t.is(t.around(i), "(")) // a lambda among arguments ends no statement
		case t.is(i, ";"):
			if t.is(t.around(i), "(") { // of for (...)
				continue
			}
			start = i + 1
			t.begin(start, len(scopes) > 0 && scopes[len(scopes)-1])
		case t.is(i, "else"):
			t.begin(i+1, true)
		case t.is(i, ")") && t.tokens[i].match > 0:
			if m := t.tokens[i].match; t.is(m-1, "if", "for", "while") || t.is(m-1, "constexpr") && t.is(m-2, "if") {
				t.begin(i+1, true)
			}
		}
	}
}

func (t *text) begin(i int, body bool) {
	if body && i < len(t.tokens) {
		t.tokens[i].statement = true
	}
}

// isBody says that a brace opens the body of a function, a lambda, a loop or a branch: a parenthesis, what may follow a function's, or else
// and do stand before it, and no word that opens another kind of scope.
func (t *text) isBody(start, brace int) bool {
	if t.is(brace-1, "else", "do") {
		return true
	}
	for i := start; i < brace; i++ {
		if t.is(i, "class", "struct", "union", "namespace", "enum", "extern") && !t.is(t.around(i), "<") {
			return false
		}
	}
	return t.is(brace-1, ")", "const", "noexcept") || t.is(brace-1, "]")
}
