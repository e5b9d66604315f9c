package devicecases

import (
	"errors"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/kernels/csrkernels"
	"github.com/warpwright/warpwright/go/valid"
	"github.com/warpwright/warpwright/tests/harness"
)

// Proofs writes to a validated array in every way there is, and next to it: the first voids the proof, the
// second does not.
func Proofs(t harness.T, d *device.Device) {
	other := harness.Must(device.Upload(d, []int32{3, 1, 0, 2, 3, 1, 0, 2}))(t)
	defer harness.Close(t, other)
	part := func(s device.Slice[int32], lo, hi int) device.Slice[int32] { return harness.Must(s.Slice(lo, hi))(t) }
	type way struct {
		name string
		lost bool
		do   func(cols device.Slice[int32]) error
	}
	ways := []way{
		{"zero", true, func(c device.Slice[int32]) error { return c.Zero(nil) }},
		{"zero of a part", true, func(c device.Slice[int32]) error { return part(c, 7, 8).Zero(nil) }},
		{"zero of nothing", false, func(c device.Slice[int32]) error { return part(c, 8, 8).Zero(nil) }},
		{"copy", true, func(c device.Slice[int32]) error { return c.CopyFrom(nil, other.All()) }},
		{"copy to a part", true, func(c device.Slice[int32]) error { return part(c, 2, 4).CopyFrom(nil, part(other.All(), 0, 2)) }},
		{"copy within", true, func(c device.Slice[int32]) error { return part(c, 0, 3).CopyFrom(nil, part(c, 3, 6)) }},
		{"copy from it", false, func(c device.Slice[int32]) error { return other.All().CopyFrom(nil, c) }},
		{"a launcher's mark", true, func(c device.Slice[int32]) error { r := c.Range(); r.Touch(); return nil }},
		{"write to another", false, func(device.Slice[int32]) error { return other.Write(nil, 0, []int32{3}) }},
	}
	if r := newRounding(t, d, 2, 1); r != nil {
		launch := func(from, to uint64) error { return r.k.Launch(nil, config(1), []uint64{2, from, to}) }
		from, to := r.from.All().Range(), r.to.All().Range()
		ways = append(ways,
			way{"launch by hand", true, func(c device.Slice[int32]) error { return launch(from.Lo, c.Range().Lo) }},
			way{"launch by hand into the middle", true, func(c device.Slice[int32]) error { return launch(from.Lo, c.Range().Lo+28) }},
			way{"launch by hand that reads", false, func(c device.Slice[int32]) error { return launch(c.Range().Lo, to.Lo) }},
			way{"launch by hand of no block", false, func(c device.Slice[int32]) error {
				return r.k.Launch(nil, config(0), []uint64{2, from.Lo, c.Range().Lo})
			}},
		)
		if d.Info().Kind == device.GPU {
			ways = append(ways, way{"launches from C", true, func(c device.Slice[int32]) error {
				_, err := r.k.LaunchLoop(nil, config(1), []uint64{2, from.Lo, c.Range().Lo}, 2)
				return err
			}})
		}
	}
	for _, w := range ways {
		cols := harness.Must(valid.NewColumns(d, []int32{0, 1, 2, 3, 3, 2, 1, 0}, 4))(t)
		ok(t, cols.Proved(), w.do(cols.Slice()))
		if err := cols.Proved(); errors.Is(err, valid.ErrStale) != w.lost || !w.lost && err != nil {
			t.Errorf("%s: the proof is lost: want %t, got %v", w.name, w.lost, err)
		}
		ok(t, cols.Close())
		refused(t, cols.Proved(), device.ErrClosed, "columns")
	}
}

// ProofsAndGraphs replays what writes a buffer: each replay is a write. What a replay reads stays proved.
func ProofsAndGraphs(t harness.T, d *device.Device) {
	const n = 300
	s := harness.Must(d.NewStream())(t)
	defer harness.Close(t, s)
	from := harness.Must(device.Upload(d, make([]float32, n)))(t)
	defer harness.Close(t, from)
	to := harness.Must(device.Alloc[dtype.BFloat16](d, n))(t)
	defer harness.Close(t, to)
	spare := harness.Must(device.Upload(d, make([]dtype.BFloat16, n)))(t)
	defer harness.Close(t, spare)
	works := map[string]func() error{
		"zero": func() error { return to.Zero(s) },
		"copy": func() error { return to.All().CopyFrom(s, spare.All()) },
	}
	if r := newRounding(t, d, n, 1); r != nil {
		kernels := harness.Must(csrkernels.Load(d))(t)
		works["launch"] = func() error {
			a := csrkernels.Round[dtype.BFloat16]{K: n, Sums: from.All(), Y: to.All()}
			return a.Launch(kernels, s)
		}
		works["launch by hand"] = func() error {
			return r.k.Launch(s, config(1), []uint64{n, from.All().Range().Lo, to.All().Range().Lo})
		}
	}
	for name, work := range works {
		g := harness.Must(s.Capture(work))(t)
		_, err := s.Capture(func() error { return g.Launch(s) })
		refused(t, err, device.ErrCapture, "graph launch")
		read, written := from.Version(), to.Version()
		for range 2 {
			ok(t, g.Launch(s), s.Wait(t.Context()))
			if to.Version() == written {
				t.Errorf("%s: a replay does not count as a write", name)
			}
			written = to.Version()
		}
		if from.Version() != read || spare.Version() != 1 {
			t.Errorf("%s: a replay counts as a write to what it reads", name)
		}
		ok(t, g.Close())
	}
}

