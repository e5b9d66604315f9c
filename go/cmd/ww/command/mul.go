package command

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/warpwright/warpwright/go/csr"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/mtx"
	"github.com/warpwright/warpwright/go/numtest"
	"github.com/warpwright/warpwright/go/ref"
)

func mulCommand() *command {
	return &command{
		name:    "mul",
		args:    "MATRIX.mtx",
		summary: "multiply a Matrix Market matrix with a vector",
		doc: `Computes y = A x, or y = Aᵀ x with -t, and compares every element with float64. The matrix may be packed by gzip. A vector is a
file of numbers, one a line, or ones, or random:SEED (uniform in [-1, 1)). Without -o only a summary is printed.`,
		example: []string{"ww mul matrix.mtx -x random:1", "ww mul matrix.mtx.gz -t -x x.txt -dtype f16 -o y.txt"},
		setup: func(f *flag.FlagSet) func(*invocation, []string) (result, error) {
			m := &multiplication{at: deviceFlags(f)}
			f.BoolVar(&m.transposed, "t", false, "multiply with the transposed matrix")
			f.StringVar(&m.x, "x", "ones", "multiply with `X`: a file, ones or random:SEED")
			f.StringVar(&m.out, "o", "", "write y to `FILE`, a number a line")
			kind := f.String("dtype", "f32", "compute in `TYPE`: f32, f64, f16 or bf16")
			return func(s *invocation, args []string) (result, error) {
				if len(args) != 1 {
					return nil, usagef("got %d matrices, want one", len(args))
				}
				m.matrix = args[0]
				if err := writable(m.out); err != nil {
					return nil, err
				}
				switch *kind {
				case "f32":
					return mul[float32](s, m)
				case "f64":
					return mul[float64](s, m)
				case "f16":
					return mul[dtype.Float16](s, m)
				case "bf16":
					return mul[dtype.BFloat16](s, m)
				}
				return nil, usagef("-dtype %q: there are f32, f64, f16 and bf16", *kind)
			}
		},
	}
}

// multiplication is the command line of mul.
type multiplication struct {
	at             *deviceChoice
	matrix, x, out string
	transposed     bool
}

// product is what mul reports.
type product struct {
	Matrix     string  `json:"matrix"` // what it is, in words
	Transposed bool    `json:"transposed"`
	X          string  `json:"x"`
	Device     string  `json:"device"`
	Kernel     string  `json:"kernel"`
	Reason     string  `json:"reason"`
	Seconds    float64 `json:"seconds"`
	Elements   int     `json:"elements"`
	Nonzero    int     `json:"nonzero"`
	Largest    float64 `json:"largest_error"`
	Bound      float64 `json:"its_bound"`
	Share      float64 `json:"largest_share_of_a_bound"`
	Out        string  `json:"out,omitempty"`
}

func (p *product) text(w io.Writer) error {
	name := "y = A x"
	if p.Transposed {
		name = "y = Aᵀ x"
	}
	fmt.Fprintf(w, "%s, x: %s\n", name, p.X)
	fmt.Fprintf(w, "A       %s\n", p.Matrix)
	fmt.Fprintf(w, "device  %s\n", p.Device)
	fmt.Fprintf(w, "kernel  %s: %s\n", p.Kernel, p.Reason)
	fmt.Fprintf(w, "time    %v, with the vectors' way there and back\n", time.Duration(p.Seconds*1e9).Round(time.Microsecond))
	fmt.Fprintf(w, "y       %d elements, %d of them not zero\n", p.Elements, p.Nonzero)
	_, err := fmt.Fprintf(w, "error   at most %.3g against float64, where the bound is %.3g; at most %.3g of a bound\n", p.Largest, p.Bound, p.Share)
	if p.Out != "" {
		fmt.Fprintf(w, "written %s\n", p.Out)
	}
	return err
}

func mul[W dtype.Float](s *invocation, m *multiplication) (res result, err error) {
	s.progress("reading " + m.matrix)
	file, err := mtx.ReadFile(m.matrix)
	if err != nil {
		return nil, err
	}
	h, err := csr.FromMTX[W](file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.matrix, err)
	}
	n := h.Cols
	if m.transposed {
		n = h.Rows
	}
	x, err := vector[W](m.x, n)
	if err != nil {
		return nil, err
	}
	dev, err := m.at.open(s.ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	s.progress("multiplying on " + dev.Info().Name)
	a, err := csr.New(dev, h)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.matrix, err)
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	y, p, err := multiply(s.ctx, a, m.transposed, x)
	if err != nil {
		return nil, err
	}
	p.X = m.x
	s.progress("comparing with float64")
	if err := compare(p, h, m.transposed && dev.Info().Kind == device.GPU, x, y); err != nil {
		return p, err
	}
	if m.out != "" {
		if err := writeVector(m.out, y); err != nil {
			return p, err
		}
		p.Out = m.out
	}
	return p, nil
}

