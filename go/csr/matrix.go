package csr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/valid"
)

// Host is a sparse matrix in host memory, by rows: the entries of row r stand at Offsets[r] to
// Offsets[r+1] in Columns and Weights.
type Host[W dtype.Float, P dtype.Offset] struct {
	Rows, Cols int
	Offsets    []P     // Rows + 1 of them, from 0 to the number of entries
	Columns    []int32 // of each entry; in any order, repeated ones sum
	Weights    []W     // one for each entry, or a single one for all
}

// maxNarrow is the largest number of entries that 32-bit offsets are used for: a kernel's counter passes the
// end of a row by less than a block's width, and must not wrap there.
const maxNarrow = math.MaxInt32 - 1024

// Option is a setting of New.
type Option func(*options)

type options struct {
	wide, oneWeight bool
}

// WithWideOffsets stores offsets in 64 bits whatever the number of entries. Without it a matrix has 64-bit
// offsets only when it has too many entries for 32-bit ones.
func WithWideOffsets() Option { return func(o *options) { o.wide = true } }

// WithOneWeight says that a single weight is one for all entries. It matters only for a matrix of one
// entry, whose single weight would else count as that entry's own; New refuses it for several weights.
func WithOneWeight() Option { return func(o *options) { o.oneWeight = true } }

// Matrix is a validated sparse matrix on a device. Its methods may be called from any goroutine.
type Matrix[W dtype.Float] struct {
	dev        *device.Device
	rows, cols int
	one        bool
	columns    *valid.Columns
	weights    *device.Buffer[W]

	// One of them is nil: the width of offsets is a fact of the matrix.
	narrow *valid.Offsets[int32]
	wide   *valid.Offsets[int64]

	closed atomic.Bool
	mu     sync.Mutex
	plans  [2]*Plan[W] // of the products with host vectors, by direction, made at the first one
}

var _ io.Closer = (*Matrix[float32])(nil)

// New validates a matrix and uploads it; h is not used afterwards. Nothing is uploaded of what is no matrix. Errors name the first element that
// breaks a rule: they wrap valid.ErrInvalid where an index array is at fault, contract.ErrContract where
// sizes are.
func New[W dtype.Float, P dtype.Offset](d *device.Device, h Host[W, P], opts ...Option) (*Matrix[W], error) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	m, err := newMatrix(d, h, o)
	if err != nil {
		return nil, fmt.Errorf("csr: new matrix of %d x %d: %w", h.Rows, h.Cols, err)
	}
	return m, nil
}

