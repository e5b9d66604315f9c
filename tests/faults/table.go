package faults

import (
	"fmt"
	"slices"
	"strings"
)

// The marks in docs/planted-faults.md between which the table stands.
const (
	tableBegin = "<!-- made of tests/faults/pieces: go test ./tests/faults -run TestTable -update -->\n"
	tableEnd   = "<!-- end -->\n"
)

// Table is the museum as a page shows it: the tools in the order in which a fault meets them, and under each
// the pieces that it is the first to find.
func Table(pieces []*Piece) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d pieces. A tool stands with the pieces that it is the first to find; all before it pass them.\n", len(pieces))
	for _, t := range Tools() {
		var rows []*Piece
		for _, p := range pieces {
			if p.Verdicts[0].Tool == t.Name {
				rows = append(rows, p)
			}
		}
		if rows == nil {
			continue
		}
		slices.SortFunc(rows, func(p, q *Piece) int { return strings.Compare(p.Name, q.Name) })
		fmt.Fprintf(&b, "\n### %s: %d\n\nAt %s: %s.\n\n| piece | fault | says |\n|---|---|---|\n", t.Name, len(rows), t.When, t.Is)
		for _, p := range rows {
			fmt.Fprintf(&b, "| [%s](../tests/faults/pieces/%s.txtar) | %s | %s |\n", p.Name, p.Name, cell(p.Story), cell(p.says()))
		}
	}
	return b.String()
}

// says are the words that the tools must say, those of a second tool with its name.
func (p *Piece) says() string {
	var out []string
	for i, v := range p.Verdicts {
		var words []string
		for _, w := range v.Says {
			words = append(words, "`"+w.String()+"`")
		}
		text := strings.Join(words, ", ")
		if i > 0 {
			text = "also " + v.Tool + ": " + text
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// cell makes a text fit into a table.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}

// Renew puts the table of the pieces into a page.
func Renew(page string, pieces []*Piece) (string, error) {
	before, rest, begins := strings.Cut(page, tableBegin)
	_, after, ends := strings.Cut(rest, tableEnd)
	if !begins || !ends {
		return "", fmt.Errorf("the page lacks the lines %q and %q", tableBegin, tableEnd)
	}
	return before + tableBegin + "\n" + Table(pieces) + "\n" + tableEnd + after, nil
}
