package csr

import (
	"runtime"
	"sort"
	"sync"

	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/internal/plain"
)

// grain is the least work, in rows and entries, that a part of a product is worth a goroutine for.
const grain = 1 << 12

// cut is a place in a matrix: before entry `entry`, which stands in row `row` or, where the row is over,
// at the start of a later one.
type cut struct{ row, entry int }

// body is the product of one matrix in plain Go. Both directions split the matrix into parts of equal
// work, a row or an entry counting alike, so one long row is shared by all cores. The parts depend on
// the number of cores and on nothing else, and so do the results, to the last bit.
type body[W dtype.Float, P dtype.Offset, A plain.Accumulator] struct {
	rows, cols int
	offsets    []P
	columns    []int32
	weights    []W
	wide       []A // the weights, where they are of the accumulator's type already; else nil
	one        bool
	proved     func() error // whether offsets and columns are as they were validated
	parts      []cut        // the ends of the parts, one more than there are parts

	mu sync.Mutex // for the workspace
	x  []A        // x, widened, where W is narrower than A
	// Gather: what each part found of the row it starts in the middle of, and of the one it leaves unfinished.
	head, tail []A
	// Scatter: the sums of each part; those of the first are y itself where it has the accumulator's type.
	sums [][]A
}

// scratch is where a part puts what it has to widen, batch elements each.
type scratch[A plain.Accumulator] struct{ weights, sums []A }

const batch = 1 << 10

// newBody prepares a product and its workspace; at is its direction.
func newBody[W dtype.Float, P dtype.Offset, A plain.Accumulator](m *Matrix[W], offsets []P, at Direction) *body[W, P, A] {
	b := &body[W, P, A]{
		rows: m.rows, cols: m.cols,
		offsets: offsets, columns: m.columns.Slice().Host(),
		weights: m.weights.All().Host(), one: m.one,
	}
	b.wide, _ = any(b.weights).([]A)
	narrow := dtype.Of[W]() != dtype.Of[W]().Accumulator()
	n := min(runtime.GOMAXPROCS(0), 1+(b.rows+len(b.columns))/grain)
	if at == Gather {
		if narrow {
			b.x = make([]A, b.cols)
		}
		b.head, b.tail = make([]A, n), make([]A, n)
	} else {
		if narrow {
			b.x = make([]A, b.rows)
		}
		// Every part clears and adds up a vector of all columns: no more parts than the entries are worth.
		n = min(n, 1+len(b.columns)/max(b.cols, 1))
		b.sums = make([][]A, n)
		for i := range b.sums {
			if i > 0 || narrow {
				b.sums[i] = make([]A, b.cols)
			}
		}
	}
	b.parts = make([]cut, n+1)
	for i := range b.parts {
		b.parts[i] = b.cut(i, n)
	}
	return b
}

// cut finds the end of i of n parts. On the way through the matrix that takes each row's entries and
// then the row's end, all one step, it lies i/n of the steps from the start.
func (b *body[W, P, A]) cut(i, n int) cut {
	steps := b.rows + len(b.columns)
	at := int(uint64(i) * uint64(steps) / uint64(n)) // below 2^31 rows + 2^48 entries, times cores
	row := sort.Search(b.rows, func(r int) bool { return r+1+int(b.offsets[r+1]) > at })
	return cut{row, at - row}
}

// gather sets y = A x.
func (b *body[W, P, A]) gather(y, x []W) {
	b.mu.Lock()
	defer b.mu.Unlock()
	xs := b.input(x)
	n := len(b.parts) - 1
	plain.Parallel(n, func(i int) { b.gatherPart(i, y, xs) })
	// The rows that parts share: in the order of the parts, whoever was first.
	var open [1]A
	for i := range n {
		from, to := b.parts[i], b.parts[i+1]
		if b.inside(from) {
			open[0] += b.head[i]
			if to.row == from.row {
				continue
			}
			b.store(y[from.row:from.row+1], open[:])
		}
		open[0] = b.tail[i]
	}
}

// inside says whether a part that starts at c starts in the middle of a row.
func (b *body[W, P, A]) inside(c cut) bool { return c.row < b.rows && c.entry > int(b.offsets[c.row]) }

