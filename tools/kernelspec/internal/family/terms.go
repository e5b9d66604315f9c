package family

import (
	"slices"

	"github.com/warpwright/warpwright/tools/internal/source"
)

// terms wants the term of a sum, as in rows.all(row).sum(from, term), to change nothing. Where facts say that threads have one row each, a sum asks
// for four terms at a time, and for that of the last entry in place of those that there are not: what it wrote or counted would be so again. No
// type can see it. So a term is a lambda written in its place, of one return, without an assignment, and without a buffer that the kernel
// writes.
func (r *resolver) terms() error {
	body := r.src.Body
	for i := range body {
		if i < 2 || !body[i].Is("(") || !body[i-1].Is("sum") || !body[i-2].Is(".") {
			continue
		}
		if args := arguments(body[i+1:]); len(args) == 2 {
			if err := r.term(args[1]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *resolver) term(toks []source.Token) error {
	const again = "a term may be asked for more than once for one entry"
	for i, t := range toks {
		switch {
		case r.written(t) && !toks[i-min(i, 1)].Is("."):
			return r.fail(t.Offset, "%s, which the kernel writes, in the term of a sum: %s; write in a loop over the entries, and read before it", t.Text, again)
		case changes(toks, i):
			return r.fail(t.Offset, "an assignment in the term of a sum: %s; assign in a loop over the entries", again)
		}
	}
	at := slices.IndexFunc(toks, func(t source.Token) bool { return t.Is("{") })
	ends := 0
	for _, t := range toks {
		if t.Is(";") {
			ends++
		}
	}
	if !toks[0].Is("[") || at < 0 || !toks[at+1].Is("return") || ends != 1 {
		return r.fail(toks[0].Offset, "the term of a sum is a lambda written in its place, of one return, such as [&](auto e) { return x[e]; }: %s, and must change nothing", again)
	}
	return nil
}

// written says that a name is a buffer that the kernel writes.
func (r *resolver) written(name source.Token) bool {
	return slices.ContainsFunc(r.out.Params, func(p *Param) bool { return p.Written() && name.Is(p.Name) })
}

// changes says that the token at i assigns, or counts up or down.
func changes(toks []source.Token, i int) bool {
	is := func(i int, any ...string) bool {
		return i >= 0 && i < len(toks) && slices.ContainsFunc(any, toks[i].Is)
	}
	joined := func(i int) bool { return i > 0 && toks[i-1].EndOffset() == toks[i].Offset }
	switch {
	case is(i, "+", "-"):
		return is(i-1, toks[i].Text) && joined(i)
	case !is(i, "=") || is(i+1, "=") && joined(i+1) || is(i-1, "=", "!") && joined(i): // == and !=
		return false
	case is(i-1, "<", ">") && joined(i): // <= and >=, but not <<= and >>=
		return is(i-2, toks[i-1].Text) && joined(i-1)
	}
	return !is(i-1, "[") // a capture by value
}

// arguments are those of a call, from behind its opening bracket on.
func arguments(toks []source.Token) [][]source.Token {
	var out [][]source.Token
	depth, from := 0, 0
	for i, t := range toks {
		switch {
		case t.Is("(") || t.Is("[") || t.Is("{"):
			depth++
		case depth > 0 && (t.Is(")") || t.Is("]") || t.Is("}")):
			depth--
		case depth == 0 && (t.Is(",") || t.Is(")")):
			if i > from {
				out = append(out, toks[from:i])
			}
			if t.Is(")") {
				return out
			}
			from = i + 1
		}
	}
	return nil
}
