// Package proof holds what was proved of a family's entries before they were compiled: one row an entry, written by tools/prove,
// shipped beside the manifest as FAMILY.proof.json, and printed by `ww prove`. docs/proofs.md says what it means.
package proof

import (
	"errors"
	"fmt"
	"slices"

	"github.com/warpwright/warpwright/go/internal/document"
)

// Schema is the version of Table that this package reads and writes.
const Schema = 1

// Verdict is what became of an entry or an obligation.
type Verdict string

// The verdicts.
const (
	Proved    Verdict = "proved"
	Refuted   Verdict = "refuted"   // with sizes and a thread
	Undecided Verdict = "undecided" // with a reason
	Decided   Verdict = "decided"   // the solver did not: it holds at shapes chosen to break it, and there the emulator found nothing
)

// Table is the proofs of one family.
type Table struct {
	Schema     int        `json:"schema"`
	Family     string     `json:"family"`
	Solver     string     `json:"solver"` // "Z3 5.4.1"
	Vocabulary Vocabulary `json:"vocabulary"`
	Kernels    []Kernel   `json:"kernels"`
	Rows       []Row      `json:"rows"` // by entry, in the spec's order
}

// Vocabulary is what was proved of the device headers, for all kernels.
type Vocabulary struct {
	Headers string  `json:"headers"` // a digest of them
	Lemmas  []Lemma `json:"lemmas"`
	Views   []View  `json:"views,omitempty"`
	Shapes  []Shape `json:"shapes,omitempty"`
}

// View is a view of the vocabulary: what its row promises of a launch, which the lemmas rest on, and who owns what a kernel writes there.
type View struct {
	Row      string   `json:"row"` // its pattern: "Out<T, D>"
	Source   string   `json:"source"`
	Promises []string `json:"promises"`
	Owner    string   `json:"owner,omitempty"` // of an element: "thread, by ThreadIx<D>"; empty where nothing is written
}

// Shape is numbers of a view, and of the block beside them, for which it is shown who takes what of it: for all numbers at once no solver
// decides that. A view that has shapes is to be used with these alone.
type Shape struct {
	View    string            `json:"view"`
	Numbers map[string]uint64 `json:"numbers"`
}

// Covers says whether the numbers of a view are among its shapes; true of a view that has none.
func (v *Vocabulary) Covers(view string, numbers map[string]uint64) bool {
	has := false
	for _, s := range v.Shapes {
		if s.View != view {
			continue
		}
		has = true
		same := true
		for name, n := range s.Numbers {
			other, ok := numbers[name]
			same = same && ok && n == other
		}
		if same {
			return true
		}
	}
	return !has
}

// Lemma is what was proved of one function of the vocabulary.
type Lemma struct {
	Name    string   `json:"name"`
	Source  string   `json:"source"` // "cuda/include/ww/view.h:33"
	Says    []string `json:"says,omitempty"`
	Verdict Verdict  `json:"verdict"`
	Reason  string   `json:"reason,omitempty"` // of one that is not proved
}

// Kernel is what its entries have in common.
type Kernel struct {
	Name        string   `json:"name"`
	Source      string   `json:"source"`
	Line        int      `json:"line"`
	Unchecked   string   `json:"unchecked,omitempty"` // why it reaches past its contract: what it does so is not proved
	Views       []string `json:"views"`               // the rows of the vocabulary that it uses
	Contract    []string `json:"contract"`            // what its launcher checks in some entry
	Obligations []string `json:"obligations"`         // what its entries owe
}

// Row is one entry.
type Row struct {
	Entry       string    `json:"entry"`
	Kernel      string    `json:"kernel"`
	Prefer      string    `json:"prefer,omitempty"` // the variant that it is
	Verdict     Verdict   `json:"verdict"`
	Obligations int       `json:"obligations"`        // how many it owes
	Failures    []Failure `json:"failures,omitempty"` // those that are not proved
}

