package twin

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/tools/audit/sass"
)

// Row is the comparison of one pair on one architecture.
type Row struct {
	Pair, Arch string
	// Variant says that the safe kernel relies on facts which the raw one does not use: it must be smaller for it.
	Variant   bool
	Safe, Raw Measure
	// Findings are the bounds that the pair breaks. The one for the whole kernel is not among them: see Grown.
	Findings []string
	// Notes say where the comparison went beyond equal text.
	Notes []string
	// Longer is by how many parts of a hundred a loop of a variant has more instructions than the raw one, an element.
	Longer int
	// Reason is why the whole kernel may be larger, or a variant's loop longer, if it is.
	Reason string
}

// Grown is by how many parts of a hundred the safe kernel is larger than the raw one, rounded up; 0 if it is not.
func (r Row) Grown() int { return grown(r.Safe.Instructions, 1, r.Raw.Instructions, 1) }

// grown compares safe/safeCopies with raw/rawCopies.
func grown(safe, safeCopies, raw, rawCopies int) int {
	more := safe*rawCopies - raw*safeCopies
	if more <= 0 {
		return 0
	}
	return int(math.Ceil(100 * float64(more) / float64(raw*safeCopies)))
}

// Compare holds a safe kernel against its raw twin.
func Compare(pair, arch string, safe, raw *sass.Function) (Row, error) {
	r := Row{Pair: pair, Arch: arch}
	err := r.compare(safe, raw)
	return r, err
}

// CompareVariant holds a variant of a safe kernel against the raw twin of that kernel. It must have fewer instructions, and no
// loop of it may have more. Loops that the facts have done away with are not missed.
func CompareVariant(pair, arch string, safe, raw *sass.Function) (Row, error) {
	r := Row{Pair: pair, Arch: arch, Variant: true}
	if err := r.compare(safe, raw); err != nil {
		return r, err
	}
	if r.Safe.Instructions >= r.Raw.Instructions {
		r.Findings = append(r.Findings, fmt.Sprintf("the variant has %d instructions, the raw kernel %d: facts must make it smaller", r.Safe.Instructions, r.Raw.Instructions))
	}
	return r, nil
}

func (r *Row) compare(safe, raw *sass.Function) error {
	var err error
	if r.Safe, err = Of(safe); err != nil {
		return err
	}
	if r.Raw, err = Of(raw); err != nil {
		return err
	}
	find := func(format string, args ...any) { r.Findings = append(r.Findings, fmt.Sprintf(format, args...)) }
	for _, side := range []struct {
		name string
		Measure
	}{{"safe", r.Safe}, {"raw", r.Raw}} {
		if side.Locals > 0 {
			find("the %s kernel accesses local memory at %d places", side.name, side.Locals)
		}
		if side.Calls > 0 {
			find("the %s kernel has %d calls", side.name, side.Calls)
		}
		if side.Traps > 0 {
			find("the %s kernel has %d traps", side.name, side.Traps)
		}
		if len(side.Loops) == 0 && !(r.Variant && side.name == "safe") {
			find("the %s kernel has no loop that touches memory: nothing to compare", side.name)
		}
	}
	r.loops(find)
	// Another number of copies brings other branches and remainders around the loop: then what is inside counts.
	if len(r.Notes) == 0 {
		r.around(find)
	}
	return nil
}

// around compares what the kernels have outside their hot loops, too.
func (r *Row) around(find func(string, ...any)) {
	if r.Safe.Branches > r.Raw.Branches {
		find("branches: safe %d, raw %d", r.Safe.Branches, r.Raw.Branches)
	}
	var more []string
	for a, n := range r.Safe.Accesses {
		if n > r.Raw.Accesses[a] {
			more = append(more, fmt.Sprintf("%s: safe %d, raw %d", a, n, r.Raw.Accesses[a]))
		}
	}
	slices.Sort(more)
	r.Findings = append(r.Findings, more...)
}

// loops pairs the hot loops of both sides by their accesses, and compares each pair.
func (r *Row) loops(find func(string, ...any)) {
	raw := map[string]Loop{}
	for _, l := range r.Raw.Loops {
		raw[l.name()] = l
	}
	for _, s := range r.Safe.Loops {
		w, ok := raw[s.name()]
		if !ok {
			find("the safe loop at %#x (%s) has no partner", s.Address, s.name())
			continue
		}
		delete(raw, s.name())
		if s.Copies != w.Copies {
			r.Notes = append(r.Notes, fmt.Sprintf("the loop has %d : %d copies of its body: compared a copy", s.Copies, w.Copies))
		}
		if s.Branches > w.Branches {
			find("branches in the loop at %#x: safe %d, raw %d", s.Address, s.Branches, w.Branches)
		}
		switch more := grown(s.Instructions, s.Copies, w.Instructions, w.Copies); {
		case r.Variant:
			r.Longer = max(r.Longer, more)
		case more > LoopPercent:
			find("the loop at %#x (%s): %s instructions: %d %% more, allowed are %d", s.Address, s.name(), sizes(s, w), more, LoopPercent)
		}
	}
	if r.Variant {
		return
	}
	for _, w := range r.Raw.Loops {
		if _, left := raw[w.name()]; left {
			find("the raw loop at %#x (%s) has no partner", w.Address, w.name())
		}
	}
}

