package emutest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/warpwright/warpwright/go/device/backend"
	"github.com/warpwright/warpwright/go/device/emu"
)

func TestDeviceSurvivesFault(t *testing.T) {
	d := open(t, emu.Options{Path: asanProgram})
	old, spare := upload(d, make([]float32, 64)), upload(d, make([]float32, 64))
	err := d.launch("shared_overrun", line(1, 64, 4), old.Addr())
	var first *emu.Report
	if !errors.As(err, &first) {
		t.Fatalf("launch: %v, want a report", err)
	}

	// What the dead process held answers with the first cause, whatever is asked of it.
	p := make([]byte, 4)
	fresh := upload(d, fill(64, float32(2)))
	for what, err := range map[string]error{
		"write":     old.Write(nil, 0, p),
		"read":      old.Read(nil, 0, p),
		"zero":      old.Zero(nil, 0, 4),
		"copy to":   old.CopyFrom(nil, 0, fresh, 0, 4),
		"copy from": fresh.CopyFrom(nil, 0, old, 0, 4),
		"launch":    d.launch("axpy", line(1, 64, 0), 64, 0, fresh.Addr(), spare.Addr()),
	} {
		var r *emu.Report
		if !errors.Is(err, backend.ErrLost) || !errors.As(err, &r) || r != first {
			t.Errorf("%s of lost memory: %v, want ErrLost with the first report", what, err)
		}
	}
	if err := old.Free(); err != nil {
		t.Errorf("free of lost memory: %v", err)
	}
	if err := old.Free(); !errors.Is(err, backend.ErrClosed) {
		t.Errorf("second free of lost memory: %v, want ErrClosed", err)
	}

	// And the device works.
	y := upload(d, fill(64, float32(1)))
	if err := d.launch("axpy", line(1, 64, 0), 64, 0x40400000, fresh.Addr(), y.Addr()); err != nil { // a = 3
		t.Fatal(err)
	}
	if got := download[float32](t, y)[63]; got != 7 {
		t.Errorf("3 * 2 + 1 = %v", got)
	}
}

// The next launch starts a process too, not only an allocation.
func TestLaunchAfterFault(t *testing.T) {
	d := open(t, emu.Options{Path: asanProgram})
	if err := d.launch("shared_overrun", line(1, 64, 4), 0); err == nil {
		t.Fatal("no report")
	}
	if err := d.launch("axpy", line(1, 64, 0), 0, 0, 0, 0); err != nil {
		t.Error(err)
	}
}

func TestRefusedLaunches(t *testing.T) {
	d := open(t, emu.Options{Path: asanProgram})
	y := upload(d, make([]float32, 1))
	var g *backend.GeometryError
	for _, c := range []backend.Config{
		line(1, 0, 0), line(1, 1025, 0), line(1, 1<<31, 0), line(1<<31, 1, 0), line(1, 1, 227<<10+1),
		{Grid: backend.Dim3{X: 1, Y: 65536, Z: 1}, Block: backend.Dim3{X: 1, Y: 1, Z: 1}},
		{Grid: backend.Dim3{X: 1, Y: 1, Z: 1}, Block: backend.Dim3{X: 1 << 31, Y: 1 << 31, Z: 4}},
	} {
		if err := d.launch("block_sum", c, y.Addr(), y.Addr()); !errors.As(err, &g) {
			t.Errorf("launch of %v by %v, %d shared: %v, want a geometry error", c.Grid, c.Block, c.Shared, err)
		}
	}
	if err := d.launch("block_sum", line(1, 1, 4), y.Addr()); err == nil || !strings.Contains(err.Error(), "1 argument slots, the entry has 2") {
		t.Errorf("launch with one slot of two: %v", err)
	}
	if err := d.launch("block_sum", line(0, 1, 4), 0, 0); err != nil {
		t.Errorf("an empty grid: %v", err)
	}
	if err := d.launch("block_sum", line(1, 1, 4), upload(d, fill(1, float32(5))).Addr(), y.Addr()); err != nil {
		t.Errorf("after the refusals: %v", err)
	}
	if got := d.LaunchCounts()["block_sum"]; got != 1 {
		t.Errorf("block_sum was counted %d times, want 1", got)
	}
}

