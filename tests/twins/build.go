package twins

import (
	"math"
	"math/rand/v2"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/kernels/launch"
	"github.com/warpwright/warpwright/go/ref"
	"github.com/warpwright/warpwright/go/valid"
	"github.com/warpwright/warpwright/tests/twins/safely"
)

// builder makes a problem's operands; after an error it makes no more.
type builder struct {
	p     *Problem
	d     *device.Device
	seed  uint64
	guard int
	err   error
}

// draw is a generator of its own for each operand.
func (b *builder) draw() *rand.Rand {
	return rand.New(rand.NewPCG(b.seed, uint64(len(b.p.arrays))))
}

// input is an array of n numbers that are read.
func (b *builder) input(name string, n int) *Array {
	r := b.draw()
	return b.array(name, n, func() float32 { return float32(r.NormFloat64()) })
}

// output is the array that is written and not read.
func (b *builder) output(name string, n int) *Array {
	b.p.out = b.array(name, n, func() float32 { return float32(math.NaN()) })
	return b.p.out
}

// updated is the array that is read and written.
func (b *builder) updated(name string, n int) *Array {
	b.p.out = b.input(name, n)
	return b.p.out
}

func (b *builder) array(name string, n int, next func() float32) *Array {
	a := &Array{Name: name, guard: b.guard, host: make([]float32, n+2*b.guard)}
	for i := range a.host {
		if i < b.guard || i >= n+b.guard {
			a.host[i] = float32(math.NaN())
		} else {
			a.host[i] = next()
		}
	}
	if b.err == nil {
		a.Buffer, b.err = device.Upload(b.d, a.host)
	}
	if b.err != nil {
		a.host, a.guard = nil, 0
		return a
	}
	b.p.arrays = append(b.p.arrays, a)
	b.p.closers = append(b.p.closers, a.Buffer.Close)
	return a
}

// The arguments, in the order of the entry's parameters.

func (b *builder) extent(n int)     { b.arg(arg{word: uint64(n)}) }
func (b *builder) scalar(v float32) { b.arg(arg{word: launch.Word(v)}) }
func (b *builder) arg(a arg)        { b.p.args = append(b.p.args, a) }
func (b *builder) pass(a *Array) {
	if b.err == nil {
		pass(b, a.Slice())
	}
}

func pass[T dtype.Element](b *builder, s device.Slice[T]) { b.arg(of(s)) }

// of is an array as an argument.
func of[T dtype.Element](s device.Slice[T]) arg {
	return arg{word: s.Range().Lo, array: true, n: s.Len()}
}

// grid is the shape of a launch of raw and checked.
func (b *builder) grid(x, y, bx, by int, shared uint32) {
	b.p.config = device.Config{
		Grid: device.Dim3{X: uint32(x), Y: uint32(y), Z: 1}, Block: device.Dim3{X: uint32(bx), Y: uint32(by), Z: 1}, Shared: shared,
	}
}

// stride is the grid of a loop that strides over it: a block for each `width` of n, some a multiprocessor at most.
func (b *builder) stride(n, width, most int) int {
	return min((n+width-1)/width, most*b.d.Info().Multiprocessors)
}

// safely sets what launches the safe way, a twin.
func (b *builder) safely(l safely.Launcher) {
	on, err := safely.Load(b.d)
	if b.err == nil {
		b.err = err
	}
	b.p.safe = twin{l, on}
}

func saxpy(b *builder, shape []int)  { axpy(b, shape[0], 256, safely.Saxpy) }
func saxpy4(b *builder, shape []int) { axpy(b, shape[0], 1024, safely.Saxpy4) }

func axpy(b *builder, n, width int, safe func(n uint64, a float32, x, y safely.Floats) safely.Launcher) {
	const a = float32(-1.7)
	x, y := b.input("x", n), b.updated("y", n)
	b.extent(n)
	b.scalar(a)
	b.pass(x)
	b.pass(y)
	b.grid(b.stride(n, width, 32), 1, 256, 1, 0)
	if b.err == nil {
		b.safely(safe(uint64(n), a, x.Slice(), y.Slice()))
	}
	b.p.truth = func() ref.Product {
		return sums(n, func(i int, term func(...float64)) {
			term(float64(a), float64(x.First()[i]))
			term(float64(y.First()[i]))
		})
	}
}

// tiles is the shared memory of two tiles of 16 by 16.
const tiles = 2 * 16 * 16 * 4

func gemm(b *builder, shape []int)      { matmul(b, shape, 0, safely.Product.Gemm) }
func gemmTiled(b *builder, shape []int) { matmul(b, shape, tiles, safely.Product.GemmTiled) }

func gemmSplit(size int) func(b *builder, shape []int) {
	return func(b *builder, shape []int) {
		matmul(b, shape, tiles, func(p safely.Product) safely.Launcher { return p.GemmSplit(size) })
	}
}

