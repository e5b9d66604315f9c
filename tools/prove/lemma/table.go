package lemma

import (
	"context"
	"fmt"
	"slices"

	"github.com/warpwright/warpwright/go/proof"
	"github.com/warpwright/warpwright/tools/internal/source"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// Steps bound one query: what is proved takes far fewer, and what is not is refuted soon.
const Steps = 2_000_000

// Table proves the lemmas of headers and returns them as tables of proofs have them. What cannot be read, or has no lemma, is a
// row that is not proved.
func Table(ctx context.Context, s *smt.Solver, files []*source.File) (*proof.Vocabulary, error) {
	v, err := Read(files)
	if err != nil {
		return nil, err
	}
	out := &proof.Vocabulary{Headers: source.Digest(files), Lemmas: []proof.Lemma{}}
	lemmas, open, err := v.prove(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, l := range lemmas {
		out.Lemmas = append(out.Lemmas, l.row())
	}
	for _, o := range open {
		out.Lemmas = append(out.Lemmas, proof.Lemma{Name: o.name, Source: o.source, Verdict: proof.Undecided, Reason: o.reason})
	}
	return out, nil
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
