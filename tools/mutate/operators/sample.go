package operators

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// Sample draws n mutants, stratified: one of every operator in every file, in an order that the seed says, then a second one of each,
// and so on, so that what there is much of does not crowd out what there is little of.
func Sample(all []*Mutant, n int, seed uint64) []*Mutant {
	r := rand.New(rand.NewPCG(seed, 0))
	strata := map[string][]*Mutant{}
	var names []string
	for _, m := range all {
		name := m.Operator + " " + m.File
		if strata[name] == nil {
			names = append(names, name)
		}
		strata[name] = append(strata[name], m)
	}
	slices.Sort(names)
	for _, name := range names {
		s := strata[name]
		r.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
	}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var out []*Mutant
	for round := 0; len(out) < min(n, len(all)); round++ {
		for _, name := range names {
			if s := strata[name]; round < len(s) && len(out) < n {
				out = append(out, s[round])
			}
		}
	}
	return out
}

var kernelName = regexp.MustCompile(`WW_DEV void (\w+)\(`)

// KernelAt names the kernel of a source that holds an offset, in its annotation or its function; empty where none does.
func KernelAt(text string, offset int) string {
	from := strings.LastIndex(text[:min(offset+len("WW_KERNEL"), len(text))], "WW_KERNEL")
	if from < 0 {
		return ""
	}
	m := kernelName.FindStringSubmatchIndex(text[from:])
	if m == nil {
		return ""
	}
	depth := 0
	for i := from + m[1]; i < offset; i++ {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return "" // behind its end
			}
		}
	}
	return text[from+m[2] : from+m[3]]
}
