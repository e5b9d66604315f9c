package device

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"weak"

	"github.com/warpwright/warpwright/go/device/backend"
)

// An address is found in the buffer that holds it, at random and against a plain search.
func TestLiveBuffers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var l liveBuffers
	var open []*buffer
	for range 20_000 {
		switch r.IntN(3) {
		case 0:
			b := &buffer{addr: uint64(r.IntN(1 << 16))}
			b.end = b.addr + 1 + uint64(r.IntN(64))
			// A new buffer is where no other one is, unless that one was lost.
			open = slices.DeleteFunc(open, func(o *buffer) bool { return max(o.addr, b.addr) < min(o.end, b.end) })
			open = append(open, b)
			l.add(b)
		case 1:
			if n := len(open); n > 0 {
				i := r.IntN(n)
				l.remove(open[i])
				l.remove(open[i])
				open = slices.Delete(open, i, i+1)
			}
		default:
			addr := uint64(r.IntN(1 << 16))
			var want *buffer
			for _, b := range open {
				if b.addr <= addr && addr < b.end {
					want = b
				}
			}
			if got := l.find(addr); got != want {
				t.Fatalf("at %d: got %+v, want %+v", addr, got, want)
			}
		}
		if len(l.at) != len(open) {
			t.Fatalf("%d buffers are listed, %d are open", len(l.at), len(open))
		}
	}
	runtime.KeepAlive(open)
}

// A buffer that was forgotten is collected, and what is left of it is dropped in time.
func TestLiveBuffersForget(t *testing.T) {
	var l liveBuffers
	func() {
		for i := range uint64(1000) {
			l.add(&buffer{addr: 100 * i, end: 100*i + 50})
		}
	}()
	p := weak.Make(l.at[0].p.Value())
	for range 10 {
		runtime.GC()
	}
	if p.Value() != nil || l.find(10) != nil {
		t.Error("the list keeps buffers alive")
	}
	for i := range uint64(1100) {
		l.add(&buffer{addr: 1<<30 + 100*i, end: 1<<30 + 100*i + 50})
	}
	if len(l.at) > 1300 {
		t.Errorf("%d buffers are listed", len(l.at))
	}
}

// For the race detector.
func TestLiveBuffersTogether(t *testing.T) {
	var l liveBuffers
	var all sync.WaitGroup
	for g := range uint64(4) {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range uint64(500) {
				b := &buffer{addr: g<<32 + 16*(i%7), end: g<<32 + 16*(i%7) + 16}
				l.add(b)
				if l.find(b.addr+15) != b {
					t.Errorf("buffer %d of %d is not found", i, g)
				}
				b.touch()
				l.remove(b)
				if l.find(b.addr) == b {
					t.Errorf("buffer %d of %d is found after its removal", i, g)
				}
			}
		}()
	}
	all.Wait()
}

// Of a launch by hand the words that may point to what is written count, and no others.
func TestLaunchByHandMarks(t *testing.T) {
	for _, c := range []struct {
		name   string
		uses   []backend.Use
		marked bool
		want   uint64
	}{
		{"nobody knows", nil, false, 1},
		{"a pointer", []backend.Use{backend.Writes}, false, 1},
		{"a pointer to const", []backend.Use{backend.Reads}, false, 0},
		{"a number", []backend.Use{backend.Word}, false, 0},
		{"marked by the launcher", []backend.Use{backend.Writes}, true, 0},
	} {
		b, k := launchable()
		k.uses, k.marked = c.uses, c.marked
		buf := &buffer{dev: k.dev, addr: 4096, end: 8192}
		k.dev.live.add(buf)
		if err := k.Launch(nil, oneBlock, []uint64{8191}); err != nil || b.launched != 1 {
			t.Fatalf("%d words were launched (%v)", b.launched, err)
		}
		if got := buf.version.Load(); got != c.want {
			t.Errorf("%s: %d writes were counted, want %d", c.name, got, c.want)
		}
	}
}
