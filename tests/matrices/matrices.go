// Package matrices runs kernels that together use every view of matrices, tiles, parts and permutations, on shapes that
// their blocks do not divide. All numbers are small and whole, so that every type holds every sum exactly.
package matrices

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/kernels/launch"
	"github.com/warpwright/warpwright/go/valid"
	"github.com/warpwright/warpwright/tests/harness"
	"github.com/warpwright/warpwright/tests/matrices/matrixkernels"
)

// All are the cases.
func All() []harness.Case {
	return []harness.Case{
		{Name: "matrices/product", Run: product},
		{Name: "matrices/pipeline f64", Run: pipeline[float64]},
		{Name: "matrices/pipeline f16", Run: pipeline[dtype.Float16]},
		{Name: "matrices/transpose", Run: transpose},
		{Name: "matrices/stack f32", Run: stack[float32]},
		{Name: "matrices/stack f16", Run: stack[dtype.Float16]},
		{Name: "matrices/rows", Run: rows},
		{Name: "matrices/parts", Run: parts},
		{Name: "matrices/columns", Run: columns},
		{Name: "matrices/order", Run: order},
	}
}

// launcher is a generated launcher with its fields filled in.
type launcher interface {
	Chosen(d *device.Device) (launch.Choice, error)
	CheckExact(d *device.Device) error
	LaunchExact(on *matrixkernels.Kernels, s *device.Stream) error
}

// bench is a device with the kernels on it.
type bench struct {
	harness.T
	d   *device.Device
	k   *matrixkernels.Kernels
	rng *rand.Rand
}

func open(t harness.T, d *device.Device) bench {
	return bench{t, d, harness.Must(matrixkernels.Load(d))(t), rand.New(rand.NewPCG(1, 2))}
}

// sizes are lengths around multiples of what blocks take.
func (b bench) sizes() []int {
	if harness.SizeFor(b, b.d) == harness.TSan {
		return []int{0, 1, 33}
	}
	return []int{0, 1, 15, 16, 17, 32, 64, 65, 100}
}

// entry names what a launch takes.
func (b bench) entry(l launcher) string {
	b.Helper()
	return harness.Must(l.Chosen(b.d))(b).Entry
}

// launch launches, or checks the contract where nothing can be launched; it says whether there is a result.
func (b bench) launch(l launcher) bool {
	b.Helper()
	if !b.d.Launches() {
		if err := l.CheckExact(b.d); err != nil {
			b.Fatalf("%s: %v", b.entry(l), err)
		}
		return false
	}
	if err := l.LaunchExact(b.k, nil); err != nil {
		b.Fatalf("%s: %v", b.entry(l), err)
	}
	return true
}

// whole makes n small whole numbers.
func (b bench) whole(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(b.rng.IntN(7) - 3)
	}
	return out
}

// upload brings numbers to the device; the buffer closes with the case.
func upload[W dtype.Float](b bench, v []float64) *device.Buffer[W] {
	host := make([]W, len(v))
	for i, x := range v {
		host[i] = dtype.FromFloat64[W](x)
	}
	buf := harness.Must(device.Upload(b.d, host))(b)
	b.Cleanup(func() { harness.Close(b, buf) })
	return buf
}

// unset is a buffer of numbers that no result has.
func unset[W dtype.Float](b bench, n int) *device.Buffer[W] {
	v := make([]float64, n)
	for i := range v {
		v[i] = -777
	}
	return upload[W](b, v)
}

// want compares a buffer with the truth.
func want[W dtype.Float](b bench, name string, buf *device.Buffer[W], truth func(i int) float64) {
	b.Helper()
	got := harness.Must(buf.Host(nil))(b)
	for i, x := range got {
		if w := truth(i); dtype.ToFloat64(x) != w {
			b.Fatalf("%s: element %d of %d is %v, want %v", name, i, len(got), dtype.ToFloat64(x), w)
		}
	}
}

