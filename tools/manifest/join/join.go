// Package join makes a family's manifest: it reads what each image says of its
// kernels and holds it against the spec, which was read off the sources.
package join

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/warpwright/warpwright/go/fatbin"
	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/manifest/ptxas"
)

// Input is what a family's build has made.
type Input struct {
	Spec   *manifest.Spec
	Cubins map[int][]byte // by architecture: 90
	Logs   map[int]string // what ptxas -v printed when it made them
	Fatbin []byte
}

// Join returns the manifest. Where image and spec differ the error is a
// manifest.Faults, which has all the differences; it is another error if an
// input cannot be read.
func Join(in Input) (*manifest.Manifest, error) {
	j := newJoiner(in.Spec)
	m := &manifest.Manifest{Schema: manifest.Schema, Spec: *in.Spec}
	var err error
	if m.Facts, err = j.facts(in); err != nil {
		return nil, err
	}
	if err := j.fatbin(m, in); err != nil {
		return nil, err
	}
	if err := j.faults.Err(); err != nil {
		return nil, err
	}
	j.order(m.Facts)
	return m, m.Validate()
}

// Facts is Join without a fatbin: what cubins and reports say, for who ships nothing.
func Facts(in Input) ([]manifest.Facts, error) {
	j := newJoiner(in.Spec)
	facts, err := j.facts(in)
	if err == nil {
		err = j.faults.Err()
	}
	if err != nil {
		return nil, err
	}
	j.order(facts)
	return facts, nil
}

// facts reads the cubins and their reports.
func (j *joiner) facts(in Input) ([]manifest.Facts, error) {
	var out []manifest.Facts
	for _, arch := range slices.Sorted(maps.Keys(in.Cubins)) {
		facts, err := j.machineCode(arch, in.Cubins[arch], in.Logs)
		if err != nil {
			return nil, err
		}
		out = append(out, facts...)
	}
	for _, arch := range slices.Sorted(maps.Keys(in.Logs)) {
		if in.Cubins[arch] == nil {
			j.faults.Add("", sm(arch), "there is a ptxas report of it, but no cubin")
		}
	}
	return out, nil
}

type joiner struct {
	spec    *manifest.Spec
	kernels map[string]*manifest.Kernel
	entries map[string]*manifest.Entry
	faults  manifest.Faults
}

func newJoiner(spec *manifest.Spec) *joiner {
	j := &joiner{spec: spec, kernels: map[string]*manifest.Kernel{}, entries: map[string]*manifest.Entry{}}
	for i := range spec.Kernels {
		j.kernels[spec.Kernels[i].Name] = &spec.Kernels[i]
	}
	for i := range spec.Entries {
		j.entries[spec.Entries[i].Name] = &spec.Entries[i]
	}
	return j
}

func sm(arch int) string { return fmt.Sprintf("sm_%d", arch) }

// order sorts facts by entry, in the spec's order, then by architecture.
func (j *joiner) order(facts []manifest.Facts) {
	place := map[string]int{}
	for i, e := range j.spec.Entries {
		place[e.Name] = i
	}
	slices.SortFunc(facts, func(a, b manifest.Facts) int {
		return cmp.Or(cmp.Compare(place[a.Entry], place[b.Entry]), cmp.Compare(a.Arch, b.Arch))
	})
}

// machineCode checks one cubin against the spec and its ptxas report, and
// returns the facts of its entries.
func (j *joiner) machineCode(arch int, data []byte, logs map[int]string) ([]manifest.Facts, error) {
	image := sm(arch)
	c, err := fatbin.ParseCubin(data)
	if err != nil {
		return nil, fmt.Errorf("image %s: %w", image, err)
	}
	if c.Arch.SM != arch {
		j.faults.Add("", image, "the cubin given for it is for %v", c.Arch)
		return nil, nil
	}
	log, ok := logs[arch]
	if !ok {
		return nil, fmt.Errorf("image %s: there is no ptxas report of it, and spills are nowhere else", image)
	}
	reports, err := ptxas.Parse(log)
	if err != nil {
		return nil, fmt.Errorf("image %s: %w", image, err)
	}

	var facts []manifest.Facts
	found := map[string]bool{}
	for _, e := range c.Entries {
		found[e.Name] = true
		declared := j.declared(e.Name, image, arch)
		if declared == nil {
			continue
		}
		j.params(declared, image, e.Params)
		block := j.kernels[declared.Kernel].Block
		want := int(block[0]) * int(block[1]) * int(block[2])
		bounds := e.MaxThreads[0] * e.MaxThreads[1] * e.MaxThreads[2]
		if k := j.kernels[declared.Kernel]; bounds != want && k.Raw {
			j.faults.Add(e.Name, image, "its launch bounds are %d threads; those of its source are %d", bounds, want)
		} else if bounds != want {
			j.faults.Add(e.Name, image, "its launch bounds are %d threads; kernel %s has block(%d, %d, %d), which is %d", bounds, declared.Kernel, block[0], block[1], block[2], want)
		}
		if e.StaticShared != 0 {
			j.faults.Add(e.Name, image, "it declares %d bytes of static shared memory; a kernel takes all of it from its launch, so that the contract and the sanitizers see it", e.StaticShared)
		}
		u := reports[e.Name]
		if u == nil {
			j.faults.Add(e.Name, image, "the ptxas report does not have it")
			continue
		}
		j.agree(e, image, u)
		facts = append(facts, manifest.Facts{
			Entry: e.Name, Arch: arch,
			Registers: e.Registers, SpillStores: u.SpillStores, SpillLoads: u.SpillLoads,
			Stack: max(e.Frame, e.MinStack), Shared: e.StaticShared, MaxThreads: bounds, CodeBytes: e.CodeSize,
		})
	}
	j.missing(found, image, arch)
	for _, name := range slices.Sorted(maps.Keys(reports)) {
		if !found[name] {
			j.faults.Add(name, image, "the ptxas report has it, but the cubin does not: they are not of one run")
		}
	}
	return facts, nil
}

