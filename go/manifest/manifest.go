package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Schema is the version of Manifest that this package reads and writes.
const Schema = 1

// Manifest is a family's Spec joined with the facts of its compiled images.
type Manifest struct {
	Schema int     `json:"schema"`
	Spec   Spec    `json:"spec"`
	Images []Image `json:"images"` // as they stand in the fatbin
	Facts  []Facts `json:"facts"`  // by entry, then by architecture
}

// Image is one image of a fatbin.
type Image struct {
	Kind   string `json:"kind"` // "elf" or "ptx"
	Arch   int    `json:"arch"` // 90
	Size   int    `json:"size"`
	SHA256 string `json:"sha256"`
}

// Facts is what ptxas and the cubin say of one entry on one architecture.
type Facts struct {
	Entry       string `json:"entry"`
	Arch        int    `json:"arch"`
	Registers   int    `json:"registers"`
	SpillStores int    `json:"spill_stores"` // bytes
	SpillLoads  int    `json:"spill_loads"`  // bytes
	Stack       int    `json:"stack"`        // bytes a thread
	Shared      int    `json:"shared"`       // static bytes a block
	MaxThreads  int    `json:"max_threads"`  // from the launch bounds
	CodeBytes   int    `json:"code_bytes"`
}

// Read parses a manifest and checks its schema.
func Read(p []byte) (*Manifest, error) {
	m := &Manifest{}
	d := json.NewDecoder(bytes.NewReader(p))
	d.DisallowUnknownFields()
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	if m.Schema != Schema {
		return nil, fmt.Errorf("manifest: schema is %d, this program reads %d: rebuild the images or take matching ones", m.Schema, Schema)
	}
	return m, nil
}

// Hash returns the contract hash of a kernel.
func (m *Manifest) Hash(kernel string) (string, bool) {
	for i := range m.Spec.Kernels {
		if k := &m.Spec.Kernels[i]; k.Name == kernel {
			return k.Hash, true
		}
	}
	return "", false
}
