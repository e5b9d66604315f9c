// Package refs is the file that `reach refs` writes and `reach verdict` and `reach report` read: which
// kernels the exported declarations of some packages lead to.
package refs

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Schema is the version of Refs that this package reads and writes.
const Schema = 1

// Refs is what one run of `reach refs` found.
type Refs struct {
	Schema    int         `json:"schema"`
	Roots     []string    `json:"roots"` // import paths whose exported declarations count
	Launches  []Launch    `json:"launches"`
	Unreached []Unreached `json:"unreached"`
	Errors    []Error     `json:"errors"`
}

// Target is what a launch names: a kernel (a launcher's directive) or one entry (a call by name).
type Target struct {
	Kernel string `json:"kernel,omitempty"`
	Entry  string `json:"entry,omitempty"`
}

// Name is the kernel's or the entry's name.
func (t Target) Name() string {
	if t.Kernel != "" {
		return t.Kernel
	}
	return t.Entry
}

// Launch is a launch that an exported declaration leads to.
type Launch struct {
	Target
	Pos       string `json:"pos"`                 // of the launcher, or of the call by name: "go/csr/mul.go:33"
	Generated bool   `json:"generated,omitempty"` // the launcher stands in a generated file
	// Via is the shortest way from an exported declaration to the launch, both included.
	Via []string `json:"via"`
	// Public holds the shortest way from every exported declaration that leads there.
	Public [][]string `json:"public"`
}

// Unreached is a launch that no exported declaration leads to.
type Unreached struct {
	Target
	Pos       string `json:"pos"`
	Generated bool   `json:"generated,omitempty"`
	Launcher  string `json:"launcher"` // "csrkernels.MvWarp.Launch"
	Why       string `json:"why"`
	Fix       string `json:"fix,omitempty"` // where the tool knows more than "launch it"
}

// Error is a breach of the rules that make reachability decidable.
type Error struct {
	Pos     string `json:"pos"`
	Message string `json:"message"`
	Fix     string `json:"fix"`
}

// Read parses a file written by Encode.
func Read(p []byte) (*Refs, error) {
	r := &Refs{}
	d := json.NewDecoder(bytes.NewReader(p))
	d.DisallowUnknownFields()
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("refs: %w", err)
	}
	if r.Schema != Schema {
		return nil, fmt.Errorf("refs: schema is %d, this program reads %d", r.Schema, Schema)
	}
	return r, nil
}

// Encode returns r as JSON; equal values give equal bytes.
func (r *Refs) Encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return nil, fmt.Errorf("refs: %w", err)
	}
	return b.Bytes(), nil
}
