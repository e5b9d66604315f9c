package family

import (
	"slices"

	"github.com/warpwright/warpwright/tools/internal/source"
)

// terms refuses a buffer that the kernel writes in the term of a sum, as in rows.all(row).sum(from, term). Where facts say that threads have one row
// each, a sum asks for four terms at a time, and for that of the last entry in place of those that there are not: what it adds would be
// added again. No type can see it.
func (r *resolver) terms() error {
	body := r.src.Body
	depth := 0 // of brackets in the innermost sum; 0 outside
	for i, t := range body {
		switch {
		case depth == 0:
			if t.Is("(") && i > 1 && body[i-1].Is("sum") && body[i-2].Is(".") {
				depth = 1
			}
		case t.Is("(") || t.Is("[") || t.Is("{"):
			depth++
		case t.Is(")") || t.Is("]") || t.Is("}"):
			depth--
		case r.written(t) && !body[i-1].Is("."):
			return r.fail(t.Offset, "%s, which the kernel writes, in the term of a sum: a term may be asked for more than once for one entry; write in a loop over the entries, and read before it", t.Text)
		}
	}
	return nil
}

// written says that a name is a buffer that the kernel writes.
func (r *resolver) written(name source.Token) bool {
	return slices.ContainsFunc(r.out.Params, func(p *Param) bool { return p.Written() && name.Is(p.Name) })
}
