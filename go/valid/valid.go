// Package valid mints proof-carrying arrays. Its types are the only way to hand offsets and indices to a
// kernel, and only its constructors make them: they read every element once, on the host, before the
// upload. Kernels then index without checks.
//
// A handle is the proof and the array in one. It takes memory of its own, so no part of that belongs to
// anybody else, and it holds the version of that memory: whatever writes there, be it a single element
// through a slice, voids the proof for good, and launches refuse the handle from then on.
//
//	Offsets      rows of a sparse matrix: M + 1 of them, rising from 0 to N
//	Columns      N indices below K
//	Fixed        M times C indices below K: every row has as many
//	Permutation  each number below N once
//	Segments     N indices below S that never fall
//	Finite       numbers that are neither infinite nor NaN
//
// The host's array must not be written while a constructor reads it.
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

// ErrInvalid is wrapped by every error about the contents of an array.
var ErrInvalid = errors.New("invalid array")

// ErrStale says that an array was written after it had been validated.
var ErrStale = device.ErrStale

// IndexError names the first element that breaks a rule.
type IndexError struct {
	Array string // "offsets", "columns", "permutation" or "segments"
	Index int    // of the offender
	Value int64
	Rule  string // "offsets[i] <= offsets[i+1] = 7"
}

func (e *IndexError) Error() string {
	return fmt.Sprintf("%v: %s[%d] is %d: requires %s", ErrInvalid, e.Array, e.Index, e.Value, e.Rule)
}

// Unwrap makes errors.Is(err, ErrInvalid) hold.
func (e *IndexError) Unwrap() error { return ErrInvalid }

// below returns an error unless an index of 32 bits can count to n.
func below(what string, n int) error {
	if n < 0 || int64(n) > math.MaxInt32 {
		return fmt.Errorf("%w: %d %s: requires 0 <= %s <= %d, since indices are 32-bit", ErrInvalid, n, what, what, math.MaxInt32)
	}
	return nil
}

// array is what every handle is: device memory, and the version of its contents that was read. The zero
// value is empty and proves nothing.
type array[T dtype.Element] struct {
	what    string // "offsets"
	buf     *device.Buffer[T]
	version uint64
}

// upload mints the proof of what the caller has just read.
func upload[T dtype.Element](d *device.Device, what string, host []T) (array[T], error) {
	buf, err := device.Upload(d, host)
	if err != nil {
		return array[T]{}, fmt.Errorf("%s: %w", what, err)
	}
	return array[T]{what, buf, buf.Prove()}, nil
}

func (a *array[T]) len() uint64 {
	if a.buf == nil {
		return 0
	}
	return uint64(a.buf.Len())
}

// Slice is the array as a launch argument. Writing it voids the proof.
func (a *array[T]) Slice() device.Slice[T] {
	if a.buf == nil {
		return device.Slice[T]{}
	}
	return a.buf.All()
}

// Proved returns ErrStale if the array was written since it was validated, device.ErrClosed or
// device.ErrLost if it is there no more.
func (a *array[T]) Proved() error {
	if a.buf == nil {
		return fmt.Errorf("%w: the zero value was never validated", ErrInvalid)
	}
	if err := a.buf.Usable(); err != nil {
		return fmt.Errorf("%s: %w", a.what, err)
	}
	if a.Fresh() {
		return nil
	}
	writes := "1 write"
	if n := a.buf.Version() - a.version; n != 1 {
		writes = fmt.Sprintf("%d writes", n)
	}
	return fmt.Errorf("%s: %w: %s since", a.what, ErrStale, writes)
}

// Fresh says at a glance that Proved returns nil, as long as the memory is there; where it does not, ask Proved.
func (a *array[T]) Fresh() bool { return a.buf != nil && a.buf.Version() == a.version }

// Close frees the array. Closing twice is harmless.
func (a *array[T]) Close() error {
	if a.buf == nil {
		return nil
	}
	return a.buf.Close()
}