// Checked holds the checked twin against the raw one and says what is wrong with it: it must still have its checks, or the
// comparison would praise a compiler that deletes them. Counting traps is not enough: in its hot loops there must be a
// comparison for each element that is touched, beside those of the loop itself. An element that is read and then written is
// one.
func Checked(checked, raw *sass.Function) (findings []string, err error) {
	c, err := Of(checked)
	if err != nil {
		return nil, err
	}
	r, err := Of(raw)
	if err != nil {
		return nil, err
	}
	find := func(format string, args ...any) { findings = append(findings, fmt.Sprintf(format, args...)) }
	if c.Traps == 0 {
		find("the checked kernel has no trap: its checks are gone")
	}
	if len(c.Loops) == 0 {
		find("the checked kernel has no loop that touches memory")
	}
	if len(c.Loops) != len(r.Loops) {
		find("the checked kernel has %d hot loops, the raw one %d", len(c.Loops), len(r.Loops))
	}
	own := 0
	for _, l := range r.Loops {
		own = max(own, l.Compares)
	}
	for _, l := range c.Loops {
		elements := l.Copies * max(total(l.Accesses, sass.Load), total(l.Accesses, sass.Store), total(l.Accesses, sass.Atomic))
		if got := l.Compares - own; got < elements {
			find("the checked loop at %#x touches %d elements and has %d comparisons beside its own: checks are gone", l.Address, elements, got)
		}
	}
	return findings, nil
}

// Fine says whether the pair keeps its bounds, or has a reason where one is allowed.
func (r Row) Fine() bool {
	more, allowed, _ := r.excusable()
	return len(r.Findings) == 0 && (more <= allowed || r.Reason != "")
}

// excusable is what a reason can be for: by how many parts of a hundred the kernel is larger, or a loop of a variant, which is
// smaller, is longer; and what is allowed without one.
func (r Row) excusable() (more, allowed int, what string) {
	if r.Variant {
		return r.Longer, 0, "a loop"
	}
	return r.Grown(), KernelPercent, "the kernel"
}

// Verdict is the row's last cell: how the safe kernel compares, with the reason if it needs one, or what is wrong.
func (r Row) Verdict() string {
	if !r.Fine() {
		wrong := r.Findings
		if more, allowed, what := r.excusable(); more > allowed && r.Reason == "" {
			wrong = append(wrong[:len(wrong):len(wrong)], fmt.Sprintf("%s has %d %% more instructions, allowed are %d or a reason", what, more, allowed))
		}
		return "FAILS: " + strings.Join(wrong, "; ")
	}
	parts := append([]string{r.size()}, r.Notes...)
	if r.Reason != "" {
		parts = append(parts, r.Reason)
	}
	return strings.Join(parts, "; ")
}

// size says how the instructions of both kernels compare.
func (r Row) size() string {
	switch more := r.Safe.Instructions - r.Raw.Instructions; {
	case more > 0:
		return fmt.Sprintf("%d more, %d %%", more, r.Grown())
	case more < 0:
		return fmt.Sprintf("%d fewer", -more)
	}
	return "equal"
}

// WriteTable writes rows as a table of Markdown.
func WriteTable(w io.Writer, rows []Row) error {
	lines := [][]string{{"pair", "arch", "instructions", "in the loop", "loads", "stores", "branches", "verdict"}}
	for _, r := range rows {
		kinds := func(kinds ...sass.Kind) string {
			safe, raw := 0, 0
			for _, k := range kinds {
				safe += total(r.Safe.Accesses, k)
				raw += total(r.Raw.Accesses, k)
			}
			return fmt.Sprintf("%d / %d", safe, raw)
		}
		lines = append(lines, []string{
			r.Pair, r.Arch,
			fmt.Sprintf("%d / %d", r.Safe.Instructions, r.Raw.Instructions),
			r.inLoops(),
			kinds(sass.Load), kinds(sass.Store, sass.Atomic),
			fmt.Sprintf("%d / %d", r.Safe.Branches, r.Raw.Branches),
			r.Verdict(),
		})
	}
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for n, cell := range line {
			widths[n] = max(widths[n], len(cell))
		}
	}
	var text strings.Builder
	for at, line := range lines {
		for n, cell := range line[:len(line)-1] {
			fmt.Fprintf(&text, "| %-*s ", widths[n], cell)
		}
		fmt.Fprintf(&text, "| %s |\n", line[len(line)-1])
		if at == 0 {
			text.WriteString(strings.Repeat("|---", len(line)) + "|\n")
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// inLoops are the instructions of the hot loops, of pairs first.
func (r Row) inLoops() string {
	raw := map[string]Loop{}
	for _, l := range r.Raw.Loops {
		raw[l.name()] = l
	}
	var each []string
	for _, l := range r.Safe.Loops {
		if w, ok := raw[l.name()]; ok {
			each = append(each, sizes(l, w))
			delete(raw, l.name())
		} else {
			each = append(each, fmt.Sprintf("%d / -", l.Instructions))
		}
	}
	for _, l := range r.Raw.Loops {
		if _, left := raw[l.name()]; left {
			each = append(each, fmt.Sprintf("- / %d", l.Instructions))
		}
	}
	return strings.Join(each, ", ")
}

// sizes are the instructions of two loops, a copy of the body if they have not the same number of copies.
func sizes(safe, raw Loop) string {
	if safe.Copies == raw.Copies {
		return fmt.Sprintf("%d / %d", safe.Instructions, raw.Instructions)
	}
	each := func(l Loop) float64 { return float64(l.Instructions) / float64(l.Copies) }
	return fmt.Sprintf("%.2f / %.2f", each(safe), each(raw))
}
