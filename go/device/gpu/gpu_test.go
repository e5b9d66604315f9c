//go:build gpu && cgo

package gpu

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/warpwright/warpwright/go/device/backend"
	"gorgonia.org/cu"
)

func TestInfo(t *testing.T) {
	t.Setenv("FAKE_CUDA_ARCH", "86")
	t.Setenv("FAKE_CUDA_DEVICES", "2")
	infos, err := List()
	if err != nil || len(infos) != 2 {
		t.Fatalf("%d devices (%v), want 2", len(infos), err)
	}
	want := backend.Info{
		Kind: backend.GPU, Index: 1, Name: "Fake GPU 1", Arch: 86, Multiprocessors: 4, MaxThreadsPerBlock: 1024,
		MaxGrid: backend.Dim3{X: math.MaxInt32, Y: 65535, Z: 65535}, SharedPerBlock: 48 << 10, SharedPerBlockMax: 227 << 10,
		MemoryBytes: 1 << 30, Driver: "CUDA driver API 13.0",
	}
	if infos[1] != want {
		t.Errorf("info is %+v, want %+v", infos[1], want)
	}
	d, err := Open(1)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if d.Info() != want || !d.Launches() {
		t.Errorf("opened info is %+v (launches %t), want %+v", d.Info(), d.Launches(), want)
	}
	for _, index := range []int{-1, 2} {
		_, err := Open(index)
		wantError(t, err, backend.ErrNoDevice, fmt.Sprintf("index %d of 2 GPUs", index))
	}
}

func TestSlotsCarryEveryWidth(t *testing.T) {
	d := open(t)
	k := load(t, d, "probe_pack")
	out := alloc(t, d, make([]byte, 9*8))
	junk := uint64(0xDEADBEEF00000000) // above what the parameter takes
	slots := []uint64{
		junk | 200,
		junk | uint64(uint8(0x9C)), // -100
		junk | 65535,
		junk | uint64(uint32(1<<32-7)), // -7
		junk | math.MaxUint32,
		junk | uint64(math.Float32bits(-1.5e-3)),
		uint64(1<<64 - 1<<40), // -(1<<40)
		1 << 52,
		math.Float64bits(math.Pi),
		out.Addr(),
	}
	if err := k.Launch(nil, one, slots); err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 9*8)
	if err := out.Read(nil, 0, p); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{200, -100, 65535, -7, math.MaxUint32, float64(float32(-1.5e-3)), -(1 << 40), 1 << 52, math.Pi} {
		if got := math.Float64frombits(binary.LittleEndian.Uint64(p[8*i:])); got != want {
			t.Errorf("argument %d arrived as %g, want %g", i, got, want)
		}
	}
}

func TestShapeArrives(t *testing.T) {
	d := open(t)
	k := load(t, d, "probe_shape")
	out := alloc(t, d, make([]byte, 6*4))
	c := backend.Config{Grid: backend.Dim3{X: 2, Y: 3, Z: 4}, Block: backend.Dim3{X: 5, Y: 6, Z: 7}}
	if err := k.Launch(nil, c, []uint64{out.Addr()}); err != nil {
		t.Fatal(err)
	}
	if got := ints(t, out); !slices.Equal(got, []int32{2, 3, 4, 5, 6, 7}) {
		t.Errorf("shape arrived as %v", got)
	}
}

func TestArgumentsAreCounted(t *testing.T) {
	d := open(t)
	k := load(t, d, "probe_add")
	if err := k.CheckParams([]int{8, 4}); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 3} {
		wantError(t, k.Launch(nil, one, make([]uint64, n)), nil, fmt.Sprintf("probe_add: %d arguments", n), "2 parameters")
	}
	wantError(t, k.Launch(nil, one, make([]uint64, maxParams+1)), nil, "257 arguments: requires at most 256")
	nothing := load(t, d, "probe_nothing")
	if err := errors.Join(nothing.CheckParams(nil), nothing.Launch(nil, one, nil)); err != nil {
		t.Errorf("no arguments for no parameters: %v", err)
	}
}