// Failure is an obligation that is not proved.
type Failure struct {
	Name    string  `json:"name"`
	Verdict Verdict `json:"verdict"`
	Says    string  `json:"says"`             // of a refuted one the sizes and the thread, of others why nothing is proved
	Shapes  int     `json:"shapes,omitempty"` // of a decided one: at how many it was computed, and holds
	Runs    int     `json:"runs,omitempty"`   // how many of these the emulator has run
}

// Lemmas is the name of a failure that no run decides: what was proved of the vocabulary is of other headers than the entry's, so
// nothing is known of its views.
const Lemmas = "lemmas"

// Fail adds what is not proved. The worst of them is the entry's verdict: one refutation refutes it, whatever else is undecided.
func (r *Row) Fail(f Failure) {
	if worse(f.Verdict) > worse(r.Verdict) {
		r.Verdict = f.Verdict
	}
	r.Failures = append(r.Failures, f)
}

// worse orders verdicts.
func worse(v Verdict) int { return slices.Index([]Verdict{Proved, Decided, Undecided, Refuted}, v) }

// String is the failure on one line.
func (f *Failure) String() string { return string(f.Verdict) + ": " + f.Says }

// Read parses a table and checks its schema, and that it does not contradict itself.
func Read(p []byte) (*Table, error) {
	t := &Table{}
	if err := document.Read(p, "proof", Schema, t); err != nil {
		return nil, err
	}
	if err := t.consistent(); err != nil {
		return nil, fmt.Errorf("proof: %w", err)
	}
	return t, nil
}

// consistent refuses a table of no family, and one that says of an entry what its failures do not: whoever counts failures and
// whoever reads verdicts must see the same.
func (t *Table) consistent() error {
	if t.Family == "" {
		return errors.New("the table names no family")
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		of := Row{Verdict: Proved}
		for _, f := range r.Failures {
			if worse(f.Verdict) <= worse(Proved) {
				return fmt.Errorf("entry %s: what is not proved has the verdict %q: requires %s, %s or %s", r.Entry, f.Verdict, Refuted, Undecided, Decided)
			}
			if (f.Verdict == Decided) != (f.Runs > 0) || f.Runs > f.Shapes {
				return fmt.Errorf("entry %s: %s is %s by %d shapes, of which %d were run: requires runs of a decided one, and of no other", r.Entry, f.Name, f.Verdict, f.Shapes, f.Runs)
			}
			of.Fail(f)
		}
		if r.Verdict != of.Verdict {
			return fmt.Errorf("entry %s: its verdict is %q, by its %d failures it is %s", r.Entry, r.Verdict, len(r.Failures), of.Verdict)
		}
		if !slices.ContainsFunc(t.Kernels, func(k Kernel) bool { return k.Name == r.Kernel }) {
			return fmt.Errorf("entry %s: the table has no kernel %q", r.Entry, r.Kernel)
		}
	}
	return nil
}

// ReadVocabulary parses what was proved of the vocabulary alone.
func ReadVocabulary(p []byte) (*Vocabulary, error) {
	v := &Vocabulary{}
	if err := document.Decode(p, "proof", v); err != nil {
		return nil, err
	}
	return v, nil
}

// Write returns the table as JSON, the same bytes for the same table.
func (t *Table) Write() ([]byte, error) { return document.Write("proof", t) }

// Write returns the vocabulary as JSON, the same bytes for the same vocabulary.
func (v *Vocabulary) Write() ([]byte, error) { return document.Write("proof", v) }

// Open returns what is neither proved nor decided, a line each: of the vocabulary, then of the entries.
func (t *Table) Open() []string {
	var out []string
	if len(t.Vocabulary.Lemmas) == 0 {
		out = append(out, "vocabulary: nothing is proved of it, and all else rests on that")
	}
	for _, l := range t.Vocabulary.Lemmas {
		if l.Verdict != Proved {
			out = append(out, fmt.Sprintf("vocabulary: %s, %s: %s: %s", l.Name, l.Source, l.Verdict, l.Reason))
		}
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		for j := range r.Failures {
			if f := &r.Failures[j]; f.Verdict != Decided {
				out = append(out, fmt.Sprintf("%s: %s", r.Entry, f))
			}
		}
	}
	return out
}
