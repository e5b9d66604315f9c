package emutest

import (
	"math"
	"math/bits"
	"testing"

	"github.com/warpwright/warpwright/go/device/backend"
	"github.com/warpwright/warpwright/go/device/emu"
)

// builds are the ways in which a kernel without a fault must stay silent and right.
func builds() map[string]emu.Options {
	return map[string]emu.Options{
		"asan":           {Path: asanProgram},
		"asan_rev":       {Path: asanProgram, Schedule: "rev"},
		"asan_rand":      {Path: asanProgram, Schedule: "rand:7"},
		"tsan":           {Path: tsanProgram},
		"tsan_rev":       {Path: tsanProgram, Schedule: "rev"},
		"tsan_unordered": {Path: tsanProgram, UnorderedBlocks: true},
	}
}

// everywhere runs a control in every build.
func everywhere(t *testing.T, control func(t *testing.T, d device)) {
	for name, o := range builds() {
		t.Run(name, func(t *testing.T) { control(t, open(t, o)) })
	}
}

func TestSpmvWarp(t *testing.T) {
	everywhere(t, func(t *testing.T, d device) {
		const rows, each = 32, 40
		offsets, columns := make([]int32, rows+1), make([]int32, rows*each)
		values, x, want := make([]float32, rows*each), make([]float32, rows), make([]float32, rows)
		for i := range x {
			x[i] = float32(i % 5)
			offsets[i+1] = int32((i + 1) * each)
		}
		for e := range columns {
			columns[e], values[e] = int32(e*7%rows), float32(e%3)
			want[e/each] += values[e] * x[columns[e]] // small whole numbers: exact in any order
		}
		y := upload(d, make([]float32, rows))
		err := d.launch("spmv_warp", line(rows*32/256, 256, 0), rows, upload(d, offsets).Addr(), upload(d, columns).Addr(),
			upload(d, values).Addr(), upload(d, x).Addr(), y.Addr())
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range download[float32](t, y) {
			if got != want[i] {
				t.Errorf("y[%d] = %v, want %v", i, got, want[i])
			}
		}
	})
}

func TestBlockSum(t *testing.T) {
	everywhere(t, func(t *testing.T, d device) {
		y := upload(d, make([]float32, 4))
		if err := d.launch("block_sum", line(4, 128, 128*4), upload(d, fill(4*128, float32(1))).Addr(), y.Addr()); err != nil {
			t.Fatal(err)
		}
		for i, got := range download[float32](t, y) {
			if got != 128 {
				t.Errorf("y[%d] = %v, want 128", i, got)
			}
		}
	})
}

func TestHistogram(t *testing.T) {
	everywhere(t, func(t *testing.T, d device) {
		keys := make([]int32, 256)
		for i := range keys {
			keys[i] = int32(i % 8)
		}
		counts := upload(d, make([]int32, 8))
		if err := d.launch("histogram", line(4, 64, 0), upload(d, keys).Addr(), counts.Addr()); err != nil {
			t.Fatal(err)
		}
		for i, got := range download[int32](t, counts) {
			if got != 32 {
				t.Errorf("counts[%d] = %d, want 32", i, got)
			}
		}
	})
}

func TestLastBlockSum(t *testing.T) {
	everywhere(t, func(t *testing.T, d device) {
		out := upload(d, make([]float32, 1))
		err := d.launch("last_block_sum", line(4, 64, 65*4), upload(d, fill(256, float32(1))).Addr(),
			upload(d, make([]float32, 4)).Addr(), upload(d, make([]uint32, 1)).Addr(), out.Addr())
		if err != nil {
			t.Fatal(err)
		}
		if got := download[float32](t, out)[0]; got != 256 {
			t.Errorf("sum %v, want 256", got)
		}
	})
}

func TestWarpExchange(t *testing.T) {
	everywhere(t, func(t *testing.T, d device) {
		out := upload(d, make([]float32, 32))
		if err := d.launch("warp_exchange", line(1, 32, 32*4), out.Addr()); err != nil {
			t.Fatal(err)
		}
		for i, got := range download[float32](t, out) {
			if want := float32((i + 2) % 32); got != want {
				t.Errorf("out[%d] = %v, want %v", i, got, want)
			}
		}
	})
}

