package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/warpwright/warpwright/go/csr"
)

// Table prints a report for people: first each case in a line, then every way of each case.
func (r *Report) Table(w io.Writer) error {
	d := r.Device
	fmt.Fprintf(w, "%s, %d multiprocessors, driver %s; peer: %s\n", d.Name, d.Multiprocessors, d.Driver, r.Peer)
	fmt.Fprintf(w, "f32, %d rows and columns, 32-bit offsets, uniform random columns; medians of %d calls over rotating inputs\n", r.Options.Rows, r.Options.Repeat)
	if r.CopyRate > 0 {
		fmt.Fprintf(w, "copy on the device: %.2f TB/s, read and written; two events with nothing between them: %s us\n", r.CopyRate/1e12, us(r.Empty))
	}
	if l := r.Launch; l != nil {
		fmt.Fprintf(w, "launch, host time: ours %.0f ns, of which the contract check %.0f ns", l.Ours*1e9, l.Check*1e9)
		if l.Bare > 0 {
			fmt.Fprintf(w, "; bare cuLaunchKernel from C %.0f ns", l.Bare*1e9)
		}
		fmt.Fprintln(w)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", n)
	}
	for _, at := range []csr.Direction{csr.Gather, csr.Scatter} {
		for _, one := range []bool{false, true} {
			if err := r.summary(w, at, one); err != nil {
				return err
			}
		}
	}
	for _, at := range []csr.Direction{csr.Gather, csr.Scatter} {
		for _, one := range []bool{false, true} {
			if err := r.ways(w, at, one); err != nil {
				return err
			}
		}
	}
	return nil
}

// cases are those of one direction and kind of weights, in order.
func (r *Report) cases(at csr.Direction, one bool) []*Case {
	var out []*Case
	for i := range r.Cases {
		if c := &r.Cases[i]; c.Direction == at && c.OneWeight == one {
			out = append(out, c)
		}
	}
	return out
}

func title(at csr.Direction, one bool) string {
	if one {
		return fmt.Sprintf("%s, one weight for all", at)
	}
	return fmt.Sprintf("%s, a weight an entry", at)
}

// PeerOf is the best peer of a case. One with a single weight is compared with the same product with a
// weight an entry: the peer has no other.
func (r *Report) PeerOf(c *Case) (Measured, bool) {
	for _, same := range r.cases(c.Direction, false) {
		if same.PerRow == c.PerRow {
			return Best(same.Peers)
		}
	}
	return Measured{}, false
}

// summary has a line a case: ours as chosen, our best, the best peer, their ratio, the share of the copy.
func (r *Report) summary(w io.Writer, at csr.Direction, one bool) error {
	cases := r.cases(at, one)
	if len(cases) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\n%s, microseconds\n", title(at, one))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "entries/row\tchosen\tbest\tpeer\tchosen/peer\tof copy\tlargest error\tits bound\t  chosen; best; peer")
	for _, c := range cases {
		chosen, _ := c.ChosenWay()
		best, _ := Best(c.Ours)
		peer, ratio, by := "-", "-", "none"
		if p, ok := r.PeerOf(c); ok {
			peer, ratio, by = us(p.Median), fmt.Sprintf("%.3f", chosen.Median/p.Median), p.short()
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\t%.2g\t%.2g\t  %s; %s; %s\n", c.PerRow, us(chosen.Median), us(best.Median), peer, ratio,
			percent(chosen.Share), chosen.Largest, chosen.Bound, chosen.short(), best.short(), by)
	}
	return t.Flush()
}

// ways has a line a case and a column a way.
func (r *Report) ways(w io.Writer, at csr.Direction, one bool) error {
	cases := r.cases(at, one)
	if len(cases) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\n%s: every way, microseconds (* the table's choice; + peers' own analysis, not counted)\n", title(at, one))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "entries/row")
	for _, m := range cases[0].Ours {
		fmt.Fprintf(t, "\t%s", m.short())
	}
	peers := names(cases)
	for _, name := range peers {
		fmt.Fprintf(t, "\t%s", name)
	}
	fmt.Fprintln(t, "\t")
	for _, c := range cases {
		fmt.Fprint(t, c.PerRow)
		for _, m := range c.Ours {
			mark := " "
			if m.Name == c.Chosen {
				mark = "*"
			}
			fmt.Fprintf(t, "\t%s%s", us(m.Median), mark)
		}
		for _, name := range peers {
			cell := "-"
			for _, m := range c.Peers {
				if m.short() == name {
					cell = us(m.Median) + " +" + us(m.Preprocess)
				}
			}
			fmt.Fprintf(t, "\t%s", cell)
		}
		fmt.Fprintln(t, "\t")
	}
	return t.Flush()
}

// names is the peers' of any case, in order of first appearance.
func names(cases []*Case) []string {
	var out []string
	for _, c := range cases {
		for _, m := range c.Peers {
			if !slices.Contains(out, m.short()) {
				out = append(out, m.short())
			}
		}
	}
	return out
}

// short is a way's name in a narrow column: csr_mv_group with 8 lanes a row is group/8.
func (m *Measured) short() string {
	if m.Tier.Kernel == "" || m.Name != m.Tier.String() {
		return strings.TrimPrefix(m.Name, "cuSPARSE ")
	}
	name := m.Tier.Kernel[strings.LastIndexByte(m.Tier.Kernel, '_')+1:]
	if m.Tier.Lanes > 0 {
		name += fmt.Sprintf("/%d", m.Tier.Lanes)
	}
	return name
}

// us prints seconds as microseconds, to three or four digits.
func us(seconds float64) string {
	switch v := seconds * 1e6; {
	case v < 100:
		return fmt.Sprintf("%.2f", v)
	case v < 1000:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.0f", v)
	}
}

func percent(share float64) string {
	if share == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*share)
}
