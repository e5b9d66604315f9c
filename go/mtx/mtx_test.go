package mtx

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		what, text string
		want       COO
	}{
		{"a real matrix", "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1.5\n2 3 -2e3\n1 2 +.25\n",
			COO{2, 3, Real, General, []int32{0, 1, 0}, []int32{0, 2, 1}, []float64{1.5, -2000, 0.25}}},
		{"integers", "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 7\n2 2 -9007199254740992\n",
			COO{2, 2, Integer, General, []int32{0, 1}, []int32{0, 1}, []float64{7, -1 << 53}}},
		{"a pattern", "%%MatrixMarket matrix coordinate pattern general\n1 2 1\n1 2\n",
			COO{1, 2, Pattern, General, []int32{0}, []int32{1}, nil}},
		{"a symmetric matrix", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 1 3\n",
			COO{2, 2, Real, Symmetric, []int32{0, 1}, []int32{0, 0}, []float64{1, 3}}},
		{"a skew-symmetric matrix", "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 3\n",
			COO{2, 2, Integer, SkewSymmetric, []int32{1}, []int32{0}, []float64{3}}},
		{"comments, blank lines, tabs, CRLF, capitals, no end of the last line",
			"%%matrixmarket MATRIX Coordinate Real General\r\n% comment\r\n%\r\n\r\n \t\r\n\t2  2\t1 \r\n% more\r\n\r\n 2\t1  4 ",
			COO{2, 2, Real, General, []int32{1}, []int32{0}, []float64{4}}},
		{"nothing in it", "%%MatrixMarket matrix coordinate real general\n0 0 0\n",
			COO{0, 0, Real, General, nil, nil, []float64{}}},
		{"no entries", "%%MatrixMarket matrix coordinate pattern symmetric\n2147483647 2147483647 0\n\n\n",
			COO{math.MaxInt32, math.MaxInt32, Pattern, Symmetric, nil, nil, nil}},
		{"an entry twice", "%%MatrixMarket matrix coordinate double general\n1 1 2\n1 1 1\n1 1 2\n",
			COO{1, 1, Real, General, []int32{0, 0}, []int32{0, 0}, []float64{1, 2}}},
		{"infinities", "%%MatrixMarket matrix coordinate real general\n1 1 2\n1 1 inf\n1 1 -Inf\n",
			COO{1, 1, Real, General, []int32{0, 0}, []int32{0, 0}, []float64{math.Inf(1), math.Inf(-1)}}},
	} {
		for _, packed := range []bool{false, true} {
			text := c.text
			if packed {
				text = pack(text)
			}
			got, err := Read(strings.NewReader(text))
			if err != nil || !reflect.DeepEqual(got, &c.want) {
				t.Errorf("%s, packed %v: %v\ngot  %+v\nwant %+v", c.what, packed, err, got, c.want)
			}
		}
	}
}

func pack(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.String()
}

