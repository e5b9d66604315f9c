package launch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/manifest"
)

// Choice is the entry that a launch takes: that of the first variant whose facts all hold, else the one that relies on
// the contract alone.
type Choice struct {
	Entry   string
	Variant string // as prefer(...) names it; empty where the entry relies on the contract alone
	Passed  []Passed
}

// Passed is a variant that would have come before, and the first of its facts that does not hold.
type Passed struct {
	Variant string
	Fact    string // "once(M, block)"
	Why     error  // with both values; a *contract.Violation
}

// String names the entry and says why it is none that relies on more.
func (c Choice) String() string {
	var b strings.Builder
	b.WriteString(c.Entry)
	for i, p := range c.Passed {
		sep := "; "
		if i == 0 {
			sep = " ("
		}
		b.WriteString(sep + p.String())
	}
	if c.Passed != nil {
		b.WriteString(")")
	}
	return b.String()
}

// Because adds to the reason for a kernel why its entry is none that relies on more.
func (c Choice) Because(reason string) string {
	for _, p := range c.Passed {
		reason += "; " + p.String()
	}
	return reason
}

// String says which variant it is and what it lacks.
func (p Passed) String() string {
	return fmt.Sprintf("not %s: %s does not hold: %v", p.Variant, p.Fact, why{p.Why})
}

// why prints a violation without the kernel's name, which stands before it.
type why struct{ err error }

func (w why) String() string {
	var v *contract.Violation
	if errors.As(w.err, &v) {
		return strings.TrimPrefix(v.Error(), v.Kernel+": requires ")
	}
	return fmt.Sprint(w.err)
}

// Variant is a variant of a kernel with its facts understood.
type Variant struct {
	Name  string
	Facts []Fact
}

// Fact is one fact of a variant: a text and the relations that say the same.
type Fact struct {
	Text      string
	Relations []*contract.Relation
}

// ParseVariant understands a variant as a spec has it.
func ParseVariant(p manifest.Prefer) (Variant, error) {
	out := Variant{Name: p.Name}
	for _, f := range p.Facts {
		fact := Fact{Text: f.Text}
		for _, text := range f.Relations {
			r, err := contract.ParseRelation(text)
			if err != nil {
				return out, fmt.Errorf("variant %s: %s: %w", p.Name, f.Text, err)
			}
			fact.Relations = append(fact.Relations, r)
		}
		out.Facts = append(out.Facts, fact)
	}
	return out, nil
}

// Lacks finds the first fact that does not hold; nil if all do.
func (v *Variant) Lacks(entry string, env contract.Env, terms map[string]contract.Expr) *Passed {
	for _, f := range v.Facts {
		for _, r := range f.Relations {
			if why := Check(r, env, terms); why != nil {
				why.Kernel = entry
				return &Passed{Variant: v.Name, Fact: f.Text, Why: why}
			}
		}
	}
	return nil
}

// Chosen explains the choice of generated code among the variants of a kernel: which is 0 where it has taken the entry that relies on
// the contract alone, else a place in variants, counted from 1. It works the facts out once more, from
// their text.
func Chosen(entry string, which int, variants []manifest.Prefer, env contract.Env, terms Terms) Choice {
	out := Choice{Entry: entry}
	before := variants
	if which > 0 {
		out.Variant = variants[which-1].Name
		out.Entry += "_" + out.Variant
		before = variants[:which-1]
	}
	with, err := parse(terms)
	for _, p := range before {
		out.Passed = append(out.Passed, passed(entry, p, env, with, err))
	}
	return out
}

// passed says what a variant lacks that generated code has passed over. err is what hinders that.
func passed(entry string, p manifest.Prefer, env contract.Env, terms map[string]contract.Expr, err error) Passed {
	v, bad := ParseVariant(p)
	err = errors.Join(err, bad)
	if err == nil {
		if lacks := v.Lacks(entry, env, terms); lacks != nil {
			return *lacks
		}
		// Generated code and the evaluator differ; the one that is in doubt counts.
		err = &contract.Violation{Kernel: entry, Relation: p.Name, Values: "generated code says no, the evaluator yes"}
	}
	return Passed{Variant: p.Name, Fact: "what it relies on", Why: err}
}
