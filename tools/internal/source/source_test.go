package source

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestTokens(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string // kind's first letter, then the token
	}{
		{"a_1 b", []string{"Ia_1", "Ib"}},
		{"x<y>>z", []string{"Ix", "P<", "Iy", "P>", "P>", "Iz"}},
		{"1'000'000u .5f 1e-3 0x1p+4 3.x", []string{"N1'000'000u", "N.5f", "N1e-3", "N0x1p+4", "N3.x"}},
		{`"a\"b" 'c' '\''`, []string{`S"a\"b"`, `S'c'`, `S'\''`}},
		{`R"(a " ) b)" u8R"x(a )" b)x" L"w" u'c'`, []string{`SR"(a " ) b)"`, `Su8R"x(a )" b)x"`, `SL"w"`, `Su'c'`}},
		{"RR\"x\"", []string{"IRR", `S"x"`}},
		{"a // b\nc", []string{"Ia", "C// b", "Ic"}},
		{"a // b \\\nstill\nc", []string{"Ia", "C// b \\\nstill", "Ic"}},
		{"a /* b\n* c */ d", []string{"Ia", "C/* b\n* c */", "Id"}},
		{"#define A \\\n  B\nc", []string{"D#define A \\\n  B", "Ic"}},
		{"  # include <x> // why\nc", []string{"D# include <x> ", "C// why", "Ic"}},
		{"/* first */ #if 1\nc", []string{"C/* first */", "D#if 1", "Ic"}},
		{"#error \"//\" x\nc", []string{"D#error \"//\" x", "Ic"}},
		{"#define A /* x\ny */ B\nc", []string{"D#define A /* x\ny */ B", "Ic"}},
		{"a # b", []string{"Ia", "P#", "Ib"}},
		{"a\r\n#pragma once\r\nb", []string{"Ia", "D#pragma once\r", "Ib"}},
		{"é", []string{"Pé"}},
	} {
		tokens, err := NewFile("t.cu", c.text).Tokens()
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		var got []string
		for _, tok := range tokens[:len(tokens)-1] {
			got = append(got, string("EINSPCD"[tok.Kind])+tok.Text)
			if c.text[tok.Offset:tok.EndOffset()] != tok.Text {
				t.Errorf("%q: %q is not at %d", c.text, tok.Text, tok.Offset)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q:\ngot  %q\nwant %q", c.text, got, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"a\n\t\"b\n":     "t.cu:2:2: \" without its closing \" on the same line\n  \t\"b\n  \t^",
		"x /* y":         "t.cu:1:3: comment without an end\n  x /* y\n    ^",
		"R\"a(b":         "t.cu:1:1: raw string without an end\n  R\"a(b\n  ^",
		"R\"ab":          "t.cu:1:1: raw string without an opening parenthesis\n  R\"ab\n  ^",
		"\n\n  é 'x\r\n": "t.cu:3:6: ' without its closing ' on the same line\n    é 'x\n      ^",
	} {
		_, err := NewFile("t.cu", text).Tokens()
		if err == nil || err.Error() != want {
			t.Errorf("%q: got\n%v\nwant\n%s", text, err, want)
		}
	}
}

// Tokens in their order, with only space between them, are the whole text.
func TestNothingIsLost(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	pieces := []string{"a", "1", "\"s\"", "'c'", "R\"(r)\"", "/*c*/", "//l\n", "\n#d\n", "\\\n", "+", "<", " ", "\t", "\r\n", "é", "\x00", "\"", "'", "/*", "u8", "."}
	for range 20_000 {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		text := b.String()
		tokens, err := NewFile("t.cu", text).Tokens()
		if err != nil {
			continue
		}
		at := 0
		for _, tok := range tokens {
			if tok.Offset < at || strings.Trim(text[at:tok.Offset], " \t\r\n\v\f") != "" {
				t.Fatalf("%q: lost %q before %q", text, text[at:tok.Offset], tok.Text)
			}
			at = tok.EndOffset()
		}
		if at != len(text) {
			t.Fatalf("%q: ends at %d", text, at)
		}
	}
}