func TestSyntaxErrors(t *testing.T) {
	const real = "%%MatrixMarket matrix coordinate real general\n"
	const symmetric = "%%MatrixMarket matrix coordinate real symmetric\n"
	for _, c := range []struct {
		text string
		line int
		rule string
	}{
		{"", 1, "the file is empty"},
		{"\n", 1, "does not begin with %%MatrixMarket"},
		{"hello\n", 1, "does not begin with %%MatrixMarket"},
		{"%%MatrixMarket matrix coordinate real\n", 1, "the header has 4 words, want 5"},
		{"%%MatrixMarket tensor coordinate real general\n", 1, `the object is "tensor", want matrix`},
		{"%%MatrixMarket matrix array real general\n", 1, "the format is array, a dense matrix"},
		{"%%MatrixMarket matrix csr real general\n", 1, `the format is "csr", want coordinate`},
		{"%%MatrixMarket matrix coordinate complex general\n", 1, "the matrix is complex general; only real numbers"},
		{"%%MatrixMarket matrix coordinate complex hermitian\n", 1, "the matrix is complex hermitian; only real numbers"},
		{"%%MatrixMarket matrix coordinate float general\n", 1, `the field is "float", want real, integer or pattern`},
		{"%%MatrixMarket matrix coordinate real lower\n", 1, `the symmetry is "lower"`},
		{"%%MatrixMarket matrix coordinate pattern skew-symmetric\n", 1, "a pattern cannot be skew-symmetric"},
		{real, 2, "the file ends before the sizes"},
		{real + "% 1 1 1\n\n", 4, "the file ends before the sizes"},
		{real + "2 2\n", 2, `the number of entries is "", want a whole number`},
		{real + "2 x 1\n", 2, `the number of columns is "x"`},
		{real + "-2 2 1\n", 2, `the number of rows is "-2"`},
		{real + "2 2 1.0\n", 2, `the number of entries is "1.0"`},
		{real + "2 2 1 0\n", 2, `"0" follows the three sizes`},
		{real + "2147483648 2 1\n", 2, "the matrix is 2147483648 x 2; a side has at most 2147483647"},
		{real + "9999999999999999999 2 1\n", 2, `the number of rows is "9999999999999999999"`},
		{real + "2 2 2147483648\n", 2, "there are 2147483648 entries; the limit is 2147483647"},
		{symmetric + "2 3 1\n", 2, "the matrix is symmetric and 2 x 3; it must be square"},
		{real + "2 2 1\n", 3, "the file ends after 0 of 1 entries"},
		{real + "2 2 2\n1 1 1\n", 4, "the file ends after 1 of 2 entries"},
		{real + "2 2 1\n1 1 1\n2 2 2\n", 4, "more than the 1 entries"},
		{real + "2 2 1\n3 1 1\n", 3, "row 3 is not within 1 to 2"},
		{real + "2 2 1\n0 1 1\n", 3, "row 0 is not within 1 to 2"},
		{real + "2 2 1\n1 3 1\n", 3, "column 3 is not within 1 to 2"},
		{real + "2 2 1\n1 0 1\n", 3, "column 0 is not within 1 to 2"},
		{real + "2 2 1\nx 1 1\n", 3, `row "x" is no whole number`},
		{real + "2 2 1\n1 1.5 1\n", 3, `column "1.5" is no whole number`},
		{real + "2 2 1\n1\n", 3, `column "" is no whole number`},
		{real + "2 2 1\n1 1\n", 3, "the value is missing"},
		{real + "2 2 1\n1 1 one\n", 3, `value "one" is no number`},
		{real + "2 2 1\n1 1 1.0D3\n", 3, `value "1.0D3" is no number`},
		{real + "2 2 1\n1 1 0x_1p-2\n", 3, `value "0x_1p-2" is no number`},
		{real + "2 2 1\n1 1 1e999\n", 3, `value "1e999" is too large`},
		{real + "2 2 1\n1 1 1 0\n", 3, `"0" follows the entry of a real matrix`},
		{real + "2 2 1\n\n%\n1 1 ?\n", 5, `value "?" is no number`},
		{"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n", 3, `value "1.5" is no whole number`},
		{"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 9007199254740993\n", 3, "has no exact float64"},
		{"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 99999999999999999999\n", 3, "is no whole number of 64 bits"},
		{"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 9223372036854775807\n", 3, "has no exact float64"},
		{"%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n", 3, `"1" follows the entry of a pattern matrix`},
		{symmetric + "2 2 1\n1 2 1\n", 3, "row 1 is above column 2; a symmetric file holds the lower triangle"},
		{"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1\n", 3, "row and column are both 2"},
		{real + "%" + strings.Repeat("x", 1<<16) + "\n", 2, "the line is longer than 65536 bytes"},
	} {
		m, err := Read(strings.NewReader(c.text))
		var s *SyntaxError
		if !errors.As(err, &s) || m != nil {
			t.Errorf("%.60q: got %v, %v", c.text, m, err)
			continue
		}
		if s.Line != c.line || !strings.Contains(s.Rule, c.rule) {
			t.Errorf("%.60q: got line %d: %s\nwant line %d: %s", c.text, s.Line, s.Rule, c.line, c.rule)
		}
		if len(s.Text) > shownText || !strings.Contains(c.text, s.Text) {
			t.Errorf("%.60q: the error quotes %q", c.text, s.Text)
		}
	}
	const want = `mtx: line 3: row 3 is not within 1 to 2: "3 1 1"`
	if _, err := Read(strings.NewReader(real + "2 2 1\n3 1 1\n")); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestLimits(t *testing.T) {
	text := "%%MatrixMarket matrix coordinate pattern general\n9 9 3\n1 1\n2 2\n3 3\n"
	if _, err := ReadLimited(strings.NewReader(text), Limits{Entries: 3, Line: 64}); err != nil {
		t.Error(err)
	}
	if _, err := ReadLimited(strings.NewReader(text), Limits{Entries: 2}); err == nil || !strings.Contains(err.Error(), "there are 3 entries; the limit is 2") {
		t.Errorf("3 entries pass a limit of 2: %v", err)
	}
	if _, err := ReadLimited(strings.NewReader(text), Limits{Line: 40}); err == nil || !strings.Contains(err.Error(), "line 1: the line is longer than 40 bytes") {
		t.Errorf("a long line passes a limit of 40: %v", err)
	}
}

// TestClaims has sizes that no file of this length can have: they are refused
// after what is there, not allocated.
func TestClaims(t *testing.T) {
	text := "%%MatrixMarket matrix coordinate real general\n2147483647 2147483647 2147483647\n1 1 1\n"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Read(strings.NewReader(text))
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "the file ends after 1 of 2147483647 entries") {
		t.Errorf("got %v", err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<18 {
		t.Errorf("%d bytes are allocated for a file of %d", n, len(text))
	}
}

func TestBrokenStreams(t *testing.T) {
	text := "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n"
	broken := errors.New("broken")
	if _, err := Read(io.MultiReader(strings.NewReader(text[:50]), iotest.ErrReader(broken))); !errors.Is(err, broken) || !strings.Contains(err.Error(), "mtx: line 2") {
		t.Errorf("a reader that fails gives %v", err)
	}
	packed := pack(text)
	if _, err := Read(strings.NewReader(packed[:len(packed)-12])); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("gzip that is cut gives %v", err)
	}
	if _, err := Read(strings.NewReader(packed[:5])); err == nil || !strings.Contains(err.Error(), "gzip") {
		t.Errorf("a gzip header that is cut gives %v", err)
	}
	if _, err := Read(strings.NewReader(packed[:len(packed)-8] + "\x00\x00\x00\x00\x00\x00\x00\x00")); !errors.Is(err, gzip.ErrChecksum) {
		t.Errorf("gzip with a wrong sum gives %v", err)
	}
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none.mtx")); err == nil || !strings.HasPrefix(err.Error(), "mtx: open") {
		t.Errorf("a missing file gives %v", err)
	}
}

