package twin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/tools/audit/sass"
)

// Listings are the kernels of one architecture. Those of one X are called twin_X, raw_X and checked_X.
type Listings struct {
	Arch               string
	Safe, Raw, Checked []*sass.Function
	// Alone are the X that have a safe kernel and no other.
	Alone []string
	// Variants are the X of safe kernels that rely on facts beyond the contract, with the X of the kernel that does without.
	Variants map[string]string
}

// Judge compares every pair. All three kernels of a pair must be there, and of what is alone just the safe one.
func Judge(l Listings) ([]Row, error) {
	safe, err := named(l.Safe, "twin_")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.Arch, err)
	}
	raw, err := named(l.Raw, "raw_")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.Arch, err)
	}
	checked, err := named(l.Checked, "checked_")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.Arch, err)
	}
	variants := map[string]*sass.Function{}
	for x, of := range l.Variants {
		if safe[x] == nil || safe[of] == nil {
			return nil, fmt.Errorf("%s: want twin_%s, and twin_%s of which it is a variant", l.Arch, x, of)
		}
		if !slices.Contains(l.Alone, of) {
			variants[x] = safe[x]
		}
		delete(safe, x)
	}
	for _, x := range l.Alone {
		if safe[x] == nil || raw[x] != nil || checked[x] != nil {
			return nil, fmt.Errorf("%s: %s is to be alone: want twin_%s and neither raw_%s nor checked_%s", l.Arch, x, x, x, x)
		}
		delete(safe, x)
	}
	pairs := map[string]bool{}
	for _, side := range []map[string]*sass.Function{safe, raw, checked} {
		for x := range side {
			pairs[x] = true
		}
	}
	var rows []Row
	for x := range pairs {
		if safe[x] == nil || raw[x] == nil || checked[x] == nil {
			return nil, fmt.Errorf("%s: of twin_%s, raw_%s and checked_%s not all are there", l.Arch, x, x, x)
		}
		row, err := Compare(x, l.Arch, safe[x], raw[x])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Arch, err)
		}
		gone, err := Checked(checked[x], raw[x])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Arch, err)
		}
		row.Findings = append(row.Findings, gone...)
		rows = append(rows, row)
	}
	for x, f := range variants {
		row, err := CompareVariant(x, l.Arch, f, raw[l.Variants[x]])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Arch, err)
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(a.Pair, b.Pair) })
	return rows, nil
}

// named gives the entries by what stands behind the prefix, which all of them must have.
func named(functions []*sass.Function, prefix string) (map[string]*sass.Function, error) {
	entries := map[string]*sass.Function{}
	for _, f := range functions {
		if !f.Entry() {
			continue
		}
		x, ok := strings.CutPrefix(f.Name, prefix)
		if !ok {
			return nil, fmt.Errorf("%s does not begin with %s", f.Name, prefix)
		}
		entries[x] = f
	}
	return entries, nil
}