// gatherPart writes the rows that lie within part i, and head and tail.
func (b *body[W, P, A]) gatherPart(i int, y []W, x []A) {
	from, to := b.parts[i], b.parts[i+1]
	var room scratch[A]
	if b.wide == nil {
		room.weights, room.sums = make([]A, batch), make([]A, batch)
	}
	row := from.row
	if b.inside(from) {
		b.head[i] = b.dot(from.entry, min(int(b.offsets[row+1]), to.entry), x, room)
		if row == to.row {
			return
		}
		row++
	}
	b.gatherRows(row, to.row, y, x, room)
	start := to.entry
	if to.row < b.rows {
		start = int(b.offsets[to.row])
	}
	b.tail[i] = b.dot(start, to.entry, x, room)
}

// gatherRows sets y for the rows from lo up to hi.
func (b *body[W, P, A]) gatherRows(lo, hi int, y []W, x []A, room scratch[A]) {
	if direct, ok := any(y).([]A); ok {
		sums := direct[lo:hi]
		sumRows(sums, b.offsets[lo:hi+1], 0, b.wide, b.columns, x, b.one)
		b.scale(sums)
		return
	}
	for lo < hi {
		// As many rows as there is room for their sums and their weights; one that is longer goes alone.
		first := int(b.offsets[lo])
		n := sort.Search(min(hi-lo, batch), func(i int) bool { return int(b.offsets[lo+i+1])-first > batch })
		if n == 0 {
			n = 1
			room.sums[0] = b.dot(first, int(b.offsets[lo+1]), x, room)
		} else {
			last := int(b.offsets[lo+n])
			var w []A
			if !b.one {
				w = plain.Widen(room.weights, b.weights[first:last])
			}
			sumRows(room.sums[:n], b.offsets[lo:lo+n+1], first, w, b.columns[first:last], x, b.one)
		}
		b.store(y[lo:lo+n], room.sums[:n])
		lo += n
	}
}

// dot is the sum over entries lo to hi, without the weight where one stands for all.
func (b *body[W, P, A]) dot(lo, hi int, x []A, room scratch[A]) A {
	switch {
	case b.one:
		return sumOf(b.columns[lo:hi], x)
	case b.wide != nil:
		return dotOf(b.wide[lo:hi], b.columns[lo:hi], x)
	}
	var sum A
	for ; lo < hi; lo += batch {
		end := min(lo+batch, hi)
		sum += dotOf(plain.Widen(room.weights, b.weights[lo:end]), b.columns[lo:end], x)
	}
	return sum
}

// scale multiplies sums by the weight where one stands for all.
func (b *body[W, P, A]) scale(sums []A) {
	if !b.one {
		return
	}
	w := b.weight()
	for i := range sums {
		sums[i] *= w
	}
}

// store finishes sums and rounds them to y.
func (b *body[W, P, A]) store(y []W, sums []A) {
	b.scale(sums)
	plain.Narrow(y, sums)
}

// weight is the one for all.
func (b *body[W, P, A]) weight() A {
	var w [1]A
	return plain.Widen(w[:], b.weights[:1])[0]
}

// scatter sets y = Aᵀ x.
func (b *body[W, P, A]) scatter(y, x []W) {
	b.mu.Lock()
	defer b.mu.Unlock()
	xs := b.input(x)
	n := len(b.parts) - 1
	sums := b.sums
	if direct, ok := any(y).([]A); ok {
		sums = append([][]A{direct}, b.sums[1:]...)
	}
	plain.Parallel(n, func(i int) { b.scatterPart(i, sums[i], xs) })
	stripes := min(runtime.GOMAXPROCS(0), 1+n*b.cols/grain)
	plain.Parallel(stripes, func(i int) {
		lo, hi := i*b.cols/stripes, (i+1)*b.cols/stripes
		for _, more := range sums[1:] {
			total := sums[0][lo:hi]
			for j, v := range more[lo:hi] {
				total[j] += v
			}
		}
		if b.sums[0] != nil {
			plain.Narrow(y[lo:hi], sums[0][lo:hi])
		}
	})
}