func TestLaunchCounts(t *testing.T) {
	d := open(t, emu.Options{Path: asanProgram})
	out := upload(d, make([]int32, 8))
	for range 3 {
		if err := d.launch("places", line(1, 8, 0), out.Addr()); err != nil {
			t.Fatal(err)
		}
	}
	counts := d.LaunchCounts()
	if n, ok := counts["axpy"]; n != 0 || !ok {
		t.Errorf("axpy: %d, %v: want a zero that is there", n, ok)
	}
	if counts["places"] != 3 {
		t.Errorf("places: %d, want 3", counts["places"])
	}
	if err := d.launch("shared_overrun", line(1, 64, 4), 0); err == nil {
		t.Fatal("no report")
	}
	if counts = d.LaunchCounts(); counts["places"] != 3 || counts["shared_overrun"] != 0 {
		t.Errorf("after a fault: places %d, shared_overrun %d: want 3 and 0", counts["places"], counts["shared_overrun"])
	}
}

func TestModules(t *testing.T) {
	d := open(t, emu.Options{Path: asanProgram})
	if _, err := d.Load("nosuch", nil); !errors.Is(err, backend.ErrNoImage) {
		t.Errorf("load of an unknown family: %v, want ErrNoImage", err)
	}
	m, err := d.Load("controls", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Kernel("axpi"); !errors.Is(err, backend.ErrNoKernel) || !strings.Contains(err.Error(), `"axpi"`) {
		t.Errorf("unknown entry: %v, want ErrNoKernel with its name", err)
	}
	if hash, ok := m.Hash("axpy"); hash != "axpy-1" || !ok {
		t.Errorf("hash %q, %v", hash, ok)
	}
	if _, ok := m.Hash("axpi"); ok {
		t.Error("an unknown kernel has a hash")
	}
	k, err := m.Kernel("axpy")
	if err != nil {
		t.Fatal(err)
	}
	if f := k.Facts(); f.MaxThreadsPerBlock != 1024 {
		t.Errorf("facts %+v", f)
	}
	if d.Sanitizers() != "address" || len(d.Families()) != 2 {
		t.Errorf("sanitizers %q, families %v", d.Sanitizers(), d.Families())
	}
	if o := open(t, emu.Options{Path: tsanProgram}); o.Sanitizers() != "thread" {
		t.Errorf("sanitizers %q of the race detector's build", o.Sanitizers())
	}
}

func TestMemory(t *testing.T) {
	d := open(t, emu.Options{Path: asanProgram})
	const n = 70 << 20 // more than one chunk
	a, b := d.alloc(n), d.alloc(n)
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(i * 31 >> 8)
	}
	if err := a.Write(nil, 0, p); err != nil {
		t.Fatal(err)
	}
	if err := b.CopyFrom(nil, 0, a, 0, n); err != nil {
		t.Fatal(err)
	}
	if err := b.Zero(nil, 3, 5); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, n)
	if err := b.Read(nil, 0, got); err != nil {
		t.Fatal(err)
	}
	clear(p[3:8])
	if !bytes.Equal(got, p) {
		t.Error("what was read is not what was written, copied and zeroed")
	}
	if _, err := d.Alloc(0); err == nil {
		t.Error("an allocation of 0 bytes")
	}
	if _, err := d.Alloc(1 << 40); !errors.Is(err, backend.ErrOutOfMemory) {
		t.Errorf("an allocation of 1 TiB: %v, want ErrOutOfMemory", err)
	}
	if err := a.Free(); err != nil {
		t.Error(err)
	}
	if err := a.Free(); !errors.Is(err, backend.ErrClosed) {
		t.Errorf("second free: %v, want ErrClosed", err)
	}
	if err := a.Read(nil, 0, got[:1]); !errors.Is(err, backend.ErrClosed) {
		t.Errorf("read of freed memory: %v, want ErrClosed", err)
	}
	// New memory is all ones.
	if err := d.alloc(8).Read(nil, 0, got[:8]); err != nil || !bytes.Equal(got[:8], bytes.Repeat([]byte{0xff}, 8)) {
		t.Errorf("new memory holds %x, %v", got[:8], err)
	}
}

func TestForeign(t *testing.T) {
	d, other := open(t, emu.Options{Path: asanProgram}), open(t, emu.Options{Path: asanProgram})
	m := d.alloc(8)
	s, err := other.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	e, err := other.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	mine, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	event, err := d.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	_, since := event.Since(e)
	for what, err := range map[string]error{
		"write on a foreign stream":  m.Write(s, 0, make([]byte, 8)),
		"copy of foreign memory":     m.CopyFrom(nil, 0, other.alloc(8), 0, 8),
		"wait for a foreign event":   mine.WaitFor(e),
		"record on a foreign stream": event.Record(s),
		"since a foreign event":      since,
	} {
		if !errors.Is(err, backend.ErrForeign) {
			t.Errorf("%s: %v, want ErrForeign", what, err)
		}
	}
}

