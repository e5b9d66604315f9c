package uniform

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/tools/audit/ptx"
)

// analyzed analyses a body that may use %p, %r, %rd and %f, in blocks of a shape.
func analyzed(t *testing.T, body string, shape [3]int) *Result {
	t.Helper()
	m, err := ptx.Parse(".entry f(.param .u64 f_param_0, .param .u32 f_param_1) {\n.reg .pred %p<99>;\n.reg .b32 %r<99>;\n.reg .b64 %rd<99>;\n.reg .f32 %f<99>;\n" + body + "\nret;\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	g, err := ptx.NewGraph(m.Funcs[0])
	if err != nil {
		t.Fatal(err)
	}
	return Analyze(g, shape)
}

// last is the last instruction that does a thing.
func last(r *Result, kind string) *ptx.Instruction {
	var out *ptx.Instruction
	for _, in := range r.g.Func.Instructions {
		if in.Kind() == kind {
			out = in
		}
	}
	return out
}

// TestLevels reads the level of what each body stores last.
func TestLevels(t *testing.T) {
	const gtid = "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;\n"
	for _, c := range []struct {
		name, body string
		shape      [3]int
		want       Level
	}{
		{"a parameter", "ld.param.u32 %r9, [f_param_1];", [3]int{256, 1, 1}, Block},
		{"the thread", "mov.u32 %r9, %tid.x;", [3]int{256, 1, 1}, Neither},
		{"the warp", "mov.u32 %r1, %tid.x; shr.u32 %r9, %r1, 5;", [3]int{256, 1, 1}, Warp},
		{"the warp of a block of one", "mov.u32 %r1, %tid.x; shr.u32 %r9, %r1, 5;", [3]int{32, 1, 1}, Block},
		{"half a warp", "mov.u32 %r1, %tid.x; shr.u32 %r9, %r1, 4;", [3]int{256, 1, 1}, Neither},
		{"a row of 16", "mov.u32 %r9, %tid.y;", [3]int{16, 16, 1}, Neither},
		{"a row of 32", "mov.u32 %r9, %tid.y;", [3]int{32, 8, 1}, Warp},
		{"two rows of 16", "mov.u32 %r1, %tid.y; shr.u32 %r9, %r1, 1;", [3]int{16, 16, 1}, Warp},
		{"the one row there is", "mov.u32 %r9, %tid.y;", [3]int{256, 1, 1}, Block},
		{"the warp of the grid", gtid + "shr.u32 %r9, %r4, 5;", [3]int{256, 1, 1}, Warp},
		{"the same in a block that is no power of two", gtid + "shr.u32 %r9, %r4, 5;", [3]int{96, 1, 1}, Warp},
		{"the same where warps are not whole", gtid + "shr.u32 %r9, %r4, 5;", [3]int{48, 1, 1}, Neither},
		{"the warp of the grid in 64 bits", gtid + "cvt.u64.u32 %rd1, %r4; shr.u64 %rd2, %rd1, 5; cvt.u32.u64 %r9, %rd2;", [3]int{256, 1, 1}, Warp},
		{"the block of the grid", gtid + "shr.u32 %r9, %r4, 8;", [3]int{256, 1, 1}, Block},
		{"the lane", gtid + "and.b32 %r9, %r4, 31;", [3]int{256, 1, 1}, Neither},
		{"the first lane of the warp", gtid + "and.b32 %r9, %r4, -32;", [3]int{256, 1, 1}, Warp},
		{"the difference of two lanes", gtid + "mov.u32 %r5, %laneid; sub.s32 %r9, %r4, %r5;", [3]int{256, 1, 1}, Warp},
		{"what lanes share", gtid + "shl.b32 %r5, %r4, 3; or.b32 %r6, %r5, 5; shr.u32 %r9, %r6, 8;", [3]int{256, 1, 1}, Warp},
		{"a load by the warp", gtid + "shr.u32 %r5, %r4, 5; cvt.u64.u32 %rd1, %r5; ld.global.u32 %r9, [%rd1+4];", [3]int{256, 1, 1}, Warp},
		{"a load of what changes", "mov.u64 %rd1, 0; ld.volatile.global.u32 %r9, [%rd1];", [3]int{256, 1, 1}, Neither},
		{"a load by the thread", gtid + "cvt.u64.u32 %rd1, %r4; ld.global.u32 %r9, [%rd1];", [3]int{256, 1, 1}, Neither},
		{"a vote", gtid + "setp.eq.s32 %p1, %r3, 3; vote.sync.ballot.b32 %r9, %p1, -1;", [3]int{256, 1, 1}, Warp},
		{"an atomic", "mov.u64 %rd1, 0; atom.global.add.u32 %r9, [%rd1], 1;", [3]int{256, 1, 1}, Neither},
		{"a broadcast", "mov.u32 %r1, %tid.x; shfl.sync.idx.b32 %r9|%p1, %r1, 3, 31, -1;", [3]int{256, 1, 1}, Warp},
		{"a broadcast in halves", "mov.u32 %r1, %tid.x; shfl.sync.idx.b32 %r9|%p1, %r1, 3, 4127, -1;", [3]int{256, 1, 1}, Neither},
		{"a clock", "mov.u32 %r9, %clock;", [3]int{256, 1, 1}, Neither},
		{"a choice of the warp", gtid + "setp.lt.u32 %p1, %r3, 64; mov.u32 %r9, 1; @%p1 mov.u32 %r9, 2;", [3]int{256, 1, 1}, Warp},
		{"a choice of the thread", gtid + "setp.lt.u32 %p1, %r3, 65; mov.u32 %r9, 1; @%p1 mov.u32 %r9, 2;", [3]int{256, 1, 1}, Neither},
		{"a branch of the warp", gtid + "setp.lt.u32 %p1, %r3, 64; mov.u32 %r9, 1; @%p1 bra L; mov.u32 %r9, 2; L:", [3]int{256, 1, 1}, Warp},
		{"a branch of the thread", gtid + "setp.lt.u32 %p1, %r3, 65; mov.u32 %r9, 1; @%p1 bra L; mov.u32 %r9, 2; L:", [3]int{256, 1, 1}, Neither},
		{"the rounds of a loop that lanes leave", "mov.u32 %r1, %tid.x; mov.u32 %r9, 0; L: add.s32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, %r1; @%p1 bra L;", [3]int{256, 1, 1}, Neither},
		{"the rounds of a loop that a warp leaves", "mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; mov.u32 %r9, 0; L: add.s32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, %r2; @%p1 bra L;", [3]int{256, 1, 1}, Warp},
		{"the rounds of a loop that all leave", "ld.param.u32 %r2, [f_param_1]; mov.u32 %r9, 0; L: add.s32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, %r2; @%p1 bra L;", [3]int{256, 1, 1}, Block},
		{"a stride of whole warps", gtid + "and.b32 %r5, %r4, -32; mov.u32 %r9, %r5; L: mov.u32 %r6, %nctaid.x; mad.lo.s32 %r9, %r6, 256, %r9; ld.param.u32 %r7, [f_param_1]; setp.lt.u32 %p1, %r9, %r7; @%p1 bra L;", [3]int{256, 1, 1}, Warp},
	} {
		r := analyzed(t, c.body+" st.global.u32 [%rd90], %r9;", c.shape)
		st := last(r, "st")
		if got := r.Level(st, &st.Srcs[1]); got != c.want {
			t.Errorf("%s in a block of %v: %v, want %v", c.name, c.shape, got, c.want)
		}
	}
}

// butterfly is a sum by shuffles over some distances.
func butterfly(distances ...int) string {
	var b strings.Builder
	b.WriteString("mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1;\n")
	for _, d := range distances {
		fmt.Fprintf(&b, "mov.b32 %%r2, %%f1; shfl.sync.bfly.b32 %%r3|%%p1, %%r2, %d, 31, -1; mov.b32 %%f2, %%r3; add.f32 %%f1, %%f1, %%f2;\n", d)
	}
	return b.String() + "mov.b32 %r9, %f1; st.global.u32 [%rd90], %r9;"
}

func TestButterfly(t *testing.T) {
	for _, c := range []struct {
		body string
		want Level
	}{
		{butterfly(16, 8, 4, 2, 1), Warp},
		{butterfly(1, 2, 4, 8, 16), Warp},
		{butterfly(16, 8, 4, 2), Neither},
		{butterfly(16, 8, 4, 2, 2), Neither},
		{strings.Replace(butterfly(16, 8, 4, 2, 1), "add.f32", "sub.f32", 1), Neither},
		{strings.Replace(butterfly(16, 8, 4, 2, 1), "bfly", "down", 1), Neither},
	} {
		r := analyzed(t, c.body, [3]int{256, 1, 1})
		st := last(r, "st")
		if got := r.Level(st, &st.Srcs[1]); got != c.want {
			t.Errorf("%v, want %v:\n%s", got, c.want, c.body)
		}
	}
}

func TestTogether(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       Level
		parts      string // of the instruction that parts them
	}{
		{"at the top", "bar.sync 0;", Block, ""},
		{"behind the return of some threads", "mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 3; @%p1 ret; bar.sync 0;", Neither, "@%p1 ret"},
		{"behind the return of some warps", "mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 63; @%p1 bra L; bar.sync 0; L:", Warp, "@%p1 bra L"},
		{"behind what all decide", "ld.param.u32 %r1, [f_param_1]; setp.gt.u32 %p1, %r1, 63; @%p1 bra L; bar.sync 0; L:", Block, ""},
		{"after a branch", "mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 3; @%p1 bra L; mov.u32 %r2, 0; L: bar.sync 0;", Block, ""},
		{"after a loop that lanes leave", "mov.u32 %r1, %tid.x; L: sub.s32 %r1, %r1, 1; setp.gt.s32 %p1, %r1, 3; @%p1 bra L; bar.sync 0;", Block, ""},
		{"in a loop that lanes leave", "mov.u32 %r1, %tid.x; L: sub.s32 %r1, %r1, 1; setp.gt.s32 %p1, %r1, 3; bar.sync 0; @%p1 bra L;", Neither, "@%p1 bra L"},
		{"in a branch within a loop that lanes leave", "mov.u32 %r1, %tid.x; ld.param.u32 %r2, [f_param_1]; setp.eq.u32 %p2, %r2, 0; L: @%p2 bra M; bar.sync 0; M: sub.s32 %r1, %r1, 1; setp.gt.s32 %p1, %r1, 3; @%p1 bra L;", Neither, "@%p1 bra L"},
		{"behind a check that traps", "mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 3; @%p1 bra L; bar.sync 0; ret; L: trap;", Block, ""},
		{"in an arm of a switch of lanes", "mov.u32 %r1, %tid.x; brx.idx %r1, T; T: .branchtargets A, B; A: bar.sync 0; B:", Neither, "brx.idx %r1, T"},
	} {
		r := analyzed(t, c.body, [3]int{256, 1, 1})
		level, by := r.Together(last(r, "bar").Block)
		if level != c.want || (by == nil) != (c.parts == "") || by != nil && by.Text != c.parts {
			t.Errorf("%s: %v by %+v, want %v by %q", c.name, level, by, c.want, c.parts)
		}
	}
}

