package contract

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
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
		{"1 + divides(2, M)", 5, "divides(...) is a relation by itself, no part of an expression"},
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
		{"divides(16)", 11, "divides takes two arguments; expected a comma, found ')'"},
		{"divides(16, M, N)", 14, "expected ), found ','"},
		{"divides(16, M) == 1", 16, "divides(...) is a relation by itself and is compared with nothing"},
		{"divides(16, M) && fits32(M)", 16, "expected the end of the relation, found '&'"},
		{"1 == divides(16, M)", 6, "divides(...) is a relation by itself, no part of an expression"},
		{"fits32(M, N)", 9, "expected ), found ','"},
		{"fits32()", 8, "expected a number, a name, a function or (, found ')'"},
		{"fits32(fits32(M))", 8, "fits32(...) is a relation by itself, no part of an expression"},
		{"aligned(16, x)", 9, "aligned takes the name of a buffer, found 16"},
		{"aligned(x)", 10, "aligned takes two arguments"},
		{"aligned(x, 0)", 12, "aligned takes a number of bytes above 0"},
		{"align(x, 16)", 13, "a relation compares two expressions"},
		{"disjoint(x, 3)", 13, "disjoint takes the name of a buffer, found 3"},
		{"disjoint(x + 1, y)", 12, "disjoint takes two arguments; expected a comma, found '+'"},
		{"disjoint(x, y", 14, "expected ), found the end"},
		{"fits32(" + strings.Repeat("(", 200) + "M", 107, "nested more than 100 deep"},
		{"divides >= 3 + fits32", 22, ""},
	} {
		_, err := ParseRelation(c.text)
		checkError(t, c.text, err, c.column, c.msg)
	}
}

