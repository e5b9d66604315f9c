package command

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/warpwright/warpwright/go/audit"
)

func auditCommand() *command {
	return &command{
		name:    "audit",
		args:    "[FOLDER | FILE.audit.json ...]",
		summary: "show what the audits found in compiled kernels",
		doc: `Prints the tables that the build wrote beside the images: what each kernel takes on each architecture, and what breaks
a rule, with its reason if the kernel's annotation has one. A finding without a reason, or an exception for what no
entry does, fails the command. Without arguments it reads the folder of -images or WW_IMAGES. docs/audit.md has the rules.`,
		example: []string{"ww audit", "ww audit bazel-bin/cuda/images", "ww audit -entries csr.audit.json"},
		setup: func(f *flag.FlagSet) func(*invocation, []string) (result, error) {
			c := &deviceChoice{}
			imagesFlag(f, c)
			entries := f.Bool("entries", false, "print every entry, not only the range over a kernel's entries")
			return func(_ *invocation, args []string) (result, error) {
				if len(args) == 0 {
					if args = []string{c.folder()}; args[0] == "" {
						return nil, usagef("no tables: name a folder or files, or set -images or WW_IMAGES")
					}
				}
				return readAudits(args, *entries)
			}
		},
	}
}

// audits are the tables of some families.
type audits struct {
	Tables      []*audit.Table `json:"tables"`
	Unexplained []string       `json:"unexplained"`
	entries     bool
}

// readAudits reads files, and of folders all tables that are in them.
func readAudits(paths []string, entries bool) (result, error) {
	a := &audits{entries: entries, Unexplained: []string{}}
	var err error
	if a.Tables, err = readTables(paths, "audit.json", audit.Read); err != nil {
		return nil, err
	}
	for _, t := range a.Tables {
		a.Unexplained = append(a.Unexplained, t.Unexplained()...)
	}
	if n := len(a.Unexplained); n > 0 {
		return a, fmt.Errorf("%d findings without a reason", n)
	}
	return a, nil
}

func (a *audits) text(w io.Writer) error {
	for i, t := range a.Tables {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := a.family(w, t); err != nil {
			return err
		}
	}
	if len(a.Unexplained) > 0 {
		fmt.Fprintf(w, "\nWithout a reason:\n")
		for _, line := range a.Unexplained {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	return nil
}

func (a *audits) family(w io.Writer, t *audit.Table) error {
	fmt.Fprintln(w, t.Family)
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tab, "arch\tentries\tthreads\tregisters\tshared\tblocks\tlocal\tspills\tinstructions\tfindings\t  "+map[bool]string{true: "entry", false: "kernel"}[a.entries])
	for _, g := range groups(t, a.entries) {
		fmt.Fprintf(tab, "sm_%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t  %s\n", g.arch, len(g.rows),
			g.span(func(r *audit.Row) int { return r.Threads }), g.span(func(r *audit.Row) int { return r.Registers }),
			g.span(func(r *audit.Row) int { return r.Shared }), g.span(func(r *audit.Row) int { return r.Blocks }),
			g.span(func(r *audit.Row) int { return r.Local }), g.span(func(r *audit.Row) int { return r.SpillStores + r.SpillLoads }),
			g.span(func(r *audit.Row) int { return r.Instructions }), g.findings(), g.name)
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	for _, k := range t.Kernels {
		if k.Raw {
			fmt.Fprintf(w, "%s is raw: it has no contract, and no rule is its own\n", k.Name)
		}
		if k.Unchecked != "" {
			fmt.Fprintf(w, "%s is unchecked: %s\n", k.Name, k.Unchecked)
		}
		for _, e := range k.Exceptions {
			fmt.Fprintf(w, "%s is excepted from %s: %s%s\n", k.Name, e.Rule, e.Reason, map[bool]string{true: " (stale)"}[e.Stale])
		}
	}
	return nil
}

// group is the rows that make one line: those of a kernel on an architecture, or one.
type group struct {
	name string
	arch int
	rows []*audit.Row
	raw  bool // nothing of it needs a reason
}

func groups(t *audit.Table, entries bool) []*group {
	raw := map[string]bool{}
	for _, k := range t.Kernels {
		raw[k.Name] = k.Raw
	}
	var out []*group
	for i := range t.Rows {
		r := &t.Rows[i]
		name := r.Kernel
		if entries {
			name = r.Entry
		}
		at := slices.IndexFunc(out, func(g *group) bool { return g.name == name && g.arch == r.Arch })
		if at < 0 {
			at = len(out)
			out = append(out, &group{name: name, arch: r.Arch, raw: raw[r.Kernel]})
		}
		out[at].rows = append(out[at].rows, r)
	}
	return out
}

// span is the least and the greatest of something: "32" or "32-47".
func (g *group) span(of func(*audit.Row) int) string {
	lo, hi := of(g.rows[0]), of(g.rows[0])
	for _, r := range g.rows {
		lo, hi = min(lo, of(r)), max(hi, of(r))
	}
	if lo == hi {
		return fmt.Sprint(lo)
	}
	return fmt.Sprintf("%d-%d", lo, hi)
}

// findings are the rules that are broken, those without a reason marked.
func (g *group) findings() string {
	var out []string
	for _, r := range g.rows {
		for _, f := range r.Findings {
			name := f.Rule
			if f.Reason == "" && !g.raw {
				name += "!"
			}
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	if len(out) == 0 {
		return "-"
	}
	return strings.Join(out, " ")
}