func TestCollectives(t *testing.T) {
	// What each row of the kernel's results must be, by lane.
	shuffled := func(width int, source func(i int) int) func(lane int) int32 {
		return func(lane int) int32 {
			first := lane / width * width
			if s := first + source(lane-first); s >= first && s < first+width {
				return int32(s)
			}
			return int32(lane)
		}
	}
	always := func(v int32) func(int) int32 { return func(int) int32 { return v } }
	want := []func(lane int) int32{
		always(5),
		shuffled(8, func(int) int { return 9 % 8 }),
		shuffled(32, func(i int) int { return i - 3 }),
		shuffled(8, func(i int) int { return i - 3 }),
		shuffled(32, func(i int) int { return i + 3 }),
		shuffled(8, func(i int) int { return i + 3 }),
		shuffled(32, func(i int) int { return i ^ 7 }),
		always(0x49249249),
		always(1),
		always(0),
		always(1),
		always(0),
		func(lane int) int32 { return int32(uint32(0x11111111) << (lane % 4)) },
		always(16),
		always(0),
		always(1),
	}
	everywhere(t, func(t *testing.T, d device) {
		out := upload(d, make([]int32, 17*32))
		if err := d.launch("collectives", line(1, 32, 0), out.Addr()); err != nil {
			t.Fatal(err)
		}
		got := download[int32](t, out)
		for i, f := range want {
			for lane := range 32 {
				if g, w := got[i*32+lane], f(lane); g != w {
					t.Errorf("collective %d, lane %d: %#x, want %#x", i, lane, g, w)
				}
			}
		}
		for lane := range 8 {
			if g := got[16*32+lane]; g != int32(lane^1) {
				t.Errorf("xor within 8 lanes, lane %d: %d, want %d", lane, g, lane^1)
			}
		}
	})
}

func TestAtomics(t *testing.T) {
	everywhere(t, func(t *testing.T, d device) {
		i, u := upload(d, []int32{0, 0, 0, 0}), upload(d, []uint32{0, math.MaxUint32, 0, 0})
		l, f, g := upload(d, []uint64{0, 0}), upload(d, []float32{0}), upload(d, []float64{0})
		if err := d.launch("atomics", line(1, 64, 0), i.Addr(), u.Addr(), l.Addr(), f.Addr(), g.Addr()); err != nil {
			t.Fatal(err)
		}
		equal(t, "int", download[int32](t, i), []int32{64 * 63 / 2, -63, 63, -64})
		equal(t, "unsigned", download[uint32](t, u), []uint32{math.MaxUint32, 0, 0, 64 % 10})
		equal(t, "unsigned long long", download[uint64](t, l), []uint64{64 << 33, 7})
		equal(t, "float", download[float32](t, f), []float32{32})
		equal(t, "double", download[float64](t, g), []float64{16})
	})
}

func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s %d: %v, want %v", what, i, got[i], want[i])
		}
	}
}

