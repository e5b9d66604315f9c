package talk

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// The talk's own numbers, which its author measured: what checks at every access cost over none, and what checks once a launch did.
const seed = "the talk's own, on an RTX 5090: 2.43 times as long with a check at every access, 0.1 % longer with one a launch"

// Print writes the report for people.
func (r *Report) Print(w io.Writer) error {
	d := r.Device
	fmt.Fprintf(w, "C = alpha A B + beta C in f32, a thread a cell, written four times: the same checks, made ever less often.\n%s, sm_%d", d.Name, d.Arch)
	if d.Driver != "" {
		fmt.Fprintf(w, ", %s", d.Driver)
	}
	fmt.Fprintln(w)
	if !r.Timed {
		fmt.Fprintln(w, "There is no GPU here: kernels run on the emulator, thread by thread, where times mean nothing. So none are shown.")
	}
	for _, s := range r.Shapes {
		if err := r.shape(w, s); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "\nThe same launch with k = %d, twice what A and B hold, once a launch:\n  %s\nNothing was launched, and C is as it was.\n", r.Rejected.K, r.Rejected.Error)
	return r.code(w)
}

// rate is a row's speed in GFLOP/s.
func (s *Shape) rate(row Row) float64 {
	return 2 * float64(s.M) * float64(s.N) * float64(s.K) / row.Seconds / 1e9
}

func (r *Report) shape(w io.Writer, s Shape) error {
	fmt.Fprintf(w, "\n%d x %d x %d, %d launches each\n", s.M, s.N, s.K, r.Launches)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := "  checked\tkernel\tlargest error\tits bound\tbits"
	if r.Timed {
		head += "\tus\tGFLOP/s\tto never"
	}
	fmt.Fprintln(t, head)
	never := s.Rungs[len(s.Rungs)-1]
	for _, row := range slices.Concat(s.Rungs, s.Beyond) {
		bits := "the same"
		if !row.Same {
			bits = "others"
		}
		fmt.Fprintf(t, "  %s\t%s\t%.2g\t%.2g\t%s", row.Name, row.Entry, row.Largest, row.Bound, bits)
		if r.Timed {
			fmt.Fprintf(t, "\t%.2f\t%.0f\t%.3f", row.Seconds*1e6, s.rate(row), row.Seconds/never.Seconds)
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if !r.Timed {
		return nil
	}
	every, launch := s.find(EveryAccess), s.find(OnceALaunch)
	_, err := fmt.Fprintf(w, "  every access takes %.2f times as long as once a launch, which takes %.3f times as long as never\n  (%s)\n",
		every.Seconds/launch.Seconds, launch.Seconds/never.Seconds, seed)
	return err
}

// find is the rung of that name.
func (s *Shape) find(name string) Row {
	for _, row := range s.Rungs {
		if row.Name == name {
			return row
		}
	}
	return Row{}
}

// code is the table of what the compiler made of the rungs.
func (r *Report) code(w io.Writer) error {
	if len(r.Code) == 0 {
		_, err := fmt.Fprintln(w, "\nNo table of machine code is named, so none is shown.")
		return err
	}
	arch := archOf(r.Code, r.Device.Arch)
	fmt.Fprintf(w, "\nMachine code for sm_%d\n", arch)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  checked\tkernel\tin the loop: instructions a product\tproducts a round\tbranches\tin all: instructions\tbranches\ttraps")
	s := r.Shapes[0]
	for _, row := range slices.Concat(s.Rungs, s.Beyond) {
		c, ok := codeOf(r.Code, row.Entry, arch)
		if !ok {
			fmt.Fprintf(t, "  %s\t%s\tnot in the table\n", row.Name, row.Entry)
			continue
		}
		fmt.Fprintf(t, "  %s\t%s\t%.2f\t%d\t%d\t%d\t%d\t%d\n", row.Name, row.Entry, c.Loop.PerProduct(), c.Loop.Products, c.Loop.Branches,
			c.Instructions, c.Branches, c.Traps)
	}
	return t.Flush()
}
