package family

import (
	"slices"

	"github.com/warpwright/warpwright/tools/internal/source"
	"github.com/warpwright/warpwright/tools/internal/syntax"
)

// terms wants the term of a sum to change nothing: syntax.Term says why, and that it captures values. What it could change all the same is
// refused by name: a buffer that the kernel writes, and a lambda that captures a reference.
func (r *resolver) terms() error {
	for i := range r.src.Body {
		for _, t := range syntax.Term(r.src.Body, i) {
			const again = "a term may be asked for more than once for one entry"
			switch {
			case t.Kind != source.Ident:
			case r.written(t):
				return r.fail(t.Offset, "%s, which the kernel writes, in the term of a sum: %s; write in a loop over the entries, and read before it", t.Text, again)
			case r.refers(t):
				return r.fail(t.Offset, "%s, which captures a reference, in the term of a sum: %s, and must change nothing", t.Text, again)
			}
		}
	}
	return nil
}

// written says that a name is a buffer that the kernel writes, or another name of one.
func (r *resolver) written(name source.Token) bool {
	if slices.ContainsFunc(r.out.Params, func(p *Param) bool { return p.Written() && name.Is(p.Name) }) {
		return true
	}
	value := r.value(name)
	return len(value) == 1 && r.written(value[0])
}

// refers says that a name is a lambda that captures a reference.
func (r *resolver) refers(name source.Token) bool {
	value := r.value(name)
	if len(value) == 0 || !value[0].Is("[") {
		return false
	}
	end := slices.IndexFunc(value, func(t source.Token) bool { return t.Is("]") })
	return slices.ContainsFunc(value[:end], func(t source.Token) bool { return t.Is("&") })
}

// value is what the last declaration of a name before it gives it: auto y = value; or auto y(value), or auto y{value}.
func (r *resolver) value(name source.Token) []source.Token {
	body := r.src.Body
	at := slices.IndexFunc(body, func(t source.Token) bool { return t.Offset == name.Offset })
	for at--; at > 0; at-- {
		declared := body[at].Text == name.Text && (body[at-1].Kind == source.Ident || body[at-1].Is("&") || body[at-1].Is(">"))
		if open := body[at+1]; declared && (open.Is("=") || open.Is("(") || open.Is("{")) {
			return body[at+2 : at+2+syntax.Length(body[at+2:])]
		}
	}
	return nil
}
