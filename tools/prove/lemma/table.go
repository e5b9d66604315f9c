package lemma

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/proof"
	"github.com/warpwright/warpwright/tools/internal/source"
	"github.com/warpwright/warpwright/tools/internal/syntax"
	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// Steps bound one query: what is proved takes far fewer, and what is not is refuted soon.
const Steps = 2_000_000

// Table proves the lemmas of headers and returns them as tables of proofs have them. What cannot be read, or has no lemma, is a
// row that is not proved.
func Table(ctx context.Context, s *smt.Solver, files []*source.File) (*proof.Vocabulary, error) {
	b, err := Prove(ctx, s, files)
	if err != nil {
		return nil, err
	}
	return b.Table(), nil
}

// row is the lemma as a table has it.
func (l *Lemma) row() proof.Lemma {
	out := proof.Lemma{Name: l.Name, Source: fmt.Sprintf("%s:%d", l.File, l.Line), Says: slices.Clone(l.Statement), Reason: l.Reason}
	switch l.Verdict {
	case smt.Proved:
		out.Verdict = proof.Proved
	case smt.Refuted:
		out.Verdict = proof.Refuted
	default:
		out.Verdict = proof.Undecided
	}
	return out
}

// printed is an attribute of a row as the header has it.
func printed(a *syntax.Attr) string {
	var args []string
	for _, x := range a.Args {
		text := x.Type.String()
		if x.Key != "" {
			text = x.Key + ": " + text
		}
		if x.Const {
			text = "const " + text
		}
		args = append(args, text)
	}
	if args == nil {
		return a.Text
	}
	return a.Text + "(" + strings.Join(args, ", ") + ")"
}

// views are the rows, with who owns what is written through each: whoever has an index that one of its functions takes.
func (v *Vocabulary) views() []proof.View {
	out := []proof.View{}
	for _, c := range v.unit.Classes {
		row := v.rows[c.String()]
		if row == nil {
			continue
		}
		w := proof.View{Row: row.Pattern.String(), Source: fmt.Sprintf("%s:%d", c.File.Name, c.Line()), Promises: []string{}}
		for i := range row.Attrs {
			w.Promises = append(w.Promises, printed(&row.Attrs[i]))
		}
		if attribute(row, "out") != nil || attribute(row, "inout") != nil {
			w.Owner = v.owner(c)
		}
		if attribute(row, "add") != nil {
			w.Owner = "nobody: sums are atomic"
		}
		out = append(out, w)
	}
	return out
}

// owner says who owns the elements of a view that is written.
func (v *Vocabulary) owner(c *cxx.Class) string {
	var found []string
	for _, f := range c.Methods {
		if v.kind(c, f) != lemmaOf {
			continue
		}
		for _, p := range f.Params {
			i := slices.IndexFunc(laws(), func(l law) bool { return l.owner != nil && strings.HasPrefix(l.class, p.Type.Path[0].Name+"<") })
			if i < 0 {
				continue
			}
			l := laws()[i]
			who := map[int]string{len(thread()): "thread", len(block()): "block", len(group()): "group"}[len(l.owner.who)]
			if text := who + ", by " + p.Type.String(); !slices.Contains(found, text) {
				found = append(found, text)
			}
		}
	}
	return strings.Join(found, "; ")
}
