// Package operators makes mutants of kernels: small edits of tokens, each one that a tired author could have typed, of sources and of
// the annotations in them.
//
// Only what can change a program is edited: no comments, no messages, no names alone, nothing that the emulator alone reads or devices that
// no net compiles for, and no number that only tunes (block, grid, unrolling, facts to prefer).
package operators

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/tools/internal/source"
)

// Mutant is one edit of one file.
type Mutant struct {
	File     string // repository path
	Line     int    // from 1
	Column   int    // from 1
	Operator string
	Before   string // what stands there
	After    string // what the mutant has in its place
	Offset   int    // of Before in the file
	Device   bool   // compilers for a GPU alone read it: the emulator runs the same program
}

// ID names the mutant: equal sources give equal names.
func (m *Mutant) ID() string {
	return fmt.Sprintf("%s:%d:%d %s: %s -> %s", m.File, m.Line, m.Column, m.Operator, squeeze(m.Before), squeeze(m.After))
}

// Apply is the file's text with the edit.
func (m *Mutant) Apply(text string) string {
	return text[:m.Offset] + m.After + text[m.Offset+len(m.Before):]
}

// Diff is the line before and after, without indentation; of an edit over lines what is edited.
func (m *Mutant) Diff(text string) (before, after string) {
	start := strings.LastIndexByte(text[:m.Offset], '\n') + 1
	end := m.Offset + len(m.Before)
	if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
		end += i
	} else {
		end = len(text)
	}
	after = text[start:m.Offset] + m.After + text[m.Offset+len(m.Before):end]
	return squeeze(text[start:end]), squeeze(after)
}

// Without is the edit of the same line that leaves nothing of it but the braces by which it begins or ends what other lines are in.
func (m *Mutant) Without(text string) *Mutant {
	start := strings.LastIndexByte(text[:m.Offset], '\n') + 1
	end := m.Offset + len(m.Before)
	if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
		end += i
	} else {
		end = len(text)
	}
	out := *m
	out.Operator, out.Offset, out.Before, out.After = "without", start, text[start:end], ""
	for _, c := range out.Before {
		switch {
		case c == '\n', c == '{':
			out.After += string(c)
		case c == '}' && strings.HasSuffix(out.After, "{"):
			out.After = strings.TrimSuffix(out.After, "{")
		case c == '}':
			out.After += "}"
		}
	}
	return &out
}

// squeeze is a text on one line, with single spaces.
func squeeze(text string) string {
	if text = strings.Join(strings.Fields(text), " "); text != "" {
		return text
	}
	return "(nothing)"
}

// Operator finds what it can edit at one token.
type Operator struct {
	Name  string
	edits func(t *text, i int) []edit
}

// edit replaces what stands from one offset to another.
type edit struct {
	from, to int
	with     string
}

// File finds every mutant of a file, in the order of its text.
func File(name, content string) ([]*Mutant, error) {
	t, err := read(source.NewFile(name, content))
	if err != nil {
		return nil, err
	}
	var out []*Mutant
	all, seen := All(), map[string]bool{}
	for i := range t.tokens {
		if t.tokens[i].region == skipped {
			continue
		}
		for _, op := range all {
			for _, e := range op.edits(t, i) {
				m := &Mutant{
					File: name, Operator: op.Name, Device: t.tokens[i].device, Before: content[e.from:e.to], After: e.with, Offset: e.from,
					Line: t.file.Line(e.from), Column: e.from - strings.LastIndexByte(content[:e.from], '\n'),
				}
				// Two operators may think of one edit: the first has it.
				if result := m.Apply(content); !seen[result] && result != content {
					seen[result] = true
					out = append(out, m)
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *Mutant) int { return a.Offset - b.Offset })
	return out, nil
}
