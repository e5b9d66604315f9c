package contract

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		text   string
		column int
		msg    string
	}{
		{"", 1, "found the end"},
		{"M +", 4, "found the end"},
		{"M N", 3, "expected the end of the expression, found N"},
		{"(M", 3, "expected ), found the end"},
		{"M)", 2, `found ')'`},
		{"2x", 1, "2x is no decimal number"},
		{"0x10", 1, "0x10 is no decimal number"},
		{"007", 1, "007 is no decimal number"},
		{"1 + 18446744073709551616", 5, "is no decimal number from 0 to 2^64-1"},
		{"-1", 1, `found '-'`},
		{"M ** 2", 4, `found '*'`},
		{"1.5", 2, `found '.'`},
		{"3 + floor(M)", 5, "no function floor (cdiv, min, max, align, len and sizeof are)"},
		{"min(M)", 6, "min takes two arguments"},
		{"min(M, N, K)", 9, "expected ), found"},
		{"align(M, N)", 10, "align takes a number above 0"},
		{"align(M, 0)", 10, "align takes a number above 0"},
		{"len(3)", 5, "len takes the name of a parameter, found 3"},
		{"len(x + 1)", 7, "expected ), found"},
		{"rows.3", 6, "expected a name after rows., found 3"},
		{"M >= N", 3, "expected the end of the expression"},
		{"M + é", 5, `found 'é'`},
		{strings.Repeat("(", 200) + "M", 101, "nested more than 100 deep"},
		{strings.Repeat("min(", 200) + "M", 401, "nested more than 100 deep"},
		{strings.Repeat("1 + ", 200) + "M", 403, "more than 100 operators"},
	} {
		_, err := Parse(c.text)
		checkError(t, c.text, err, c.column, c.msg)
	}
}

func TestParseRelationErrors(t *testing.T) {
	for _, c := range []struct {
		text   string
		column int
		msg    string
	}{
		{"M", 2, "found the end"},
		{"M + 1", 6, "a relation compares two expressions"},
		{"M = N", 3, `found '='`},
		{"M >= ", 6, "found the end"},
		{"1 <= M <= N", 8, "one comparison; write two relations"},
		{"M >= N && K", 8, "expected the end of the relation"},
		{">= N", 1, "expected a number, a name"},
	} {
		_, err := ParseRelation(c.text)
		checkError(t, c.text, err, c.column, c.msg)
	}
}

func checkError(t *testing.T, text string, err error, column int, msg string) {
	t.Helper()
	var pe *ParseError
	if !errors.As(err, &pe) {
		t.Errorf("%q: got %v, want a ParseError", text, err)
		return
	}
	if pe.Column() != column || !strings.Contains(pe.Msg, msg) {
		t.Errorf("%q: got column %d, %q; want column %d, %q", text, pe.Column(), pe.Msg, column, msg)
	}
}