func TestParametersAreChecked(t *testing.T) {
	d := open(t)
	for _, c := range []struct {
		entry string
		sizes []int
		want  string // "" for none
	}{
		{"probe_pack", []int{1, 1, 2, 4, 4, 4, 8, 8, 8, 8}, ""},
		{"probe_add", []int{8, 8}, "parameter 1 has 4 bytes in the image: requires 8"},
		{"probe_add", []int{8, 4, 4}, "the image has 2 parameters: requires 3"},
		{"probe_wide", []int{4, 16}, "parameter 1 has 16 bytes: requires at most 8"},
		{"probe_wide", []int{4, 8}, "parameter 1 has 16 bytes in the image"},
		{"probe_nothing", make([]int, maxParams+1), "257 parameters: requires at most 256"},
	} {
		err := load(t, d, c.entry).CheckParams(c.sizes)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s %v: %v", c.entry, c.sizes, err)
			}
			continue
		}
		wantError(t, err, nil, c.entry, c.want)
	}
}

// Drivers before 12.4 do not say what an entry's parameters are.
func TestOldDriverKnowsNoParameters(t *testing.T) {
	d := open(t)
	k := load(t, d, "probe_add")
	t.Setenv("FAKE_CUDA_FAIL", "cuFuncGetParamInfo:500")
	m := alloc(t, d, []byte{1, 0, 0, 0})
	if err := errors.Join(k.CheckParams([]int{8, 4}), k.Launch(nil, one, []uint64{m.Addr(), 2})); err != nil {
		t.Fatal(err)
	}
	if got := ints(t, m); got[0] != 3 {
		t.Errorf("got %v, want [3]", got)
	}
	wantError(t, k.Launch(nil, one, []uint64{m.Addr()}), nil, "1 arguments")
	wantError(t, k.CheckParams([]int{8, 16}), nil, "16 bytes")
	t.Setenv("FAKE_CUDA_FAIL", "cuFuncGetParamInfo:999")
	wantError(t, k.CheckParams([]int{8, 4}), nil, "cuFuncGetParamInfo", "(999)")
}

