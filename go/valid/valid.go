// Package valid mints proof-carrying index arrays. Its types are the only way to hand offsets and
// column indices to a kernel, and only its constructors make them: they read every element once, on
// the host, before the upload. Kernels then index without checks.
//
// It imports device; generated launchers and operators import it.
package valid

import (
	"errors"
	"fmt"
	"math"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
)

// ErrInvalid is wrapped by every error about the contents of an index array.
var ErrInvalid = errors.New("invalid index array")

// ErrStale says that an array was written after it had been validated.
var ErrStale = errors.New("written after it was validated")

// IndexError names the first element that breaks a rule.
type IndexError struct {
	Array string // "offsets" or "columns"
	Index int    // of the offender
	Value int64
	Rule  string // "offsets[i] <= offsets[i+1] = 7"
}

func (e *IndexError) Error() string {
	return fmt.Sprintf("%v: %s[%d] is %d: requires %s", ErrInvalid, e.Array, e.Index, e.Value, e.Rule)
}

// Unwrap makes errors.Is(err, ErrInvalid) hold.
func (e *IndexError) Unwrap() error { return ErrInvalid }

// CheckOffsets returns an error unless offsets are those of a CSR matrix of entries stored entries:
// at least one, from 0, never falling, ending at entries.
func CheckOffsets[P dtype.Offset](offsets []P, entries int) error {
	if len(offsets) == 0 {
		return fmt.Errorf("%w: offsets are empty: requires rows + 1 of them, so at least one", ErrInvalid)
	}
	if offsets[0] != 0 {
		return &IndexError{"offsets", 0, int64(offsets[0]), "offsets[0] = 0"}
	}
	for i := 1; i < len(offsets); i++ {
		if offsets[i] < offsets[i-1] {
			return &IndexError{"offsets", i, int64(offsets[i]), fmt.Sprintf("offsets[%d] >= offsets[%d] = %d", i, i-1, offsets[i-1])}
		}
	}
	if last := len(offsets) - 1; int64(offsets[last]) != int64(entries) {
		return &IndexError{"offsets", last, int64(offsets[last]), fmt.Sprintf("the last offset = number of entries = %d", entries)}
	}
	return nil
}

// CheckColumns returns an error unless every column lies in [0, k).
func CheckColumns(columns []int32, k int) error {
	for i, c := range columns {
		if c < 0 || int64(c) >= int64(k) {
			return &IndexError{"columns", i, int64(c), fmt.Sprintf("0 <= column < %d", k)}
		}
	}
	return nil
}

// Offsets are the validated row offsets of a CSR matrix, on a device.
type Offsets[P dtype.Offset] struct {
	buf     *device.Buffer[P]
	version uint64
	entries uint64
}

// NewOffsets validates offsets against the number of entries, then uploads them.
func NewOffsets[P dtype.Offset](d *device.Device, offsets []P, entries int) (*Offsets[P], error) {
	if err := CheckOffsets(offsets, entries); err != nil {
		return nil, err
	}
	buf, err := device.Upload(d, offsets)
	if err != nil {
		return nil, err
	}
	return &Offsets[P]{buf, buf.Version(), uint64(entries)}, nil
}

// Rows is M, the number of rows.
func (o *Offsets[P]) Rows() uint64 {
	if o.buf == nil {
		return 0
	}
	return uint64(o.buf.Len()) - 1
}

// Entries is N, the number of stored entries.
func (o *Offsets[P]) Entries() uint64 { return o.entries }

// Slice is the array as a launch argument; read it, never write it.
func (o *Offsets[P]) Slice() device.Slice[P] { return slice(o.buf) }

// Proved returns ErrStale if the array was written since it was validated.
func (o *Offsets[P]) Proved() error { return proved("offsets", o.version, o.buf) }

// Fresh says at a glance that Proved returns nil, as long as the memory is there; where it does not, ask Proved.
func (o *Offsets[P]) Fresh() bool { return o.buf != nil && o.buf.Version() == o.version }

// Close frees the array.
func (o *Offsets[P]) Close() error { return free(o.buf) }

// Columns are validated column indices, on a device.
type Columns struct {
	buf     *device.Buffer[int32]
	version uint64
	k       uint64
}

// NewColumns validates columns against the number of columns k, then uploads them.
func NewColumns(d *device.Device, columns []int32, k int) (*Columns, error) {
	if k < 0 || int64(k) > math.MaxInt32 {
		return nil, fmt.Errorf("%w: %d columns: requires 0 <= k <= %d, since column indices are 32-bit", ErrInvalid, k, math.MaxInt32)
	}
	if err := CheckColumns(columns, k); err != nil {
		return nil, err
	}
	buf, err := device.Upload(d, columns)
	if err != nil {
		return nil, err
	}
	return &Columns{buf, buf.Version(), uint64(k)}, nil
}

// Columns is K, the number that every index is below.
func (c *Columns) Columns() uint64 { return c.k }

// Entries is N, the number of indices.
func (c *Columns) Entries() uint64 {
	if c.buf == nil {
		return 0
	}
	return uint64(c.buf.Len())
}

// Slice is the array as a launch argument; read it, never write it.
func (c *Columns) Slice() device.Slice[int32] { return slice(c.buf) }

// Proved returns ErrStale if the array was written since it was validated.
func (c *Columns) Proved() error { return proved("columns", c.version, c.buf) }

// Fresh says at a glance that Proved returns nil, as long as the memory is there; where it does not, ask Proved.
func (c *Columns) Fresh() bool { return c.buf != nil && c.buf.Version() == c.version }

// Close frees the array.
func (c *Columns) Close() error { return free(c.buf) }

// A zero Offsets or Columns has no buffer: it is empty and proves nothing.

func slice[T dtype.Element](b *device.Buffer[T]) device.Slice[T] {
	if b == nil {
		return device.Slice[T]{}
	}
	return b.All()
}

func free[T dtype.Element](b *device.Buffer[T]) error {
	if b == nil {
		return nil
	}
	return b.Close()
}

func proved[T dtype.Element](what string, minted uint64, b *device.Buffer[T]) error {
	if b == nil {
		return fmt.Errorf("%s: %w: the zero value was never validated", what, ErrInvalid)
	}
	if err := b.Usable(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if now := b.Version(); minted != now {
		return fmt.Errorf("%s: %w: %s since", what, ErrStale, writes(now-minted))
	}
	return nil
}

func writes(n uint64) string {
	if n == 1 {
		return "1 write"
	}
	return fmt.Sprintf("%d writes", n)
}
