// Command celegans asks the connectome of C. elegans two questions about a set of active sensory cells:
// what every cell receives from them (y = Aᵀ x), and which cells make synapses onto them (y = A x).
// It computes on a GPU if there is one, else on the CPU, and says how right and how fast it was.
//
// `bazel run //:quickstart` runs it; ordinary flags follow `--`.
package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/warpwright/warpwright/go/csr"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/mtx"
	"github.com/warpwright/warpwright/go/numtest"
	"github.com/warpwright/warpwright/go/ref"
)

// touch is the cells that feel a gentle touch to the body; what they drive makes the worm back away.
const touch = "ALML,ALMR,AVM,PLML,PLMR"

// The environment that Bazel fills in: the files that examples/celegans/tool writes.
const (
	envMatrix = "WW_CELEGANS_MTX"
	envNames  = "WW_CELEGANS_NAMES"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	f := flag.NewFlagSet("celegans", flag.ContinueOnError)
	f.SetOutput(stderr)
	q := question{progress: func(step string) { fmt.Fprintf(stderr, "... %s\n", step) }}
	cells := f.String("cells", touch, "the active cells, by `NAMES`")
	f.IntVar(&q.top, "top", 10, "show the `N` foremost cells of each answer")
	f.StringVar(&q.matrix, "matrix", os.Getenv(envMatrix), "the connectome, a Matrix Market `FILE`: entry (r, c) counts synapses from r onto c")
	f.StringVar(&q.names, "names", os.Getenv(envNames), "the cells' names, a `FILE` with one a line")
	tables := f.Bool("tables", false, "print the two tables of cells alone")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	q.cells = strings.FieldsFunc(*cells, func(r rune) bool { return r == ',' || r == ' ' })
	a, err := q.answer(ctx)
	if err != nil {
		fmt.Fprintf(stderr, "celegans: %v\n", err)
		return 1
	}
	a.print(stdout, *tables)
	return 0
}

// question is the command line.
type question struct {
	matrix, names string
	cells         []string
	top           int
	progress      func(step string)
}

// answer is both products.
type answer struct {
	about            string // the connectome, in words
	active           []string
	device           string
	receives, drives direction
}

// direction is one product with what there is to say about it.
type direction struct {
	cells      []cell // the foremost, most first
	choice     csr.Choice
	check      numtest.Result
	bound      float64       // what the element with the largest error had to stay under; of any element where all are exact
	first, one time.Duration // of the first product, and the median of more
}

type cell struct {
	name     string
	synapses float64
}

func (q *question) answer(ctx context.Context) (out *answer, err error) {
	q.progress("reading the connectome")
	h, names, err := q.read()
	if err != nil {
		return nil, err
	}
	x, err := q.activity(names)
	if err != nil {
		return nil, err
	}
	q.progress("opening a device")
	dev, err := device.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	m, err := csr.New(dev, h)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	plan, err := csr.NewPlan(m)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, plan.Close()) }()

	sum := 0.0
	for _, w := range h.Weights {
		sum += float64(w)
	}
	out = &answer{
		about:  fmt.Sprintf("%d cells, %d connections, %.0f chemical synapses", m.Rows(), m.Entries(), sum),
		active: q.cells, device: describe(dev.Info()),
	}
	truth := ref.CSR[float32, int64]{Rows: h.Rows, Cols: h.Cols, Offsets: h.Offsets, Columns: h.Columns, Weights: h.Weights}
	for _, one := range []struct {
		at  csr.Direction
		to  *direction
		ref func([]float32) (ref.Product, error)
	}{
		{csr.Scatter, &out.receives, truth.MulVecT},
		{csr.Gather, &out.drives, truth.MulVec},
	} {
		q.progress(fmt.Sprintf("%s on %s", one.at, dev.Info().Name))
		one.to.choice = plan.Choice(one.at)
		y, err := one.to.multiply(ctx, dev, plan, one.at, x)
		if err != nil {
			return nil, err
		}
		want, err := one.ref(x)
		if err != nil {
			return nil, err
		}
		bounds := want.Bound(dtype.F32)
		one.to.check = numtest.Check(y, want.Y, bounds)
		if err := one.to.check.Err(); err != nil {
			return nil, fmt.Errorf("%s: a wrong answer: %w", one.at, err)
		}
		if one.to.bound = one.to.check.Largest.Bound; one.to.check.Largest.Err == 0 {
			one.to.bound = slices.Max(bounds)
		}
		one.to.cells = foremost(y, names, q.top)
	}
	return out, nil
}

