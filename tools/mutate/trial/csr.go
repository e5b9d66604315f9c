package trial

import (
	"fmt"
	"math/rand/v2"

	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/ref"
)

const csrSource = "cuda/csr/mv.cu"

func csrTrials() []*Trial {
	return []*Trial{
		{
			Family: "csr", Source: csrSource, Kernel: "csr_mv_thread", Few: "min(cdiv(M, block), 3)", Variants: []string{"once"},
			Instances: []Instance{{"W=f32", "P=i32", "V=Each"}, {"W=bf16", "P=i64", "V=One"}}, Cases: gather(256, 1),
		},
		{
			Family: "csr", Source: csrSource, Kernel: "csr_mv_group", Few: "min(cdiv(M, block / S), 3)", Variants: []string{"once"},
			Instances: []Instance{{"W=f32", "P=i32", "V=Each", "S=8"}, {"W=f16", "P=i64", "V=One", "S=32"}},
			Cases: func(in Instance) []Case {
				s := whole(in.Value("S"))
				return gather(256/s, s)(in)
			},
		},
		{
			Family: "csr", Source: csrSource, Kernel: "csr_mv_block", Few: "min(M, 3)",
			Instances: []Instance{{"W=f16", "P=i32", "V=Each"}, {"W=f64", "P=i64", "V=One"}}, Cases: gather(1, 256),
		},
		{
			Family: "csr", Source: csrSource, Kernel: "csr_mvt_group", Few: "min(cdiv(M, block / S), 3)",
			Instances: []Instance{{"W=f64", "P=i32", "V=One", "S=4"}, {"W=f16", "P=i64", "V=Each", "S=32"}},
			Cases: func(in Instance) []Case {
				s := whole(in.Value("S"))
				return scatter(256/s, s)(in)
			},
		},
		{
			Family: "csr", Source: csrSource, Kernel: "csr_round", Few: "min(cdiv(K, block), 3)",
			Instances: []Instance{{"W=f16"}, {"W=bf16"}}, Cases: rounding,
		},
	}
}

// matrix is a random one: rows of 0 to `most` entries, a good part of them empty.
type matrix struct {
	rows, cols int
	offsets    []int64
	columns    []int32
	weights    []float64
	x          []float64
}

// shape is the structure of a matrix.
type shape struct {
	rows, cols, most int
	long             int // entries of one row in the middle
	race             bool
}

// matrices are structures around what a block takes: `each` rows, by `lanes` threads.
func matrices(each, lanes int) []shape {
	rows := 3*each + each/2 + 1 // more than three blocks take in one round
	out := []shape{
		{rows: 0, cols: 0}, {rows: 0, cols: 7}, {rows: 7, cols: 0}, {rows: 33, cols: 5}, {rows: 1, cols: 1, most: 1, race: true},
		{rows: max(7, min(2*each+1, 40)), cols: 17, most: 2*lanes + 3, race: true},
		{rows: rows, cols: 90, most: min(lanes+2, 40)},
		{rows: each + 1, cols: 33, most: 3, long: 3*lanes + 700},
		{rows: each, cols: 3, most: lanes},
	}
	return append(out, shape{rows: 2*rows + 3, cols: 101, most: 3})
}

func draw(s shape, w dtype.Type, one bool, vector int) *matrix {
	r := rand.New(rand.NewPCG(uint64(s.rows), uint64(s.cols+s.most)))
	m := &matrix{rows: s.rows, cols: s.cols, offsets: []int64{0}}
	for row := range s.rows {
		n := 0
		switch {
		case s.cols == 0 || s.most == 0:
		case s.long > 0 && row == s.rows/2:
			n = s.long
		case r.IntN(4) > 0 || row == 0:
			n = r.IntN(s.most) + 1
		}
		for range n {
			m.columns = append(m.columns, r.Int32N(int32(s.cols)))
		}
		m.offsets = append(m.offsets, int64(len(m.columns)))
	}
	n := len(m.columns)
	if one {
		n = 1
	}
	m.weights, m.x = normal(r, w, n), normal(r, w, vector)
	return m
}

