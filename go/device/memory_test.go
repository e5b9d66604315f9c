package device_test

import (
	"errors"
	"math"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
)

func upload[T dtype.Element](t *testing.T, d *device.Device, host ...T) *device.Buffer[T] {
	t.Helper()
	b, err := device.Upload(d, host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func TestRoundTrip(t *testing.T) {
	d := openCPU(t)
	roundTrip(t, d, []float32{1, -2, float32(math.Inf(1)), 0x1p-149})
	roundTrip(t, d, []float64{1, -2, math.MaxFloat64})
	roundTrip(t, d, []int32{math.MinInt32, -1, 0, math.MaxInt32})
	roundTrip(t, d, []int64{math.MinInt64, -1, 0, math.MaxInt64})
	roundTrip(t, d, []uint8{0, 127, 255})
	roundTrip(t, d, []float32{})
}

func roundTrip[T dtype.Element](t *testing.T, d *device.Device, want []T) {
	t.Helper()
	b := upload(t, d, want...)
	if got, err := b.Host(nil); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v (%v), want %v", got, err, want)
	}
	if b.Len() != len(want) || b.Device() != d {
		t.Errorf("length %d on %p, want %d on %p", b.Len(), b.Device(), len(want), d)
	}
	if err := b.Zero(nil); err != nil {
		t.Fatal(err)
	}
	if got, err := b.Host(nil); err != nil || !slices.Equal(got, make([]T, len(want))) {
		t.Errorf("zeroed buffer holds %v (%v)", got, err)
	}
}

func TestMemoryStartsAsNaN(t *testing.T) {
	d := openCPU(t)
	b, err := device.Alloc[float32](d, 1000)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	host, err := b.Host(nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range host {
		if v == v {
			t.Fatalf("element %d is %g before anything was written, want NaN", i, v)
		}
	}
}

func TestAllocIsChecked(t *testing.T) {
	d := openCPU(t)
	for _, n := range []int{-1, math.MinInt, math.MaxInt, math.MaxInt/8 + 1} {
		_, err := device.Alloc[float64](d, n)
		wantError(t, err, nil, "requires 0 <= n")
	}
	_, err := device.Alloc[float64](d, math.MaxInt/8)
	wantError(t, err, device.ErrOutOfMemory)
	_, err = device.Alloc[uint8](d, math.MaxInt)
	wantError(t, err, device.ErrOutOfMemory)
	upload(t, d, 1.0) // and the device stays usable
}

func TestMemoryIsBooked(t *testing.T) {
	d := openCPU(t)
	total := d.Info().MemoryBytes
	if total == 0 {
		t.Logf("the machine does not say how much memory it has")
		return
	}
	b := upload(t, d, make([]uint8, 1<<20)...)
	_, err := device.Alloc[uint8](d, int(total)-1<<20+1)
	wantError(t, err, device.ErrOutOfMemory, "1048576 of")
	for range 2 { // the second one must not book it back again
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	_, err = device.Alloc[uint8](d, int(total)+1)
	wantError(t, err, device.ErrOutOfMemory, ": 0 of")
}

func TestOffsets(t *testing.T) {
	d := openCPU(t)
	b := upload(t, d, []int32{0, 1, 2, 3, 4, 5}...)
	if err := b.Write(nil, 2, []int32{-2, -3}); err != nil {
		t.Fatal(err)
	}
	part := make([]int32, 3)
	if err := b.Read(nil, 1, part); err != nil || !slices.Equal(part, []int32{1, -2, -3}) {
		t.Errorf("elements [1, 4) are %v (%v)", part, err)
	}
	if err := b.Write(nil, 6, nil); err != nil {
		t.Errorf("an empty write at the end: %v", err)
	}
	before := b.Version()
	for _, c := range []struct{ off, n int }{{-1, 1}, {0, 7}, {6, 1}, {math.MaxInt, 1}, {math.MinInt, 2}, {7, 0}, {-1, 0}} {
		wantError(t, b.Write(nil, c.off, make([]int32, c.n)), nil, "write of a buffer of 6 i32", "offset + n <= len")
		wantError(t, b.Read(nil, c.off, make([]int32, c.n)), nil, "read of a buffer of 6 i32", "offset + n <= len")
	}
	if b.Version() != before {
		t.Errorf("refused writes moved the version from %d to %d", before, b.Version())
	}
	if got, err := b.Host(nil); err != nil || !slices.Equal(got, []int32{0, 1, -2, -3, 4, 5}) {
		t.Errorf("the refused calls left %v (%v)", got, err)
	}
}

func TestVersionCountsWrites(t *testing.T) {
	d := openCPU(t)
	b := upload(t, d, 1.0, 2.0)
	r := b.All().Range()
	last := b.Version()
	moved := func(what string, want bool) {
		t.Helper()
		if got := b.Version() != last; got != want {
			t.Errorf("%s: version moved is %t, want %t", what, got, want)
		}
		last = b.Version()
	}
	_, err := b.Host(nil)
	moved("read", false)
	err = errors.Join(err, b.Write(nil, 0, nil))
	moved("empty write", false)
	err = errors.Join(err, b.Write(nil, 0, []float64{3}))
	moved("write", true)
	err = errors.Join(err, b.Zero(nil))
	moved("zero", true)
	r.Touch()
	moved("touch", true)
	if err != nil {
		t.Error(err)
	}
}

func TestClosedAndForeignBuffers(t *testing.T) {
	d, other := openCPU(t), openCPU(t)
	b, empty := upload(t, d, 1.0, 2.0), upload[float64](t, d)
	s, err := other.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	e, err := d.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, b.Write(s, 0, []float64{1}), device.ErrForeign, "stream")
	wantError(t, b.Read(s, 0, make([]float64, 1)), device.ErrForeign, "stream")
	wantError(t, b.Zero(s), device.ErrForeign, "stream")
	wantError(t, e.Record(s), device.ErrForeign, "stream")
	wantError(t, s.WaitFor(e), device.ErrForeign, "stream")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wantError(t, s.Wait(t.Context()), device.ErrClosed, "stream")

	r, none := b.All().Range(), device.Slice[float64]{}.Range()
	re := empty.All().Range()
	if err := errors.Join(r.Usable(d), none.Usable(d), none.Usable(other), re.Usable(d)); err != nil {
		t.Errorf("usable ranges are refused: %v", err)
	}
	wantError(t, r.Usable(other), device.ErrForeign)
	wantError(t, re.Usable(other), device.ErrForeign)
	if err := errors.Join(b.Close(), b.Close(), empty.Close()); err != nil {
		t.Fatal(err)
	}
	wantError(t, r.Usable(d), device.ErrClosed)
	wantError(t, re.Usable(d), device.ErrClosed)
	wantError(t, b.Write(nil, 0, nil), device.ErrClosed)
	wantError(t, b.Read(nil, 0, nil), device.ErrClosed)
	wantError(t, b.Zero(nil), device.ErrClosed)
}

func TestRanges(t *testing.T) {
	d := openCPU(t)
	b, other := upload(t, d, make([]float32, 8)...), upload(t, d, make([]float32, 8)...)
	cut := func(lo, hi int) device.Range {
		t.Helper()
		s, err := b.All().Slice(lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		if s.Len() != hi-lo {
			t.Errorf("[%d:%d] has %d elements", lo, hi, s.Len())
		}
		return s.Range()
	}
	for _, c := range []struct {
		a, b [2]int
		want bool
	}{
		{[2]int{0, 8}, [2]int{0, 8}, true},
		{[2]int{0, 4}, [2]int{4, 8}, false},
		{[2]int{0, 5}, [2]int{4, 8}, true},
		{[2]int{2, 3}, [2]int{0, 8}, true},
		{[2]int{2, 2}, [2]int{0, 8}, false}, // empty inside
		{[2]int{0, 0}, [2]int{0, 8}, false},
		{[2]int{8, 8}, [2]int{8, 8}, false},
	} {
		x, y := cut(c.a[0], c.a[1]), cut(c.b[0], c.b[1])
		if x.Overlaps(&y) != c.want || y.Overlaps(&x) != c.want {
			t.Errorf("%v overlaps %v: %t and %t, want %t", c.a, c.b, x.Overlaps(&y), y.Overlaps(&x), c.want)
		}
	}
	whole, apart, none := b.All().Range(), other.All().Range(), device.Range{}
	if whole.Overlaps(&apart) || whole.Overlaps(&none) || none.Overlaps(&whole) {
		t.Error("ranges of different buffers overlap")
	}
	if whole.Lo%256 != 0 {
		t.Errorf("a buffer begins at %#x, want a multiple of 256", whole.Lo)
	}
	for _, c := range [][2]int{{-1, 2}, {3, 2}, {0, 9}, {9, 9}, {math.MinInt, 0}, {0, math.MaxInt}} {
		_, err := b.All().Slice(c[0], c[1])
		wantError(t, err, nil, "of 8 elements", "lo <= hi <= len")
	}
	mid, err := b.All().Slice(2, 6)
	if err != nil {
		t.Fatal(err)
	}
	inner, err := mid.Slice(1, 2)
	if err != nil {
		t.Fatal(err)
	}
	if r := inner.Range(); r.Lo != whole.Lo+12 || r.Hi != whole.Lo+16 {
		t.Errorf("a slice of a slice is [%#x, %#x), want [%#x, %#x)", r.Lo, r.Hi, whole.Lo+12, whole.Lo+16)
	}
	if _, err := mid.Slice(0, 5); err == nil {
		t.Error("a slice grew past its parent")
	}
}

func TestRangeBytesAreTheMemory(t *testing.T) {
	d := openCPU(t)
	b := upload(t, d, []int32{10, 11, 12, 13}...)
	s, err := b.All().Slice(1, 3)
	if err != nil {
		t.Fatal(err)
	}
	r := s.Range()
	p := r.Bytes()
	if len(p) != 8 {
		t.Fatalf("%d bytes, want 8", len(p))
	}
	v := unsafe.Slice((*int32)(unsafe.Pointer(&p[0])), 2)
	if !slices.Equal(v, []int32{11, 12}) {
		t.Errorf("host view is %v", v)
	}
	v[1] = -12
	if got, err := b.Host(nil); err != nil || !slices.Equal(got, []int32{10, 11, -12, 13}) {
		t.Errorf("buffer holds %v (%v) after a write through the view", got, err)
	}
	if all := b.All().Range(); all.Hi-all.Lo != 16 || len(all.Bytes()) != 16 || r.Lo != all.Lo+4 || r.Hi != all.Hi-4 {
		t.Errorf("4 elements of 4 bytes are [%#x, %#x), elements 1 and 2 of them [%#x, %#x)", all.Lo, all.Hi, r.Lo, r.Hi)
	}
	none := device.Slice[int32]{}.Range()
	if none.Bytes() != nil {
		t.Error("an empty range has bytes")
	}
	empty := upload[int32](t, d)
	re := empty.All().Range()
	if len(re.Bytes()) != 0 {
		t.Error("the range of an empty buffer has bytes")
	}
}

func TestEvents(t *testing.T) {
	d := openCPU(t)
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	start, err := d.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	end, err := d.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	_, err = end.Since(start)
	wantError(t, err, nil, "start false, end false")
	err = errors.Join(start.Record(s), end.Record(nil), s.WaitFor(end), (*device.Stream)(nil).WaitFor(start), s.Wait(t.Context()), end.Wait(t.Context()), d.Wait(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	if sec, err := end.Since(start); err != nil || sec < 0 {
		t.Errorf("%g s between events (%v)", sec, err)
	}
	wantError(t, (*device.Stream)(nil).Wait(t.Context()), nil, "Device.Wait")
	if err := errors.Join(start.Close(), start.Close(), s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	wantError(t, start.Record(nil), device.ErrClosed, "event")
	wantError(t, start.Wait(t.Context()), device.ErrClosed, "event")
	_, err = end.Since(start)
	wantError(t, err, device.ErrClosed, "event")
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	d := openCPU(t)
	var all sync.WaitGroup
	for g := range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range 50 {
				b, err := device.Upload(d, []int32{int32(g), int32(i)})
				if err != nil {
					t.Error(err)
					return
				}
				host, err := b.Host(nil)
				if err != nil || host[0] != int32(g) || host[1] != int32(i) {
					t.Errorf("got %v (%v), want [%d %d]", host, err, g, i)
				}
				r := b.All().Range()
				r.Touch()
				if err := errors.Join(r.Usable(d), b.Zero(nil), d.Wait(t.Context()), b.Close(), b.Close()); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	all.Wait()
}
