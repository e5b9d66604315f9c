package mtx

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// SyntaxError is a line that breaks a rule of the format.
type SyntaxError struct {
	Line int    // counted from 1
	Text string // of the line, shortened if it is long
	Rule string // what is wrong with it, with both values
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("mtx: line %d: %s: %q", e.Line, e.Rule, e.Text)
}

// Limits bound what a file may make Read hold. A zero field stands for the
// default.
type Limits struct {
	Entries int // entries that are stored; by default 2^31-1
	Line    int // bytes of a line; by default 64 KiB
}

const (
	defaultEntries = math.MaxInt32
	defaultLine    = 64 << 10
	shownText      = 80 // bytes of a line that an error shows
)

// ReadFile reads the file of that name, packed by gzip or not.
func ReadFile(name string) (*COO, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("mtx: %w", err)
	}
	defer f.Close()
	m, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// Read reads a matrix within the default Limits. What begins as gzip does is
// unpacked first. A line that breaks the format is a *SyntaxError.
func Read(r io.Reader) (*COO, error) { return ReadLimited(r, Limits{}) }

// ReadLimited reads a matrix within the given limits.
func ReadLimited(r io.Reader, limits Limits) (*COO, error) {
	if limits.Entries <= 0 {
		limits.Entries = defaultEntries
	}
	if limits.Line <= 0 {
		limits.Line = defaultLine
	}
	in := bufio.NewReaderSize(r, limits.Line)
	if magic, err := in.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("mtx: gzip: %w", err)
		}
		in = bufio.NewReaderSize(z, limits.Line)
	}
	p := &parser{in: in, limits: limits, m: &COO{}}
	if err := p.header(); err != nil {
		return nil, err
	}
	nnz, err := p.sizes()
	if err != nil {
		return nil, err
	}
	if err := p.entries(nnz); err != nil {
		return nil, err
	}
	return p.m, nil
}

type parser struct {
	in     *bufio.Reader
	limits Limits
	m      *COO
	number int    // of the current line
	line   []byte // without its end
}

func (p *parser) errorf(rule string, args ...any) error {
	text := p.line
	if len(text) > shownText {
		text = text[:shownText]
	}
	return &SyntaxError{p.number, string(text), fmt.Sprintf(rule, args...)}
}

// read gets the next line; the error is io.EOF if there is none.
func (p *parser) read() error {
	p.number++
	line, err := p.in.ReadSlice('\n')
	p.line = bytes.TrimRight(line, "\r\n")
	switch {
	case errors.Is(err, bufio.ErrBufferFull), len(p.line) > p.limits.Line:
		return p.errorf("the line is longer than %d bytes", p.limits.Line)
	case err == io.EOF && len(line) > 0: // the last line needs no end
		return nil
	case err == io.EOF:
		return io.EOF
	case err != nil:
		return fmt.Errorf("mtx: line %d: %w", p.number, err)
	}
	return nil
}

// next gets the next line that is neither blank nor a comment.
func (p *parser) next() error {
	for {
		if err := p.read(); err != nil {
			return err
		}
		if line := bytes.TrimLeft(p.line, " \t"); len(line) > 0 && line[0] != '%' {
			return nil
		}
	}
}

// header reads "%%MatrixMarket matrix coordinate FIELD SYMMETRY".
func (p *parser) header() error {
	if err := p.read(); err == io.EOF {
		return p.errorf("the file is empty, want %%%%MatrixMarket")
	} else if err != nil {
		return err
	}
	words := strings.Fields(strings.ToLower(string(p.line)))
	if len(words) == 0 || words[0] != "%%matrixmarket" {
		return p.errorf("the file does not begin with %%%%MatrixMarket")
	}
	if len(words) != 5 {
		return p.errorf("the header has %d words, want 5: %%%%MatrixMarket matrix coordinate FIELD SYMMETRY", len(words))
	}
	if words[1] != "matrix" {
		return p.errorf("the object is %q, want matrix", words[1])
	}
	if words[2] == "array" {
		return p.errorf("the format is array, a dense matrix; only coordinate, a sparse one, is read")
	}
	if words[2] != "coordinate" {
		return p.errorf("the format is %q, want coordinate", words[2])
	}
	if words[3] == "complex" || words[4] == "hermitian" {
		return p.errorf("the matrix is %s; only real numbers are read", strings.Join(words[3:], " "))
	}
	field := slices.Index(fields, words[3])
	if words[3] == "double" { // an old name of real
		field = int(Real)
	}
	if field < 0 {
		return p.errorf("the field is %q, want real, integer or pattern", words[3])
	}
	symmetry := slices.Index(symmetries, words[4])
	if symmetry < 0 {
		return p.errorf("the symmetry is %q, want general, symmetric or skew-symmetric", words[4])
	}
	p.m.Field, p.m.Symmetry = Field(field), Symmetry(symmetry)
	if rule := p.m.checkShape(); rule != "" {
		return p.errorf("%s", rule)
	}
	return nil
}

