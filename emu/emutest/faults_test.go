package emutest

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/warpwright/warpwright/go/device/backend"
	"github.com/warpwright/warpwright/go/device/emu"
)

// fault is a launch that must end in a report.
type fault struct {
	name   string // of the case; the kernel's where kernel is empty
	kernel string
	opts   emu.Options
	config backend.Config
	args   func(d device) []uint64

	kind    string
	message string // must be in the report's message
	marker  string // must be in the source line that the report names
	thread  backend.Dim3
	any     bool // which thread it is depends on the sanitizer
}

func floats(n int) func(device) []uint64 {
	return func(d device) []uint64 { return []uint64{upload(d, fill(n, float32(1))).Addr()} }
}

// with puts words before the arguments of f.
func with(f func(device) []uint64, words ...uint64) func(device) []uint64 {
	return func(d device) []uint64 { return append(words, f(d)...) }
}

func at(x uint32) backend.Dim3 { return backend.Dim3{X: x} }

// memoryFaults are seen by ASan and UBSan.
var memoryFaults = []fault{
	{kernel: "shared_overrun", config: line(1, 256, 8*4), args: floats(256),
		kind: "heap-buffer-overflow", message: "WRITE of size 4", marker: "s[threadIdx.x] =", thread: at(8)},
	{name: "shared_one_word_short", kernel: "shared_overrun", config: line(1, 256, 255*4), args: floats(256),
		kind: "heap-buffer-overflow", message: "WRITE of size 4", marker: "s[threadIdx.x] =", thread: at(255)},
	{name: "shared_none", kernel: "shared_overrun", config: line(1, 1, 0), args: floats(256),
		kind: "use-after-poison", message: "WRITE of size 4", marker: "s[threadIdx.x] ="},
	{kernel: "global_overrun", config: line(1, 128, 0), args: func(d device) []uint64 {
		return []uint64{100, upload(d, make([]float32, 100)).Addr(), upload(d, make([]float32, 1)).Addr()}
	}, kind: "heap-buffer-overflow", message: "READ of size 4", marker: "out[0] = x[i]", thread: at(100)},
	{kernel: "null_pointer", config: line(1, 32, 0), args: with(floats(32), 0),
		kind: emu.KindUndefined, message: "null pointer", marker: "x[threadIdx.x]"},
	{name: "use_after_free", kernel: "null_pointer", config: line(1, 32, 0), args: func(d device) []uint64 {
		gone := upload(d, make([]float32, 32))
		if err := gone.Free(); err != nil {
			d.t.Fatal(err)
		}
		return []uint64{gone.Addr(), upload(d, make([]float32, 32)).Addr()}
	}, kind: "heap-use-after-free", message: "READ of size 4", marker: "x[threadIdx.x]"},
	{kernel: "local_overrun", config: line(1, 32, 0), args: with(floats(32), 4),
		kind: emu.KindUndefined, message: "index 4 out of bounds", marker: "a[k]"},
	{kernel: "stack_overflow", config: line(1, 32, 0), args: with(floats(32), 200000),
		kind: "stack-overflow", marker: "", any: true},
	{kernel: "int_index", opts: emu.Options{CornerBlocks: true}, config: line((70000+255)/256, 256, 0), args: func(d device) []uint64 {
		// 11.2 GB of address space, of which only the corners are touched.
		return []uint64{70000, 40000, d.alloc(70000 * 40000 * 4).Addr(), upload(d, make([]float32, 70000)).Addr()}
	}, kind: emu.KindUndefined, message: "* 40000 cannot be represented in type 'int'", marker: "row * n + j", any: true},
	{kernel: "shift_too_far", config: line(1, 32, 0), args: with(floats(32), 33),
		kind: emu.KindUndefined, message: "shift exponent 33", marker: "1 << k"},
	{kernel: "misaligned_load", config: line(1, 1, 0), args: func(d device) []uint64 {
		return []uint64{upload(d, make([]float32, 16)).Addr(), upload(d, make([]float32, 16)).Addr()}
	}, kind: emu.KindUndefined, message: "requires 16 byte alignment", marker: "x + 1"},
}

