// Package obligations is the file in which kernelspec hands over what must be proved of each entry: what its launcher
// checks, and what the views of its parameters promise on the strength of it. tools/prove reads it.
//
// Expressions and relations are texts of go/contract, with its meaning: all is unsigned 64-bit, and a launch whose
// arithmetic leaves that range is refused, so what is checked is known to be computable.
package obligations

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Schema is the version of the file's form.
const Schema = 1

// File is a family's obligations.
type File struct {
	Schema  int     `json:"schema"`
	Family  string  `json:"family"`
	Headers string  `json:"headers"` // source.Digest of the vocabulary's
	Entries []Entry `json:"entries"`
}

// Entry is one entry.
type Entry struct {
	Name      string            `json:"name"`
	Kernel    string            `json:"kernel"`
	Source    string            `json:"source"`
	Line      int               `json:"line"`
	Prefer    string            `json:"prefer,omitempty"`    // the variant that it is
	Unchecked string            `json:"unchecked,omitempty"` // why it may reach past its contract
	Numbers   map[string]uint64 `json:"numbers"`             // names that are numbers here: block, integers, sizeof(x)
	Scalars   map[string]uint64 `json:"scalars,omitempty"`   // arguments that relations and grid may name, with the greatest value of their type
	Block     [3]uint32         `json:"block"`
	Axes      int               `json:"axes"` // of the grid
	Grid      [3]string         `json:"grid"`
	Shared    string            `json:"shared"` // bytes a block
	Extents   []Extent          `json:"extents"`
	Checked   []Relation        `json:"checked"` // in the order in which the launcher checks
	Params    []Param           `json:"params"`
	Align     uint64            `json:"align,omitempty"` // every buffer begins at a multiple of so many bytes, says the entry
	Loops     []Loop            `json:"loops,omitempty"`
}

// Extent is a length of the launch.
type Extent struct {
	Name  string `json:"name"`
	Is    string `json:"is,omitempty"` // what has its value: rows.M, len(x); empty for a number that the caller gives
	Index string `json:"index"`        // the type of indices below it
	// What its type says of it: a number that divides it, and how many indices a block has if a grid has all of them,
	// or all of them and no more.
	Multiple uint64 `json:"multiple,omitempty"`
	Once     uint64 `json:"once,omitempty"`
	Exact    uint64 `json:"exact,omitempty"`
}

// Relation is a relation that the launcher checks.
type Relation struct {
	Text string `json:"text"`
	From string `json:"from"` // where it comes from: one of the constants below
}

// Where relations come from.
const (
	Same     = "same"     // two handles carry one extent
	Index    = "index"    // an extent fits its index type
	Grid     = "grid"     // the derived grid fits the device
	Length   = "length"   // a buffer has its length
	Required = "requires" // the annotation
	Fact     = "prefer"   // the variant
)

// Param is a parameter that is more than a number.
type Param struct {
	Name string `json:"name"`
	Type string `json:"type"` // as the entry has it
	View string `json:"view"` // the pattern of its WW_VIEW row
	Elem string `json:"elem,omitempty"`
	Size uint64 `json:"size,omitempty"` // of an element

	// Of a buffer: what its view promises, and what the launcher checks of it beside the relations.
	Direction string    `json:"direction,omitempty"`
	Len       string    `json:"len,omitempty"`
	Align     uint64    `json:"align,omitempty"`
	Validated string    `json:"validated,omitempty"`
	Carries   []Carried `json:"carries,omitempty"`
	Argument  *Argument `json:"argument,omitempty"`

	// Of cells, from the grid's last axis to x.
	Cells []Laid `json:"cells,omitempty"`

	// Of shared memory.
	Offset uint64 `json:"offset,omitempty"`
	Count  uint64 `json:"count,omitempty"` // elements
}

// Carried is an extent that a handle knows: Extent, by its own name for it.
type Carried struct {
	Extent string `json:"extent"`
	Own    string `json:"own"` // rows.M
}

// Argument is what the launcher checks of an argument in device memory.
type Argument struct {
	Align uint64   `json:"align"`           // it begins at a multiple of so many bytes
	Proof string   `json:"proof,omitempty"` // a handle of package valid: offsets, columns, permutation
	Apart []string `json:"apart,omitempty"` // buffers with which it shares no byte
}

// Laid is an axis of a grid that is laid over an extent.
type Laid struct {
	Extent string `json:"extent"`
	Each   uint64 `json:"each"` // indices a block
	Axis   string `json:"axis"`
}

// Loop is a loop of the kernel over an extent, by the whole grid.
type Loop struct {
	Extent string `json:"extent"`
	Text   string `json:"text"`  // threads(m)
	Takes  uint64 `json:"takes"` // indices a block and round
}

// Write prints the file.
func (f *File) Write() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(f); err != nil {
		return nil, fmt.Errorf("obligations of %s: %w", f.Family, err)
	}
	return b.Bytes(), nil
}

// Read reads a file; a field that it does not know is an error.
func Read(p []byte) (*File, error) {
	dec := json.NewDecoder(bytes.NewReader(p))
	dec.DisallowUnknownFields()
	var f File
	if err := dec.Decode(&f); err != nil {
		return nil, fmt.Errorf("obligations: %w", err)
	}
	switch {
	case f.Schema != Schema:
		return nil, fmt.Errorf("obligations: schema %d, want %d", f.Schema, Schema)
	case f.Family == "":
		return nil, errors.New("obligations: no family")
	}
	return &f, nil
}