func TestStreamsAndEvents(t *testing.T) {
	d := open(t, emu.Options{Path: asanProgram})
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
	if _, err := end.Since(start); err == nil {
		t.Error("time between events that were not recorded")
	}
	out := d.alloc(4096)
	if err := errors.Join(start.Record(s), out.Zero(s, 0, 4096), end.Record(s), s.WaitFor(end), s.Wait(context.Background()), end.Wait(context.Background())); err != nil {
		t.Fatal(err)
	}
	if took, err := end.Since(start); err != nil || took <= 0 {
		t.Errorf("took %v s, %v", took, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := out.Zero(s, 0, 4); !errors.Is(err, backend.ErrClosed) {
		t.Errorf("work on a closed stream: %v, want ErrClosed", err)
	}
}

func TestClosed(t *testing.T) {
	d, err := emu.Open(context.Background(), emu.Options{Path: asanProgram})
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Alloc(8)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Close(), d.Close()); err != nil {
		t.Fatal(err)
	}
	_, alloc := d.Alloc(8)
	_, load := d.Load("controls", nil)
	_, stream := d.NewStream()
	for what, err := range map[string]error{"alloc": alloc, "load": load, "stream": stream, "zero": m.Zero(nil, 0, 8)} {
		if !errors.Is(err, backend.ErrClosed) || errors.Is(err, backend.ErrLost) {
			t.Errorf("%s on a closed device: %v, want ErrClosed", what, err)
		}
	}
	if err := m.Free(); err != nil {
		t.Errorf("free after close: %v", err)
	}
}

func TestOpenFailures(t *testing.T) {
	dir := t.TempDir()
	silent := filepath.Join(dir, "silent")
	if err := os.WriteFile(silent, []byte("#!/bin/sh\nexit 0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	garbage := filepath.Join(dir, "garbage")
	if err := os.WriteFile(garbage, []byte("#!/bin/sh\necho 'this is not the protocol at all'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]emu.Options{
		"missing": {Path: filepath.Join(dir, "nosuch")}, "folder": {Path: dir}, "silent": {Path: silent}, "garbage": {Path: garbage},
		"bad schedule": {Path: asanProgram, Schedule: "sideways"},
	} {
		if d, err := emu.Open(context.Background(), o); !errors.Is(err, backend.ErrNoDevice) {
			t.Errorf("%s: %v, want ErrNoDevice", name, err)
			if err == nil {
				d.Close()
			}
		}
	}
	if _, err := emu.Open(context.Background(), emu.Options{Path: asanProgram, Multiprocessors: -1}); err == nil {
		t.Error("a negative number of multiprocessors")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := emu.Open(ctx, emu.Options{Path: asanProgram}); !errors.Is(err, context.Canceled) {
		t.Errorf("open with an ended context: %v", err)
	}
}

// The program is found through WW_EMU too, and a path of the runfiles in any working directory.
func TestFind(t *testing.T) {
	abs, err := filepath.Abs(asanProgram)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(abs); err != nil { // a rootpath: relative to the runfiles
		abs = filepath.Join(os.Getenv("TEST_SRCDIR"), os.Getenv("TEST_WORKSPACE"), asanProgram)
	}
	t.Setenv("WW_EMU", abs)
	open(t, emu.Options{})
	t.Setenv("TEST_SRCDIR", filepath.Dir(filepath.Dir(abs)))
	t.Setenv("TEST_WORKSPACE", filepath.Base(filepath.Dir(abs)))
	t.Setenv("WW_EMU", filepath.Base(abs))
	open(t, emu.Options{})
}

// Methods may be called from any goroutine: run this under -race.
func TestConcurrentUse(t *testing.T) {
	d := open(t, emu.Options{Path: asanProgram})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 20 {
				m, err := d.Alloc(64)
				if err != nil {
					t.Error(err)
					return
				}
				p := bytes.Repeat([]byte{byte(g*20 + i)}, 64)
				got := make([]byte, 64)
				if err := errors.Join(m.Write(nil, 0, p), m.Read(nil, 0, got), m.Free()); err != nil || !bytes.Equal(p, got) {
					t.Errorf("goroutine %d: %v, %x", g, err, got)
				}
				d.LaunchCounts()
			}
		}()
	}
	wg.Wait()
}
