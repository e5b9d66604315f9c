package bench

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/warpwright/warpwright/bench/peer"
	"github.com/warpwright/warpwright/go/csr"
	"github.com/warpwright/warpwright/go/device"
)

// shape is what the sets of a case have in common.
type shape struct {
	rows, cols, perRow int
	at                 csr.Direction
	one                bool
}

func (s shape) entries() int { return s.rows * s.perRow }

// in and out are the lengths of x and y.
func (s shape) in() int {
	if s.at == csr.Scatter {
		return s.rows
	}
	return s.cols
}

func (s shape) out() int {
	if s.at == csr.Scatter {
		return s.cols
	}
	return s.rows
}

// bytes is the fewest that a product of f32 with 32-bit indices moves: each operand once. A single
// weight counts nothing.
func (s shape) bytes() int64 {
	entry := int64(8)
	if s.one {
		entry = 4
	}
	return int64(s.entries())*entry + 4*(int64(s.rows)+1) + 4*int64(s.in()) + 4*int64(s.out())
}

// cache is more than twice the last cache of any chip that kernels are compiled for.
const cache = 128 << 20

// sets is how many inputs take turns in so many calls: at least 4, and enough to be larger than the
// cache together or, after the memset that goes first, never to come twice.
func (s shape) sets(calls int) int {
	return int(max(4, min(int64(calls), (cache+s.bytes()-1)/s.bytes())))
}

// host is one set of inputs in host memory.
type host struct {
	csr.Host[float32, int32]
	x []float32
}

// draw makes set number i: columns uniform at random, weights and x uniform in [-1, 1). The same seed
// gives the same set however many cores there are.
func (s shape) draw(seed uint64, i int) *host {
	h := &host{x: make([]float32, s.in())}
	h.Rows, h.Cols = s.rows, s.cols
	h.Offsets = make([]int32, s.rows+1)
	h.Columns = make([]int32, s.entries())
	weights := s.entries()
	if s.one {
		weights = 1
	}
	h.Weights = make([]float32, weights)
	for r := range h.Offsets {
		h.Offsets[r] = int32(r * s.perRow)
	}
	stream := uint64(s.perRow)<<20 | uint64(i)<<4
	fill(h.Columns, seed, stream, func(r *rand.Rand) int32 { return int32(r.Uint32N(uint32(s.cols))) })
	fill(h.Weights, seed, stream+1, symmetric)
	fill(h.x, seed, stream+2, symmetric)
	return h
}

func symmetric(r *rand.Rand) float32 { return 2*r.Float32() - 1 }

// fill draws p in parts of a fixed size, each from a generator of its own.
func fill[T any](p []T, seed, stream uint64, next func(*rand.Rand) T) {
	const part = 1 << 16
	var group sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for at := 0; at < len(p); at += part {
		free <- struct{}{}
		group.Add(1)
		go func() {
			defer group.Done()
			r := rand.New(rand.NewPCG(seed, stream<<24|uint64(at/part)))
			for i := range p[at:min(at+part, len(p))] {
				p[at+i] = next(r)
			}
			<-free
		}()
	}
	group.Wait()
}

// operands is one set on the device.
type operands struct {
	matrix *csr.Matrix[float32]
	x, y   *device.Buffer[float32]
	// The peer's copies of the matrix's arrays, since a matrix keeps its own to itself.
	offsets, columns *device.Buffer[int32]
	values           *device.Buffer[float32]
}

func (s shape) upload(dev *device.Device, h *host, forPeer bool) (*operands, error) {
	o := &operands{}
	var errs []error
	keep := func(err error) { errs = append(errs, err) }
	var err error
	o.matrix, err = csr.New(dev, h.Host)
	keep(err)
	o.x, err = device.Upload(dev, h.x)
	keep(err)
	o.y, err = device.Alloc[float32](dev, s.out())
	keep(err)
	if forPeer {
		o.offsets, err = device.Upload(dev, h.Offsets)
		keep(err)
		o.columns, err = device.Upload(dev, h.Columns)
		keep(err)
		o.values, err = device.Upload(dev, h.Weights)
		keep(err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(err, o.close())
	}
	return o, nil
}

func (o *operands) close() error {
	var errs []error
	if o.matrix != nil {
		errs = append(errs, o.matrix.Close())
	}
	for _, b := range []*device.Buffer[float32]{o.x, o.y, o.values} {
		if b != nil {
			errs = append(errs, b.Close())
		}
	}
	for _, b := range []*device.Buffer[int32]{o.offsets, o.columns} {
		if b != nil {
			errs = append(errs, b.Close())
		}
	}
	return errors.Join(errs...)
}

// peer describes the set to cuSPARSE.
func (o *operands) peer(s shape) peer.SpMV {
	return peer.SpMV{
		Rows: int64(s.rows), Cols: int64(s.cols), NNZ: int64(s.entries()),
		Offsets: address(o.offsets.All().Range()), Columns: address(o.columns.All().Range()), Values: address(o.values.All().Range()),
		X: address(o.x.All().Range()), Y: address(o.y.All().Range()),
		Transposed: s.at == csr.Scatter,
	}
}

func address(r device.Range) uint64 { return r.Lo }
