package command

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/warpwright/warpwright/go/proof"
)

func proveCommand() *command {
	return &command{
		name:    "prove",
		args:    "[FOLDER | FILE.proof.json ...]",
		summary: "show what was proved of kernels and their contracts",
		doc: `Prints the tables that the build wrote beside the images: how much each kernel's contract must imply, and what became of
it: proved, or decided by runs where the solver did not. What is refuted, with sizes and a thread, or undecided, fails the command. Without arguments it reads the
folder of -images or WW_IMAGES. docs/proofs.md says what is proved, and how.`,
		example: []string{"ww prove", "ww prove bazel-bin/cuda/images", "ww prove -owed csr.proof.json"},
		setup: func(f *flag.FlagSet) func(*invocation, []string) (result, error) {
			c := &deviceChoice{}
			imagesFlag(f, c)
			p := &proofs{Open: []string{}}
			f.BoolVar(&p.entries, "entries", false, "print every entry, not only the sums over a kernel's entries")
			f.BoolVar(&p.owed, "owed", false, "print what each kernel's contract says, and what must follow from it")
			f.BoolVar(&p.lemmas, "lemmas", false, "print what was proved of the vocabulary, for all kernels")
			return func(_ *invocation, args []string) (result, error) {
				if len(args) == 0 {
					if args = []string{c.folder()}; args[0] == "" {
						return nil, usagef("no tables: name a folder or files, or set -images or WW_IMAGES")
					}
				}
				return p.read(args)
			}
		},
	}
}

// proofs are the tables of some families.
type proofs struct {
	Tables []*proof.Table `json:"tables"`
	Open   []string       `json:"open"` // what is not proved

	entries, owed, lemmas bool
}

func (p *proofs) read(paths []string) (result, error) {
	var err error
	if p.Tables, err = readTables(paths, "proof.json", proof.Read); err != nil {
		return nil, err
	}
	for _, t := range p.Tables {
		p.Open = append(p.Open, t.Open()...)
	}
	if n := len(p.Open); n > 0 {
		return p, fmt.Errorf("%d things are not proved", n)
	}
	return p, nil
}

func (p *proofs) text(w io.Writer) error {
	for i, t := range p.Tables {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := p.family(w, t); err != nil {
			return err
		}
	}
	if len(p.Open) > 0 {
		fmt.Fprintf(w, "\nNot proved:\n")
		for _, line := range p.Open {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	return nil
}

func (p *proofs) family(w io.Writer, t *proof.Table) error {
	fmt.Fprintln(w, t.Family)
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tab, "entries\tobligations\tproved\tdecided\trefuted\tundecided\t  "+map[bool]string{true: "entry", false: "kernel"}[p.entries])
	for _, c := range p.counts(t) {
		fmt.Fprintf(tab, "%d\t%d\t%d\t%d\t%d\t%d\t  %s\n", c.entries, c.obligations, c.obligations-c.decided-c.refuted-c.undecided, c.decided, c.refuted, c.undecided, c.name)
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "on %d lemmas of the vocabulary, by %s\n", len(t.Vocabulary.Lemmas), t.Solver)
	for _, l := range t.Vocabulary.Lemmas {
		if p.lemmas {
			fmt.Fprintf(w, "%s (%s): %s\n", l.Name, l.Source, l.Verdict)
			for _, says := range l.Says {
				fmt.Fprintf(w, "    %s\n", says)
			}
		}
	}
	for i := range t.Kernels {
		k := &t.Kernels[i]
		if k.Unchecked != "" {
			fmt.Fprintf(w, "%s is unchecked, so what it does past its contract is not proved: %s\n", k.Name, k.Unchecked)
		}
		if p.owed {
			owes(w, k)
		}
	}
	for _, r := range t.Rows {
		for _, f := range r.Failures {
			if f.Verdict == proof.Decided {
				fmt.Fprintf(w, "%s: %s\n", r.Entry, f.String())
			}
		}
	}
	return nil
}

// owes prints what a kernel's contract says and what must follow.
func owes(w io.Writer, k *proof.Kernel) {
	fmt.Fprintf(w, "%s (%s:%d)\n  the launcher checks\n", k.Name, k.Source, k.Line)
	for _, r := range k.Contract {
		fmt.Fprintf(w, "    %s\n", r)
	}
	fmt.Fprintf(w, "  so\n")
	for _, o := range k.Obligations {
		fmt.Fprintf(w, "    %s\n", o)
	}
}

// count is one line: the rows of a kernel, or one.
type count struct {
	name                                              string
	entries, obligations, decided, refuted, undecided int
}

func (p *proofs) counts(t *proof.Table) []count {
	var out []count
	for _, r := range t.Rows {
		name := r.Kernel
		if p.entries {
			name = r.Entry
		}
		at := slices.IndexFunc(out, func(c count) bool { return c.name == name })
		if at < 0 {
			at = len(out)
			out = append(out, count{name: name})
		}
		c := &out[at]
		c.entries++
		c.obligations += r.Obligations
		for _, f := range r.Failures {
			switch f.Verdict {
			case proof.Refuted:
				c.refuted++
			case proof.Decided:
				c.decided++
			default:
				c.undecided++
			}
		}
	}
	return out
}