func checkError(t *testing.T, text string, err error, column int, msg string) {
	t.Helper()
	if msg == "" { // a text that is fine, next to those that are not
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		return
	}
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
	env := Env{"a": 3, "b": 5, "z": 0, "addr(x)": 16, "len(x)": 2, "sizeof(x)": 4, "addr(y)": 8, "len(y)": 1 << 62, "sizeof(y)": 4}
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
		"divides(a, a - b)":                  ErrNegative,
		"fits32(cdiv(a, z))":                 ErrZero,
		"aligned(x, b % z)":                  ErrZero,
		"disjoint(x, y)":                     ErrOverflow,
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

// The verdicts of predicates, word for word.
func TestPredicates(t *testing.T) {
	env := Env{
		"T": 16, "N": 100, "z": 0, "big": 1 << 31, "last": 1<<31 - 1,
		"addr(x)": 0x1000, "len(x)": 8, "sizeof(x)": 4,
		"addr(y)": 0x1020, "len(y)": 8, "sizeof(y)": 4,
		"addr(w)": 0x101c, "len(w)": 2, "sizeof(w)": 4,
		"addr(none)": 0x1010, "len(none)": 0, "sizeof(none)": 4,
	}
	for _, c := range []struct{ text, says string }{
		{"divides(T, N)", "16 does not divide 100"},
		{"divides(T, N - 4)", ""},
		{"divides(N, T)", "100 does not divide 16"},
		{"divides(T, z)", ""}, // 0 is a multiple of everything
		{"divides(z, T)", "0 divides nothing, and the right side is 16"},
		{"divides(z, z)", "0 divides nothing, and the right side is 0"},
		{"divides(1, N)", ""},
		{"fits32(last)", ""},
		{"fits32(big)", "2147483648 is above 2147483647"},
		{"fits32(last + 1)", "2147483648 is above 2147483647"},
		{"aligned(x, 16)", ""},
		{"aligned(w, 4)", ""},
		{"aligned(w, 16)", "w begins at 0x101c, which is no multiple of 16 bytes"},
		{"aligned(w, z)", "w begins at 0x101c, which is no multiple of 0 bytes"},
		{"disjoint(x, y)", ""}, // side by side
		{"disjoint(x, w)", "x is [0x1000, 0x1020), w is [0x101c, 0x1024)"},
		{"disjoint(w, y)", "w is [0x101c, 0x1024), y is [0x1020, 0x1040)"},
		{"disjoint(x, x)", "x is [0x1000, 0x1020), x is [0x1000, 0x1020)"},
		{"disjoint(x, none)", ""}, // inside, but empty
		{"disjoint(none, none)", ""},
	} {
		r, err := ParseRelation(c.text)
		if err != nil {
			t.Fatal(err)
		}
		v := r.Check(env)
		switch {
		case c.says == "":
			if v != nil {
				t.Errorf("%s: got %v", c.text, v)
			}
		case v == nil:
			t.Errorf("%s holds, want %s", c.text, c.says)
		default:
			v.Kernel = "k"
			if want := "k: requires " + c.text + ": " + c.says; v.Error() != want {
				t.Errorf("got %s\nwant %s", v, want)
			}
		}
	}
}

func TestRelationNames(t *testing.T) {
	for text, want := range map[string][]string{
		"len(x) >= M * M":              {"len(x)", "M"},
		"fits32(grid.x * block)":       {"grid.x", "block"},
		"divides(T, M)":                {"T", "M"},
		"aligned(x, 4 * T)":            {"addr(x)", "len(x)", "sizeof(x)", "T"},
		"disjoint(x, y)":               {"addr(x)", "len(x)", "sizeof(x)", "addr(y)", "len(y)", "sizeof(y)"},
		"shared >= 8 * 32 * sizeof(y)": {"shared", "sizeof(y)"},
	} {
		r, err := ParseRelation(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Names(); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
		with := map[string]Expr{"M": Number(7), "T": &Binary{'+', Name("A"), Number(1)}, "x": Number(9), "grid.x": Name("G"), "shared": Number(0)}
		same := strings.NewReplacer("M", "7", "T)", "(A + 1))", "T,", "A + 1,", "grid.x", "G", "shared", "0").Replace(text)
		if got := r.Replace(with).String(); got != same {
			t.Errorf("%s: got %s, want %s", text, got, same)
		}
	}
}

func TestLengths(t *testing.T) {
	for _, c := range []struct {
		l          Lengths
		have, want uint64
		hold       bool
	}{
		{AtLeast, 3, 3, true}, {AtLeast, 4, 3, true}, {AtLeast, 2, 3, false},
		{Unknown, 3, 3, true}, {Unknown, 4, 3, true}, {Unknown, 0, 3, true},
		{Exact, 3, 3, true}, {Exact, 4, 3, false}, {Exact, 2, 3, false},
	} {
		if got := c.l.Hold(c.have, c.want); got != c.hold {
			t.Errorf("%d %s %d: got %v", c.have, c.l, c.want, got)
		}
	}
}

func TestFindName(t *testing.T) {
	const text = "MM + min( M , len( x )) >= rows . N * M"
	for name, want := range map[string]int{"aligned": -1, "MM": 0, "M": 10, "len(x)": 14, "rows.N": 27, "N": -1, "x": -1, "min": -1} {
		if got := FindName(text, name); got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
}

func TestFindNameInPredicates(t *testing.T) {
	for _, c := range []struct {
		text, name string
		want       int
	}{
		{"divides( T, len(x))", "T", 9},
		{"divides( T, len(x))", "len(x)", 12},
		{"disjoint(x, yy)", "addr(yy)", 12},
		{"aligned(x, T)", "addr(x)", 8},
		{"aligned(x, T)", "T", 11},
		{"fits32(grid.x + block)", "grid.x", 7},
		{"fits32(M)", "fits32", -1},
		{"min(M, K)", "K", 7}, // an expression
	} {
		if got := FindName(c.text, c.name); got != c.want {
			t.Errorf("%s in %s: got %d, want %d", c.name, c.text, got, c.want)
		}
	}
}

var seeds = []string{
	"divides(T, M)", "fits32(grid.x * block)", "aligned(x, 4 * sizeof(x))", "disjoint(x, y)", "shared >= 8 * 32 * sizeof(y)",
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
		var pe *ParseError
		if !errors.As(err, &pe) || pe.Offset < 0 || pe.Offset > len(text) {
			t.Fatalf("%q: %#v", text, err)
		}
		_ = err.Error()
		return
	}
	if back, err := ParseRelation(r.String()); err != nil || !reflect.DeepEqual(back, r) {
		t.Fatalf("%q prints as %q, which reads as %v, %v", text, r, back, err)
	}
	if v := r.Check(Env{"M": 3, "x": 1 << 63}); v != nil {
		_ = v.Error()
	}
}

// evaluated is what holds of any relation and any values: evaluator and generated code agree with the
// truth.
func evaluated(t *testing.T, text string, m, k, x, size uint64) {
	r, err := ParseRelation(text)
	if err != nil {
		return
	}
	env := Env{}
	for i, name := range r.Names() {
		env[name] = []uint64{m, k, x, size, m + k, x * size}[i%6]
	}
	agree(t, r, env)
}

// mutate changes a few bytes of a seed.
func mutate(r *rand.Rand) string {
	const alphabet = "MKxyT09 +-*/%()<>=!,._\n\x00\xff"
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
	return string(b)
}

func TestMutations(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 50_000 {
		text := mutate(r)
		robust(t, text)
		evaluated(t, text, randomValue(r), randomValue(r), randomValue(r), randomValue(r))
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(robust)
}

func FuzzEval(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, uint64(1)<<32, uint64(1)<<63, uint64(math.MaxUint64), uint64(4))
	}
	f.Fuzz(evaluated)
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

func TestOfBuffers(t *testing.T) {
	for text, want := range map[string]bool{
		"M + 1 <= K": false, "sizeof(x) <= 8": false, "len(x) >= M": true, "M <= 2 * len(x)": true, "aligned(x, 16)": true, "disjoint(x, y)": true, "fits32(M)": false,
	} {
		r, err := ParseRelation(text)
		if err != nil || r.OfBuffers() != want {
			t.Errorf("%s: of buffers is %t, error %v", text, !want, err)
		}
	}
}
