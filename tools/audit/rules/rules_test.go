package rules

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/audit"
	"github.com/warpwright/warpwright/tools/audit/ptx"
	"github.com/warpwright/warpwright/tools/audit/sass"
	"github.com/warpwright/warpwright/tools/audit/wrap"
	"github.com/warpwright/warpwright/tools/manifest/ptxas"
)

// planted is what is found in the kernels of testdata/faults.cu; in those that it does not name nothing is.
var planted = map[string]struct{ rules, says, source string }{
	"bad_row_times_n":   {Index32, "a product in 32 bits may be", "faults.cu:12"},
	"bad_unsigned":      {Index32, "only 0 to 4294967295 fit", "faults.cu:23"},
	"bad_box":           {Index32, "a product in 32 bits may be", "faults.cu:35"},
	"bad_three":         {Index32, "may be 6442450175", "faults.cu:41"},
	"bad_stepped":       {Index32, "a sum of steps", ""},
	"bad_spills":        {LocalMemory + " " + Spills, "404 bytes of spill stores", ""},
	"bad_local":         {LocalMemory, "an array whose subscripts are not known", ""},
	"bad_trap":          {Trap, "ends the whole grid", ""},
	"bad_assert":        {Trap, "an assert", ""},
	"bad_shuffle_loop":  {DivergentCollective, "the lanes of a warp do not all come by", ""},
	"bad_return":        {DivergentCollective, "the lanes of a warp do not all come by", ""},
	"bad_barrier_arms":  {DivergentCollective, "the threads of a block do not all come by", ""},
	"bad_barrier_warps": {DivergentCollective, "the threads of a block do not all come by", ""},
	"bad_half_rows":     {DivergentCollective, "the lanes of a warp do not all come by", ""},
	"bad_mask":          {DivergentCollective, "its mask is 0000ffff", ""},
	"bad_active_mask":   {DivergentCollective, "which lanes are active", ""},
	"bad_mask_argument": {DivergentCollective, "is not known to be all 32 lanes", ""},
	"bad_butterfly":     {DivergentCollective, "the lanes of a warp do not all come by", ""},
	"bad_negated":       {Index32, "a product in 32 bits may be", ""},
	"bad_shifted":       {Index32, "a product in 32 bits may be", ""},
	"bad_turned":        {Index32, "a product in 32 bits may be", ""},
	"bad_not_inlined":   {Call, "that nvcc has not inlined", ""},
	"bad_vote_of_block": {DivergentCollective, "the threads of a block do not all come by", ""},
	"bad_block_48":      {DivergentCollective, "the last warp of block(48, 1, 1) has 16", ""},
	"bad_block_32":      {OneWarpBlock, "a block of 32 threads is one warp", ""},
	"bad_bounds":        {LaunchBounds, "it has no launch bounds", ""},
	"bad_copy_barrier":  {UnawaitedCopy, "comes by a barrier without having waited", "faults.cu:299"},
	"bad_copy_end":      {UnawaitedCopy, "comes to its end without having waited", ""},
	"bad_copy_some":     {PartialCopy, "it can read 1 of its 4 bytes", ""},
	"bad_copy_none":     {PartialCopy, "it reads none of its 4 bytes, ever", ""},
}

// shapes are the blocks of those that are not launched with 256 threads in a row.
var shapes = map[string][3]int{
	"bad_spills": {1024, 1, 1}, "bad_half_rows": {16, 16, 1}, "good_half_rows": {16, 16, 1}, "bad_block_48": {48, 1, 1}, "bad_block_32": {32, 1, 1},
	"good_block_64": {64, 1, 1},
}

// load reads what make.sh has written: entries, ptxas's report and machine code.
func load(t *testing.T) (map[string]*ptx.Func, map[string]*ptxas.Usage, map[string][]*sass.Function) {
	t.Helper()
	text, err := os.ReadFile("testdata/faults.ptx")
	if err != nil {
		t.Fatal(err)
	}
	m, err := ptx.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string]*ptx.Func{}
	for _, f := range m.Funcs {
		if f.Entry {
			entries[f.Name] = f
		}
	}
	log, err := os.ReadFile("testdata/faults.ptxas.log")
	if err != nil {
		t.Fatal(err)
	}
	usages, err := ptxas.Parse(string(log))
	if err != nil {
		t.Fatal(err)
	}
	functions, err := sass.ReadFile("testdata/faults.sass")
	if err != nil {
		t.Fatal(err)
	}
	code := map[string][]*sass.Function{}
	for _, f := range functions {
		code[f.Kernel] = append(code[f.Kernel], f)
	}
	return entries, usages, code
}