// threadFaults are seen by the emulator itself, in every build.
var threadFaults = []fault{
	{kernel: "shuffle_after_return", config: line(1, 32, 0), args: with(floats(32), 20),
		kind: "exited lane in mask", message: "mask ffffffff names lanes fff00000, which have returned", marker: "__shfl_down_sync", any: true},
	{name: "shuffle_from_returned_lane", kernel: "shuffle_after_return", opts: emu.Options{AllowExited: true}, config: line(1, 32, 0), args: with(floats(32), 20),
		kind: "shuffle from inactive lane", message: "lane 4 reads lane 20, which has returned", marker: "__shfl_down_sync", thread: at(4)},
	{name: "shuffle_past_block", kernel: "shuffle_after_return", config: line(1, 20, 0), args: with(floats(32), 20),
		kind: "shuffle from inactive lane", message: "lane 4 reads lane 20, which is past the end of the block", marker: "__shfl_down_sync", thread: at(4)},
	{kernel: "shuffle_outside_mask", config: line(1, 32, 0), args: floats(32),
		kind: "shuffle from inactive lane", message: "lane 15 reads lane 16, which", marker: "__shfl_down_sync", thread: at(15)},
	{kernel: "caller_outside_mask", config: line(1, 32, 0), args: floats(32),
		kind: "caller not in mask", message: "lane 16 calls it with mask 0000ffff", marker: "__shfl_sync", thread: at(16)},
	{kernel: "bad_width", config: line(1, 32, 0), args: floats(32),
		kind: "bad width", message: "width 12 is not a power of two", marker: "__shfl_sync"},
	{kernel: "return_in_loop", config: line(1, 32, 0), args: func(d device) []uint64 {
		return []uint64{40, upload(d, make([]float32, 40)).Addr(), upload(d, make([]float32, 1)).Addr()}
	}, kind: "exited lane in mask", message: "names lanes ffffff00", marker: "__shfl_xor_sync", any: true},
	{kernel: "shuffle_in_ragged_loop", config: line(1, 32, 0), args: with(floats(32), 40),
		kind: "exited lane in mask", message: "names lanes ffffff00", marker: "__shfl_xor_sync", any: true},
	{kernel: "shuffle_in_both_arms", config: line(1, 32, 0), args: floats(32),
		kind: "divergent collective", message: "both with mask ffffffff", marker: "__shfl_xor_sync", any: true},
	{kernel: "shuffle_twice_on_a_line", config: line(1, 32, 0), args: floats(32),
		kind: "divergent collective", message: "both with mask ffffffff", marker: "__shfl_xor_sync", any: true},
	{kernel: "barrier_in_both_arms", config: line(1, 32, 0), args: floats(32),
		kind: "divergent barrier", message: "thread 16 waits in __syncthreads at line", marker: "__syncthreads", thread: at(16)},
	{kernel: "barrier_after_return", config: line(1, 32, 0), args: with(floats(32), 20),
		kind: "divergent barrier", message: "12 of 32 threads have returned", marker: "__syncthreads"},
	{kernel: "shuffle_against_barrier", config: line(1, 32, 0), args: floats(32),
		kind: "deadlock", message: "32 have not returned, 16 of them wait in __syncthreads", marker: "__shfl_xor_sync"},
	{kernel: "misaligned_atomic", config: line(1, 1, 0), args: floats(4),
		kind: "misaligned atomic", message: "4 bytes at", marker: "atomicAdd"},
	{kernel: "misaligned_copy", config: line(1, 1, 16), args: floats(4),
		kind: "misaligned copy", message: "must be multiples of 4", marker: "cp_async"},
	{kernel: "long_copy", config: line(1, 1, 16), args: floats(4),
		kind: "copy beyond its end", message: "8 bytes are read of 4", marker: "cp_async"},
	{kernel: "wrong_assumption", config: line(1, 1, 0), args: with(floats(32), 7),
		kind: "broken assumption", message: "n % 4 == 0", marker: "__builtin_assume"},
	{kernel: "traps", config: line(1, 1, 0), args: floats(32),
		kind: "trap", message: "__trap", marker: "__trap"},
	{kernel: "spins", opts: emu.Options{Deadline: time.Second}, config: line(1, 1, 0), args: floats(32),
		kind: "deadline", message: "longer than 1 s", marker: "while (__atomic_load_n"},
}

