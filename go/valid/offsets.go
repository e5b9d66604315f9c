package valid

import (
	"fmt"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
)

// Offsets are the validated row offsets of a CSR matrix, on a device.
type Offsets[P dtype.Offset] struct {
	array[P]
	entries uint64
}

// CheckOffsets returns an error unless offsets are those of a CSR matrix of entries stored entries:
// at least one, from 0, never falling, ending at entries.
func CheckOffsets[P dtype.Offset](offsets []P, entries int) error {
	if len(offsets) == 0 {
		return fmt.Errorf("%w: offsets are empty: requires rows + 1 of them, so at least one", ErrInvalid)
	}
	if offsets[0] != 0 {
		return &IndexError{"offsets", 0, int64(offsets[0]), "offsets[0] = 0"}
	}
	if i := firstFall(offsets); i >= 0 {
		return &IndexError{"offsets", i, int64(offsets[i]), fmt.Sprintf("offsets[%d] >= offsets[%d] = %d", i, i-1, offsets[i-1])}
	}
	if last := len(offsets) - 1; int64(offsets[last]) != int64(entries) {
		return &IndexError{"offsets", last, int64(offsets[last]), fmt.Sprintf("the last offset = number of entries = %d", entries)}
	}
	return nil
}

// NewOffsets validates offsets against the number of entries, then uploads them.
func NewOffsets[P dtype.Offset](d *device.Device, offsets []P, entries int) (*Offsets[P], error) {
	if err := CheckOffsets(offsets, entries); err != nil {
		return nil, err
	}
	a, err := upload(d, "offsets", offsets)
	if err != nil {
		return nil, err
	}
	return &Offsets[P]{a, uint64(entries)}, nil
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
