// Package manifest holds what is known of a kernel family: Spec, which kernelspec reads off
// the sources, and Manifest, which is Spec joined with the facts of the compiled images.
// Tools write them, the runtime and the audits read them.
package manifest

// SpecSchema is the version of Spec that this package reads and writes.
const SpecSchema = 1

// Spec is a kernel family as its sources declare it.
type Spec struct {
	Schema  int         `json:"schema"`
	Family  string      `json:"family"`          // "csr"
	Views   []View      `json:"views,omitempty"` // the WW_VIEW rows that its kernels use
	Kernels []Kernel    `json:"kernels"`
	Entries []Entry     `json:"entries"` // in index order: all instances of all kernels
	Tiers   []TierTable `json:"tiers,omitempty"`
}

// View is one WW_VIEW row of the device vocabulary.
type View struct {
	Pattern string `json:"pattern"` // "In<Col<K>, N>"
	File    string `json:"file"`
	Line    int    `json:"line"`
}

// RawHash begins the hash of every raw kernel and of no other: on a device that knows no manifest it
// says which is which.
const RawHash = "raw-"

// Kernel is one WW_KERNEL function, or one raw kernel.
type Kernel struct {
	Name       string      `json:"name"`
	Doc        string      `json:"doc"`
	Source     string      `json:"source"` // repository path
	Line       int         `json:"line"`
	Raw        bool        `json:"raw,omitempty"`    // a plain __global__ function: no relations, and grid, block and shared bytes are the launch's
	Block      [3]uint32   `json:"block"`            // of a raw kernel its launch bounds, {0 0 0} without
	Grid       [3]string   `json:"grid"`             // expressions; "1" where absent, empty for a raw kernel
	Shared     string      `json:"shared,omitempty"` // dynamic shared bytes, an expression; empty for none
	Archs      []string    `json:"archs,omitempty"`  // narrowed by archs(...); empty for all
	Types      []TypeParam `json:"types,omitempty"`
	Extents    []Extent    `json:"extents,omitempty"`
	Params     []Param     `json:"params"`
	Requires   []string    `json:"requires,omitempty"` // relations written out by the author
	Relations  []string    `json:"relations"`          // every relation of the contract, generated ones included; one of some instances only ends in " where P: i32"
	Hash       string      `json:"hash"`               // of signature and annotation, normalised; never of the body
	Exceptions []Exception `json:"exceptions,omitempty"`
	Unchecked  string      `json:"unchecked,omitempty"` // why it may reach past its contract; empty if it may not
	Prefers    []Prefer    `json:"prefers,omitempty"`   // variants, the strongest first
}

// Prefer is a variant of a kernel: one more entry an instance, from the same source, which a launch takes that keeps all
// of its facts. A launch that does not is none the worse: it takes another entry.
type Prefer struct {
	Name  string `json:"name"`
	Facts []Fact `json:"facts"`
}

// Fact is what an entry may rely on beyond the contract.
type Fact struct {
	Text      string   `json:"text"`      // as the annotation has it: "once(M, block)"
	Relations []string `json:"relations"` // what holds, in the language of contracts: "grid.x * block >= M"
}

// Exception is a rule that a kernel does not keep, with the reason written in its annotation.
type Exception struct {
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
}

// TypeParam is an instance parameter: a template parameter with a closed list of values.
type TypeParam struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"` // "dtype", "tag" or "int"
	Values []string `json:"values"`
}

// Extent is a template parameter that stands for a length.
type Extent struct {
	Name  string `json:"name"`
	From  string `json:"from"`  // the parameter that gives its value: "rows"
	Index string `json:"index"` // the type of its indices: "u64", "i32" or the name of a dtype parameter ("P")
}

// Param is one parameter of a kernel's signature.
type Param struct {
	Name      string `json:"name"`
	Type      string `json:"type"`                // as written: "In<Col<K>, N>"
	Kind      string `json:"kind"`                // "dim", "scalar", "buffer", or what is no parameter of the entry: "shared", "token"
	Elem      string `json:"elem,omitempty"`      // dtype, or the expression that gives it: "W", "Acc<W>", "i32"
	Len       string `json:"len,omitempty"`       // the least length in elements, an expression: "M + 1"; or "1 where V: One; N where V: Each"
	Direction string `json:"direction,omitempty"` // "in", "out", "inout" or "add"
	Validated string `json:"validated,omitempty"` // "offsets", "columns", "permutation" or empty
	Align     string `json:"align,omitempty"`     // bytes that a buffer begins at a multiple of, an expression; empty for its element's
	Extent    string `json:"extent,omitempty"`    // of a dim: "M"

	// Carries are the extents that a validated array knows, in the order of its methods: rows and
	// entries of offsets, columns and entries of columns.
	Carries []string `json:"carries,omitempty"`
}

// Entry is one instance of a kernel: an extern "C" symbol.
type Entry struct {
	Name   string            `json:"name"`
	Kernel string            `json:"kernel"`
	Types  map[string]string `json:"types,omitempty"`
	Prefer string            `json:"prefer,omitempty"` // the variant that it is; empty for the entry that relies on the contract alone
	Params []EntryParam      `json:"params"`
}

// EntryParam is one parameter of an entry's ABI.
type EntryParam struct {
	Name   string `json:"name"`
	Type   string `json:"type"` // C++: "const float*"
	Offset int    `json:"offset"`
	Size   int    `json:"size"`
}

// TierTable says which kernel serves which shape on one architecture.
type TierTable struct {
	Operator string `json:"operator"` // "csr_mv"
	Arch     int    `json:"arch"`     // 90
	By       string `json:"by"`       // what From counts, in words: "average entries a row"
	Source   string `json:"source"`   // who measured it, on what, when
	Tiers    []Tier `json:"tiers"`
}

// Tier is one row of a TierTable; it serves values from From up to the next row's.
type Tier struct {
	From   float64           `json:"from"`
	Kernel string            `json:"kernel"`
	Types  map[string]string `json:"types,omitempty"` // instance values that the tier fixes: {"S": "8"}
}
