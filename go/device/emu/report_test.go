package emu

import (
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/device/backend"
)

const where = "emu: kernel csr_mv entry csr_mv_f32 block (3,0,1) thread (40,2,0) warp 9 lane 8 grid (16,1,2) threads (128,4,1) shared 32\n"

func TestParseReport(t *testing.T) {
	cases := []struct {
		name, text          string
		tool, kind, message string
		file                string
		line                int
	}{
		{"emulator", "emu: error: divergent barrier: 12 of 32 threads have returned\nemu: at cuda/csr/mv.cu:31:14\n" + where,
			"emulator", "divergent barrier", "12 of 32 threads have returned", "cuda/csr/mv.cu", 31},
		{"emulator in a header", "emu: error: deadlock: nobody can go on\nemu: at cuda/include/ww/collective.h:9:3\n" + where +
			"    #0 0x55 in emu::fail emu/report.cc:72\n    #1 0x56 in ww::sum cuda/include/ww/collective.h:9\n    #2 0x57 in csr_mv<float> /proc/self/cwd/cuda/csr/mv.cu:31\n",
			"emulator", "deadlock", "nobody can go on", "cuda/csr/mv.cu", 31},
		{"address", where + "=====\n==12==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60 at pc 0x55\nREAD of size 4 at 0x60 thread T0\n" +
			"    #0 0x55c in ww::load(float const*) cuda/include/ww/view.h:20\n    #1 0x55d in csr_mv_f32 /proc/self/cwd/cuda/csr/mv.cu:13:7\n\n" +
			"0x60 is located 0 bytes after 32-byte region [0x40,0x60)\nallocated by thread T0 here:\n    #0 0x77 in posix_memalign (/lib/libasan.so.8+0xf1)\n",
			"AddressSanitizer", "heap-buffer-overflow", "READ of size 4 is located 0 bytes after 32-byte region [0x40,0x60)", "cuda/csr/mv.cu", 13},
		{"address without lines", where + "==12==ERROR: AddressSanitizer: SEGV on unknown address 0x8 (pc 0x55)\n",
			"AddressSanitizer", "SEGV", "on unknown address 0x8 (pc 0x55)", "", 0},
		{"undefined", where + "cuda/csr/mv.cu:40:12: runtime error: shift exponent 33 is too large\n    #0 0x55 in csr_mv_f32 cuda/csr/mv.cu:40\n",
			"UndefinedBehaviorSanitizer", KindUndefined, "shift exponent 33 is too large", "cuda/csr/mv.cu", 40},
		{"thread", "==================\nWARNING: ThreadSanitizer: data race (pid=9)\n  Write of size 4 at 0x72 by thread T3:\n" +
			"    #0 plain cuda/csr/mv.cu:50 (emulator_tsan+0x75)\n\n  Previous read of size 8 at 0x72 by thread T1:\n    #0 plain cuda/csr/mv.cu:49 (emulator_tsan+0x75)\n\n" +
			"  Previous atomic write of size 4 at 0x72 by main thread:\n\n" +
			"  Thread T3 'thread (2,0,0) lane 2' (tid=0, running) created by main thread at:\n" + where,
			"ThreadSanitizer", KindRace, "write of 4 bytes by thread (2,0,0) lane 2, previous read of 8 bytes by T1, previous atomic write of 4 bytes by the host", "cuda/csr/mv.cu", 50},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := parseReport(c.text)
			if r == nil {
				t.Fatal("no report")
			}
			if r.Tool != c.tool || r.Kind != c.kind || r.Message != c.message {
				t.Errorf("%q %q %q, want %q %q %q", r.Tool, r.Kind, r.Message, c.tool, c.kind, c.message)
			}
			if r.File != c.file || r.Line != c.line {
				t.Errorf("at %q:%d, want %q:%d", r.File, r.Line, c.file, c.line)
			}
			if r.Kernel != "csr_mv" || r.Entry != "csr_mv_f32" || r.Block != (backend.Dim3{X: 3, Z: 1}) ||
				r.Thread != (backend.Dim3{X: 40, Y: 2}) || r.Warp != 9 || r.Lane != 8 {
				t.Errorf("in %q %q %v %v warp %d lane %d", r.Kernel, r.Entry, r.Block, r.Thread, r.Warp, r.Lane)
			}
			for _, part := range []string{c.kind, "csr_mv_f32", "block (3, 0, 1)", "thread (40, 2, 0)", "lane 8", c.message} {
				if !strings.Contains(r.Error(), part) {
					t.Errorf("%q does not say %q", r.Error(), part)
				}
			}
		})
	}
}

func TestNoReport(t *testing.T) {
	for _, text := range []string{"", "Killed", "emu: protocol: the input ends inside a frame: 3 of 9 bytes", where} {
		if r := parseReport(text); r != nil {
			t.Errorf("%q was taken for a report: %v", text, r)
		}
	}
}

// A report may be cut short anywhere: by the limit of what is kept, or by the process's death.
func FuzzParseReport(f *testing.F) {
	f.Add(where+"==12==ERROR: AddressSanitizer: heap-buffer-overflow on\nREAD of size 4", 40)
	f.Add("emu: error: deadlock: x\nemu: at a.cu:99999999999999999999:1\n"+where, 7)
	f.Add("a.cu:1:1: runtime error: x", 1)
	f.Add("WARNING: ThreadSanitizer: data race (pid=1)\n  Write of size 4 at 0x1 by thread T1:\n", 60)
	f.Fuzz(func(t *testing.T, text string, n int) {
		if n > 0 && n < len(text) {
			text = text[:n]
		}
		if r := parseReport(text); r != nil && (r.Tool == "" || r.Kind == "" || r.Error() == "") {
			t.Errorf("%q: an empty report %+v", text, r)
		}
	})
}