// read reads the matrix and the names, which must be as many.
func (q *question) read() (h csr.Host[float32, int64], names []string, err error) {
	if q.matrix == "" || q.names == "" {
		return h, nil, fmt.Errorf("no connectome: run `bazel run //:quickstart`, which makes it, or name it by -matrix and -names")
	}
	file, err := mtx.ReadFile(q.matrix)
	if err != nil {
		return h, nil, err
	}
	if h, err = csr.FromMTX[float32](file); err != nil {
		return h, nil, fmt.Errorf("%s: %w", q.matrix, err)
	}
	if h.Rows != h.Cols {
		return h, nil, fmt.Errorf("%s: a connectome is square, this is %d x %d", q.matrix, h.Rows, h.Cols)
	}
	list, err := os.Open(q.names)
	if err != nil {
		return h, nil, err
	}
	defer list.Close()
	for lines := bufio.NewScanner(list); lines.Scan(); {
		names = append(names, lines.Text())
	}
	if len(names) != h.Rows {
		return h, nil, fmt.Errorf("%s has %d names, %s has %d cells", q.names, len(names), q.matrix, h.Rows)
	}
	return h, names, nil
}

// activity is 1 for the active cells, 0 for the others.
func (q *question) activity(names []string) ([]float32, error) {
	x := make([]float32, len(names))
	for _, name := range q.cells {
		i := slices.Index(names, name)
		if i < 0 {
			return nil, fmt.Errorf("-cells: there is no cell %q among the %d of %s", name, len(names), q.names)
		}
		x[i] = 1
	}
	if len(q.cells) == 0 {
		return nil, errors.New("-cells: names no cell")
	}
	return x, nil
}

// multiply computes one product, and again for the time.
func (d *direction) multiply(ctx context.Context, dev *device.Device, plan *csr.Plan[float32], at csr.Direction, host []float32) (y []float32, err error) {
	x, err := device.Upload(dev, host)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	out, err := device.Alloc[float32](dev, len(host))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	s, err := dev.NewStream()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	product := func() (time.Duration, error) {
		start := time.Now()
		mulVec := plan.MulVec
		if at == csr.Scatter {
			mulVec = plan.MulVecT
		}
		if err := mulVec(s, out.All(), x.All()); err != nil {
			return 0, err
		}
		err := s.Wait(ctx)
		return time.Since(start), err
	}
	if d.first, err = product(); err != nil {
		return nil, err
	}
	times := make([]time.Duration, 101)
	for i := range times {
		if times[i], err = product(); err != nil {
			return nil, err
		}
	}
	slices.Sort(times)
	d.one = times[len(times)/2]
	return out.Host(s)
}

// foremost is the cells with the greatest values; equal ones by name.
func foremost(y []float32, names []string, n int) []cell {
	var all []cell
	for i, v := range y {
		if v != 0 {
			all = append(all, cell{names[i], float64(v)})
		}
	}
	slices.SortFunc(all, func(a, b cell) int {
		return cmp.Or(cmp.Compare(b.synapses, a.synapses), strings.Compare(a.name, b.name))
	})
	return all[:min(max(n, 0), len(all))]
}

func describe(i *device.Info) string {
	if i.Arch == 0 {
		return i.Name
	}
	return fmt.Sprintf("%s (sm_%d)", i.Name, i.Arch)
}

func (a *answer) print(w io.Writer, tablesOnly bool) {
	if !tablesOnly {
		fmt.Fprintf(w, "\nC. elegans, hermaphrodite: %s\n", a.about)
		fmt.Fprintf(w, "Active: %s\n\n", strings.Join(a.active, " "))
	}
	left, right := a.receives.cells, a.drives.cells
	fmt.Fprintf(w, "%-28s  %s\n", "They drive (y = Aᵀ x)", "They are driven by (y = A x)")
	fmt.Fprintf(w, "%-10s %-17s  %-10s %s\n", "  synapses", "cell", "  synapses", "cell")
	for i := range max(len(left), len(right)) {
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-28s  %s", row(left, i), row(right, i)), " "))
	}
	if tablesOnly {
		return
	}
	fmt.Fprintf(w, "\nDevice: %s\n", a.device)
	for _, one := range []struct {
		name string
		d    direction
	}{{"y = Aᵀ x", a.receives}, {"y = A x", a.drives}} {
		d := one.d
		kernel := d.choice.Kernel
		if d.choice.Entry != "" {
			kernel = d.choice.Entry
		}
		fmt.Fprintf(w, "\n%s\n", one.name)
		fmt.Fprintf(w, "  kernel  %s\n", kernel)
		fmt.Fprintf(w, "  why     %s\n", d.choice.Reason)
		fmt.Fprintf(w, "  error   at most %.3g against float64; the bound is %.3g\n", d.check.Largest.Err, d.bound)
		fmt.Fprintf(w, "  time    %v, the first one %v\n", d.one.Round(100*time.Nanosecond), d.first.Round(100*time.Nanosecond))
	}
}

func row(cells []cell, i int) string {
	if i >= len(cells) {
		return ""
	}
	return fmt.Sprintf("%10.0f %s", cells[i].synapses, cells[i].name)
}