func product(t harness.T, d *device.Device) {
	b := open(t, d)
	for _, m := range b.sizes() {
		for _, n := range b.sizes() {
			for _, k := range []int{0, 1, 7, 20} {
				x, y, c := b.whole(m*k), b.whole(k*n), unset[float32](b, m*n)
				l := &matrixkernels.Product[float32]{
					T: 32, M: uint64(m), N: uint64(n), K: uint64(k), A: upload[float32](b, x).All(), B: upload[float32](b, y).All(), C: c.All(),
				}
				if !b.launch(l) {
					continue
				}
				want(b, fmt.Sprintf("%s: %d by %d by %d", b.entry(l), m, k, n), c, func(at int) float64 {
					sum := 0.0
					for p := range k {
						sum += x[at/n*k+p] * y[p*n+at%n]
					}
					return sum
				})
			}
		}
	}
}

func pipeline[W dtype.Float](t harness.T, d *device.Device) {
	b := open(t, d)
	sizes := []int{1, 31, 32, 33, 64, 68}
	if harness.SizeFor(t, d) == harness.TSan {
		sizes = []int{32, 33}
	}
	taken := harness.Watch(t, d)
	for _, h := range []int{5, 16} {
		for _, m := range sizes {
			for _, n := range sizes {
				for _, k := range []int{0, 1, h - 1, h, h + 1, 2 * h, 2*h + 1} {
					for _, from := range []int{0, 1} { // of the buffers, so that they are aligned or not
						x, y, z := b.whole(from+m*k), b.whole(from+k*n), b.whole(from+m*n)
						c := upload[W](b, z)
						l := &matrixkernels.Pipeline[W]{H: h, M: uint64(m), N: uint64(n), K: uint64(k)}
						for i, s := range []*device.Buffer[W]{upload[W](b, x), upload[W](b, y), c} {
							*[]*device.Slice[W]{&l.A, &l.B, &l.C}[i] = harness.Must(s.All().Slice(from, s.Len()))(t)
						}
						entry := b.entry(l)
						taken.Chosen(entry)
						if !b.launch(l) {
							continue
						}
						want(b, fmt.Sprintf("%s: %d by %d by %d from element %d", entry, m, k, n, from), c, func(at int) float64 {
							sum := z[at]
							if at < from {
								return sum
							}
							at -= from
							for p := range k {
								sum += x[from+at/n*k+p] * y[from+p*n+at%n]
							}
							return sum
						})
					}
				}
			}
		}
	}
	taken.Want(slices.DeleteFunc(matrixkernels.Entries(), func(entry string) bool {
		return !strings.HasPrefix(entry, fmt.Sprintf("matrix_pipeline_%s_", dtype.Of[W]()))
	}))
}

func transpose(t harness.T, d *device.Device) {
	b := open(t, d)
	for _, m := range b.sizes() {
		for _, n := range b.sizes() {
			x, y := b.whole(m*n), unset[float32](b, m*n)
			l := &matrixkernels.Transpose[float32]{M: uint64(m), N: uint64(n), A: upload[float32](b, x).All(), B: y.All()}
			if b.launch(l) {
				want(b, fmt.Sprintf("%s: %d by %d", b.entry(l), m, n), y, func(at int) float64 { return x[at%m*n+at/m] })
			}
		}
	}
	// Elements of one byte: tiles are no multiples of 16 bytes.
	const m, n = 37, 19
	x := make([]uint8, m*n)
	for i := range x {
		x[i] = uint8(i)
	}
	in, out := harness.Must(device.Upload(d, x))(t), harness.Must(device.Alloc[uint8](d, m*n))(t)
	defer harness.Close(t, in)
	defer harness.Close(t, out)
	if b.launch(&matrixkernels.Transpose[uint8]{M: m, N: n, A: in.All(), B: out.All()}) {
		for i, v := range harness.Must(out.Host(nil))(t) {
			if v != x[i%m*n+i/m] {
				t.Fatalf("element %d of the transposed bytes is %d, want %d", i, v, x[i%m*n+i/m])
			}
		}
	}
}