func newMatrix[W dtype.Float, P dtype.Offset](d *device.Device, h Host[W, P], o options) (*Matrix[W], error) {
	one, err := h.check("csr.New", o)
	if err != nil {
		return nil, err
	}
	// Offsets are validated before the columns are uploaded, and the columns before anything is.
	entries := len(h.Columns)
	if err := valid.CheckOffsets(h.Offsets, entries); err != nil {
		return nil, err
	}
	m := &Matrix[W]{dev: d, rows: h.Rows, cols: h.Cols, one: one}
	if err := m.upload(h.Columns, h.Weights); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	if o.wide || entries > maxNarrow {
		m.wide, err = upload[int64](d, h.Offsets, entries)
	} else {
		m.narrow, err = upload[int32](d, h.Offsets, entries)
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

func (m *Matrix[W]) upload(columns []int32, weights []W) (err error) {
	if m.columns, err = valid.NewColumns(m.dev, columns, m.cols); err != nil {
		return err
	}
	m.weights, err = device.Upload(m.dev, weights)
	return err
}

// upload brings validated offsets, so that none is cut off, to the width To.
func upload[To, From dtype.Offset](d *device.Device, offsets []From, entries int) (*valid.Offsets[To], error) {
	same, ok := any(offsets).([]To)
	if !ok {
		same = make([]To, len(offsets))
		for i, o := range offsets {
			same[i] = To(o)
		}
	}
	return valid.NewOffsets(d, same, entries)
}

// check compares the sizes with each other, for an operator, and says whether one weight stands for all entries.
func (h *Host[W, P]) check(op string, o options) (one bool, err error) {
	entries, weights := uint64(len(h.Columns)), uint64(len(h.Weights))
	switch {
	case h.Rows < 0 || h.Cols < 0:
		return false, &contract.ArgError{Kernel: op, Param: "h", Rule: fmt.Sprintf("must have Rows and Cols >= 0: they are %d and %d", h.Rows, h.Cols)}
	case uint64(h.Cols)+1024 > math.MaxInt32:
		return false, &contract.Violation{Kernel: op, Relation: "Cols + 1024 <= 2147483647", Left: uint64(h.Cols) + 1024, Right: math.MaxInt32}
	case uint64(len(h.Offsets)) != uint64(h.Rows)+1:
		return false, &contract.Violation{Kernel: op, Relation: "len(Offsets) == Rows + 1", Left: uint64(len(h.Offsets)), Right: uint64(h.Rows) + 1}
	case o.oneWeight && weights != 1:
		return false, &contract.Violation{Kernel: op, Relation: "len(Weights) == 1, as WithOneWeight says", Left: weights, Right: 1}
	case weights != entries && weights != 1:
		return false, &contract.Violation{Kernel: op, Relation: "len(Weights) == len(Columns), or 1", Left: weights, Right: entries}
	}
	return o.oneWeight || weights != entries, nil
}

// Device is where the matrix lives.
func (m *Matrix[W]) Device() *device.Device { return m.dev }

// Rows is the number of rows.
func (m *Matrix[W]) Rows() int { return m.rows }

// Cols is the number of columns.
func (m *Matrix[W]) Cols() int { return m.cols }

// Entries is the number of stored entries.
func (m *Matrix[W]) Entries() int {
	if m.columns == nil { // New has not made it
		return 0
	}
	return int(m.columns.Entries())
}

// OneWeight says whether all entries share one weight.
func (m *Matrix[W]) OneWeight() bool { return m.one }

// OffsetWidth is the type of the offsets on the device: dtype.I32 or dtype.I64.
func (m *Matrix[W]) OffsetWidth() dtype.Type {
	if m.wide != nil {
		return dtype.I64
	}
	return dtype.I32
}

// String says what the matrix is, in one line.
func (m *Matrix[W]) String() string {
	weights := "a weight each"
	if m.one {
		weights = "one weight for all"
	}
	return fmt.Sprintf("%d x %d %s matrix of %d entries, %s, %s offsets",
		m.rows, m.cols, dtype.Of[W](), m.Entries(), weights, m.OffsetWidth())
}

// Close frees the matrix and makes its plans unusable; those still have to be closed. Closing twice is
// harmless.
func (m *Matrix[W]) Close() error {
	if m.closed.Swap(true) {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var errs []error
	for _, p := range m.plans {
		if p != nil {
			errs = append(errs, p.Close())
		}
	}
	if m.columns != nil {
		errs = append(errs, m.columns.Close())
	}
	if m.weights != nil {
		errs = append(errs, m.weights.Close())
	}
	if m.narrow != nil {
		errs = append(errs, m.narrow.Close())
	}
	if m.wide != nil {
		errs = append(errs, m.wide.Close())
	}
	return errors.Join(errs...)
}

// MulVec returns A x for vectors in host memory: it uploads x, multiplies and brings y back. The first
// call makes a plan, which the matrix keeps until Close. An x of another length than Cols is refused before anything
// is taken on the device. ctx ends the waiting, not the work.
func (m *Matrix[W]) MulVec(ctx context.Context, x []W) ([]W, error) {
	return m.onHost(ctx, Gather, x)
}

// MulVecT returns Aᵀ x, like MulVec, where x has Rows elements.
func (m *Matrix[W]) MulVecT(ctx context.Context, x []W) ([]W, error) {
	return m.onHost(ctx, Scatter, x)
}

func (m *Matrix[W]) onHost(ctx context.Context, at Direction, host []W) (out []W, err error) {
	if err := m.checkHost(at, len(host)); err != nil {
		return nil, m.failed(at, "", err)
	}
	p, err := m.plan(at)
	if err != nil {
		return nil, err
	}
	var open []io.Closer
	defer func() {
		for _, c := range open {
			err = errors.Join(err, c.Close())
		}
	}()
	s, err := m.dev.NewStream()
	if err != nil {
		return nil, m.failed(at, "", err)
	}
	open = append(open, s)
	x, err := device.Alloc[W](m.dev, len(host))
	if err != nil {
		return nil, m.failed(at, "x: ", err)
	}
	open = append(open, x)
	if err := x.Write(s, 0, host); err != nil {
		return nil, m.failed(at, "x: ", err)
	}
	_, n := m.lengths(at)
	y, err := device.Alloc[W](m.dev, n)
	if err != nil {
		return nil, m.failed(at, "y: ", err)
	}
	open = append(open, y)
	if err := p.multiply(at, s, y.All(), x.All()); err != nil {
		return nil, err
	}
	if err := s.Wait(ctx); err != nil {
		return nil, m.failed(at, "", err)
	}
	if out, err = y.Host(s); err != nil {
		return nil, m.failed(at, "y: ", err)
	}
	return out, nil
}

// checkHost refuses a vector of another length than the product's x, and what is no matrix, before anything is taken on the device for it.
func (m *Matrix[W]) checkHost(at Direction, n int) error {
	if m == nil || m.dev == nil {
		return &contract.ArgError{Kernel: at.operator(), Param: "matrix", Rule: "must be one that New returned"}
	}
	if m.closed.Load() {
		return &contract.ArgError{Kernel: at.operator(), Param: "matrix", Rule: "must be open", Err: device.ErrClosed}
	}
	if x, _ := m.lengths(at); n != x {
		relation := "len(x) == Cols"
		if at == Scatter {
			relation = "len(x) == Rows"
		}
		return &contract.Violation{Kernel: at.operator(), Relation: relation, Left: uint64(n), Right: uint64(x)}
	}
	return nil
}

// failed says which product of which matrix an error is of, and of what in it.
func (m *Matrix[W]) failed(at Direction, what string, err error) error {
	if m == nil {
		return fmt.Errorf("csr: %s: %s%w", at, what, err)
	}
	return fmt.Errorf("csr: %s with A %d x %d: %s%w", at, m.rows, m.cols, what, err)
}

// lengths are those of a product's x and y.
func (m *Matrix[W]) lengths(at Direction) (x, y int) {
	if at == Scatter {
		return m.rows, m.cols
	}
	return m.cols, m.rows
}

// plan returns the matrix's own plan for a direction.
func (m *Matrix[W]) plan(at Direction) (*Plan[W], error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.plans[at] == nil {
		p, err := NewPlan(m, Only(at))
		if err != nil {
			return nil, err
		}
		m.plans[at] = p
	}
	return m.plans[at], nil
}