func TestUnknownEntry(t *testing.T) {
	d := open(t)
	m, err := d.Load("probe", fatbin(t, "90"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Kernel("probe_absent")
	wantError(t, err, backend.ErrNoKernel, "probe_absent", "family probe", "CUDA_ERROR_NOT_FOUND")
	if hash, ok := m.Hash("probe_add"); ok {
		t.Errorf("a fatbin has hash %q", hash)
	}
}

func TestImagesAreChosenByArchitecture(t *testing.T) {
	for _, c := range []struct {
		arch        string
		parts       []string
		binary, ptx int
	}{
		{"90", []string{"75", "86", "90", "ptx75", "ptx90"}, 90, 90},
		{"89", []string{"75", "86", "90", "ptx75", "ptx90"}, 86, 86},
		{"80", []string{"75", "86", "90", "ptx75", "ptx90"}, 80, 75},
		{"100", []string{"75", "86", "90", "ptx75", "ptx90"}, 100, 90},
	} {
		t.Run("sm_"+c.arch, func(t *testing.T) {
			t.Setenv("FAKE_CUDA_ARCH", c.arch)
			d := open(t)
			m, err := d.Load("probe", fatbin(t, c.parts...))
			if err != nil {
				t.Fatal(err)
			}
			k, err := m.Kernel("probe_static")
			if err != nil {
				t.Fatal(err)
			}
			want := backend.KernelFacts{Registers: 24, SharedStatic: 1024, LocalBytes: 16, MaxThreadsPerBlock: 1024, BinaryVersion: c.binary, PTXVersion: c.ptx}
			if k.Facts() != want {
				t.Errorf("facts are %+v, want %+v", k.Facts(), want)
			}
		})
	}
}

func TestMissingImage(t *testing.T) {
	t.Setenv("FAKE_CUDA_ARCH", "80")
	d := open(t)
	for _, parts := range [][]string{{"75", "86", "90", "ptx90"}, {}} {
		_, err := d.Load("probe", fatbin(t, parts...))
		wantError(t, err, backend.ErrNoImage, "family probe", "sm_80", "CUDA_ERROR_NO_BINARY_FOR_GPU (209)", "no part of the fatbin runs on sm_80")
	}
	_, err := d.Load("probe", nil)
	wantError(t, err, backend.ErrNoImage, "sm_80", "empty")
	_, err = d.Load("probe", []byte("this is no fatbin"))
	wantError(t, err, nil, "sm_80", "CUDA_ERROR_INVALID_IMAGE (200)", "the image is no fatbin")
	if errors.Is(err, backend.ErrNoImage) {
		t.Errorf("a broken image is called a missing one: %v", err)
	}
	if _, err := d.Alloc(4); err != nil {
		t.Errorf("the device is unusable afterwards: %v", err)
	}
}

func TestOptInSharedMemory(t *testing.T) {
	d := open(t)
	k := load(t, d, "probe_static") // 1 KiB static
	c := one
	for _, shared := range []uint32{0, 47 << 10, 47<<10 + 1, 226 << 10, 100 << 10} {
		c.Shared = shared
		if err := k.Launch(nil, c, nil); err != nil {
			t.Errorf("%d dynamic bytes: %v", shared, err)
		}
	}
	c.Shared = 226<<10 + 1
	err := k.Launch(nil, c, nil)
	var g *backend.GeometryError
	if !errors.As(err, &g) || g.Kernel != "probe_static" || g.Got != 227<<10+1 || g.Limit != 227<<10 {
		t.Errorf("too much shared memory: %v", err)
	}
}

func TestOptInFailureIsReported(t *testing.T) {
	d := open(t)
	k := load(t, d, "probe_nothing")
	t.Setenv("FAKE_CUDA_FAIL", "cuFuncSetAttribute:1")
	c := one
	c.Shared = 48<<10 + 1
	wantError(t, k.Launch(nil, c, nil), nil, "cuFuncSetAttribute", "CUDA_ERROR_INVALID_VALUE")
	c.Shared = 48 << 10
	if err := k.Launch(nil, c, nil); err != nil {
		t.Errorf("a launch that needs no opt-in: %v", err)
	}
}

func TestLaunchBounds(t *testing.T) {
	d := open(t)
	k := load(t, d, "probe_narrow") // 128 threads at most
	c := one
	c.Block.X = 128
	if err := k.Launch(nil, c, nil); err != nil {
		t.Error(err)
	}
	c.Block.Y = 2
	var g *backend.GeometryError
	if err := k.Launch(nil, c, nil); !errors.As(err, &g) || g.Got != 256 || g.Limit != 128 {
		t.Errorf("too many threads: %v", err)
	}
}

func TestMemory(t *testing.T) {
	d := open(t)
	s := newStream(t, d)
	a, b := alloc(t, d, bytes.Repeat([]byte{1}, 64)), alloc(t, d, bytes.Repeat([]byte{2}, 64))
	p := make([]byte, 8)
	err := errors.Join(
		a.Write(s, 8, []byte{9, 8, 7}),
		a.Zero(s, 1, 2),
		b.CopyFrom(s, 4, a, 6, 6),
		b.Read(s, 3, p),
	)
	if err != nil {
		t.Fatal(err)
	}
	if want := []byte{2, 1, 1, 9, 8, 7, 1, 2}; !bytes.Equal(p, want) {
		t.Errorf("read %v, want %v", p, want)
	}
	if err := a.Read(nil, 0, p); err != nil || !bytes.Equal(p, []byte{1, 0, 0, 1, 1, 1, 1, 1}) {
		t.Errorf("read %v (%v)", p, err)
	}
	if a.Size() != 64 || a.Addr()%256 != 0 {
		t.Errorf("size %d at %#x", a.Size(), a.Addr())
	}
	other := open(t)
	wantError(t, alloc(t, other, p).CopyFrom(nil, 0, a, 0, 1), backend.ErrForeign)
	wantError(t, a.Zero(newStream(t, other), 0, 1), backend.ErrForeign)
	if err := errors.Join(a.Free(), a.Free()); err != nil {
		t.Error(err)
	}
	for _, n := range []int64{0, -1} {
		_, err := d.Alloc(n)
		wantError(t, err, nil, "requires bytes > 0")
		_, _, err = d.AllocPinned(n)
		wantError(t, err, nil, "requires bytes > 0")
	}
}

// Go memory is its owner's again when Write returns, so Write must wait until the stream has read it.
func TestWriteReturnsWhenItsSourceIsFree(t *testing.T) {
	d := open(t)
	s, m := newStream(t, d), alloc(t, d, make([]byte, 4))
	hold, release := gate(t, d)
	if err := load(t, d, "probe_gate").Launch(s, one, hold); err != nil {
		t.Fatal(err)
	}
	p := []byte{1, 2, 3, 4}
	done := make(chan error)
	go func() {
		err := m.Write(s, 0, p)
		clear(p)
		done <- err
	}()
	var err error
	select {
	case err = <-done: // too early, with the gate shut
		release()
	case <-time.After(20 * time.Millisecond):
		release()
		err = <-done
	}
	if err := errors.Join(err, s.Wait(t.Context())); err != nil {
		t.Fatal(err)
	}
	if got := ints(t, m); got[0] != 0x04030201 {
		t.Errorf("memory holds %#x, want %#x", got[0], 0x04030201)
	}
}

// An unloaded family's kernels may still run; the fake driver does not forgive unloading them then.
func TestUnloadWaits(t *testing.T) {
	d := open(t)
	s, k := newStream(t, d), load(t, d, "probe_add")
	m := alloc(t, d, make([]byte, 4))
	for range 100 {
		if err := k.Launch(s, one, []uint64{m.Addr(), 1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.m.Close(); err != nil {
		t.Error(err)
	}
	if got := ints(t, m); got[0] != 100 {
		t.Errorf("got %d, want 100", got[0])
	}
}

func TestCloseReportsALateFault(t *testing.T) {
	d := open(t)
	s, k := newStream(t, d), load(t, d, "probe_nothing")
	t.Setenv("FAKE_CUDA_FAIL", "kernel:700")
	if err := k.Launch(s, one, nil); err != nil {
		t.Fatal(err)
	}
	wantError(t, d.Close(), nil, "CUDA_ERROR_ILLEGAL_ADDRESS (700)")
}

func TestOutOfMemory(t *testing.T) {
	t.Setenv("FAKE_CUDA_MEMORY", "1000")
	d := open(t)
	m := alloc(t, d, make([]byte, 600))
	_, err := d.Alloc(401)
	wantError(t, err, backend.ErrOutOfMemory, "alloc of 401 bytes", "400 bytes of 1000 are free", "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2)")
	for _, n := range []int64{1001, math.MaxInt64} {
		_, err := d.Alloc(n)
		wantError(t, err, backend.ErrOutOfMemory, fmt.Sprintf("alloc of %d bytes", n), "the device has 1000")
	}
	if err := m.Free(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Alloc(401); err != nil {
		t.Errorf("after freeing: %v", err)
	}
}

func TestPinned(t *testing.T) {
	d := open(t)
	p, free, err := d.AllocPinned(16)
	if err != nil {
		t.Fatal(err)
	}
	copy(p, "sixteen bytes...")
	m := alloc(t, d, p)
	if got := ints(t, m); len(p) != 16 || got[0] != int32(binary.LittleEndian.Uint32(p)) {
		t.Errorf("%d bytes, first word %#x", len(p), got[0])
	}
	if err := errors.Join(free(), free()); err != nil {
		t.Error(err)
	}
	t.Setenv("FAKE_CUDA_FAIL", "cuMemHostAlloc:2")
	_, _, err = d.AllocPinned(16)
	wantError(t, err, backend.ErrOutOfMemory, "16 bytes", "cuMemHostAlloc")
}

// gate is a word that a kernel waits for, and what opens it.
func gate(t *testing.T, d *Device) (slots []uint64, open func()) {
	t.Helper()
	m := alloc(t, d, make([]byte, 4))
	word := (*int32)(unsafe.Add(unsafe.Pointer(nil), uintptr(m.Addr()))) // the fake's memory is the host's
	return []uint64{m.Addr()}, func() { atomic.StoreInt32(word, 1) }
}

func TestWaitHonoursContext(t *testing.T) {
	d := open(t)
	s, e := newStream(t, d), newEvent(t, d)
	hold, release := gate(t, d)
	if err := errors.Join(load(t, d, "probe_gate").Launch(s, one, hold), e.Record(s)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	wantError(t, s.Wait(ctx), context.DeadlineExceeded)
	wantError(t, e.Wait(ctx), context.DeadlineExceeded)
	release()
	if err := errors.Join(s.Wait(t.Context()), e.Wait(t.Context())); err != nil {
		t.Error(err)
	}
	if err := errors.Join(s.Wait(ctx), e.Wait(ctx)); err != nil {
		t.Errorf("what is done needs no time: %v", err)
	}
}

// Wait is for what was there, not for what others add.
func TestWaitIgnoresLaterWork(t *testing.T) {
	d := open(t)
	s := newStream(t, d)
	add, m := load(t, d, "probe_add"), alloc(t, d, make([]byte, 4))
	hold1, release1 := gate(t, d)
	hold2, release2 := gate(t, d)
	wait := load(t, d, "probe_gate")
	if err := errors.Join(wait.Launch(s, one, hold1), add.Launch(s, one, []uint64{m.Addr(), 1})); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	recorded := make(chan struct{})
	go func() {
		var once sync.Once
		// The event is recorded before the context is looked at for the first time.
		done <- s.Wait(&signalContext{Context: t.Context(), looked: func() { once.Do(func() { close(recorded) }) }})
	}()
	<-recorded
	if err := wait.Launch(s, one, hold2); err != nil {
		t.Fatal(err)
	}
	release1()
	if err := <-done; err != nil {
		t.Error(err)
	}
	release2()
}

// signalContext tells when someone asks whether it has ended.
type signalContext struct {
	context.Context
	looked func()
}

func (c *signalContext) Err() error {
	c.looked()
	return c.Context.Err()
}

func TestOrder(t *testing.T) {
	d := open(t)
	first, second := newStream(t, d), newStream(t, d)
	wait, add := load(t, d, "probe_gate"), load(t, d, "probe_add")
	m, e := alloc(t, d, make([]byte, 4)), newEvent(t, d)
	hold, release := gate(t, d)
	// first: gate, zero, +5, event. second: waits for the event, copies.
	copied := alloc(t, d, make([]byte, 4))
	err := errors.Join(
		wait.Launch(first, one, hold),
		m.Zero(first, 0, 4),
		add.Launch(first, one, []uint64{m.Addr(), 5}),
		e.Record(first),
		second.WaitFor(e),
		copied.CopyFrom(second, 0, m, 0, 4),
	)
	if err != nil {
		t.Fatal(err)
	}
	third := newStream(t, d) // is not held by any of that
	if err := third.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	release()
	if err := second.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := ints(t, copied); got[0] != 5 {
		t.Errorf("the second stream copied %d, want 5", got[0])
	}
}

// The default stream starts when the others are done, and they after it.
func TestDefaultStreamIsOrderedWithOthers(t *testing.T) {
	d := open(t)
	s, other := newStream(t, d), newStream(t, d)
	wait, add := load(t, d, "probe_gate"), load(t, d, "probe_add")
	m := alloc(t, d, []byte{1, 0, 0, 0})
	hold, release := gate(t, d)
	copied := alloc(t, d, make([]byte, 4))
	err := errors.Join(
		wait.Launch(s, one, hold),
		add.Launch(s, one, []uint64{m.Addr(), 10}),
		add.Launch(nil, one, []uint64{m.Addr(), 100}),
		copied.CopyFrom(other, 0, m, 0, 4),
	)
	if err != nil {
		t.Fatal(err)
	}
	release()
	if got := ints(t, copied); got[0] != 111 {
		t.Errorf("the third in order saw %d, want 111", got[0])
	}
}

func TestEventTimes(t *testing.T) {
	d := open(t)
	s, start, end := newStream(t, d), newEvent(t, d), newEvent(t, d)
	_, err := end.Since(start)
	wantError(t, err, nil, "start false, end false")
	hold, release := gate(t, d)
	before := time.Now()
	if err := errors.Join(start.Record(s), load(t, d, "probe_gate").Launch(s, one, hold), end.Record(s), start.Wait(t.Context())); err != nil {
		t.Fatal(err)
	}
	_, err = end.Since(start)
	wantError(t, err, nil, "cuEventElapsedTime", "(600)")
	release()
	if err := end.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if sec, err := end.Since(start); err != nil || sec <= 0 || sec > time.Since(before).Seconds() {
		t.Errorf("%g seconds (%v), of %v in all", sec, err, time.Since(before))
	}
	if sec, err := end.Since(end); err != nil || sec != 0 {
		t.Errorf("%g seconds from an event to itself (%v)", sec, err)
	}
	_, err = end.Since(newEvent(t, open(t)))
	wantError(t, err, backend.ErrForeign)
}

func TestClosedHandles(t *testing.T) {
	d := open(t)
	s, e, live := newStream(t, d), newEvent(t, d), newEvent(t, d)
	m, err := d.Load("probe", fatbin(t, "90"))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("probe_nothing")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Close(), s.Close(), e.Close(), e.Close(), m.Close(), m.Close()); err != nil {
		t.Fatal(err)
	}
	_, errSince := live.Since(e)
	_, errKernel := m.Kernel("probe_nothing")
	for name, err := range map[string]error{
		"launch of an unloaded kernel": k.Launch(nil, one, nil), "kernel of an unloaded family": errKernel,
		"launch on a closed stream": load(t, d, "probe_nothing").Launch(s, one, nil), "wait": s.Wait(t.Context()),
		"wait for on a closed stream": s.WaitFor(live), "record": e.Record(nil), "event wait": e.Wait(t.Context()), "since": errSince,
		"wait for a closed event": newStream(t, d).WaitFor(e),
	} {
		if !errors.Is(err, backend.ErrClosed) {
			t.Errorf("%s: got %v, want %v", name, err, backend.ErrClosed)
		}
	}
}

func TestCloseReleasesEverything(t *testing.T) {
	d := open(t)
	keep := open(t) // the primary context lives on, so that leaks would stay
	before, _ := memInfo(t, keep)
	s, e, k := newStream(t, d), newEvent(t, d), load(t, d, "probe_nothing")
	m := alloc(t, d, make([]byte, 1<<20))
	_, free, err := d.AllocPinned(8)
	if err != nil {
		t.Fatal(err)
	}
	g, err := d.Capture(s, func() error { return k.Launch(s, one, nil) })
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if after, _ := memInfo(t, keep); after != before {
		t.Errorf("%d bytes free after Close, %d before", after, before)
	}
	for name, err := range map[string]error{
		"launch": k.Launch(nil, one, nil), "write": m.Write(nil, 0, []byte{1}), "wait": s.Wait(t.Context()), "record": e.Record(nil), "graph": g.Launch(nil),
	} {
		if !errors.Is(err, backend.ErrClosed) {
			t.Errorf("%s: got %v, want %v", name, err, backend.ErrClosed)
		}
	}
	if err := errors.Join(s.Close(), e.Close(), m.Free(), free(), g.Close()); err != nil {
		t.Errorf("closing what is gone: %v", err)
	}
}

func TestStickyErrorFailsFast(t *testing.T) {
	for _, fault := range []string{"kernel:700", "cuLaunchKernel:719", "cuStreamQuery:700"} {
		t.Run(fault, func(t *testing.T) {
			d := open(t)
			s, k, m := newStream(t, d), load(t, d, "probe_nothing"), alloc(t, d, make([]byte, 4))
			t.Setenv("FAKE_CUDA_FAIL", fault)
			err := errors.Join(k.Launch(s, one, nil), s.Wait(t.Context()))
			var first *backend.DriverError
			if !errors.As(err, &first) || !first.Sticky() {
				t.Fatalf("got %v, want a sticky error", err)
			}
			t.Setenv("FAKE_CUDA_FAIL", "")
			_, errAlloc := d.Alloc(4)
			_, errStream := d.NewStream()
			_, errLoad := d.Load("probe", fatbin(t, "90"))
			for name, err := range map[string]error{
				"launch": k.Launch(nil, one, nil), "alloc": errAlloc, "stream": errStream, "load": errLoad,
				"wait": s.Wait(t.Context()), "read": m.Read(nil, 0, make([]byte, 4)),
			} {
				var cause *backend.DriverError
				if !errors.Is(err, backend.ErrLost) || !errors.As(err, &cause) || cause != first {
					t.Errorf("%s: got %v, want %v by %v", name, err, backend.ErrLost, first)
				}
			}
			if err := errors.Join(m.Free(), s.Close(), d.Close()); err != nil {
				t.Errorf("closing what is lost: %v", err)
			}
			again := open(t)
			if got := ints(t, alloc(t, again, []byte{7, 0, 0, 0})); got[0] != 7 {
				t.Errorf("a device opened afterwards holds %d, want 7", got[0])
			}
		})
	}
}

func TestOtherErrorsPass(t *testing.T) {
	d := open(t)
	k := load(t, d, "probe_nothing")
	t.Setenv("FAKE_CUDA_FAIL", "cuLaunchKernel:701,cuStreamCreate:999")
	err := k.Launch(nil, one, nil)
	var e *backend.DriverError
	if !errors.As(err, &e) || *e != (backend.DriverError{Op: "cuLaunchKernel", Code: 701, Name: "CUDA_ERROR", Text: "a code that the driver does not know"}) {
		t.Errorf("error is %+v", err)
	}
	_, err = d.NewStream()
	wantError(t, err, nil, "cuStreamCreate", "(999)")
	t.Setenv("FAKE_CUDA_FAIL", "")
	if err := k.Launch(nil, one, nil); err != nil {
		t.Errorf("the next launch: %v", err)
	}
}

func TestCapture(t *testing.T) {
	d := open(t)
	s, add, m := newStream(t, d), load(t, d, "probe_add"), alloc(t, d, make([]byte, 4))
	g, err := d.Capture(s, func() error {
		// Others may use the default stream meanwhile.
		other := make(chan error)
		go func() { other <- m.Write(nil, 0, []byte{50, 0, 0, 0}) }()
		return errors.Join(m.Zero(s, 0, 4), add.Launch(s, one, []uint64{m.Addr(), 3}), add.Launch(s, one, []uint64{m.Addr(), 4}), <-other)
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := ints(t, m); got[0] != 50 {
		t.Errorf("capturing did the work: %v", got)
	}
	if err := errors.Join(add.Launch(s, one, []uint64{m.Addr(), 100}), g.Launch(s), add.Launch(s, one, []uint64{m.Addr(), 10}), s.Wait(t.Context())); err != nil {
		t.Fatal(err)
	}
	if got := ints(t, m); got[0] != 17 {
		t.Errorf("after the graph: %v, want [17]", got)
	}
	if err := errors.Join(g.Launch(nil), d.drain(t)); err != nil {
		t.Fatal(err)
	}
	if got := ints(t, m); got[0] != 7 {
		t.Errorf("after the graph on the default stream: %v, want [7]", got)
	}
	if err := errors.Join(g.Close(), g.Close()); err != nil {
		t.Error(err)
	}
	wantError(t, g.Launch(s), backend.ErrClosed, "graph")
}

func TestCaptureRefuses(t *testing.T) {
	d := open(t)
	s, k, m := newStream(t, d), load(t, d, "probe_nothing"), alloc(t, d, make([]byte, 4))
	p := make([]byte, 4)
	for name, f := range map[string]func() error{
		"write":   func() error { return m.Write(s, 0, p) },
		"read":    func() error { return m.Read(s, 0, p) },
		"wait":    func() error { return s.Wait(t.Context()) },
		"nesting": func() error { _, err := d.Capture(s, func() error { return nil }); return err },
	} {
		t.Run(name, func(t *testing.T) {
			_, err := d.Capture(s, f)
			wantError(t, err, backend.ErrCapture)
			if err := errors.Join(k.Launch(s, one, nil), s.Wait(t.Context())); err != nil {
				t.Errorf("the stream is unusable afterwards: %v", err)
			}
		})
	}
	_, err := d.Capture(s, func() error { _, err := d.Alloc(4); return err })
	wantError(t, err, nil, "cuMemAlloc", "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "cuStreamEndCapture")
	mine := errors.New("mine")
	_, err = d.Capture(s, func() error { return mine })
	wantError(t, err, mine)
	_, err = d.Capture(nil, func() error { return nil })
	wantError(t, err, backend.ErrForeign)
	func() {
		defer func() {
			if recover() != "panic" {
				t.Error("the panic is lost")
			}
		}()
		d.Capture(s, func() error { panic("panic") })
	}()
	if err := errors.Join(k.Launch(s, one, nil), m.Write(s, 0, p), s.Wait(t.Context())); err != nil {
		t.Errorf("the stream is unusable after a panic: %v", err)
	}
}

// Goroutines move between threads, and every call needs the context of the one it is on.
func TestAnyGoroutine(t *testing.T) {
	d := open(t)
	add := load(t, d, "probe_add")
	shared := newStream(t, d)
	var all sync.WaitGroup
	for g := range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			s, err := d.NewStream()
			if err != nil {
				t.Error(err)
				return
			}
			for i := range 20 {
				m, err := d.Alloc(4)
				if err != nil {
					t.Error(err)
					return
				}
				e, err := d.NewEvent()
				if err != nil {
					t.Error(err)
					return
				}
				p := make([]byte, 4)
				err = errors.Join(
					m.Write(s, 0, []byte{byte(g), 0, 0, 0}),
					add.Launch(s, one, []uint64{m.Addr(), uint64(i)}),
					e.Record(s), shared.WaitFor(e), add.Launch(shared, one, []uint64{m.Addr(), 1}), shared.Wait(t.Context()),
					m.Read(s, 0, p), m.Free(), e.Wait(t.Context()), e.Close(),
				)
				if want := byte(g + i + 1); err != nil || p[0] != want {
					t.Errorf("got %d (%v), want %d", p[0], err, want)
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}()
	}
	all.Wait()
}

// A thread that no call has used yet has no context.
func TestLaunchBindsTheContext(t *testing.T) {
	d := open(t)
	k := load(t, d, "probe_nothing")
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for range 2 {
		if err := cu.SetCurrentContext(cu.CUContext{}); err != nil {
			t.Fatal(err)
		}
		if err := k.Launch(nil, one, nil); err != nil {
			t.Error(err)
		}
	}
	if err := cu.SetCurrentContext(cu.CUContext{}); err != nil {
		t.Fatal(err)
	}
	if _, err := k.LaunchLoop(nil, one, nil, 3); err != nil {
		t.Error(err)
	}
}

// A Close that comes while others work makes them fail, not crash.
func TestCloseMeanwhile(t *testing.T) {
	d := open(t)
	k := load(t, d, "probe_nothing")
	s := newStream(t, d)
	var all sync.WaitGroup
	started := make(chan struct{}, 4)
	for range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			for first := true; ; first = false {
				err := errors.Join(k.Launch(s, one, nil), s.Wait(t.Context()))
				if first {
					started <- struct{}{}
				}
				if err != nil {
					if !errors.Is(err, backend.ErrClosed) {
						t.Error(err)
					}
					return
				}
			}
		}()
	}
	for range 4 {
		<-started
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	all.Wait()
}

func TestLaunchAllocatesNothing(t *testing.T) {
	d := open(t)
	k, s := load(t, d, "probe_add"), newStream(t, d)
	m := alloc(t, d, make([]byte, 4))
	addr := m.Addr()
	n := testing.AllocsPerRun(100, func() {
		slots := [...]uint64{addr, 1}
		if err := k.Launch(s, one, slots[:]); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("a launch allocates %g times", n)
	}
}

func TestLaunchLoop(t *testing.T) {
	d := open(t)
	k, m := load(t, d, "probe_add"), alloc(t, d, make([]byte, 4))
	ns, err := k.LaunchLoop(nil, one, []uint64{m.Addr(), 2}, 50)
	if err != nil || ns <= 0 {
		t.Fatalf("%g ns (%v)", ns, err)
	}
	if got := ints(t, m); got[0] != 100 {
		t.Errorf("50 launches of +2 gave %d", got[0])
	}
	_, err = k.LaunchLoop(nil, one, []uint64{m.Addr(), 2}, 0)
	wantError(t, err, nil, "n > 0")
	_, err = k.LaunchLoop(nil, one, make([]uint64, maxParams+1), 1)
	wantError(t, err, nil, "257 arguments")
}

// BenchmarkLaunch and BenchmarkLaunchFromC differ by what Go, the checks and the bound context cost.
func BenchmarkLaunch(b *testing.B) {
	d := open(b)
	k, s := load(b, d, "probe_nothing"), newStream(b, d)
	b.ReportAllocs()
	for b.Loop() {
		if err := k.Launch(s, one, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	if err := s.Wait(b.Context()); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkLaunchFromC(b *testing.B) {
	d := open(b)
	k, s := load(b, d, "probe_nothing"), newStream(b, d)
	ns, err := k.LaunchLoop(s, one, nil, int64(b.N))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(ns, "ns/op")
	if err := s.Wait(b.Context()); err != nil {
		b.Fatal(err)
	}
}

func memInfo(t *testing.T, d *Device) (free, total int64) {
	t.Helper()
	if err := d.do(func() (err error) { free, total, err = freeMemory(); return err }); err != nil {
		t.Fatal(err)
	}
	return free, total
}

// drain waits for the default stream.
func (d *Device) drain(t *testing.T) error {
	e := newEvent(t, d)
	return errors.Join(e.Record(nil), e.Wait(t.Context()), e.Close())
}
