package manifest

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Archs are the architectures that kernels are compiled for to machine code, in rising order. The build's
// list is DEFAULT_ARCHS in tools/cuda; a manifest names those that an image has.
func Archs() []int { return []int{75, 86, 90} }

// CompiledFor reports whether the kernel exists in images of an architecture.
func (k *Kernel) CompiledFor(arch int) bool {
	return len(k.Archs) == 0 || slices.Contains(k.Archs, fmt.Sprintf("sm_%d", arch))
}

// Validate checks that the spec agrees with itself: each entry is an instance of
// a kernel and its parameters are a sane list. The error is a Faults.
func (s *Spec) Validate() error {
	var faults Faults
	if s.Family == "" {
		faults.Add("", "", "the family has no name")
	}
	kernels := map[string]*Kernel{}
	for i := range s.Kernels {
		k := &s.Kernels[i]
		if k.Name == "" {
			faults.Add("", "", "kernel %d has no name", i)
		}
		if kernels[k.Name] != nil {
			faults.Add("", "", "kernel %s is there twice", k.Name)
		}
		if k.Hash == "" {
			faults.Add("", "", "kernel %s has no contract hash", k.Name)
		}
		k.checkRaw(s.Kernels[0].Raw, &faults)
		k.checkToken(&faults)
		kernels[k.Name] = k
	}
	seen := map[string]bool{}
	for i := range s.Entries {
		e := &s.Entries[i]
		if e.Name == "" {
			faults.Add("", "", "entry %d has no name", i)
		}
		if seen[e.Name] {
			faults.Add(e.Name, "", "is there twice")
		}
		seen[e.Name] = true
		if k := kernels[e.Kernel]; k == nil {
			faults.Add(e.Name, "", "is of kernel %q, which the spec does not have", e.Kernel)
		} else {
			e.checkTypes(k, &faults)
			e.checkPrefer(k, &faults)
		}
		e.checkParams(&faults)
	}
	for _, t := range s.Tiers {
		for _, tier := range t.Tiers {
			if kernels[tier.Kernel] == nil {
				faults.Add("", fmt.Sprintf("sm_%d", t.Arch), "the tiers of %s name kernel %q, which the spec does not have", t.Operator, tier.Kernel)
			}
		}
	}
	return faults.Err()
}

// Raw says whether the kernels are raw: plain __global__ functions without a contract. All are, or none.
func (s *Spec) Raw() bool { return len(s.Kernels) > 0 && s.Kernels[0].Raw }

// checkRaw checks that a family is raw or not as a whole, that the hash says so too, and that a raw
// kernel promises nothing, since nobody would check it.
func (k *Kernel) checkRaw(family bool, faults *Faults) {
	if k.Raw != family {
		faults.Add("", "", "kernel %s: raw is %v, of the family's first it is %v: raw kernels are families of their own", k.Name, k.Raw, family)
	}
	if raw := strings.HasPrefix(k.Hash, RawHash); raw != k.Raw {
		faults.Add("", "", "kernel %s: raw is %v, but its hash is %s", k.Name, k.Raw, k.Hash)
	}
	if k.Raw && (len(k.Relations) > 0 || len(k.Types) > 0 || len(k.Extents) > 0 || len(k.Prefers) > 0 || k.Shared != "" || k.Grid != [3]string{}) {
		faults.Add("", "", "kernel %s is raw, so it has neither relations, types, extents, variants, shared memory nor grid", k.Name)
	}
}

// checkToken checks that a kernel which may reach past its contract says why, and that no other does.
func (k *Kernel) checkToken(faults *Faults) {
	holds := slices.ContainsFunc(k.Params, func(p Param) bool { return p.Kind == "token" })
	if holds != (k.Unchecked != "") {
		faults.Add("", "", "kernel %s: has a token is %v, but its reason for unchecked accesses is %q", k.Name, holds, k.Unchecked)
	}
}

