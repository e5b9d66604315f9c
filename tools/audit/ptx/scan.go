package ptx

import (
	"fmt"
	"strings"
)

// statementKind says what a statement is.
type statementKind int

const (
	plain  statementKind = iota // a directive or an instruction
	header                      // the head of a function, up to its brace
	label
	open // a brace that opens a scope
	shut
	end // of the file
)

// statement is one statement, its spaces reduced to single ones.
type statement struct {
	kind        statementKind
	line        int
	text        string
	declaration bool // a header that ends with a semicolon
}

// scanner cuts a file into statements.
type scanner struct {
	text string
	at   int
	line int
}

// lineDirectives end with their line; all else ends with a semicolon or a brace.
var lineDirectives = map[string]bool{
	".version": true, ".target": true, ".address_size": true, ".file": true, ".loc": true, ".section": true,
}

// next returns the next statement.
func (s *scanner) next() (statement, error) {
	var b strings.Builder
	st := statement{line: s.line}
	braces, quoted := 0, false
	for s.at < len(s.text) {
		c := s.text[s.at]
		if !quoted && s.comment() {
			continue
		}
		if c == '"' {
			quoted = !quoted
		}
		s.at++
		switch {
		case c == '\n':
			s.line++
			if fields := strings.Fields(b.String()); len(fields) > 0 && lineDirectives[fields[0]] {
				st.text = strings.TrimSpace(b.String())
				if fields[0] == ".section" {
					s.skipSection(strings.Contains(st.text, "{"))
				}
				return st, nil
			}
			c = ' '
			fallthrough
		case c == ' ' || c == '\t' || c == '\r':
			if b.Len() > 0 && !strings.HasSuffix(b.String(), " ") {
				b.WriteByte(' ')
			}
			continue
		}
		if b.Len() == 0 {
			st.line = s.line
		}
		switch {
		case c == '{' && b.Len() == 0:
			st.kind = open
			return st, nil
		case c == '{' && braces == 0 && isHeader(b.String()):
			st.kind, st.text = header, strings.TrimSpace(b.String())
			return st, nil
		case c == '{':
			braces++
		case c == '}' && braces > 0:
			braces--
		case c == '}' && b.Len() == 0:
			st.kind = shut
			return st, nil
		case c == '}':
			return st, fmt.Errorf("ptx: line %d: %q ends with a brace", s.line, b.String())
		case c == ';' && braces == 0:
			st.text = strings.TrimSpace(b.String())
			if isHeader(b.String()) {
				st.kind, st.declaration = header, true
			}
			return st, nil
		case c == ':' && b.Len() > 0 && !strings.ContainsAny(strings.TrimSpace(b.String()), " ,.:([") && !s.doubled():
			st.kind, st.text = label, strings.TrimSpace(b.String())
			return st, nil
		}
		b.WriteByte(c)
	}
	if text := strings.TrimSpace(b.String()); text != "" {
		return st, fmt.Errorf("ptx: line %d: the file ends within %.80q", st.line, text)
	}
	st.kind = end
	return st, nil
}

// comment skips a comment, if one stands here.
func (s *scanner) comment() bool {
	rest := s.text[s.at:]
	switch {
	case strings.HasPrefix(rest, "//"):
		if n := strings.IndexByte(rest, '\n'); n >= 0 {
			s.at += n
		} else {
			s.at = len(s.text)
		}
	case strings.HasPrefix(rest, "/*"):
		n := strings.Index(rest, "*/")
		if n < 0 {
			n = len(rest) - 2
		}
		s.line += strings.Count(rest[:n+2], "\n")
		s.at += n + 2
	default:
		return false
	}
	return true
}

// doubled says whether another colon follows: "shared::cta" is no label.
func (s *scanner) doubled() bool { return s.at < len(s.text) && s.text[s.at] == ':' }

// skipSection passes over the data of a debugging section.
func (s *scanner) skipSection(opened bool) {
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		switch {
		case c == '\n':
			s.line++
		case c == '{':
			opened = true
		case c == '}' && opened:
			return
		}
	}
}

// isHeader says whether a statement that begins so is the head of a function.
func isHeader(text string) bool {
	if !strings.HasPrefix(text, ".") {
		return false
	}
	for _, field := range strings.Fields(text) {
		if field == ".entry" || field == ".func" {
			return true
		}
		if !strings.HasPrefix(field, ".") {
			return false
		}
	}
	return false
}