func stack[W dtype.Float](t harness.T, d *device.Device) {
	b := open(t, d)
	for _, m := range b.sizes() {
		for _, n := range b.sizes() {
			layers := (m + n) % 4
			x, c := b.whole(layers*m*n), unset[W](b, m*n)
			l := &matrixkernels.Stack[W]{M: uint64(m), N: uint64(n), Layers: uint64(layers), A: upload[W](b, x).All(), C: c.All()}
			if b.launch(l) {
				want(b, fmt.Sprintf("%s: %d of %d by %d", b.entry(l), layers, m, n), c, func(at int) float64 {
					sum := 0.0
					for i := range layers {
						sum += x[i*m*n+at]
					}
					return sum
				})
			}
		}
	}
}

func rows(t harness.T, d *device.Device) {
	b := open(t, d)
	for _, m := range b.sizes() {
		x, y := b.whole(m*3), b.whole(m*3)
		sum := upload[float32](b, y)
		l := &matrixkernels.Rows[float32]{M: uint64(m), X: upload[float32](b, x).All(), Y: sum.All()}
		if b.launch(l) {
			want(b, fmt.Sprintf("%s: %d rows", b.entry(l), m), sum, func(i int) float64 { return x[i] + y[i] })
		}
	}
}

func parts(t harness.T, d *device.Device) {
	b := open(t, d)
	for _, p := range []int{48, 64, 200} {
		for _, n := range append(b.sizes(), p-1, p, p+1, 5*p+3) {
			x, y := b.whole(n), unset[float32](b, n)
			l := &matrixkernels.Parts[float32]{P: p, N: uint64(n), X: upload[float32](b, x).All(), Y: y.All()}
			if b.launch(l) {
				want(b, fmt.Sprintf("%s: %d", b.entry(l), n), y, func(i int) float64 { return 2 * x[i] })
			}
		}
	}
}

func columns(t harness.T, d *device.Device) {
	b := open(t, d)
	for _, m := range b.sizes() {
		for _, n := range b.sizes() {
			x, y, seen := b.whole(m*n), unset[float32](b, n), unset[float32](b, n)
			l := &matrixkernels.Columns[float32]{M: uint64(m), N: uint64(n), X: upload[float32](b, x).All(), Y: y.All(), Seen: seen.All()}
			if !b.launch(l) {
				continue
			}
			name := fmt.Sprintf("%s: %d by %d", b.entry(l), m, n)
			want(b, name, y, func(c int) float64 {
				sum := 0.0
				for r := range m {
					sum += x[r*n+c]
				}
				return sum
			})
			// A block of 16 by 4 threads: those of column x have the ranks x, x + 16, x + 32 and x + 48.
			want(b, name+", rows dealt", seen, func(c int) float64 {
				rows := 0
				for r := range m {
					if r%16 == c%16 {
						rows++
					}
				}
				return float64(rows)
			})
		}
	}
}

func order(t harness.T, d *device.Device) {
	b := open(t, d)
	for _, n := range append(b.sizes(), 300) { // more than the grid has threads
		to := b.rng.Perm(n)
		places, from := make([]int32, n), make([]int, n)
		for place, i := range to {
			places[place], from[i] = int32(i), place
		}
		p := harness.Must(valid.NewPermutation(d, places))(t)
		defer harness.Close(t, p)
		x, z := b.whole(n), b.whole(n)
		y, less := unset[float32](b, n), upload[float32](b, z)
		l := &matrixkernels.Order[float32]{Order: p, X: upload[float32](b, x).All(), Y: y.All(), Z: less.All()}
		if !b.launch(l) {
			continue
		}
		name := fmt.Sprintf("%s: %d", b.entry(l), n)
		want(b, name+", y", y, func(i int) float64 { return x[from[i]] })
		want(b, name+", z", less, func(i int) float64 { return x[from[i]] - z[i] })
	}
}
