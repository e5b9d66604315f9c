package manifest

import "github.com/warpwright/warpwright/go/internal/document"

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

// Read parses a manifest, checks its schema and validates it.
func Read(p []byte) (*Manifest, error) {
	m, err := Decode(p)
	if err == nil {
		err = m.Validate()
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Decode parses a manifest and checks its schema, and no more: it is for who looks for the faults of one.
func Decode(p []byte) (*Manifest, error) {
	m := &Manifest{}
	if err := document.Read(p, "manifest", Schema, m); err != nil {
		return nil, err
	}
	if err := document.Schema("manifest: spec", m.Spec.Schema, SpecSchema); err != nil {
		return nil, err
	}
	return m, nil
}

// ReadSpec parses a spec, checks its schema and validates it.
func ReadSpec(p []byte) (*Spec, error) {
	s, err := DecodeSpec(p)
	if err == nil {
		err = s.Validate()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// DecodeSpec is Decode for a spec.
func DecodeSpec(p []byte) (*Spec, error) {
	s := &Spec{}
	if err := document.Read(p, "spec", SpecSchema, s); err != nil {
		return nil, err
	}
	return s, nil
}

// Write returns the manifest as JSON, the same bytes for the same manifest.
func (m *Manifest) Write() ([]byte, error) { return document.Write("manifest", m) }

// Write returns the spec as JSON, the same bytes for the same spec.
func (s *Spec) Write() ([]byte, error) { return document.Write("spec", s) }

// Kernel returns the kernel of a name, nil if the family has none.
func (s *Spec) Kernel(name string) *Kernel {
	for i := range s.Kernels {
		if k := &s.Kernels[i]; k.Name == name {
			return k
		}
	}
	return nil
}

// Hash returns the contract hash of a kernel.
func (m *Manifest) Hash(kernel string) (string, bool) {
	if k := m.Spec.Kernel(kernel); k != nil {
		return k.Hash, true
	}
	return "", false
}