// declared returns the spec's entry, or records why there must be none.
func (j *joiner) declared(name, image string, arch int) *manifest.Entry {
	e := j.entries[name]
	if e == nil {
		j.faults.Add(name, image, "no WW_KERNEL declares it: a raw __global__ has no contract and no launcher. Declare it with WW_KERNEL, or remove it")
		return nil
	}
	if k := j.kernels[e.Kernel]; !k.CompiledFor(arch) {
		j.faults.Add(name, image, "kernel %s is declared for %v only", k.Name, k.Archs)
	}
	return e
}

// missing records the spec's entries that an image does not have.
func (j *joiner) missing(found map[string]bool, image string, arch int) {
	for _, e := range j.spec.Entries {
		if !found[e.Name] && j.kernels[e.Kernel].CompiledFor(arch) {
			j.faults.Add(e.Name, image, "the image does not have it, though kernel %s is declared for it", e.Kernel)
		}
	}
}

// params compares the parameters of an image with the signature's.
func (j *joiner) params(e *manifest.Entry, image string, got []fatbin.Param) {
	if len(got) != len(e.Params) {
		j.faults.Add(e.Name, image, "it has %d parameters; its signature has %d", len(got), len(e.Params))
		return
	}
	for i, want := range e.Params {
		if got[i].Offset != want.Offset || got[i].Size != want.Size {
			j.faults.Add(e.Name, image, "parameter %d (%s) is %d bytes at %d; its signature has %s, %d bytes at %d",
				i, want.Name, got[i].Size, got[i].Offset, want.Type, want.Size, want.Offset)
		}
	}
}

// agree checks that a report is of the cubin, by all that both say.
func (j *joiner) agree(e fatbin.Entry, image string, u *ptxas.Usage) {
	if u.Image != image {
		j.faults.Add(e.Name, image, "the ptxas report is of %s", u.Image)
		return
	}
	for _, c := range []struct {
		what          string
		report, cubin int
	}{
		{"registers", u.Registers, e.Registers},
		{"bytes of stack frame", u.Stack, e.Frame},
		{"bytes of static shared memory", u.Shared, e.StaticShared},
	} {
		if c.report != c.cubin {
			j.faults.Add(e.Name, image, "the ptxas report has %d %s, the cubin %d: they are not of one run", c.report, c.what, c.cubin)
		}
	}
}

// fatbin lists the images, and checks that the machine code is the cubins' and
// that the PTX has the same entries.
func (j *joiner) fatbin(m *manifest.Manifest, in Input) error {
	f, err := fatbin.Parse(in.Fatbin)
	if err != nil {
		return err
	}
	inside := map[int]bool{}
	for _, image := range f.Images {
		name, arch := image.Name(), image.Arch.SM
		sum := sha256.Sum256(image.Payload)
		m.Images = append(m.Images, manifest.Image{Kind: image.Kind.String(), Arch: arch, Size: len(image.Payload), SHA256: hex.EncodeToString(sum[:])})
		switch {
		case image.Compression != "":
			j.faults.Add("", name, "it is compressed with %s; images are checked, so they are stored as they are", image.Compression)
		case image.Arch.Feature != 0:
			j.faults.Add("", name, "it is for one architecture or family alone, which a manifest cannot say")
		case image.Kind == fatbin.PTX:
			if err := j.text(name, arch, image.Payload); err != nil {
				return fmt.Errorf("image %s: %w", name, err)
			}
		case in.Cubins[arch] == nil:
			j.faults.Add("", name, "the fatbin has it, but no cubin is given, so nothing is known of it")
		case !bytes.Equal(in.Cubins[arch], image.Payload):
			j.faults.Add("", name, "the fatbin's has %d bytes and is not the cubin given, of %d bytes", len(image.Payload), len(in.Cubins[arch]))
		}
		inside[arch] = inside[arch] || image.Kind == fatbin.ELF
	}
	for _, arch := range slices.Sorted(maps.Keys(in.Cubins)) {
		if !inside[arch] {
			j.faults.Add("", sm(arch), "a cubin is given, but the fatbin does not have it")
		}
	}
	return nil
}

// text checks the entries of a PTX image. A driver compiles it for a chip that
// no machine code is for, so the launchers must fit it too.
func (j *joiner) text(image string, arch int, text []byte) error {
	entries, err := parsePTX(string(text))
	if err != nil {
		return err
	}
	found := map[string]bool{}
	for _, e := range entries {
		found[e.name] = true
		declared := j.declared(e.name, image, arch)
		if declared == nil {
			continue
		}
		if len(e.sizes) != len(declared.Params) {
			j.faults.Add(e.name, image, "it has %d parameters; its signature has %d", len(e.sizes), len(declared.Params))
			continue
		}
		for i, want := range declared.Params {
			if e.sizes[i] != want.Size {
				j.faults.Add(e.name, image, "parameter %d (%s) has %d bytes; its signature has %s, %d bytes", i, want.Name, e.sizes[i], want.Type, want.Size)
			}
		}
	}
	j.missing(found, image, arch)
	return nil
}