func TestGeneral(t *testing.T) {
	m := &COO{3, 3, Integer, Symmetric, []int32{0, 2, 1}, []int32{0, 0, 1}, []float64{1, 5, 2}}
	want := &COO{3, 3, Integer, General, []int32{0, 2, 0, 1}, []int32{0, 0, 2, 1}, []float64{1, 5, 5, 2}}
	if got := m.General(); !reflect.DeepEqual(got, want) {
		t.Errorf("symmetric: %+v", got)
	}
	m = &COO{3, 3, Real, SkewSymmetric, []int32{2}, []int32{0}, []float64{5}}
	want = &COO{3, 3, Real, General, []int32{2, 0}, []int32{0, 2}, []float64{5, -5}}
	if got := m.General(); !reflect.DeepEqual(got, want) {
		t.Errorf("skew-symmetric: %+v", got)
	}
	m = &COO{3, 3, Pattern, Symmetric, []int32{2}, []int32{1}, nil}
	want = &COO{3, 3, Pattern, General, []int32{2, 1}, []int32{1, 2}, nil}
	if got := m.General(); !reflect.DeepEqual(got, want) {
		t.Errorf("pattern: %+v", got)
	}
	if got := want.General(); got != want {
		t.Error("a general matrix is copied")
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		m    COO
		rule string
	}{
		{COO{Rows: -1}, "the matrix is -1 x 0"},
		{COO{Field: 3}, "field 3 is none"},
		{COO{Symmetry: 3}, "symmetry 3 is none"},
		{COO{Field: Pattern, Value: []float64{}}, "a pattern has no values"},
		{COO{Rows: 1, Cols: 1, Row: []int32{0}, Col: []int32{0}}, "1 row indices, 1 column indices and 0 values"},
		{COO{Rows: 1, Cols: 1, Row: []int32{0}, Value: []float64{1}}, "1 row indices, 0 column indices and 1 values"},
		{COO{Rows: 1, Cols: 1, Row: []int32{1}, Col: []int32{0}, Value: []float64{1}}, "entry 0: row 2 is not within 1 to 1"},
		{COO{Rows: 1, Cols: 1, Row: []int32{0}, Col: []int32{-1}, Value: []float64{1}}, "entry 0: column 0 is not within 1 to 1"},
		{COO{Rows: 1, Cols: 1, Field: Integer, Row: []int32{0}, Col: []int32{0}, Value: []float64{0.5}}, "entry 0: 0.5 is no whole number"},
		{COO{Rows: 1, Cols: 1, Field: Integer, Row: []int32{0}, Col: []int32{0}, Value: []float64{math.NaN()}}, "entry 0: NaN is no whole number"},
		{COO{Rows: 1, Cols: 1, Field: Integer, Row: []int32{0}, Col: []int32{0}, Value: []float64{1e19}}, "entry 0: 1e+19 is no whole number"},
	} {
		var b bytes.Buffer
		if err := Write(&b, &c.m); err == nil || !strings.Contains(err.Error(), c.rule) || b.Len() > 0 {
			t.Errorf("%+v: %v, want %q", c.m, err, c.rule)
		}
	}
}

