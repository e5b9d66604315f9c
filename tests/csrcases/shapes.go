package csrcases

import (
	"fmt"
	"math/rand/v2"

	"github.com/warpwright/warpwright/go/csr"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/tests/harness"
)

// shape is the structure of a matrix.
type shape struct {
	name       string
	rows, cols int
	// row is how many entries a row has.
	row func(r int, rng *rand.Rand) int
	// column is the column of an entry; nil for any.
	column func(rng *rand.Rand) int32
}

func exactly(n int) func(int, *rand.Rand) int { return func(int, *rand.Rand) int { return n } }

// upTo gives each row 0 to n entries; a good part of the rows are empty.
func upTo(n int) func(int, *rand.Rand) int {
	return func(_ int, rng *rand.Rand) int {
		if rng.IntN(4) == 0 {
			return 0
		}
		return rng.IntN(n + 1)
	}
}

// only gives n entries to one row and none to the others.
func only(row, n int) func(int, *rand.Rand) int {
	return func(r int, _ *rand.Rand) int {
		if r == row {
			return n
		}
		return 0
	}
}

// shapes are the structures for a size.
func shapes(size harness.Size) []shape {
	out := []shape{
		{name: "nothing", rows: 0, cols: 0, row: exactly(0)},
		{name: "no rows", rows: 0, cols: 7, row: exactly(0)},
		{name: "no columns", rows: 7, cols: 0, row: exactly(0)},
		{name: "no entries", rows: 33, cols: 5, row: exactly(0)},
		{name: "one entry", rows: 1, cols: 1, row: exactly(1)},
		{name: "last row and column", rows: 4, cols: 3, row: only(3, 1), column: func(*rand.Rand) int32 { return 2 }},
		{name: "ragged", rows: 29, cols: 17, row: upTo(9)},
		{name: "one column", rows: 19, cols: 1, row: upTo(40)},
		{name: "duplicates", rows: 11, cols: 90, row: exactly(35), column: func(rng *rand.Rand) int32 { return 80 + rng.Int32N(3) }},
	}
	if size == harness.TSan {
		return out
	}
	// Around the widths of a group, a warp and a block, and around the thresholds of the tier tables.
	for _, n := range []int{1, 3, 4, 5, 6, 7, 8, 9, 23, 24, 31, 32, 33, 40, 63, 64, 65} {
		out = append(out, shape{name: fmt.Sprintf("%d a row", n), rows: 9, cols: 101, row: exactly(n)})
	}
	for _, n := range []int{255, 256, 257, 512, 767, 768, 1025} {
		out = append(out, shape{name: fmt.Sprintf("%d a row", n), rows: 3, cols: 401, row: exactly(n)})
	}
	for _, rows := range []int{31, 32, 33, 63, 65, 255, 256, 257, 1031} {
		out = append(out, shape{name: fmt.Sprintf("%d rows", rows), rows: rows, cols: rows, row: upTo(6)})
	}
	out = append(out,
		shape{name: "one long row", rows: 1, cols: 3001, row: exactly(9001)},
		shape{name: "one long row among empty ones", rows: 77, cols: 500, row: only(41, 7777)},
		shape{name: "wide", rows: 5, cols: 70_001, row: upTo(400)},
		shape{name: "tall", rows: 9001, cols: 3, row: upTo(3)}, // more rows than the emulator's grid has threads
	)
	if size == harness.Emu {
		return out
	}
	out = append(out,
		shape{name: "parts of rows", rows: 50, cols: 5000, row: upTo(8000)},
		shape{name: "many rows", rows: 200_003, cols: 1009, row: upTo(5)},
	)
	if size == harness.CPU {
		return out
	}
	return append(out,
		shape{name: "more rows than a grid has threads", rows: 2_200_001, cols: 4097, row: upTo(3)},
		shape{name: "more rows than a grid has blocks", rows: 300_001, cols: 100_003, row: upTo(40)},
		shape{name: "one very long row", rows: 1, cols: 1 << 20, row: exactly(1<<24 + 5)},
	)
}

// weights says how a matrix has them.
type weights int

const (
	one weights = iota
	each
)

func (w weights) String() string { return [...]string{"one", "each"}[w] }

// build fills a shape with normally distributed weights; the same seed gives the same matrix.
func build[W dtype.Float, P dtype.Offset](s shape, w weights, seed uint64) csr.Host[W, P] {
	rng := rand.New(rand.NewPCG(seed, uint64(len(s.name))))
	h := csr.Host[W, P]{Rows: s.rows, Cols: s.cols, Offsets: make([]P, 1, s.rows+1)}
	for r := range s.rows {
		for range s.row(r, rng) {
			c := int32(0)
			if s.column != nil {
				c = s.column(rng)
			} else {
				c = rng.Int32N(int32(s.cols))
			}
			h.Columns = append(h.Columns, c)
		}
		h.Offsets = append(h.Offsets, P(len(h.Columns)))
	}
	n := len(h.Columns)
	if w == one {
		n = 1
	}
	h.Weights = vector[W](rng, n)
	return h
}

// vector is n normally distributed numbers.
func vector[W dtype.Float](rng *rand.Rand, n int) []W {
	x := make([]W, n)
	for i := range x {
		x[i] = dtype.FromFloat64[W](rng.NormFloat64())
	}
	return x
}
