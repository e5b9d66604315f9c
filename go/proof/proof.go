// Package proof holds what was proved of a family's entries before they were compiled: one row an entry, written by tools/prove,
// shipped beside the manifest as FAMILY.proof.json, and printed by `ww prove`. docs/proofs.md says what it means.
package proof

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	Lemmas   int       `json:"lemmas"`
	Failures []Failure `json:"failures,omitempty"` // the lemmas that are not proved
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

// Failure is an obligation or a lemma that is not proved.
type Failure struct {
	Name    string  `json:"name"`
	Verdict Verdict `json:"verdict"`
	Says    string  `json:"says"` // of a refuted one the sizes and the thread, of an undecided one the reason
}

// String is the failure on one line.
func (f *Failure) String() string { return string(f.Verdict) + ": " + f.Says }

// Read parses a table and checks its schema.
func Read(p []byte) (*Table, error) {
	var head struct {
		Schema int `json:"schema"`
	}
	if err := json.Unmarshal(p, &head); err != nil {
		return nil, fmt.Errorf("proof: %w", err)
	}
	if head.Schema != Schema {
		return nil, fmt.Errorf("proof: schema is %d, this program reads %d: rebuild the images or take matching ones", head.Schema, Schema)
	}
	t := &Table{}
	d := json.NewDecoder(bytes.NewReader(p))
	d.DisallowUnknownFields()
	if err := d.Decode(t); err != nil {
		return nil, fmt.Errorf("proof: %w", err)
	}
	return t, nil
}

// Write returns the table as JSON, the same bytes for the same table.
func (t *Table) Write() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(t); err != nil {
		return nil, fmt.Errorf("proof: %w", err)
	}
	return b.Bytes(), nil
}

// Open returns what is not proved, a line each: of the vocabulary, then of the entries.
func (t *Table) Open() []string {
	var out []string
	for i := range t.Vocabulary.Failures {
		f := &t.Vocabulary.Failures[i]
		out = append(out, fmt.Sprintf("vocabulary: %s: %s", f.Name, f))
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		for j := range r.Failures {
			out = append(out, fmt.Sprintf("%s: %s", r.Entry, &r.Failures[j]))
		}
	}
	return out
}