func TestFaults(t *testing.T) {
	entries, usages, code := load(t)
	for name, f := range entries {
		launch := &Launch{Block: [3]int{256, 1, 1}, Sources: []string{"faults.cu"}}
		if shape, ok := shapes[name]; ok {
			launch.Block = shape
		}
		launch.Blocks = AnyGrid(launch.Block)
		found, err := PTX(f, launch)
		if err != nil {
			t.Fatal(err)
		}
		u := usages[name]
		found = append(found, Code(Usage{u.Stack, u.SpillStores, u.SpillLoads}, code[name])...)
		var broken, lines []string
		for i := range found {
			broken = append(broken, found[i].Rule)
			lines = append(lines, found[i].String())
		}
		slices.Sort(broken)
		want := planted[name]
		if got := strings.Join(slices.Compact(broken), " "); got != want.rules {
			t.Errorf("%s breaks %q, want %q:\n%s", name, got, want.rules, strings.Join(lines, "\n"))
			continue
		}
		text := strings.Join(lines, "\n")
		if !strings.Contains(text, want.says) || want.source != "" && !strings.Contains(text, ", at "+want.source+", PTX line") {
			t.Errorf("%s: want %q at %q in:\n%s", name, want.says, want.source, text)
		}
	}
	for name := range planted {
		if entries[name] == nil {
			t.Errorf("there is no kernel %s", name)
		}
	}
}

// TestUnused brings what no code touches, and what it does.
func TestUnused(t *testing.T) {
	entries, _, _ := load(t)
	for _, c := range []struct {
		entry   string
		buffers []Buffer
		shared  bool
		want    string
	}{
		{"good_copy", []Buffer{{"good_copy_param_0", "y"}}, true, ""},
		{"good_copy", []Buffer{{"good_copy_param_0", "y"}, {"good_copy_param_2", "z"}}, true, "its code does not touch buffer z, which every launch must bring"},
		{"good_bounds", nil, true, "its code does not touch shared memory, of which every launch must bring some"},
	} {
		found, err := PTX(entries[c.entry], &Launch{Block: [3]int{256, 1, 1}, Blocks: AnyGrid([3]int{256, 1, 1}), Buffers: c.buffers, Shared: c.shared})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range found {
			got = append(got, f.Rule+": "+f.Says)
		}
		if c.want != "" {
			c.want = UnusedMemory + ": " + c.want
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s with %v: got %q, want %q", c.entry, c.buffers, got, c.want)
		}
	}
}

// TestBounds says what a contract would of the sizes of a box.
func TestBounds(t *testing.T) {
	entries, _, _ := load(t)
	for _, c := range []struct {
		most  int64
		finds bool
	}{{1024, false}, {1290, false}, {1291, true}, {1 << 20, true}} {
		side := wrap.Interval{Lo: 0, Hi: c.most}
		found, err := PTX(entries["bad_box"], &Launch{
			Block: [3]int{256, 1, 1}, Blocks: [3]int64{1 << 20, 65535, 65535},
			Params: map[string]wrap.Interval{"bad_box_param_1": side, "bad_box_param_2": side, "bad_box_param_3": side},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(found, func(f audit.Finding) bool { return f.Rule == Index32 }); got != c.finds {
			t.Errorf("sides of up to %d: found is %v, want %v: %v", c.most, got, c.finds, found)
		}
	}
}

// TestPartial has copies in forms of PTX that the compiler writes rarely: each sets %r2 or %p2 up, with a condition %p1, and copies.
func TestPartial(t *testing.T) {
	for code, want := range map[string]string{
		"cp.async.cg.shared.global [%r1], [%rd1], 0x10, 0x8;":                                                     "it can read 8 of its 16 bytes",
		"mov.u64 %rd2, 0x14F0000000000000; cp.async.cg.shared.global.L2::cache_hint [%r1], [%rd1], 16, %rd2;":     "",
		"mov.u64 %rd2, 0x14F0000000000000; cp.async.cg.shared.global.L2::cache_hint [%r1], [%rd1], 16, 0, %rd2;":  "it reads none of its 16 bytes, ever",
		"selp.u16 %rs1, 1, 0, %p1; mul.wide.u16 %r2, %rs1, 8; cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;":  "it can read 8 of its 16 bytes",
		"selp.u16 %rs1, 1, 0, %p1; mul.wide.u16 %r2, %rs1, 16; cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;": "",
		"selp.b32 %r2, 1, 0, %p1; shl.b32 %r2, %r2, 3; cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;":         "it can read 8 of its 16 bytes",
		"mov.b32 %r2, 0; @%p1 mov.b32 %r2, 8; cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;":                  "it can read 8 of its 16 bytes",
		"mov.b32 %r2, 0; @%p1 mov.b32 %r2, 16; cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;":                 "",
		"mov.b64 %rd2, 0x800000010; mov.b64 {%r2, %r4}, %rd2; cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;":  "",
		"mov.b32 %r2, 1; $L: shl.b32 %r2, %r2, 1; @%p1 bra $L; cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;": "", // any power of two, for all that is known
	} {
		m, err := ptx.Parse(".target sm_90\n.visible .entry copies() .maxntid 256, 1, 1 {\n.reg .pred %p<3>; .reg .b16 %rs<3>; .reg .b32 %r<5>; .reg .b64 %rd<3>;\n" +
			"setp.lt.s32 %p1, %r1, %r3;\n" + code + "\ncp.async.wait_all;\nret;\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		launch := &Launch{Block: [3]int{256, 1, 1}}
		launch.Blocks = AnyGrid(launch.Block)
		found, err := PTX(m.Funcs[0], launch)
		if err != nil {
			t.Fatal(err)
		}
		var says []string
		for i := range found {
			says = append(says, found[i].String())
		}
		if got := strings.Join(says, "\n"); (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", code, got, want)
		}
	}
}