// TestRandom runs random straight code in all threads of a block, for some blocks, and holds what happens against what is promised.
func TestRandom(t *testing.T) {
	random := rand.New(rand.NewSource(3))
	uniforms, warps := 0, 0
	for range 3000 {
		shape := [][3]int{{64, 1, 1}, {16, 8, 1}, {48, 1, 1}, {4, 4, 4}}[random.Intn(4)]
		var code []operation
		var lines []string
		for n := 5; n < 11; n++ {
			o := operation{op: []string{"add.s32", "sub.s32", "mul.lo.s32", "and.b32", "or.b32", "xor.b32", "shr.u32", "shl.b32", "min.s32", "rem.u32"}[random.Intn(10)]}
			o.from = [2]int{random.Intn(n), random.Intn(n)}
			if strings.HasPrefix(o.op, "sh") || o.op == "rem.u32" {
				o.from[1], o.constant[1] = -1, uint32(1+random.Intn(8))
			} else if random.Intn(2) == 0 {
				o.from[1], o.constant[1] = -1, []uint32{1, 2, 3, 5, 8, 16, 31, 32, 63, 64, 1<<32 - 32, 1<<32 - 16}[random.Intn(12)]
			}
			code = append(code, o)
			lines = append(lines, o.text(n))
		}
		body := "mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %ctaid.x; shl.b32 %r3, %r2, 5; mad.lo.s32 %r4, %r2, 64, %r0;\n" + strings.Join(lines, "\n") + "\nst.global.u32 [%rd90], %r10;"
		r := analyzed(t, body, shape)
		st := last(r, "st")
		level := r.Level(st, &st.Srcs[1])
		number, known := r.Constant(st, &st.Srcs[1])
		for _, block := range []uint32{0, 1, 7, 1 << 30, 1<<31 - 3} {
			first := uint32(0)
			for thread := range shape[0] * shape[1] * shape[2] {
				got := run(code, uint32(thread%shape[0]), uint32(thread/shape[0]%shape[1]), block)
				if thread == 0 || level == Warp && thread%32 == 0 {
					first = got
				}
				if level != Neither && got != first || known && got != uint32(number) {
					t.Fatalf("%v, constant %v of %v: thread %d of block %d has %d, not %d:\n%s", level, number, known, thread, block, got, first, body)
				}
			}
		}
		switch level {
		case Block:
			uniforms++
		case Warp:
			warps++
		}
	}
	if uniforms < 100 || warps < 20 {
		t.Errorf("of 3000 only %d are block-uniform and %d warp-uniform: this test shows little", uniforms, warps)
	}
}