// scatterPart sets sums to what the entries of part i add to y.
func (b *body[W, P, A]) scatterPart(i int, sums []A, x []A) {
	from, to := b.parts[i], b.parts[i+1]
	clear(sums)
	var room []A
	var w A
	if b.one {
		w = b.weight()
	} else if b.wide == nil {
		room = make([]A, batch)
	}
	e := from.entry
	for row := from.row; e < to.entry; row++ {
		end := min(int(b.offsets[row+1]), to.entry)
		v := x[row]
		switch {
		case b.one:
			addOne(sums, w*v, b.columns[e:end])
		case b.wide != nil:
			addEach(sums, b.wide[e:end], v, b.columns[e:end])
		default:
			for lo := e; lo < end; lo += batch {
				hi := min(lo+batch, end)
				addEach(sums, plain.Widen(room, b.weights[lo:hi]), v, b.columns[lo:hi])
			}
		}
		e = end
	}
}

// input is x in the accumulator's type.
func (b *body[W, P, A]) input(x []W) []A {
	if same, ok := any(x).([]A); ok {
		return same
	}
	n := min(runtime.GOMAXPROCS(0), 1+len(x)/grain)
	plain.Parallel(n, func(i int) {
		lo, hi := i*len(x)/n, (i+1)*len(x)/n
		plain.Widen(b.x[lo:hi], x[lo:hi])
	})
	return b.x
}

// sumRows sums each row: offsets are those of the rows and of what follows them, and the entry first is
// the first of w and columns. With one weight for all, w is not read.
//
// Rows of a few entries are walked by index: to cut slices of w and columns for each would take longer than
// the tests that it spares.
func sumRows[P dtype.Offset, A plain.Accumulator](sums []A, offsets []P, first int, w []A, columns []int32, x []A, one bool) {
	lo, ends := int(offsets[0])-first, offsets[1:len(sums)+1]
	if one {
		for i, end := range ends {
			hi := int(end) - first
			if hi-lo >= long {
				sums[i] = sumOf(columns[lo:hi], x)
			} else {
				var sum A
				for e := lo; e < hi; e++ {
					sum += x[columns[e]]
				}
				sums[i] = sum
			}
			lo = hi
		}
		return
	}
	for i, end := range ends {
		hi := int(end) - first
		if hi-lo >= long {
			sums[i] = dotOf(w[lo:hi], columns[lo:hi], x)
		} else {
			var sum A
			for e := lo; e < hi; e++ {
				sum += w[e] * x[columns[e]]
			}
			sums[i] = sum
		}
		lo = hi
	}
}

// long is from how many entries on four sums at a time pay.
const long = 16

// sumOf is the sum of x at the columns. Four sums at a time, since an addition takes longer than an entry.
func sumOf[A plain.Accumulator](columns []int32, x []A) A {
	var s0, s1, s2, s3 A
	for ; len(columns) >= 4; columns = columns[4:] {
		s0 += x[columns[0]]
		s1 += x[columns[1]]
		s2 += x[columns[2]]
		s3 += x[columns[3]]
	}
	for _, c := range columns {
		s0 += x[c]
	}
	return (s0 + s1) + (s2 + s3)
}

// dotOf is the sum of w * x at the columns.
func dotOf[A plain.Accumulator](w []A, columns []int32, x []A) A {
	var s0, s1, s2, s3 A
	for ; len(columns) >= 4 && len(w) >= 4; columns, w = columns[4:], w[4:] {
		s0 += w[0] * x[columns[0]]
		s1 += w[1] * x[columns[1]]
		s2 += w[2] * x[columns[2]]
		s3 += w[3] * x[columns[3]]
	}
	for i, c := range columns {
		s0 += w[i] * x[c]
	}
	return (s0 + s1) + (s2 + s3)
}

// addOne adds v to sums at the columns.
func addOne[A plain.Accumulator](sums []A, v A, columns []int32) {
	for _, c := range columns {
		sums[c] += v
	}
}

// addEach adds w * v to sums at the columns.
func addEach[A plain.Accumulator](sums []A, w []A, v A, columns []int32) {
	w = w[:len(columns)]
	for i, c := range columns {
		sums[c] += w[i] * v
	}
}
