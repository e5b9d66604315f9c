package launch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
)

func TestWord(t *testing.T) {
	for _, c := range []struct{ got, want uint64 }{
		{Word(float32(1)), 0x3f800000},
		{Word(float32(-0.0)), 0},
		{Word(-2.5), math.Float64bits(-2.5)},
		{Word(dtype.Float16(0x3c00)), 0x3c00},
		{Word(dtype.BFloat16(0xbf80)), 0xbf80},
		{Word(int32(-1)), 0xffffffff},
		{Word(int64(-1)), math.MaxUint64},
		{Word(uint32(7)), 7},
		{Word(uint64(math.MaxUint64)), math.MaxUint64},
		{Word(uint8(200)), 200},
	} {
		if c.got != c.want {
			t.Errorf("got %#x, want %#x", c.got, c.want)
		}
	}
}

// buffers are a device and three ranges of it: a buffer, the same with an odd address, and one that is closed.
func ranges(t *testing.T) (d *device.Device, whole, odd, closed device.Range) {
	t.Helper()
	d, err := device.Open(context.Background(), device.WithKind("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	var b [2]*device.Buffer[uint8]
	for i := range b {
		if b[i], err = device.Alloc[uint8](d, 16); err != nil {
			t.Fatal(err)
		}
	}
	whole, odd, closed = b[0].All().Range(), b[0].All().Range(), b[1].All().Range()
	odd.Lo++
	if err := b[1].Close(); err != nil {
		t.Fatal(err)
	}
	return d, whole, odd, closed
}

func TestArguments(t *testing.T) {
	d, whole, odd, closed := ranges(t)
	other, foreign, _, _ := ranges(t)
	proof := errors.New("3 writes since")
	stale := func() error { return proof }
	for _, c := range []struct {
		name string
		args []Argument
		want string // empty: all is well
		is   error
	}{
		{"right", []Argument{{Param: "x", Memory: whole, Align: 8}}, "", nil},
		{"two reads of one", []Argument{{Param: "x", Memory: whole, Align: 8}, {Param: "y", Memory: whole, Align: 8}}, "", nil},
		{"nothing", []Argument{{Param: "x", Align: 8, Written: true}, {Param: "y", Align: 8, Written: true}}, "", nil},
		{"bytes have no alignment", []Argument{{Param: "x", Memory: odd, Align: 1}}, "", nil},
		{"odd", []Argument{{Param: "x", Memory: odd, Align: 2}}, fmt.Sprintf("k: argument x must begin at a multiple of 2 bytes, but begins at %#x", odd.Lo), nil},
		{"closed", []Argument{{Param: "x", Memory: closed, Align: 1}}, "k: argument x must be an open buffer of the launch's device: closed", device.ErrClosed},
		{"foreign", []Argument{{Param: "x", Memory: foreign, Align: 1}}, "k: argument x must be an open buffer of the launch's device: belongs to another device", device.ErrForeign},
		{"stale", []Argument{{Param: "rows", Memory: whole, Align: 1, Proved: stale}}, "k: argument rows must be as it was validated: 3 writes since", proof},
		{"a read", []Argument{{Param: "x", Memory: whole, Align: 1}, {Param: "y", Memory: odd, Align: 1, Written: true}},
			fmt.Sprintf("k: argument y must not overlap x, which the kernel reads: y is [%#x, %#x), x is [%#x, %#x)", odd.Lo, odd.Hi, whole.Lo, whole.Hi), nil},
		{"a write", []Argument{{Param: "x", Memory: whole, Align: 1, Written: true}, {Param: "y", Memory: odd, Align: 1, Written: true}}, "k: argument x must not overlap y, which the kernel writes", nil},
		{"the order", []Argument{{Param: "x", Memory: whole, Align: 1, Written: true, Proved: stale}, {Param: "y", Memory: odd, Align: 2}}, "k: argument y must begin", nil},
	} {
		err := Arguments("k", d, c.args...)
		switch {
		case c.want == "":
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		case err == nil || !strings.HasPrefix(err.Error(), c.want) || !errors.Is(err, contract.ErrContract) || c.is != nil && !errors.Is(err, c.is):
			t.Errorf("%s: got %v\nwant %s", c.name, err, c.want)
		}
	}
	if !whole.On(d) || whole.On(other) || closed.On(d) || whole.Apart(odd) || !whole.Apart(foreign) {
		t.Error("the glance sees it differently")
	}
	if !Overlap(whole, odd) || Overlap(whole, foreign) || !Multiple(8|16, 8) || Multiple(8|12, 8) || Size[dtype.Float16]() != 2 {
		t.Error("what generated code calls is wrong")
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if d.Alive() || !errors.Is(Arguments("k", d, Argument{Param: "x", Memory: whole, Align: 1}), device.ErrClosed) {
		t.Error("the device is closed")
	}
}

func TestEntryName(t *testing.T) {
	if got := EntryName("csr_mv_group", dtype.F32, dtype.I64, "Each", 8); got != "csr_mv_group_f32_i64_each_8" {
		t.Errorf("got %s", got)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{Missing("k", "rows"), "k: argument rows must be given: is nil"},
		{NoInstance("k", "S", 5, "4 8"), "k: argument S is 5; the kernel is compiled for 4 8"},
		{NotAccumulator("k", "A", dtype.F16, "W", dtype.F16), "k: argument A is f16; W is f16, whose sums are of type f32"},
		{Violated("k", "len(x) >= K", contract.Env{"len(x)": 3, "K": 5}, nil), "k: requires len(x) >= K: left side is 3, right side is 5"},
		{Violated("k", "len(x) >= K * K", contract.Env{"len(x)": 3, "K": 1 << 32}, nil), "k: requires len(x) >= K * K: K * K with 4294967296 and 4294967296: the result is above 2^64-1"},
		{Violated("k", "divides(T, grid.x)", contract.Env{"T": 4, "M": 3}, Terms{"grid.x": "cdiv(M, 2)"}), "k: requires divides(T, grid.x): 4 does not divide 2"},
		{Violated("k", "1 <= K", contract.Env{"K": 1}, nil), "k: requires 1 <= K: generated code says no, the evaluator yes"},
		{TooLarge("k", "grid.x", "M", contract.Env{"M": 1 << 32}), "k: requires grid.x = M <= 4294967295: left side is 4294967296, right side is 4294967295"},
		{TooLarge("k", "shared", "M - 1", contract.Env{"M": 0}), "k: requires shared = M - 1 <= 4294967295: M - 1 with 0 and 1: the result is below 0"},
	} {
		if c.err.Error() != c.want || !errors.Is(c.err, contract.ErrContract) {
			t.Errorf("got %v, want %s", c.err, c.want)
		}
	}
	if err := Refused("k"); !errors.Is(err, device.ErrNoKernel) {
		t.Errorf("got %v", err)
	}
}
