package valid

import (
	"fmt"

	"github.com/warpwright/warpwright/go/device"
)

// Segments are validated segment numbers, one an entry, that never fall, on a device: the entries of a
// segment stand side by side.
type Segments struct {
	array[int32]
	segments uint64
}

// CheckSegments returns an error unless every number of ids lies in [0, segments) and none is less than the
// one before it; segments is at most 2^31-1.
func CheckSegments(ids []int32, segments int) error {
	if err := below("segments", segments); err != nil {
		return err
	}
	fall, last := firstFall(ids), len(ids)-1
	if fall < 0 && (last < 0 || ids[0] >= 0 && int(ids[last]) < segments) {
		return nil // what rises lies between its ends
	}
	if i := firstOutside(ids, segments); i >= 0 && (fall < 0 || i <= fall) {
		return &IndexError{"segments", i, int64(ids[i]), fmt.Sprintf("0 <= segment < %d", segments)}
	}
	return &IndexError{"segments", fall, int64(ids[fall]), fmt.Sprintf("segments[%d] >= segments[%d] = %d", fall, fall-1, ids[fall-1])}
}

// NewSegments validates ids against the number of segments, then uploads them.
func NewSegments(d *device.Device, ids []int32, segments int) (*Segments, error) {
	if err := CheckSegments(ids, segments); err != nil {
		return nil, err
	}
	a, err := upload(d, "segments", ids)
	if err != nil {
		return nil, err
	}
	return &Segments{a, uint64(segments)}, nil
}

// Segments is S, the number that every id is below.
func (s *Segments) Segments() uint64 { return s.segments }

// Entries is N, the number of ids.
func (s *Segments) Entries() uint64 { return s.len() }
