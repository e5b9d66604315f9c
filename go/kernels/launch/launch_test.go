package launch

import (
	"context"
	"errors"
	"math"
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

func TestUsable(t *testing.T) {
	d, err := device.Open(context.Background(), device.WithKind("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	b, err := device.Alloc[uint8](d, 16)
	if err != nil {
		t.Fatal(err)
	}
	r := b.All().Range()
	if !Usable(&r, d, 8) {
		t.Errorf("a buffer is not usable: %v", Unusable("k", "x", &r, d, 8))
	}
	odd := r
	odd.Lo++
	if Usable(&odd, d, 2) || !Usable(&odd, d, 1) {
		t.Error("an odd address is aligned for bytes only")
	}
	var arg *contract.ArgError
	if err := Unusable("k", "x", &odd, d, 2); !errors.As(err, &arg) || arg.Param != "x" || !errors.Is(err, contract.ErrContract) {
		t.Errorf("got %v", err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if Usable(&r, d, 1) || !errors.Is(Unusable("k", "x", &r, d, 1), device.ErrClosed) {
		t.Errorf("a closed buffer is usable: %v", Unusable("k", "x", &r, d, 1))
	}
	var empty device.Range
	if !Usable(&empty, d, 8) {
		t.Error("an empty range is not usable")
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
		{Stale("k", "rows", errors.New("3 writes since")), "k: argument rows must be as it was validated: 3 writes since"},
		{Overlap("k", "y", "x", "reads"), "k: argument y must not overlap x, which the kernel reads"},
		{NoInstance("k", "S", 5, "4 8"), "k: argument S is 5; the kernel is compiled for 4 8"},
		{NotAccumulator("k", "A", dtype.F16, "W", dtype.F16), "k: argument A is f16; W is f16, whose sums are of type f32"},
		{Violated("k", "len(x) >= K", 3, 5, true), "k: requires len(x) >= K: left side is 3, right side is 5"},
		{Violated("k", "len(x) >= K * K", 3, 0, false), "k: requires len(x) >= K * K: a side leaves the range 0 to 2^64-1"},
		{TooLarge("k", "grid.x", "M", 1<<32, true), "k: requires grid.x = M <= 4294967295: left side is 4294967296, right side is 4294967295"},
	} {
		if c.err.Error() != c.want || !errors.Is(c.err, contract.ErrContract) {
			t.Errorf("got %v, want %s", c.err, c.want)
		}
	}
	if err := Refused("k"); !errors.Is(err, device.ErrNoKernel) {
		t.Errorf("got %v", err)
	}
}
