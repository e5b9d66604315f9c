package record

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"text/tabwriter"
)

// Equivalent says that mutants are the program that they were made of.
type Equivalent struct {
	File, Operator string
	Before         string // the line without the edit; empty for any
	After          string // the line with it; ** stands for anything
	Reason         string
	line           *regexp.Regexp
}

// ReadEquivalents reads the list: blocks of a line `FILE OPERATOR`, lines `+ LINE` with the edit in it, each after a line `- LINE` without
// it if the one alone could be of several places, and a reason, between empty lines.
// A line that begins with # is a comment.
func ReadEquivalents(path string) ([]*Equivalent, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out, block []*Equivalent
	var head []string
	var reason, before string
	flush := func(n int) error {
		switch {
		case head == nil:
			return nil
		case block == nil:
			return fmt.Errorf("%s:%d: %s has no line that begins with +", path, n, strings.Join(head, " "))
		case reason == "":
			return fmt.Errorf("%s:%d: %s has no reason", path, n, strings.Join(head, " "))
		}
		for _, e := range block {
			e.Reason = reason
		}
		out, block, head, reason = append(out, block...), nil, nil, ""
		return nil
	}
	s := bufio.NewScanner(f)
	n := 0
	for s.Scan() {
		n++
		line := strings.TrimSpace(s.Text())
		switch {
		case strings.HasPrefix(line, "#"):
		case line == "":
			if err := flush(n); err != nil {
				return nil, err
			}
		case head == nil:
			if head = strings.Fields(line); len(head) != 2 {
				return nil, fmt.Errorf("%s:%d: %q is not FILE OPERATOR", path, n, line)
			}
		case strings.HasPrefix(line, "+ "):
			after := strings.TrimPrefix(line, "+ ")
			pattern := strings.ReplaceAll(regexp.QuoteMeta(after), `\*\*`, ".*")
			e := &Equivalent{File: head[0], Operator: head[1], Before: before, After: after}
			before = ""
			if e.line, err = regexp.Compile("^" + pattern + "$"); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, n, err)
			}
			block = append(block, e)
		case strings.HasPrefix(line, "- "):
			before = strings.TrimPrefix(line, "- ")
		default:
			reason = strings.TrimSpace(reason + " " + line)
		}
	}
	if err := s.Err(); err != nil {
		return nil, err
	}
	return out, flush(n)
}

// Explains says that a mutant is one of these.
func (e *Equivalent) Explains(v *Verdict) bool {
	return v.File == e.File && v.Operator == e.Operator && (e.Before == "" || e.Before == v.Before) && e.line.MatchString(v.After)
}

// Headings are the rows and columns of the table, in order.
type Headings struct{ Operators, Nets []string }

// Print writes the table: who caught how many of which operator, and what survived.
func Print(w io.Writer, all []*Verdict, equivalents []*Equivalent, h Headings) error {
	const same, survived, device, failed = "same", "survived", "a GPU alone", "error"
	columns := append(append([]string{}, h.Nets...), same, survived, device, failed)
	count := map[string]map[string]int{}
	total := map[string]int{}
	seconds := 0.0
	var left, shown []*Verdict
	for _, v := range all {
		column := v.Net
		if v.Survived() {
			for _, e := range equivalents {
				if e.Explains(v) {
					v.Same = e.Reason
					shown = append(shown, v)
					break
				}
			}
		}
		switch {
		case column != "":
		case v.Same != "":
			column = same
		case v.Error != "":
			column = failed
		default:
			if column = survived; v.Device {
				column = device
			}
			left = append(left, v)
		}
		if count[v.Operator] == nil {
			count[v.Operator] = map[string]int{}
		}
		count[v.Operator][column]++
		total[column]++
		seconds += v.Seconds
	}
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tab, "operator\tmutants\t%s\t\n", strings.Join(columns, "\t"))
	row := func(name string, counts map[string]int) {
		sum := 0
		var cells []string
		for _, c := range columns {
			sum += counts[c]
			cells = append(cells, fmt.Sprint(counts[c]))
		}
		fmt.Fprintf(tab, "%s\t%d\t%s\t\n", name, sum, strings.Join(cells, "\t"))
	}
	for _, op := range h.Operators {
		if count[op] != nil {
			row(op, count[op])
		}
	}
	row("all", total)
	if err := tab.Flush(); err != nil {
		return err
	}
	judged := len(all) - total[failed]
	killed := judged - total[same] - len(left)
	real := judged - total[same]
	fmt.Fprintf(w, "\n%d mutants: %d killed, %d the same program, %d survived", judged, killed, total[same], len(left))
	if n := total[device]; n > 0 {
		fmt.Fprintf(w, ", %d of them on lines that a GPU alone runs", n)
	}
	if real > 0 {
		fmt.Fprintf(w, "; %.1f %% of those that are another program killed, %.1f %% of all; %.1f s a mutant", 100*float64(killed)/float64(real),
			100*float64(killed)/float64(judged), seconds/float64(len(all)))
	}
	if total[failed] > 0 {
		fmt.Fprintf(w, "; %d more could not be judged", total[failed])
	}
	fmt.Fprintln(w)
	for _, v := range left {
		fmt.Fprintf(w, "\nsurvived: %s:%d %s, tried with %s%s\n  - %s\n  + %s\n", v.File, v.Line, v.Operator, strings.Join(v.Trials, ", "), note(v.Says), v.Before, v.After)
	}
	for _, v := range all {
		if v.Net == "" && v.Error != "" {
			fmt.Fprintf(w, "\nnot judged: %s\n  %s\n", v.ID, v.Error)
		}
	}
	for _, v := range shown {
		fmt.Fprintf(w, "\nthe same program: %s:%d %s: %s\n  - %s\n  + %s\n", v.File, v.Line, v.Operator, v.Same, v.Before, v.After)
	}
	return nil
}

func note(says string) string {
	if says == "" {
		return ""
	}
	return "; " + says
}