// sizes reads "ROWS COLUMNS ENTRIES" and returns the last.
func (p *parser) sizes() (int64, error) {
	if err := p.next(); err == io.EOF {
		return 0, p.errorf("the file ends before the sizes")
	} else if err != nil {
		return 0, err
	}
	rest := p.line
	var n [3]int64
	for i, what := range []string{"rows", "columns", "entries"} {
		var word []byte
		word, rest = cut(rest)
		var ok bool
		if n[i], ok = whole(word); !ok {
			return 0, p.errorf("the number of %s is %q, want a whole number", what, word)
		}
	}
	if word, _ := cut(rest); len(word) > 0 {
		return 0, p.errorf("%q follows the three sizes", word)
	}
	if n[0] > MaxDim || n[1] > MaxDim {
		return 0, p.errorf("the matrix is %d x %d; a side has at most %d", n[0], n[1], MaxDim)
	}
	p.m.Rows, p.m.Cols = int(n[0]), int(n[1])
	if rule := p.m.checkShape(); rule != "" {
		return 0, p.errorf("%s", rule)
	}
	if n[2] > int64(p.limits.Entries) {
		return 0, p.errorf("there are %d entries; the limit is %d", n[2], p.limits.Entries)
	}
	return n[2], nil
}

// entries reads nnz lines. The lists grow as lines come, since nnz is only a claim.
func (p *parser) entries(nnz int64) error {
	m := p.m
	if m.Field != Pattern {
		m.Value = []float64{}
	}
	for {
		err := p.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if int64(len(m.Row)) == nnz {
			return p.errorf("there are more than the %d entries that the sizes name", nnz)
		}
		if err := p.entry(); err != nil {
			return err
		}
	}
	if int64(len(m.Row)) < nnz {
		p.line = nil
		return p.errorf("the file ends after %d of %d entries", len(m.Row), nnz)
	}
	return nil
}

// entry reads "ROW COLUMN VALUE", of a pattern without the value.
func (p *parser) entry() error {
	m := p.m
	first, rest := cut(p.line)
	second, rest := cut(rest)
	row, ok := whole(first)
	if !ok {
		return p.errorf("row %q is no whole number", first)
	}
	col, ok := whole(second)
	if !ok {
		return p.errorf("column %q is no whole number", second)
	}
	if rule := m.checkIndex(row, col); rule != "" {
		return p.errorf("%s", rule)
	}
	if m.Field != Pattern {
		var word []byte
		word, rest = cut(rest)
		v, rule := m.Field.parse(word)
		if rule != "" {
			return p.errorf("%s", rule)
		}
		m.Value = append(m.Value, v)
	}
	if word, _ := cut(rest); len(word) > 0 {
		return p.errorf("%q follows the entry of a %v matrix", word, m.Field)
	}
	m.Row, m.Col = append(m.Row, int32(row-1)), append(m.Col, int32(col-1))
	return nil
}

// parse reads a value, or returns the rule that it breaks.
func (f Field) parse(word []byte) (float64, string) {
	if len(word) == 0 {
		return 0, "the value is missing"
	}
	if f == Integer {
		n, err := strconv.ParseInt(string(word), 10, 64)
		if err != nil {
			return 0, fmt.Sprintf("value %q is no whole number of 64 bits", word)
		}
		v := float64(n)
		if math.Abs(v) > 1<<62 || int64(v) != n {
			return 0, fmt.Sprintf("value %q has no exact float64 of at most 2^62", word)
		}
		return v, ""
	}
	v, err := strconv.ParseFloat(string(word), 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Sprintf("value %q is too large for a float64", word)
	case err != nil || bytes.IndexByte(word, '_') >= 0: // Go's own notation, not the format's
		return 0, fmt.Sprintf("value %q is no number", word)
	}
	return v, ""
}

// cut returns the first word of a line and what follows it.
func cut(line []byte) (word, rest []byte) {
	i := 0
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	start := i
	for i < len(line) && line[i] != ' ' && line[i] != '\t' {
		i++
	}
	return line[start:i], line[i:]
}

// whole reads a whole number of at most 18 digits, which cannot wrap.
func whole(word []byte) (int64, bool) {
	if len(word) == 0 || len(word) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range word {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, true
}
