package emutest

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/warpwright/warpwright/go/device/backend"
)

// upload puts a slice of numbers into memory of exactly its size.
func upload[T any](d device, v []T) backend.Memory {
	d.t.Helper()
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
		d.t.Fatal(err)
	}
	m := d.alloc(int64(b.Len()))
	if err := m.Write(nil, 0, b.Bytes()); err != nil {
		d.t.Fatal(err)
	}
	return m
}

// download reads the whole memory as numbers.
func download[T any](t *testing.T, m backend.Memory) []T {
	t.Helper()
	p := make([]byte, m.Size())
	if err := m.Read(nil, 0, p); err != nil {
		t.Fatal(err)
	}
	var one T
	v := make([]T, len(p)/binary.Size(one))
	if err := binary.Read(bytes.NewReader(p), binary.LittleEndian, v); err != nil {
		t.Fatal(err)
	}
	return v
}

// fill is n times v.
func fill[T any](n int, v T) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = v
	}
	return s
}
