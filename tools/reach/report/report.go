// Package report prints, for people, which exported declarations lead to which kernel.
package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/reach/refs"
)

// Write prints one block a kernel or entry: every exported declaration that leads to it, with the way. The
// spec adds where kernels stand and the kernels that no source mentions; it may be nil.
func Write(w io.Writer, spec *manifest.Spec, all []*refs.Refs) error {
	blocks := map[string]*block{}
	at := func(name string) *block {
		b := blocks[name]
		if b == nil {
			b = &block{name: name}
			blocks[name] = b
		}
		return b
	}
	if spec != nil {
		for _, k := range spec.Kernels {
			at(k.Name).place = fmt.Sprintf("%s:%d", k.Source, k.Line)
		}
		for _, e := range spec.Entries {
			at(e.Kernel).entries++
		}
	}
	for _, r := range all {
		for _, l := range r.Launches {
			b := at(l.Name())
			for _, way := range l.Public {
				b.ways = append(b.ways, strings.Join(way, " > "))
			}
		}
		for _, u := range r.Unreached {
			b := at(u.Name())
			b.unreached = append(b.unreached, fmt.Sprintf("%s (%s): %s", u.Launcher, u.Pos, u.Why))
		}
	}
	sorted := make([]*block, 0, len(blocks))
	for _, b := range blocks {
		sorted = append(sorted, b)
	}
	slices.SortFunc(sorted, func(a, b *block) int { return cmp.Compare(a.name, b.name) })
	for _, b := range sorted {
		if err := b.write(w); err != nil {
			return err
		}
	}
	return nil
}

type block struct {
	name, place     string
	entries         int
	ways, unreached []string
}

func (b *block) write(w io.Writer) error {
	head := b.name
	if b.place != "" {
		head += fmt.Sprintf("  (%s, %d entries)", b.place, b.entries)
	}
	lines := unique(b.ways)
	if len(lines) == 0 {
		for _, u := range unique(b.unreached) {
			lines = append(lines, "not reached: "+u)
		}
	}
	if len(lines) == 0 {
		lines = []string{"not reached: no launcher in the sources"}
	}
	_, err := fmt.Fprintf(w, "%s\n    %s\n", head, strings.Join(lines, "\n    "))
	return err
}

// unique drops repeated lines and keeps the order.
func unique(lines []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, l := range lines {
		if !seen[l] {
			seen[l] = true
			out = append(out, l)
		}
	}
	return out
}