// races are seen by TSan alone.
var races = []fault{
	{kernel: "shared_race", config: line(1, 64, 256), args: floats(64), kind: emu.KindRace, message: "bytes by thread (", marker: "s[", any: true},
	{kernel: "warp_race", config: line(1, 32, 128), args: floats(64), kind: emu.KindRace, message: " by thread (", marker: "s[t", any: true},
	{kernel: "plain_scatter", config: line(1, 64, 0), args: func(d device) []uint64 {
		return []uint64{upload(d, make([]int32, 64)).Addr(), upload(d, make([]float32, 4)).Addr()}
	}, kind: emu.KindRace, message: " by thread (", marker: "out[to[", any: true},
	{kernel: "subgroup_race", config: line(1, 32, 4), args: floats(4), kind: emu.KindRace, message: " by thread (", marker: "s[0]", any: true},
	{kernel: "block_race", opts: emu.Options{UnorderedBlocks: true}, config: line(2, 32, 0), args: floats(4),
		kind: emu.KindRace, message: "of 4 bytes by block (1,0,0) thread (0,0,0)", marker: "out[0] += 1", any: true},
}

func TestASanReports(t *testing.T) {
	for _, f := range memoryFaults {
		f.run(t, asanProgram, "AddressSanitizer")
	}
	for _, f := range threadFaults {
		f.run(t, asanProgram, "emulator")
	}
}

func TestTSanReports(t *testing.T) {
	for _, f := range threadFaults {
		f.run(t, tsanProgram, "emulator")
	}
	for _, f := range races {
		f.run(t, tsanProgram, "ThreadSanitizer")
	}
}

func (f fault) run(t *testing.T, program, tool string) {
	name := f.name
	if name == "" {
		name = f.kernel
	}
	t.Run(name, func(t *testing.T) {
		f.opts.Path = program
		d := open(t, f.opts)
		err := d.launch(f.kernel, f.config, f.args(d)...)
		var r *emu.Report
		if !errors.As(err, &r) {
			t.Fatalf("launch: %v, want a report of %s", err, f.kind)
		}
		if f.kind == emu.KindUndefined {
			tool = "UndefinedBehaviorSanitizer"
		}
		if r.Tool != tool || r.Kind != f.kind || !strings.Contains(r.Message, f.message) {
			t.Errorf("%s: %s: %s\nwant %s: %s: ...%s...", r.Tool, r.Kind, r.Message, tool, f.kind, f.message)
		}
		if r.Kernel != f.kernel || r.Entry != f.kernel {
			t.Errorf("kernel %q entry %q, want %s", r.Kernel, r.Entry, f.kernel)
		}
		if !f.any && (r.Thread != f.thread || r.Block != backend.Dim3{}) {
			t.Errorf("block %v thread %v, want thread %v of the first block", r.Block, r.Thread, f.thread)
		}
		if got := source(t, r.File, r.Line); !strings.Contains(got, f.marker) {
			t.Errorf("at %s:%d: %q, want a line with %q", r.File, r.Line, got, f.marker)
		}
		if t.Failed() {
			t.Logf("the whole report:\n%s", r.Text)
		}
	})
}

// source is one line of the test kernels.
func source(t *testing.T, file string, line int) string {
	t.Helper()
	i := strings.LastIndex(file, "testdata/")
	if i < 0 {
		t.Errorf("file %q is not a test kernel's", file)
		return ""
	}
	text, err := os.ReadFile("../" + file[i:])
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	if line < 1 || line > len(lines) {
		t.Errorf("%s has no line %d", file, line)
		return ""
	}
	return lines[line-1]
}

// Shared memory that nobody wrote is NaN.
func TestUnwrittenSharedMemory(t *testing.T) {
	d := open(t, emu.Options{Path: asanProgram})
	out := upload(d, make([]float32, 32))
	if err := d.launch("shared_unwritten", line(1, 32, 128), out.Addr()); err != nil {
		t.Fatal(err)
	}
	for i, v := range download[float32](t, out) {
		if !math.IsNaN(float64(v)) {
			t.Fatalf("out[%d] = %v, want NaN", i, v)
		}
	}
}

