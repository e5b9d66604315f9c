package valid

import (
	"fmt"

	"github.com/warpwright/warpwright/go/device"
)

// Columns are validated column indices, on a device.
type Columns struct {
	array[int32]
	k uint64
}

// CheckColumns returns an error unless every column lies in [0, k) and k is at most 2^31-1.
func CheckColumns(columns []int32, k int) error {
	if err := below("columns", k); err != nil {
		return err
	}
	if i := firstOutside(columns, k); i >= 0 {
		return &IndexError{"columns", i, int64(columns[i]), fmt.Sprintf("0 <= column < %d", k)}
	}
	return nil
}

// NewColumns validates columns against the number of columns k, then uploads them.
func NewColumns(d *device.Device, columns []int32, k int) (*Columns, error) {
	if err := CheckColumns(columns, k); err != nil {
		return nil, err
	}
	a, err := upload(d, "columns", columns)
	if err != nil {
		return nil, err
	}
	return &Columns{a, uint64(k)}, nil
}

// Columns is K, the number that every index is below.
func (c *Columns) Columns() uint64 { return c.k }

// Entries is N, the number of indices.
func (c *Columns) Entries() uint64 { return c.len() }
