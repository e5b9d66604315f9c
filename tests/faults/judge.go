package faults

import (
	"fmt"
	"slices"
	"strings"
)

// Finding is what a tool said against a variant.
type Finding struct{ Tool, Says string }

// Judge says what is wrong with a piece, if anything: its fault must be found by the tool that it names,
// with the words that it names, and by no tool before; its repair must pass all of them.
func (w *Workshop) Judge(p *Piece) error {
	found, err := w.try(p, p.Faulty, len(p.Verdicts) > 1)
	if err != nil {
		return fmt.Errorf("piece %s, faulty variant: %w", p.Name, err)
	}
	if found == nil {
		return fmt.Errorf("piece %s does not trip: no tool says a word; %s must", p.Name, p.Verdicts[0].Tool)
	}
	if first := found[0]; first.Tool != p.Verdicts[0].Tool {
		return fmt.Errorf("piece %s trips %s, not %s:\n%s", p.Name, first.Tool, p.Verdicts[0].Tool, first.Says)
	}
	for _, v := range p.Verdicts {
		i := slices.IndexFunc(found, func(f Finding) bool { return f.Tool == v.Tool })
		if i < 0 {
			return fmt.Errorf("piece %s does not trip %s", p.Name, v.Tool)
		}
		for _, words := range v.Says {
			if !words.MatchString(found[i].Says) {
				return fmt.Errorf("piece %s: %s does not say %q but:\n%s", p.Name, v.Tool, words, found[i].Says)
			}
		}
	}
	found, err = w.try(p, p.Repaired, true)
	if err != nil {
		return fmt.Errorf("piece %s, repaired variant: %w", p.Name, err)
	}
	if found != nil {
		var b strings.Builder
		for _, f := range found {
			fmt.Fprintf(&b, "\n%s: %s", f.Tool, f.Says)
		}
		return fmt.Errorf("piece %s: its repaired variant trips%s", p.Name, b.String())
	}
	return nil
}

// try hands a variant to one station after another, to all of them or to the first that finds something.
func (w *Workshop) try(p *Piece, s Sources, all bool) ([]Finding, error) {
	v, err := w.newVariant(s, w.audits(p))
	if err != nil {
		return nil, err
	}
	var found []Finding
	for _, station := range stations() {
		f, err := station(v)
		if err != nil {
			return nil, err
		}
		found = append(found, f...)
		if len(f) > 0 && (!all || f[0].fatal()) {
			break
		}
	}
	return found, nil
}

// fatal says whether nothing can come after the finding: there is no program to run.
func (f Finding) fatal() bool {
	return slices.Contains([]string{Kernelspec, Compile}, f.Tool)
}

// audits says whether a piece's kernels are compiled for a GPU too. Those with a contract are, as in every build that has a
// toolkit; raw ones, which no audit sees, where the piece asks for it.
func (w *Workshop) audits(p *Piece) bool {
	return w.toolkit != nil && p.Faulty[rawFile] == "" || p.NeedsToolkit()
}

// NeedsToolkit says whether a verdict is that of a tool which reads images.
func (p *Piece) NeedsToolkit() bool {
	return slices.ContainsFunc(p.Verdicts, func(v Verdict) bool { return v.Tool == Manifest || v.Tool == Audit })
}