// multiply computes the product twice and reports the second time: the first loads the kernels.
func multiply[W dtype.Float](ctx context.Context, a *csr.Matrix[W], transposed bool, x []W) ([]W, *product, error) {
	at, mulVec := csr.Gather, a.MulVec
	if transposed {
		at, mulVec = csr.Scatter, a.MulVecT
	}
	plan, err := csr.NewPlan(a, csr.Only(at))
	if err != nil {
		return nil, nil, err
	}
	choice := plan.Choice(at)
	if err := plan.Close(); err != nil {
		return nil, nil, err
	}
	if _, err := mulVec(ctx, x); err != nil {
		return nil, nil, err
	}
	start := time.Now()
	y, err := mulVec(ctx, x)
	if err != nil {
		return nil, nil, err
	}
	p := &product{
		Matrix: a.String(), Transposed: transposed, Device: a.Device().Info().Name,
		Kernel: kernelName(choice), Reason: choice.Reason, Seconds: time.Since(start).Seconds(), Elements: len(y),
	}
	for _, v := range y {
		if dtype.ToFloat64(v) != 0 {
			p.Nonzero++
		}
	}
	return y, p, nil
}

// kernelName is the entry that serves a product, or what does where nothing is launched.
func kernelName(c csr.Choice) string {
	name := c.Kernel
	if c.Entry != "" {
		name = c.Entry
	}
	if c.Rounding != "" {
		name += ", then " + c.Rounding
	}
	return name
}

// compare notes how far y is from the truth, and fails where that is further than a right kernel can be.
func compare[W dtype.Float](p *product, h csr.Host[W, int64], flushes bool, x, y []W) error {
	truth := ref.CSR[W, int64]{Rows: h.Rows, Cols: h.Cols, Offsets: h.Offsets, Columns: h.Columns, Weights: h.Weights}
	mulVec := truth.MulVec
	if p.Transposed {
		mulVec = truth.MulVecT
	}
	want, err := mulVec(x)
	if err != nil {
		return err
	}
	want.Flushes = flushes
	r := numtest.Check(y, want.Y, want.Bound(dtype.Of[W]()))
	p.Largest, p.Bound, p.Share = r.Largest.Err, r.Largest.Bound, r.Worst.Scaled()
	return r.Err()
}

// vector reads x, or makes it.
func vector[W dtype.Float](what string, n int) ([]W, error) {
	x := make([]W, n)
	seed, random := strings.CutPrefix(what, "random:")
	switch {
	case what == "ones":
		for i := range x {
			x[i] = dtype.FromFloat64[W](1)
		}
	case random:
		s, err := strconv.ParseUint(seed, 10, 64)
		if err != nil {
			return nil, usagef("-x %s: the seed is no whole number", what)
		}
		r := rand.New(rand.NewPCG(s, 0))
		for i := range x {
			x[i] = dtype.FromFloat64[W](2*r.Float64() - 1)
		}
	default:
		return x, readVector(what, x)
	}
	return x, nil
}

// readVector fills x from a file of exactly as many numbers.
func readVector[W dtype.Float](name string, x []W) error {
	file, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("-x: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	i := 0
	for line := 1; lines.Scan(); line++ {
		word := strings.TrimSpace(lines.Text())
		if word == "" {
			continue
		}
		v, err := strconv.ParseFloat(word, 64)
		switch {
		case err != nil:
			return fmt.Errorf("-x: %s: line %d: %q is no number", name, line, word)
		case i == len(x):
			return fmt.Errorf("-x: %s: line %d: more numbers than the %d that the matrix takes", name, line, len(x))
		}
		x[i] = dtype.FromFloat64[W](v)
		i++
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("-x: %s: %w", name, err)
	}
	if i < len(x) {
		return fmt.Errorf("-x: %s: %d numbers, the matrix takes %d", name, i, len(x))
	}
	return nil
}

// writeVector writes numbers so that reading gives back the same ones.
func writeVector[W dtype.Float](name string, y []W) error {
	var text strings.Builder
	for _, v := range y {
		text.WriteString(strconv.FormatFloat(dtype.ToFloat64(v), 'g', -1, 64))
		text.WriteByte('\n')
	}
	return os.WriteFile(name, []byte(text.String()), 0o644)
}
