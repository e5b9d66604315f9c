package devicecases

import (
	"math"
	"slices"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/tests/harness"
)

// Memory writes, reads and zeroes parts of buffers.
func Memory(t harness.T, d *device.Device) {
	roundTrip(t, d, []float32{1, -2, float32(math.Inf(1)), 0x1p-149})
	roundTrip(t, d, []float64{math.Pi, -math.MaxFloat64})
	roundTrip(t, d, []dtype.Float16{0x3C00, 0xFC00, 1})
	roundTrip(t, d, []int64{math.MinInt64, -1, math.MaxInt64})
	roundTrip(t, d, []uint8{0, 1, 255})
	roundTrip(t, d, []int32{})
	// More than any driver copies at once.
	large := make([]int32, harness.Pick(harness.SizeFor(t, d), 1<<16, 1<<20, 1<<22, 1<<26))
	for i := range large {
		large[i] = int32(i) * 2654435
	}
	roundTrip(t, d, large)
}

func roundTrip[E dtype.Element](t harness.T, d *device.Device, want []E) {
	t.Helper()
	b := harness.Must(device.Upload(d, want))(t)
	defer harness.Close(t, b)
	if got := harness.Must(b.Host(nil))(t); !slices.Equal(got, want) {
		t.Errorf("%d of %s: what was read is not what was written", len(want), dtype.Of[E]())
	}
	if n := len(want); n >= 2 {
		part := make([]E, n-1)
		ok(t, b.Write(nil, 1, want[:n-1]), b.Read(nil, 1, part))
		if !slices.Equal(part, want[:n-1]) {
			t.Errorf("%d of %s at offset 1: what was read is not what was written", n-1, dtype.Of[E]())
		}
	}
	ok(t, b.Zero(nil))
	if got := harness.Must(b.Host(nil))(t); slices.ContainsFunc(got, func(v E) bool { return v != 0 }) {
		t.Errorf("%d of %s: zeroed memory is not zero", len(want), dtype.Of[E]())
	}
}

// Pinned copies from and to page-locked memory.
func Pinned(t harness.T, d *device.Device) {
	p := harness.Must(device.AllocPinned[float64](d, 1000))(t)
	defer harness.Close(t, p)
	for i := range p.Slice() {
		p.Slice()[i] = float64(i)
	}
	s := harness.Must(d.NewStream())(t)
	defer harness.Close(t, s)
	b := harness.Must(device.Alloc[float64](d, 1000))(t)
	defer harness.Close(t, b)
	want := slices.Clone(p.Slice())
	ok(t, b.Write(s, 0, p.Slice()))
	clear(p.Slice())
	ok(t, b.Read(s, 0, p.Slice()))
	if !slices.Equal(p.Slice(), want) {
		t.Errorf("what came back through pinned memory is not what went")
	}
}

// OutOfMemory asks for more than there is; the device stays usable.
func OutOfMemory(t harness.T, d *device.Device) {
	total := d.Info().MemoryBytes
	if total <= 0 {
		t.Fatalf("the device does not say how much memory it has")
	}
	_, err := device.Alloc[uint8](d, int(total)+1)
	refused(t, err, device.ErrOutOfMemory, "alloc of")
	_, err = device.Alloc[float64](d, math.MaxInt/8)
	refused(t, err, device.ErrOutOfMemory)
	roundTrip(t, d, []float32{1, 2, 3})
}

// ForeignAndClosed uses what is not the device's, or no more.
func ForeignAndClosed(t harness.T, d *device.Device) {
	other := harness.Another(t)
	s := harness.Must(other.NewStream())(t)
	b := harness.Must(device.Upload(d, []float32{1, 2}))(t)
	r := b.All().Range()
	refused(t, b.Write(s, 0, []float32{1}), device.ErrForeign)
	refused(t, b.Zero(s), device.ErrForeign)
	refused(t, r.Usable(other), device.ErrForeign)
	ok(t, r.Usable(d), s.Close(), s.Close())
	refused(t, s.Wait(t.Context()), device.ErrClosed)
	ok(t, b.Close(), b.Close())
	refused(t, b.Read(nil, 0, make([]float32, 1)), device.ErrClosed)
	refused(t, r.Usable(d), device.ErrClosed)
	c := harness.Must(device.Upload(other, []int32{4}))(t)
	ok(t, other.Close(), other.Close())
	refused(t, c.Read(nil, 0, make([]int32, 1)), device.ErrClosed)
	ok(t, c.Close())
	roundTrip(t, d, []float32{1, 2, 3}) // the first one does not mind
}