// operation is one line of random code; an operand is a register, or a number where the register is below 0.
type operation struct {
	op       string
	from     [2]int
	constant [2]uint32
}

func (o operation) text(to int) string {
	var operands [2]string
	for i := range operands {
		operands[i] = fmt.Sprintf("%%r%d", o.from[i])
		if o.from[i] < 0 {
			operands[i] = fmt.Sprint(int32(o.constant[i]))
		}
	}
	return fmt.Sprintf("%s %%r%d, %s, %s;", o.op, to, operands[0], operands[1])
}

// apply computes the operation on some registers.
func (o operation) apply(registers []uint32) uint32 {
	var in [2]uint32
	for i := range in {
		if in[i] = o.constant[i]; o.from[i] >= 0 {
			in[i] = registers[o.from[i]]
		}
	}
	switch a, b := in[0], in[1]; o.op {
	case "add.s32":
		return a + b
	case "sub.s32":
		return a - b
	case "mul.lo.s32":
		return a * b
	case "and.b32":
		return a & b
	case "or.b32":
		return a | b
	case "xor.b32":
		return a ^ b
	case "shr.u32":
		return a >> b
	case "shl.b32":
		return a << b
	case "min.s32":
		return uint32(min(int32(a), int32(b)))
	default: // rem.u32
		return a % b
	}
}

// run computes the last register.
func run(code []operation, x, y, block uint32) uint32 {
	registers := []uint32{x, y, block, block << 5, block*64 + x}
	for _, o := range code {
		registers = append(registers, o.apply(registers))
	}
	return registers[len(registers)-1]
}