func matmul(b *builder, shape []int, shared uint32, safe func(safely.Product) safely.Launcher) {
	m, n, k := shape[0], shape[1], shape[2]
	const alpha, beta = float32(1.5), float32(-0.75)
	x, y, z := b.input("a", m*k), b.input("b", k*n), b.updated("c", m*n)
	b.extent(m)
	b.extent(n)
	b.extent(k)
	b.scalar(alpha)
	b.pass(x)
	b.pass(y)
	b.scalar(beta)
	b.pass(z)
	b.grid((n+15)/16, (m+15)/16, 16, 16, shared)
	if b.err == nil {
		b.safely(safe(safely.Product{
			M: uint64(m), N: uint64(n), K: uint64(k), Alpha: alpha, Beta: beta, A: x.Slice(), B: y.Slice(), C: z.Slice(),
		}))
	}
	b.p.truth = func() ref.Product {
		return sums(m*n, func(at int, term func(...float64)) {
			row, col := at/n, at%n
			for i := range k {
				term(float64(alpha), float64(x.First()[row*k+i]), float64(y.First()[i*n+col]))
			}
			term(float64(beta), float64(z.First()[at]))
		})
	}
}

func csrThread(b *builder, shape []int) {
	gather(b, shape, 256, func(o gathered) { b.safely(safely.CsrThread(o.rows, o.cols, o.weights, o.x, o.y)) })
}

func csrWarp(b *builder, shape []int) {
	gather(b, shape, 8, func(o gathered) { b.safely(safely.CsrWarp(o.rows, o.cols, o.weights, o.x, o.y)) })
}

// gathered are the operands of y = A x.
type gathered struct {
	rows          *valid.Offsets[int32]
	cols          *valid.Columns
	weights, x, y safely.Floats
}

// gather makes them; safe says what launches them.
func gather(b *builder, shape []int, rowsPerBlock int, safe func(gathered)) {
	m, k, perRow := shape[0], shape[1], shape[2]
	offsets, columns := csr(b.draw(), m, k, perRow)
	x, w := b.input("x", k), b.input("weights", len(columns))
	y := b.output("y", m)
	if b.err != nil {
		return
	}
	rows, err := valid.NewOffsets(b.d, offsets, len(columns))
	if b.err = err; err != nil {
		return
	}
	b.p.closers = append(b.p.closers, rows.Close)
	cols, err := valid.NewColumns(b.d, columns, k)
	if b.err = err; err != nil {
		return
	}
	b.p.closers = append(b.p.closers, cols.Close)
	b.extent(m)
	pass(b, rows.Slice())
	pass(b, cols.Slice())
	b.pass(w)
	b.pass(x)
	b.pass(y)
	b.grid(b.stride(m, rowsPerBlock, 32), 1, 256, 1, 0)
	safe(gathered{rows, cols, w.Slice(), x.Slice(), y.Slice()})
	b.p.truth = func() ref.Product {
		return sums(m, func(row int, term func(...float64)) {
			for e := offsets[row]; e < offsets[row+1]; e++ {
				term(float64(w.First()[e]), float64(x.First()[columns[e]]))
			}
		})
	}
}

// csr draws a matrix of m rows with perRow entries each on the average: none in every seventh, where there
// are some columns at all, and the rest shared out unevenly.
func csr(r *rand.Rand, m, k, perRow int) (offsets, columns []int32) {
	offsets = make([]int32, m+1)
	for row := range m {
		n := 0
		if k > 0 && row%7 != 3 {
			n = perRow - perRow/2 + r.IntN(perRow/2*2+1)
		}
		for range n {
			columns = append(columns, r.Int32N(int32(k)))
		}
		offsets[row+1] = int32(len(columns))
	}
	return offsets, columns
}

func colsum(b *builder, shape []int) {
	groups, n := shape[0], shape[1]
	x, y := b.input("x", groups*n*3), b.output("y", groups*3)
	b.extent(groups)
	b.extent(n)
	b.pass(x)
	b.pass(y)
	b.grid(b.stride(groups, 1, 1024), 1, 256, 1, 8*4)
	if b.err == nil {
		b.safely(safely.Colsum(uint64(groups), uint64(n), x.Slice(), y.Slice()))
	}
	b.p.truth = func() ref.Product {
		return sums(groups*3, func(at int, term func(...float64)) {
			for r := range n {
				term(float64(x.First()[(at/3*n+r)*3+at%3]))
			}
		})
	}
}

func colsumTiled(b *builder, shape []int) {
	m, n := shape[0], shape[1]
	x, y := b.input("x", m*n), b.output("y", n)
	b.extent(m)
	b.extent(n)
	b.pass(x)
	b.pass(y)
	b.grid((n+31)/32, 1, 32, 8, 8*32*4)
	if b.err == nil {
		b.safely(safely.ColsumTiled(uint64(m), uint64(n), x.Slice(), y.Slice()))
	}
	b.p.truth = func() ref.Product {
		return sums(n, func(col int, term func(...float64)) {
			for r := range m {
				term(float64(x.First()[r*n+col]))
			}
		})
	}
}

// sums is n sums of products. A kernel rounds a term once at each addition and once for each factor beyond
// the first, be that multiplied with the term or with the whole sum: terms - 1 + factors - 1 times, in any
// order. The bound takes two more, which is far more than what the sum loses here, in float64.
func sums(n int, of func(i int, term func(factors ...float64))) ref.Product {
	p := ref.Product{Y: make([]float64, n), Abs: make([]float64, n), Terms: make([]int, n), Depth: make([]int, n)}
	for i := range n {
		factors := 0
		of(i, func(f ...float64) {
			v := f[0]
			for _, g := range f[1:] {
				v *= g
			}
			p.Y[i] += v
			p.Abs[i] += math.Abs(v)
			p.Terms[i]++
			factors = max(factors, len(f))
		})
		p.Depth[i] = p.Terms[i] + factors
	}
	return p
}