// checkTypes checks that the entry fixes each of the kernel's type parameters to
// one of its values, and nothing else.
func (e *Entry) checkTypes(k *Kernel, faults *Faults) {
	for _, p := range k.Types {
		v, ok := e.Types[p.Name]
		switch {
		case !ok:
			faults.Add(e.Name, "", "has no value for %s of kernel %s", p.Name, k.Name)
		case !slices.Contains(p.Values, v):
			faults.Add(e.Name, "", "has %s = %s; kernel %s is declared for %s", p.Name, v, k.Name, strings.Join(p.Values, " "))
		}
	}
	if len(e.Types) > len(k.Types) {
		faults.Add(e.Name, "", "has values for %d type parameters; kernel %s has %d", len(e.Types), k.Name, len(k.Types))
	}
}

// checkPrefer checks that the entry is a variant which its kernel has, if it is one.
func (e *Entry) checkPrefer(k *Kernel, faults *Faults) {
	if e.Prefer != "" && k.Variant(e.Prefer) == nil {
		faults.Add(e.Name, "", "is the variant %s of kernel %s, which has none of that name", e.Prefer, k.Name)
	}
}

// Variant returns the variant of a name, nil if the kernel has none.
func (k *Kernel) Variant(name string) *Prefer {
	for i := range k.Prefers {
		if k.Prefers[i].Name == name {
			return &k.Prefers[i]
		}
	}
	return nil
}

// checkParams checks that parameters follow each other without overlap.
func (e *Entry) checkParams(faults *Faults) {
	end := 0
	for i, p := range e.Params {
		if p.Size <= 0 {
			faults.Add(e.Name, "", "parameter %d (%s) has %d bytes", i, p.Name, p.Size)
		}
		if p.Offset < end {
			faults.Add(e.Name, "", "parameter %d (%s) begins at %d, before the end of the one before, %d", i, p.Name, p.Offset, end)
		}
		end = p.Offset + p.Size
	}
}

// Name returns the image as the compiler names it: "sm_90" or "compute_75".
func (i Image) Name() string {
	if i.Kind == "ptx" {
		return fmt.Sprintf("compute_%d", i.Arch)
	}
	return fmt.Sprintf("sm_%d", i.Arch)
}

// Validate checks the spec, the list of images, and that there are facts of each
// entry for each image of machine code that it is compiled for, and no others.
// The error is a Faults.
func (m *Manifest) Validate() error {
	if err := m.Spec.Validate(); err != nil {
		return err
	}
	var faults Faults
	images := map[string]bool{}
	var archs []int
	for _, i := range m.Images {
		if i.Kind != "elf" && i.Kind != "ptx" {
			faults.Add("", i.Name(), "is of kind %q, want elf or ptx", i.Kind)
		}
		if images[i.Name()] {
			faults.Add("", i.Name(), "is there twice")
		}
		images[i.Name()] = true
		if sum, err := hex.DecodeString(i.SHA256); err != nil || len(sum) != 32 {
			faults.Add("", i.Name(), "its SHA-256 is %q, want 64 hexadecimal digits", i.SHA256)
		}
		if i.Size <= 0 {
			faults.Add("", i.Name(), "has %d bytes", i.Size)
		}
		if i.Kind == "elf" {
			archs = append(archs, i.Arch)
		}
	}

	type key struct {
		entry string
		arch  int
	}
	facts := map[key]bool{}
	for _, f := range m.Facts {
		k := key{f.Entry, f.Arch}
		if facts[k] {
			faults.Add(f.Entry, fmt.Sprintf("sm_%d", f.Arch), "its facts are there twice")
		}
		facts[k] = true
	}
	kernels := map[string]*Kernel{}
	for i := range m.Spec.Kernels {
		kernels[m.Spec.Kernels[i].Name] = &m.Spec.Kernels[i]
	}
	for _, e := range m.Spec.Entries {
		for _, arch := range archs {
			k := key{e.Name, arch}
			if want := kernels[e.Kernel].CompiledFor(arch); want && !facts[k] {
				faults.Add(e.Name, fmt.Sprintf("sm_%d", arch), "there are no facts of it")
			} else if want {
				delete(facts, k)
			}
		}
	}
	for _, f := range m.Facts {
		if facts[key{f.Entry, f.Arch}] {
			faults.Add(f.Entry, fmt.Sprintf("sm_%d", f.Arch), "there are facts of it, but no such entry in such an image")
			delete(facts, key{f.Entry, f.Arch})
		}
	}
	return faults.Err()
}