// ProofsInGraphs records a launch that reads a validated array: once that is written, replays are refused.
func ProofsInGraphs(t harness.T, d *device.Device) {
	s := harness.Must(d.NewStream())(t)
	defer harness.Close(t, s)
	to := harness.Must(device.Alloc[int32](d, 4))(t)
	defer harness.Close(t, to)
	works := map[string]func(cols device.Slice[int32]) error{
		"copy": func(cols device.Slice[int32]) error { return to.All().CopyFrom(s, cols) },
	}
	if r := newRounding(t, d, 4, 1); r != nil {
		works["launch"] = func(cols device.Slice[int32]) error {
			return r.k.Launch(s, config(1), []uint64{4, cols.Range().Lo, r.to.All().Range().Lo})
		}
	}
	for name, work := range works {
		cols := harness.Must(valid.NewColumns(d, []int32{0, 1, 2, 3}, 4))(t)
		g := harness.Must(s.Capture(func() error { return work(cols.Slice()) }))(t)
		ok(t, g.Launch(s), g.Launch(s), cols.Proved(), cols.Slice().Zero(s))
		refused(t, g.Launch(s), valid.ErrStale, "graph launch", "an array of 16 bytes", "writes since: 1")
		// What was void when it was recorded is read like any other buffer.
		plain := harness.Must(s.Capture(func() error { return work(cols.Slice()) }))(t)
		ok(t, cols.Slice().Zero(s), plain.Launch(s), s.Wait(t.Context()), plain.Close(), g.Close(), cols.Close())
		if t.Failed() {
			t.Fatalf("%s", name)
		}
	}
}

// CopyRefuses copies what cannot be copied.
func CopyRefuses(t harness.T, d *device.Device) {
	b := harness.Must(device.Upload(d, []int32{1, 2, 3, 4}))(t)
	defer harness.Close(t, b)
	all := b.All()
	part := func(lo, hi int) device.Slice[int32] { return harness.Must(all.Slice(lo, hi))(t) }
	before := b.Version()
	refused(t, all.CopyFrom(nil, part(0, 3)), nil, "copy of a slice of 4 i32", "from a slice of 3", "equal lengths")
	refused(t, part(0, 3).CopyFrom(nil, part(1, 4)), nil, "copy of a slice of 3 i32", "do not overlap")
	foreign := harness.Must(device.Upload(harness.Another(t), []int32{1, 2, 3, 4}))(t)
	refused(t, all.CopyFrom(nil, foreign.All()), device.ErrForeign, "copy")
	ok(t, foreign.Close())
	gone := harness.Must(device.Upload(d, []int32{1, 2, 3, 4}))(t)
	ok(t, gone.Close())
	refused(t, all.CopyFrom(nil, gone.All()), device.ErrClosed, "copy")
	refused(t, gone.All().CopyFrom(nil, all), device.ErrClosed, "copy")
	if b.Version() != before {
		t.Errorf("refused copies count as writes")
	}
	ok(t, part(0, 2).CopyFrom(nil, part(2, 4)), part(1, 1).CopyFrom(nil, device.Slice[int32]{}))
	got := harness.Must(b.Host(nil))(t)
	if got[0] != 3 || got[1] != 4 || got[2] != 3 || got[3] != 4 {
		t.Errorf("after the copy of its second half to its first the buffer holds %v", got)
	}
}

// SameAddress gives memory back and takes memory again, until an address comes back. A proof belongs to
// its own array and never to another one at its place.
func SameAddress(t harness.T, d *device.Device) {
	const tries = 64 // some allocators keep what was freed back for a while
	old := map[uint64]*valid.Columns{}
	for range tries {
		cols := harness.Must(valid.NewColumns(d, []int32{0, 1, 2, 3}, 4))(t)
		addr := cols.Slice().Range().Lo
		ok(t, cols.Proved(), cols.Slice().Zero(nil))
		refused(t, cols.Proved(), valid.ErrStale, "1 write since")
		if before := old[addr]; before != nil {
			refused(t, before.Proved(), device.ErrClosed)
			r := before.Slice().Range()
			refused(t, r.Usable(d), device.ErrClosed)
		}
		old[addr] = cols
		ok(t, cols.Close())
	}
	t.Logf("%d addresses for %d arrays", len(old), tries)
}

// LostProcess lets a kernel fault: what the emulator's process held is gone, and no proof of it counts,
// even though the next process gives out the same addresses.
func LostProcess(t harness.T, d *device.Device) {
	if d.Info().Kind != device.Emu {
		return // elsewhere the memory lives as long as the device
	}
	d = harness.Another(t)
	r := newRounding(t, d, 8, 1)
	cols := harness.Must(valid.NewColumns(d, []int32{0, 1, 2, 3}, 4))(t)
	defer harness.Close(t, cols)
	refused(t, r.k.Launch(nil, config(1), []uint64{8, 8, 16}), nil, "csr_round_bf16")
	again := harness.Must(valid.NewColumns(d, []int32{0, 1, 2, 3}, 4))(t)
	defer harness.Close(t, again)
	at, now := cols.Slice().Range(), again.Slice().Range()
	t.Logf("before at %#x, now at %#x", at.Lo, now.Lo)
	refused(t, at.Usable(d), device.ErrLost)
	refused(t, cols.Proved(), device.ErrLost, "columns")
	ok(t, now.Usable(d), again.Proved())
}