// halfValue is a half's value by its definition.
func halfValue(h uint16) float64 {
	sign := 1 - 2*float64(h>>15)
	exponent, fraction := int(h>>10&31), float64(h&0x3ff)
	switch exponent {
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return sign * math.Inf(1)
	case 0:
		return sign * math.Ldexp(fraction, -24)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

func TestHalfBits(t *testing.T) {
	d := open(t, emu.Options{Path: asanProgram})
	all := make([]uint16, 1<<16)
	for i := range all {
		all[i] = uint16(i)
	}
	h, b := upload(d, make([]float32, 1<<16)), upload(d, make([]float32, 1<<16))
	hb, bb := upload(d, make([]uint16, 1<<16)), upload(d, make([]uint16, 1<<16))
	if err := d.launch("half_bits", line(256, 256, 0), upload(d, all).Addr(), h.Addr(), b.Addr(), hb.Addr(), bb.Addr()); err != nil {
		t.Fatal(err)
	}
	halves, bfloats := download[float32](t, h), download[float32](t, b)
	halfBack, bfloatBack := download[uint16](t, hb), download[uint16](t, bb)
	for i := range all {
		v := halfValue(uint16(i))
		if math.IsNaN(v) {
			if halves[i] == halves[i] || halfBack[i] != 0x7fff {
				t.Fatalf("half %#x: NaN became %v and %#x", i, halves[i], halfBack[i])
			}
		} else if float64(halves[i]) != v || halfBack[i] != uint16(i) {
			t.Fatalf("half %#x: %v and back %#x, want %v", i, halves[i], halfBack[i], v)
		}
		if w := math.Float32frombits(uint32(i) << 16); w != w {
			if bfloats[i] == bfloats[i] || bfloatBack[i] != 0x7fff {
				t.Fatalf("bfloat16 %#x: NaN became %v and %#x", i, bfloats[i], bfloatBack[i])
			}
		} else if bfloats[i] != w || bfloatBack[i] != uint16(i) {
			t.Fatalf("bfloat16 %#x: %v and back %#x, want %v", i, bfloats[i], bfloatBack[i], w)
		}
	}
}

// TestHalfRound rounds what lies between two neighbours: just below the middle, the middle, just above it.
func TestHalfRound(t *testing.T) {
	d := open(t, emu.Options{Path: asanProgram})
	var x []float32
	var wantHalf []uint16
	for h := uint16(0); h < 0x7bff; h++ { // finite, and the next is finite too
		middle := float32((halfValue(h) + halfValue(h+1)) / 2) // exact in float32
		even := h + h&1
		x = append(x, math.Nextafter32(middle, 0), middle, math.Nextafter32(middle, 1e9))
		wantHalf = append(wantHalf, h, even, h+1)
	}
	x = append(x, 65519.99, 65520, -65520, 1e30, float32(math.Inf(-1)))
	wantHalf = append(wantHalf, 0x7bff, 0x7c00, 0xfc00, 0x7c00, 0xfc00)
	for len(x)%256 != 0 {
		x, wantHalf = append(x, 0), append(wantHalf, 0)
	}
	h, b := upload(d, make([]uint16, len(x))), upload(d, make([]uint16, len(x)))
	if err := d.launch("half_round", line(uint32(len(x)/256), 256, 0), upload(d, x).Addr(), h.Addr(), b.Addr()); err != nil {
		t.Fatal(err)
	}
	bfloats := download[uint16](t, b)
	for i, got := range download[uint16](t, h) {
		if got != wantHalf[i] {
			t.Fatalf("half of %v: %#x, want %#x", x[i], got, wantHalf[i])
		}
		// A bfloat16 is the nearest of two truncations, the even one in the middle.
		word := math.Float32bits(x[i])
		want := uint16(word >> 16)
		if rest := word & 0xffff; rest > 0x8000 || rest == 0x8000 && bits.OnesCount16(want&1) == 1 {
			want++
		}
		if bfloats[i] != want {
			t.Fatalf("bfloat16 of %v: %#x, want %#x", x[i], bfloats[i], want)
		}
	}
}

func TestParameters(t *testing.T) {
	everywhere(t, func(t *testing.T, d device) {
		out := upload(d, make([]float64, 6))
		a, b := int64(-1<<40), int32(-7)
		// The bytes above a narrow parameter are not its own, so they may hold anything.
		err := d.launch("parameters", line(1, 1, 0), uint64(a), 0xabcd<<32|uint64(uint32(b)), 0xffffff00|200,
			0x1234<<32|uint64(math.Float32bits(0.5)), math.Float64bits(-1e300), upload(d, []float32{9}).Addr(), out.Addr())
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "parameter", download[float64](t, out), []float64{-1 << 40, -7, 200, 0.5, -1e300, 9})
	})
}

func TestPlaces(t *testing.T) {
	everywhere(t, func(t *testing.T, d device) {
		c := backend.Config{Grid: backend.Dim3{X: 3, Y: 2, Z: 2}, Block: backend.Dim3{X: 5, Y: 3, Z: 2}}
		n := int(c.Grid.Count() * c.Block.Count())
		out := d.alloc(int64(n) * 4)
		if err := d.launch("places", c, out.Addr()); err != nil {
			t.Fatal(err)
		}
		for i, got := range download[int32](t, out) {
			if got != int32(i) {
				t.Fatalf("place %d holds %d", i, got)
			}
		}
	})
}

// A full block is 1024 threads, all of which wait at once.
func TestFullBlock(t *testing.T) {
	everywhere(t, func(t *testing.T, d device) {
		y := upload(d, make([]float32, 1))
		if err := d.launch("block_sum", line(1, 1024, 1024*4), upload(d, fill(1024, float32(1))).Addr(), y.Addr()); err != nil {
			t.Fatal(err)
		}
		if got := download[float32](t, y)[0]; got != 1024 {
			t.Errorf("sum %v, want 1024", got)
		}
	})
}

// Corner blocks: the first, middle and last of each axis run, the rest do not.
func TestCornerBlocks(t *testing.T) {
	d := open(t, emu.Options{Path: asanProgram, CornerBlocks: true})
	n := 9 * 4
	out := d.alloc(int64(n) * 4)
	if err := d.launch("places", line(9, 4, 0), out.Addr()); err != nil {
		t.Fatal(err)
	}
	for i, got := range download[int32](t, out) {
		want := int32(-1) // the fill of new memory
		if b := i / 4; b == 0 || b == 4 || b == 8 {
			want = int32(i)
		}
		if got != want {
			t.Errorf("place %d holds %d, want %d", i, got, want)
		}
	}
}