// Without a race detector a missing __syncwarp shows in the bits: schedules disagree.
func TestSchedulesDisagreeOnWarpRace(t *testing.T) {
	sum := func(schedule string) float32 {
		d := open(t, emu.Options{Path: asanProgram, Schedule: schedule})
		out := upload(d, make([]float32, 1))
		if err := d.launch("warp_race", line(1, 32, 128), out.Addr()); err != nil {
			t.Fatal(err)
		}
		return download[float32](t, out)[0]
	}
	if forward, reverse := sum("fwd"), sum("rev"); forward == reverse {
		t.Errorf("forward and reverse both give %v, want them to differ", forward)
	}
}

// Whether the race detector sees the missing fence depends on its version: either is right, a crash is not.
func TestMissingFence(t *testing.T) {
	d := open(t, emu.Options{Path: tsanProgram, UnorderedBlocks: true})
	part, count, out := upload(d, make([]float32, 8)), upload(d, make([]uint32, 1)), upload(d, make([]float32, 1))
	err := d.launch("missing_fence", line(8, 128, 16), part.Addr(), count.Addr(), out.Addr())
	var r *emu.Report
	if err != nil && (!errors.As(err, &r) || r.Kind != emu.KindRace) {
		t.Fatalf("launch: %v, want none or a race", err)
	}
}

// The race of blocks is hidden when blocks are ordered, which is the faster mode.
func TestOrderedBlocksHideBlockRace(t *testing.T) {
	d := open(t, emu.Options{Path: tsanProgram})
	out := upload(d, make([]float32, 1))
	if err := d.launch("block_race", line(2, 32, 0), out.Addr()); err != nil {
		t.Fatal(err)
	}
}

// What the detector keeps of earlier launches and blocks must not hide a race, whichever threads it is between.
// It remembers a few accesses for each 8 bytes, so after many launches the element that was written first in
// its 8 bytes may be forgotten: these pairs meet in the second one. Which access it forgets follows from how many a thread
// has made, so from the compiler: of a single pair between two blocks of 1024 some builds see nothing.
func TestEveryPairRaces(t *testing.T) {
	const threads = 256
	within := [][2]int{{0, 1}, {5, threads - 3}}
	between := [][2]int{{21, threads}, {5, 2*threads - 3}, {threads - 1, threads}, {threads - 1, 2*threads - 30}}
	for _, before := range []int{0, 2} {
		everyPairRaces(t, emu.Options{Path: tsanProgram}, before, 1, threads, within)
		everyPairRaces(t, emu.Options{Path: tsanProgram, UnorderedBlocks: true}, before, 2, threads, between)
	}
	everyPairRaces(t, emu.Options{Path: tsanProgram}, 0, 3, threads, [][2]int{{2*threads + 5, 3*threads - 3}})
	everyPairRaces(t, emu.Options{Path: tsanProgram, UnorderedBlocks: true}, 1, 12, threads, [][2]int{{7, 12*threads - 7}})
	everyPairRaces(t, emu.Options{Path: tsanProgram}, 2, 1, 1024, [][2]int{{1, 1023}})
}

// everyPairRaces lets one pair of threads at a time write the same element, after launches in which none do.
func everyPairRaces(t *testing.T, o emu.Options, before int, blocks, threads uint32, pairs [][2]int) {
	t.Helper()
	for _, pair := range pairs {
		d := open(t, o)
		own := make([]int32, blocks*threads)
		for i := range own {
			own[i] = int32(i)
		}
		apart := upload(d, own)
		own[pair[1]] = int32(pair[0])
		together, out := upload(d, own), upload(d, make([]float32, len(own)))
		for range before {
			if err := d.launch("plain_scatter", line(blocks, threads, 0), apart.Addr(), out.Addr()); err != nil {
				t.Fatalf("a clean launch: %v", err)
			}
		}
		err := d.launch("plain_scatter", line(blocks, threads, 0), together.Addr(), out.Addr())
		var report *emu.Report
		if !errors.As(err, &report) || report.Kind != emu.KindRace {
			t.Errorf("threads %d and %d of %d blocks of %d, after %d launches: got %v, want a race", pair[0], pair[1], blocks, threads, before, err)
		}
	}
}
