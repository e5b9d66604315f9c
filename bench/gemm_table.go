package bench

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Table prints a report for people: a line for each way of each case.
func (r *GemmReport) Table(w io.Writer) error {
	d := r.Device
	fmt.Fprintf(w, "%s, %d multiprocessors, driver %s; peer: %s\n", d.Name, d.Multiprocessors, d.Driver, r.Peer)
	fmt.Fprintf(w, "C = A B in f32, square matrices, row by row; medians of %d calls, fewer above 2048 a side\n", r.Options.Repeat)
	for _, n := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", n)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "side\tmicroseconds\tGFLOP/s\tof cuBLAS\tlargest error\tits bound\t  kernel (* a plan's choice)")
	for i := range r.Cases {
		c := &r.Cases[i]
		peer, compared := c.Best(GemmPeer)
		for _, way := range c.Ways {
			of, mark := "-", ""
			if compared {
				of = percent(peer.Median / way.Median)
			}
			if way.Kind == GemmOurs && way.Name == c.Chosen {
				mark = " *"
			}
			fmt.Fprintf(t, "%d\t%s\t%.0f\t%s\t%.2g\t%.2g\t  %s%s\n", c.Side, us(way.Median), way.Rate/1e9, of, way.Largest, way.Bound, way.Name, mark)
		}
	}
	return t.Flush()
}
