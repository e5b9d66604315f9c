package family

import (
	"fmt"
	"slices"
)

// Only leaves of a family the entries that are named, and the kernels that have one of them. Contracts and hashes stay what
// they are: they are a kernel's, not an entry's.
func (f *Family) Only(entries []string) error {
	found := map[string]bool{}
	var kernels []*Kernel
	for _, k := range f.Kernels {
		k.Instances = slices.DeleteFunc(k.Instances, func(in Instance) bool {
			named := slices.Contains(entries, in.Entry)
			found[in.Entry] = named
			return !named
		})
		k.Prefers = slices.DeleteFunc(k.Prefers, func(p *Prefer) bool {
			return !slices.ContainsFunc(k.Instances, func(in Instance) bool { return in.Prefer == p })
		})
		if len(k.Instances) > 0 {
			kernels = append(kernels, k)
		}
	}
	f.Kernels = kernels
	for _, name := range entries {
		if !found[name] {
			return fmt.Errorf("family %s has no entry %q", f.Name, name)
		}
	}
	return nil
}
