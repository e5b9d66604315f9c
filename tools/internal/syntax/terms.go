package syntax

import (
	"slices"

	"github.com/warpwright/warpwright/tools/internal/source"
)

// Term is the term of a sum whose name is at i, as in rows.all(row).sum(from, term); nil if it is none.
//
// It must change nothing: where facts say that threads have one row each, a sum asks for four terms at a time, and for that of the last
// entry in place of those that there are not. So it is a lambda, written in its place, that captures values: those are const in it, also
// for what it calls.
func Term(toks []source.Token, i int) []source.Token {
	if i < 1 || i+1 >= len(toks) || !toks[i].Is("sum") || !toks[i-1].Is(".") || !toks[i+1].Is("(") {
		return nil
	}
	toks = toks[i+2:]
	from := Length(toks)
	if from < 0 || !toks[from].Is(",") {
		return nil
	}
	toks = toks[from+1:]
	end := Length(toks)
	if end < 0 || !toks[end].Is(")") {
		return nil
	}
	return toks[:end]
}

// Length is how many tokens there are to the end of an expression: to a comma, a semicolon or a closing bracket. It is negative
// if there is no end.
func Length(toks []source.Token) int {
	depth := 0
	return slices.IndexFunc(toks, func(t source.Token) bool {
		switch {
		case t.Is("(") || t.Is("[") || t.Is("{"):
			depth++
		case t.Is(")") || t.Is("]") || t.Is("}"):
			depth--
		}
		return depth < 0 || depth == 0 && (t.Is(";") || t.Is(","))
	})
}

// refusedTerm says why the term of a sum at i may change something.
func refusedTerm(toks []source.Token, i int) string {
	const again = ": a term may be asked for more than once for one entry, and must change nothing"
	switch term := Term(toks, i); {
	case len(term) == 0:
		return ""
	case len(term) < 3 || !term[0].Is("[") || !term[1].Is("=") || !term[2].Is("]"):
		return "the term of a sum is a lambda in its place that captures values, such as [=](auto e) { return x[e]; }" + again
	case slices.ContainsFunc(term, func(t source.Token) bool { return t.Is("mutable") }):
		return "mutable in the term of a sum" + again
	}
	return ""
}
