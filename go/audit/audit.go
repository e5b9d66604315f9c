// Package audit holds what the audits found in a family's compiled kernels: one row an entry and architecture, written by
// tools/audit, shipped beside the manifest as FAMILY.audit.json, and printed by `ww audit`.
package audit

import (
	"fmt"

	"github.com/warpwright/warpwright/go/internal/document"
)

// Schema is the version of Table that this package reads and writes.
const Schema = 1

// Table is the audit of one family.
type Table struct {
	Schema  int      `json:"schema"`
	Family  string   `json:"family"`
	Kernels []Kernel `json:"kernels"`
	Rows    []Row    `json:"rows"` // by entry, in the spec's order, then by architecture
}

// Kernel is what a kernel's annotation says to the audits.
type Kernel struct {
	Name       string      `json:"name"`
	Raw        bool        `json:"raw,omitempty"`       // no contract: nothing but the audits looked at it
	Unchecked  string      `json:"unchecked,omitempty"` // why it subscripts with plain integers; empty if it does not
	Exceptions []Exception `json:"exceptions,omitempty"`
}

// Exception is a rule that a kernel may break, and why.
type Exception struct {
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
	Stale  bool   `json:"stale,omitempty"` // none of its entries breaks the rule on any architecture
}

// Row is one entry on one architecture.
type Row struct {
	Entry        string    `json:"entry"`
	Kernel       string    `json:"kernel"`
	Arch         int       `json:"arch"`    // 90
	Threads      int       `json:"threads"` // a block; of a raw kernel its launch bounds, 0 without
	Registers    int       `json:"registers"`
	SpillStores  int       `json:"spill_stores"` // bytes
	SpillLoads   int       `json:"spill_loads"`  // bytes
	Local        int       `json:"local"`        // bytes of local memory a thread
	Shared       int       `json:"shared"`       // bytes a block, static and dynamic
	Blocks       int       `json:"blocks"`       // that fit a multiprocessor at once; 0 if that is not known
	Instructions int       `json:"instructions"` // of machine code
	Findings     []Finding `json:"findings,omitempty"`
}

// Finding is a place where an entry breaks a rule.
type Finding struct {
	Rule        string `json:"rule"`
	Says        string `json:"says"`
	PTXLine     int    `json:"ptx_line,omitempty"`
	Instruction string `json:"instruction,omitempty"`
	Source      string `json:"source,omitempty"` // "cuda/csr/mv.cu:13"
	More        int    `json:"more,omitempty"`   // further instructions of which the same is true
	Reason      string `json:"reason,omitempty"` // the annotation's, if it excepts the rule
}

// Read parses a table and checks its schema.
func Read(p []byte) (*Table, error) {
	t := &Table{}
	if err := document.Read(p, "audit", Schema, t); err != nil {
		return nil, err
	}
	return t, nil
}

// Write returns the table as JSON, the same bytes for the same table.
func (t *Table) Write() ([]byte, error) { return document.Write("audit", t) }

// Unexplained returns what stands in the table without a reason, a line each. Raw kernels promise nothing, so nothing of theirs needs one.
func (t *Table) Unexplained() []string {
	raw := map[string]bool{}
	for _, k := range t.Kernels {
		raw[k.Name] = k.Raw
	}
	var out []string
	for i := range t.Rows {
		r := &t.Rows[i]
		if raw[r.Kernel] {
			continue
		}
		for j := range r.Findings {
			if f := &r.Findings[j]; f.Reason == "" {
				out = append(out, fmt.Sprintf("%s sm_%d: %s", r.Entry, r.Arch, f))
			}
		}
	}
	for _, k := range t.Kernels {
		for _, e := range k.Exceptions {
			if e.Stale {
				out = append(out, fmt.Sprintf("%s: except(%s, %q): no entry of the kernel breaks the rule on any architecture: take the exception away", k.Name, e.Rule, e.Reason))
			}
		}
	}
	return out
}

// String is the finding on one line: rule, what is wrong, and where.
func (f *Finding) String() string {
	s := f.Rule + ": " + f.Says
	if f.Source != "" {
		s += ", at " + f.Source
	}
	if f.PTXLine != 0 {
		s += fmt.Sprintf(", PTX line %d: %s", f.PTXLine, f.Instruction)
	}
	if f.More > 0 {
		s += fmt.Sprintf(", and %d more such", f.More)
	}
	return s
}
