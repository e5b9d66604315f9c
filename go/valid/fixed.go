package valid

import (
	"fmt"
	"math/bits"

	"github.com/warpwright/warpwright/go/device"
)

// Fixed are the validated columns of a matrix whose rows all have as many entries, row after row, on a
// device: no offsets are needed to find a row.
type Fixed struct {
	array[int32]
	rows, connections, k uint64
}

// CheckFixed returns an error unless columns are rows times connections of them, every one in [0, k), and k
// is at most 2^31-1.
func CheckFixed(columns []int32, rows, connections, k int) error {
	if rows < 0 || connections < 0 {
		return fmt.Errorf("%w: %d rows of %d connections: requires both to be >= 0", ErrInvalid, rows, connections)
	}
	if high, n := bits.Mul64(uint64(rows), uint64(connections)); high != 0 || n != uint64(len(columns)) {
		return fmt.Errorf("%w: columns: there are %d: requires rows * connections = %d * %d", ErrInvalid, len(columns), rows, connections)
	}
	if err := below("columns", k); err != nil {
		return err
	}
	if i := firstOutside(columns, k); i >= 0 {
		return &IndexError{"columns", i, int64(columns[i]), fmt.Sprintf("0 <= column < %d: it is connection %d of row %d", k, i%connections, i/connections)}
	}
	return nil
}

// NewFixed validates the columns of rows with connections entries each against the number of columns k,
// then uploads them.
func NewFixed(d *device.Device, columns []int32, rows, connections, k int) (*Fixed, error) {
	if err := CheckFixed(columns, rows, connections, k); err != nil {
		return nil, err
	}
	a, err := upload(d, "columns", columns)
	if err != nil {
		return nil, err
	}
	return &Fixed{a, uint64(rows), uint64(connections), uint64(k)}, nil
}

// Rows is M, the number of rows.
func (f *Fixed) Rows() uint64 { return f.rows }

// Connections is C, the number of entries of every row.
func (f *Fixed) Connections() uint64 { return f.connections }

// Columns is K, the number that every index is below.
func (f *Fixed) Columns() uint64 { return f.k }