func TestCaret(t *testing.T) {
	_, err := Parse("min(M,\tfloor(K))")
	want := "column 8: no function floor (cdiv, min, max, align, len and sizeof are)\n" +
		"  min(M, floor(K))\n" +
		"         ^"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestRelation(t *testing.T) {
	env := Env{"a": 3, "b": 5, "z": 0}
	for _, c := range []struct {
		text  string
		holds bool
	}{
		{"a >= b", false}, {"b >= a", true}, {"a >= a", true},
		{"a > a", false}, {"b > a", true},
		{"a <= b", true}, {"b <= a", false}, {"a <= a", true},
		{"a < a", false}, {"a < b", true},
		{"a == a", true}, {"a == b", false},
		{"a != b", true}, {"a != a", false},
	} {
		r, err := ParseRelation(c.text)
		if err != nil {
			t.Fatal(err)
		}
		v := r.Check(env)
		if (v == nil) != c.holds {
			t.Errorf("%s: got %v", c.text, v)
		}
		if v != nil && (v.Left != env[c.text[:1]] || v.Right != env[c.text[len(c.text)-1:]] || v.Relation != c.text || v.Err != nil) {
			t.Errorf("%s: got %+v", c.text, v)
		}
	}
	for text, cause := range map[string]error{
		"a - b >= 0":                         ErrNegative,
		"a >= b / z":                         ErrZero,
		"a * 18446744073709551615 >= 1":      ErrOverflow,
		"a < align(18446744073709551615, 2)": ErrOverflow,
	} {
		r, err := ParseRelation(text)
		if err != nil {
			t.Fatal(err)
		}
		v := r.Check(env)
		if v == nil || !errors.Is(v, cause) || !errors.Is(v, ErrContract) {
			t.Errorf("%s: got %v, want %v", text, v, cause)
		}
	}
}

func TestViolationText(t *testing.T) {
	r, err := ParseRelation("len(x) >= M * K")
	if err != nil {
		t.Fatal(err)
	}
	v := r.Check(Env{"len(x)": 8192, "M": 128, "K": 128})
	v.Kernel = "gemm"
	if want := "gemm: requires len(x) >= M * K: left side is 8192, right side is 16384"; v.Error() != want {
		t.Errorf("got %s", v)
	}
	v = r.Check(Env{"len(x)": 8192, "M": 1 << 32, "K": 1 << 32})
	v.Kernel = "gemm"
	if want := "gemm: requires len(x) >= M * K: M * K with 4294967296 and 4294967296: the result is above 2^64-1"; v.Error() != want {
		t.Errorf("got %s", v)
	}
}

func TestLengths(t *testing.T) {
	for _, c := range []struct {
		l          Lengths
		have, want uint64
		hold       bool
	}{
		{AtLeast, 3, 3, true}, {AtLeast, 4, 3, true}, {AtLeast, 2, 3, false},
		{Exact, 3, 3, true}, {Exact, 4, 3, false}, {Exact, 2, 3, false},
	} {
		if got := c.l.Hold(c.have, c.want); got != c.hold {
			t.Errorf("%d %s %d: got %v", c.have, c.l, c.want, got)
		}
	}
}

func TestFindName(t *testing.T) {
	const text = "MM + min( M , len( x )) >= rows . N * M"
	for name, want := range map[string]int{"MM": 0, "M": 10, "len(x)": 14, "rows.N": 27, "N": -1, "x": -1, "min": -1} {
		if got := FindName(text, name); got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
}

var seeds = []string{
	"min(cdiv(M, block / S), 32 * sms)", "len(x) >= M * K + 1", "align(block / 32 * sizeof(partial), 16)",
	"cols.N == rows.N", "K + 1024 <= 2147483647", "((((1))))", "a - (b - c) % 7 != 0",
}

// robust is what holds of any text: no panic, an error that points into the text, and a canonical
// form that reads back as itself.
func robust(t *testing.T, text string) {
	if at := FindName(text, "M"); at >= len(text) || at >= 0 && text[at] != 'M' {
		t.Fatalf("%q: M at %d", text, at)
	}
	e, err := Parse(text)
	if err != nil {
		var pe *ParseError
		if !errors.As(err, &pe) || pe.Offset < 0 || pe.Offset > len(text) {
			t.Fatalf("%q: %#v", text, err)
		}
		_ = pe.Error()
	} else if back, err := Parse(e.String()); err != nil || back.String() != e.String() {
		t.Fatalf("%q prints as %q, which reads as %v, %v", text, e, back, err)
	}
	r, err := ParseRelation(text)
	if err != nil {
		_ = err.Error()
		return
	}
	if back, err := ParseRelation(r.String()); err != nil || back.String() != r.String() {
		t.Fatalf("%q prints as %q, which reads as %v, %v", text, r, back, err)
	}
	r.Check(Env{"M": 3, "x": 1 << 63})
}

func TestMutations(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const alphabet = "MKx09 +-*/%()<>=!,._\n\x00\xff"
	for range 50_000 {
		b := []byte(seeds[r.IntN(len(seeds))])
		for range 1 + r.IntN(4) {
			i := r.IntN(len(b) + 1)
			c := alphabet[r.IntN(len(alphabet))]
			switch {
			case r.IntN(3) == 0 && i < len(b):
				b[i] = c
			case r.IntN(2) == 0 && i < len(b):
				b = append(b[:i], b[i+1:]...)
			default:
				b = append(b[:i], append([]byte{c}, b[i:]...)...)
			}
		}
		robust(t, string(b))
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(robust)
}

func BenchmarkChecked(b *testing.B) {
	b.ReportAllocs()
	m, k := uint64(4096), uint64(1000)
	for b.Loop() {
		var c Checked
		if n := c.Add(c.Mul(m, k), 1024); !c.OK() || n == 0 {
			b.Fatal(n)
		}
	}
}