// normal are normally distributed numbers of a type.
func normal(r *rand.Rand, w dtype.Type, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = round(w, r.NormFloat64())
	}
	return out
}

// args are the arguments that all products have.
func (m *matrix) args(in Instance, w dtype.Type) map[string]any {
	return map[string]any{
		"rows": &Offsets{m.offsets, in.Value("P") == "i64"}, "cols": &Columns{m.columns, m.cols},
		"weights": &Array{Elem: w, Values: m.weights}, "x": &Array{Elem: w, Values: m.x},
	}
}

func (m *matrix) ref() ref.CSR[float64, int64] {
	return ref.CSR[float64, int64]{Rows: m.rows, Cols: m.cols, Offsets: m.offsets, Columns: m.columns, Weights: m.weights}
}

func gather(each, lanes int) func(in Instance) []Case {
	return func(in Instance) []Case {
		w := elem(in.Value("W"))
		var out []Case
		for _, s := range matrices(each, lanes) {
			m := draw(s, w, in.Value("V") == "One", s.cols)
			c := Case{Name: fmt.Sprintf("%d by %d, %d entries", s.rows, s.cols, len(m.columns)), Race: s.race, Args: m.args(in, w)}
			product, err := m.ref().MulVec(m.x)
			if err != nil {
				panic(err) // the matrix is made here
			}
			c.Args["y"] = &Array{Elem: w, N: s.rows}
			c.Want = map[string]Truth{"y": {product.Y, product.Bound(w)}}
			out = append(out, c)
		}
		return append(out, tooManyColumns(in, w, "y", w, 1))
	}
}

func scatter(each, lanes int) func(in Instance) []Case {
	return func(in Instance) []Case {
		w := elem(in.Value("W"))
		acc := w.Accumulator()
		var out []Case
		for _, s := range matrices(each, lanes) {
			m := draw(s, w, in.Value("V") == "One", s.rows)
			c := Case{Name: fmt.Sprintf("%d by %d, %d entries", s.rows, s.cols, len(m.columns)), Race: s.race, Args: m.args(in, w)}
			product, err := m.ref().MulVecT(m.x)
			if err != nil {
				panic(err)
			}
			c.Args["sums"] = &Array{Elem: acc, Values: make([]float64, s.cols)}
			c.Want = map[string]Truth{"sums": {product.Y, product.Bound(acc)}}
			out = append(out, c)
		}
		return append(out, tooManyColumns(in, w, "sums", acc, tooMany))
	}
}

// tooMany is one index more than a loop over 32 bits has room for.
const tooMany = 2147483647 - 1023

// tooManyColumns is a matrix with more columns than the contract allows.
func tooManyColumns(in Instance, w dtype.Type, result string, elem dtype.Type, n int) Case {
	m := &matrix{rows: 1, cols: tooMany, offsets: []int64{0, 1}, columns: []int32{3}, weights: []float64{1}}
	c := Case{Name: "too many columns", Huge: true, Refused: true, Args: m.args(in, w)}
	c.Args["x"] = &Array{Elem: w, N: tooMany}
	c.Args[result] = &Array{Elem: elem, N: n}
	return c
}

func rounding(in Instance) []Case {
	w := elem(in.Value("W"))
	var out []Case
	for _, n := range []int{0, 1, 255, 256, 257, 800, 1700} {
		r := rand.New(rand.NewPCG(uint64(n), 1))
		x := normal(r, dtype.F32, n)
		y := make([]float64, n)
		for i := range y {
			y[i] = round(w, x[i])
		}
		out = append(out, Case{
			Name: fmt.Sprint(n, " elements"), Race: n == 257,
			Args: map[string]any{"k": uint64(n), "sums": &Array{Elem: dtype.F32, Values: x}, "y": &Array{Elem: w, N: n}},
			Want: map[string]Truth{"y": {Y: y}},
		})
	}
	return out
}