// random makes a matrix with values of all magnitudes.
func random(rng *rand.Rand, field Field, symmetry Symmetry) *COO {
	m := &COO{Rows: 1 + rng.IntN(50), Field: field, Symmetry: symmetry}
	m.Cols = m.Rows
	if symmetry == General {
		m.Cols = 1 + rng.IntN(50)
	}
	if field != Pattern {
		m.Value = []float64{}
	}
	for range rng.IntN(200) {
		r, c := rng.Int32N(int32(m.Rows)), rng.Int32N(int32(m.Cols))
		if symmetry != General && r < c {
			r, c = c, r
		}
		if symmetry == SkewSymmetric && r == c {
			continue
		}
		m.Row, m.Col = append(m.Row, r), append(m.Col, c)
		switch field {
		case Real:
			v := math.Float64frombits(rng.Uint64())
			if math.IsNaN(v) {
				v = math.NaN()
			}
			m.Value = append(m.Value, v)
		case Integer:
			m.Value = append(m.Value, float64(rng.Int64()>>(1+rng.IntN(63))))
		}
	}
	return m
}

func same(a, b *COO) bool {
	if len(a.Value) != len(b.Value) {
		return false
	}
	for i := range a.Value {
		if math.Float64bits(a.Value[i]) != math.Float64bits(b.Value[i]) {
			return false
		}
	}
	return a.Rows == b.Rows && a.Cols == b.Cols && a.Field == b.Field && a.Symmetry == b.Symmetry &&
		fmt.Sprint(a.Row, a.Col) == fmt.Sprint(b.Row, b.Col)
}

func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	dir := t.TempDir()
	for field := Real; field <= Pattern; field++ {
		for symmetry := General; symmetry <= SkewSymmetric; symmetry++ {
			if field == Pattern && symmetry == SkewSymmetric {
				continue
			}
			for i := range 20 {
				m := random(rng, field, symmetry)
				name := filepath.Join(dir, []string{"a.mtx", "a.mtx.gz"}[i%2])
				if err := WriteFile(name, m, "made by a test", "in two\nlines"); err != nil {
					t.Fatal(err)
				}
				got, err := ReadFile(name)
				if err != nil || !same(got, m) {
					t.Fatalf("%v %v: %v\ngot  %+v\nwant %+v", field, symmetry, err, got, m)
				}
			}
		}
	}
	if err := WriteFile(filepath.Join(dir, "none", "a.mtx"), &COO{}); err == nil || !strings.HasPrefix(err.Error(), "mtx: open") {
		t.Errorf("writing into a missing folder: %v", err)
	}
}

func TestWrite(t *testing.T) {
	var b strings.Builder
	m := &COO{2, 2, Real, Symmetric, []int32{0, 1}, []int32{0, 0}, []float64{0.1, -3}}
	if err := Write(&b, m, "two entries", "", "a\r\nb"); err != nil {
		t.Fatal(err)
	}
	const want = "%%MatrixMarket matrix coordinate real symmetric\n% two entries\n% a\n% b\n2 2 2\n1 1 0.1\n2 1 -3\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	broken := errors.New("broken")
	if err := Write(failing{broken}, m); !errors.Is(err, broken) {
		t.Errorf("a writer that fails gives %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func BenchmarkRead(b *testing.B) {
	var text bytes.Buffer
	rng := rand.New(rand.NewPCG(1, 1))
	fmt.Fprintf(&text, "%%%%MatrixMarket matrix coordinate real general\n100000 100000 100000\n")
	for range 100000 {
		fmt.Fprintf(&text, "%d %d %v\n", 1+rng.IntN(100000), 1+rng.IntN(100000), rng.Float32())
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := Read(bytes.NewReader(text.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
}
