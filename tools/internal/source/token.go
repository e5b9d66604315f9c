package source

import "strings"

// Kind is what a token is.
type Kind uint8

// The kinds of token.
const (
	End     Kind = iota // behind the last token
	Ident               // names and keywords
	Number              // integers and floating-point numbers
	String              // "...", R"(...)" and character literals
	Punct               // one character of punctuation
	Comment             // // ... or /* ... */
	Preproc             // a whole # line with its continuations
)

// Token is one token of a File.
type Token struct {
	Kind   Kind
	Text   string
	Offset int
}

// Is reports whether the token is this name or punctuation character.
func (t Token) Is(text string) bool {
	return (t.Kind == Ident || t.Kind == Punct) && t.Text == text
}

// EndOffset is the offset behind the token.
func (t Token) EndOffset() int { return t.Offset + len(t.Text) }

// Tokens splits the file. Comments and preprocessor lines are tokens of their own; the last token
// is an End. An error is a literal or comment without an end.
func (f *File) Tokens() ([]Token, error) {
	s := scanner{f: f, lineStart: true}
	for {
		t, err := s.next()
		if err != nil {
			return nil, err
		}
		s.tokens = append(s.tokens, t)
		if t.Kind == End {
			return s.tokens, nil
		}
	}
}

type scanner struct {
	f         *File
	at        int
	lineStart bool // only spaces since the line began, so that # opens a directive
	tokens    []Token
}

func (s *scanner) rest() string { return s.f.Text[s.at:] }

func (s *scanner) next() (Token, error) {
	for s.at < len(s.f.Text) && isSpace(s.f.Text[s.at]) {
		if s.f.Text[s.at] == '\n' {
			s.lineStart = true
		}
		s.at++
	}
	rest := s.rest()
	if rest == "" {
		return Token{End, "", s.at}, nil
	}
	first := s.lineStart
	if !strings.HasPrefix(rest, "/*") { // a comment before # does not end the line's start
		s.lineStart = false
	}
	switch c := rest[0]; {
	case strings.HasPrefix(rest, "//"):
		return s.take(Comment, lineLength(rest)), nil
	case strings.HasPrefix(rest, "/*"):
		end := strings.Index(rest[2:], "*/")
		if end < 0 {
			return Token{}, s.f.Errorf(s.at, "comment without an end")
		}
		return s.take(Comment, end+4), nil
	case c == '#' && first:
		return s.take(Preproc, directiveLength(rest)), nil
	case isLetter(c):
		n := identLength(rest)
		if raw := rest[:n]; n < len(rest) && rest[n] == '"' && isStringPrefix(raw) {
			return s.literal(n)
		} else if n < len(rest) && rest[n] == '\'' && isStringPrefix(raw) && !strings.HasSuffix(raw, "R") {
			return s.literal(n)
		}
		return s.take(Ident, n), nil
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		return s.take(Number, numberLength(rest)), nil
	case c == '"' || c == '\'':
		return s.literal(0)
	default:
		n := 1
		for n < len(rest) && rest[n] >= 0x80 && c >= 0x80 { // a whole character beyond ASCII
			n++
		}
		return s.take(Punct, n), nil
	}
}

func (s *scanner) take(k Kind, n int) Token {
	t := Token{k, s.f.Text[s.at : s.at+n], s.at}
	s.at += n
	return t
}

// literal reads a string or character literal whose quote stands prefix bytes ahead.
func (s *scanner) literal(prefix int) (Token, error) {
	rest := s.rest()
	if prefix > 0 && rest[prefix-1] == 'R' {
		open := strings.IndexByte(rest[prefix:], '(')
		if open < 0 {
			return Token{}, s.f.Errorf(s.at, "raw string without an opening parenthesis")
		}
		closing := ")" + rest[prefix+1:prefix+open] + `"`
		end := strings.Index(rest[prefix+open:], closing)
		if end < 0 {
			return Token{}, s.f.Errorf(s.at, "raw string without an end")
		}
		return s.take(String, prefix+open+end+len(closing)), nil
	}
	quote := rest[prefix]
	for i := prefix + 1; i < len(rest) && rest[i] != '\n'; i++ {
		switch rest[i] {
		case '\\':
			i++
		case quote:
			return s.take(String, i+1), nil
		}
	}
	return Token{}, s.f.Errorf(s.at, "%c without its closing %c on the same line", quote, quote)
}

func isStringPrefix(s string) bool {
	switch s {
	case "R", "L", "u", "U", "u8", "LR", "uR", "UR", "u8R":
		return true
	}
	return false
}

// lineLength is the length of the line, continued ones included, without the newline.
func lineLength(s string) int {
	for i := range len(s) {
		if s[i] == '\n' && !strings.HasSuffix(strings.TrimRight(s[:i], "\r"), `\`) {
			return i
		}
	}
	return len(s)
}

// directiveLength is lineLength, but a comment that begins on the line may end on a later one, and
// one that begins with // is left to be a token of its own.
func directiveLength(s string) int {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\n' && !strings.HasSuffix(strings.TrimRight(s[:i], "\r"), `\`):
			return i
		case strings.HasPrefix(s[i:], "//"):
			return i
		case strings.HasPrefix(s[i:], "/*"):
			end := strings.Index(s[i+2:], "*/")
			if end < 0 {
				return len(s)
			}
			i += end + 3
		case s[i] == '"':
			if end := strings.IndexAny(s[i+1:], "\"\n"); end >= 0 && s[i+1+end] == '"' {
				i += end + 1
			}
		}
	}
	return len(s)
}

func identLength(s string) int {
	n := 0
	for n < len(s) && (isLetter(s[n]) || isDigit(s[n])) {
		n++
	}
	return n
}

// numberLength takes a number as the preprocessor does: digits, letters, dots, separators and signs
// behind an exponent.
func numberLength(s string) int {
	n := 1
	for n < len(s) {
		c := s[n]
		sign := (c == '+' || c == '-') && strings.IndexByte("eEpP", s[n-1]) >= 0
		separator := c == '\'' && n+1 < len(s) && (isLetter(s[n+1]) || isDigit(s[n+1]))
		if !isLetter(c) && !isDigit(c) && c != '.' && !sign && !separator {
			break
		}
		n++
	}
	return n
}

func isSpace(c byte) bool  { return strings.IndexByte(" \t\r\n\v\f", c) >= 0 }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
