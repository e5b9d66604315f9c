package launch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
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

// Variant is a variant of a kernel as a launcher knows it.
type Variant struct {
	Name  string
	Facts []Fact
}

// Fact is one fact of a variant: a text and the relations that say the same.
type Fact struct {
	Text      string
	Relations []string
}

// Chosen explains the choice of generated code among the variants of a kernel: which is 0 where it has taken the entry that relies on
// the contract alone, else a place in variants, counted from 1. It works the facts out once more, from
// their text.
func Chosen(entry string, which int, variants []Variant, env contract.Env, terms Terms) Choice {
	out := Choice{Entry: entry}
	passed := variants
	if which > 0 {
		out.Variant = variants[which-1].Name
		out.Entry += "_" + out.Variant
		passed = variants[:which-1]
	}
	for _, v := range passed {
		out.Passed = append(out.Passed, v.passed(entry, env, terms))
	}
	return out
}

// passed finds the first fact that does not hold.
func (v *Variant) passed(entry string, env contract.Env, terms Terms) Passed {
	out := Passed{Variant: v.Name}
	for _, f := range v.Facts {
		for _, text := range f.Relations {
			out.Fact = f.Text
			r, err := contract.ParseRelation(text)
			if err != nil {
				out.Why = err
				return out
			}
			with, err := parse(terms)
			if err != nil {
				out.Why = err
				return out
			}
			if v := Check(r, env, with); v != nil {
				v.Kernel = entry
				out.Why = v
				return out
			}
		}
	}
	// Generated code and the evaluator differ; the one that is in doubt counts.
	out.Why = &contract.Violation{Kernel: entry, Relation: out.Fact, Values: "generated code says no, the evaluator yes"}
	return out
}
