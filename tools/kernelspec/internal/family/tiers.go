package family

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/warpwright/warpwright/go/manifest"
)

// AddTiers takes over a file of tier tables, if all that they name exists.
func (f *Family) AddTiers(file string, text []byte) error {
	var tables []manifest.TierTable
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&tables); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for _, t := range tables {
		for _, before := range f.Tiers {
			if before.Operator == t.Operator && before.Arch == t.Arch {
				return fmt.Errorf("%s: %s of sm_%d has a table already", file, t.Operator, t.Arch)
			}
		}
		if t.Operator == "" || t.Source == "" || len(t.Tiers) == 0 {
			return fmt.Errorf("%s: a table needs operator, source and tiers", file)
		}
		if !slices.Contains(archs(), fmt.Sprintf("sm_%d", t.Arch)) {
			return fmt.Errorf("%s: %s: sm_%d is no architecture that kernels are compiled for (%s are)", file, t.Operator, t.Arch, list(archs()))
		}
		for i, row := range t.Tiers {
			if err := f.tier(t.Tiers[:i], row); err != nil {
				return fmt.Errorf("%s: %s of sm_%d, tier %d: %w", file, t.Operator, t.Arch, i+1, err)
			}
		}
		f.Tiers = append(f.Tiers, t)
	}
	return nil
}

// tier checks one row against those before it and against the kernels.
func (f *Family) tier(before []manifest.Tier, row manifest.Tier) error {
	switch {
	case len(before) == 0 && row.From != 0:
		return fmt.Errorf("begins at %g; the first tier begins at 0", row.From)
	case len(before) > 0 && row.From <= before[len(before)-1].From:
		return fmt.Errorf("begins at %g, not above the tier before it at %g", row.From, before[len(before)-1].From)
	}
	i := slices.IndexFunc(f.Kernels, func(k *Kernel) bool { return k.Name == row.Kernel })
	if i < 0 {
		return fmt.Errorf("no kernel %q in family %s", row.Kernel, f.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(row.Types)) {
		j := slices.IndexFunc(f.Kernels[i].Types, func(t *TypeParam) bool { return t.Name == name })
		if j < 0 {
			return fmt.Errorf("%s has no instance parameter %q", row.Kernel, name)
		}
		if t := f.Kernels[i].Types[j]; !slices.Contains(t.Values, row.Types[name]) {
			return fmt.Errorf("%s is not compiled for %s: %q (%s are its values)", row.Kernel, name, row.Types[name], list(t.Values))
		}
	}
	return nil
}
