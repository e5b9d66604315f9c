package wrap

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/tools/audit/ptx"
)

// found returns the wraps of a body that may use %p, %r and %rd.
func found(t *testing.T, body string, b *Bounds) []*Wrap {
	t.Helper()
	m, err := ptx.Parse(".entry f(.param .u64 f_param_0) {\n.reg .pred %p<99>;\n.reg .b32 %r<99>;\n.reg .b64 %rd<99>;\n" + body + "\nret;\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	g, err := ptx.NewGraph(m.Funcs[0])
	if err != nil {
		t.Fatal(err)
	}
	return Find(g, b)
}

// bounds are of blocks of 256 threads, at most 2^15 of them, and of parameters i of [0, 2^i].
func bounds() *Bounds {
	b := &Bounds{Block: [3]int{256, 1, 1}, Blocks: [3]int64{1 << 15, 1, 1}, Params: map[string]Interval{}}
	for i := range 32 {
		b.Params[fmt.Sprintf("P%d", i)] = Interval{0, 1 << i}
	}
	return b
}

const (
	gtid  = "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;\n"
	store = " add.s64 %rd91, %rd90, %rd9; st.global.u32 [%rd91+4], %r1;"
)

func param(register, bits int) string {
	return fmt.Sprintf("ld.param.u32 %%r%d, [P%d];\n", register, bits)
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name, body string
		wraps      int
	}{
		{"2^16 * 2^15, signed", param(5, 16) + param(6, 15) + "mul.lo.s32 %r9, %r5, %r6; mul.wide.s32 %rd9, %r9, 4;" + store, 1},
		{"2^15 * 2^15, signed", param(5, 15) + param(6, 15) + "mul.lo.s32 %r9, %r5, %r6; mul.wide.s32 %rd9, %r9, 4;" + store, 0},
		{"2^16 * 2^15, unsigned", param(5, 16) + param(6, 15) + "mul.lo.s32 %r9, %r5, %r6; mul.wide.u32 %rd9, %r9, 4;" + store, 0},
		{"2^16 * 2^16, unsigned", param(5, 16) + param(6, 16) + "mul.lo.s32 %r9, %r5, %r6; cvt.u64.u32 %rd9, %r9;" + store, 1},
		{"the product is of 64 bits", param(5, 30) + param(6, 30) + "mul.wide.s32 %rd9, %r5, %r6;" + store, 0},
		{"widened before the product", param(5, 30) + param(6, 30) + "cvt.s64.s32 %rd1, %r5; cvt.s64.s32 %rd2, %r6; mul.lo.s64 %rd9, %rd1, %rd2;" + store, 0},
		{"no address", param(5, 30) + param(6, 30) + "mul.lo.s32 %r9, %r5, %r6; mul.wide.s32 %rd9, %r9, 4; st.global.u64 [%rd90], %rd9;", 0},
		{"an address in shared memory", param(5, 30) + param(6, 30) + "mul.lo.s32 %r9, %r5, %r6; mul.wide.s32 %rd9, %r9, 4; st.shared.u32 [%rd9], %r1;", 0},
		{"an atomic", param(5, 30) + param(6, 30) + "mul.lo.s32 %r9, %r5, %r6; mul.wide.s32 %rd9, %r9, 4; red.global.add.u32 [%rd9], 1;", 1},
		{"a copy to shared memory", param(5, 30) + param(6, 30) + "mul.lo.s32 %r9, %r5, %r6; mul.wide.s32 %rd9, %r9, 4; cp.async.ca.shared.global [%r1], [%rd9], 4;", 1},
		{"a shift", param(5, 30) + "shl.b32 %r9, %r5, 4; cvt.u64.u32 %rd9, %r9;" + store, 1},
		{"the number of a thread", gtid + "mul.wide.s32 %rd9, %r4, 4;" + store, 0},
		{"the number of a thread by 256", gtid + "shl.b32 %r9, %r4, 8; mul.wide.u32 %rd9, %r9, 4;" + store, 0},
		{"the number of a thread by 1024", gtid + "shl.b32 %r9, %r4, 10; mul.wide.u32 %rd9, %r9, 4;" + store, 1},
		{"masked on purpose", param(5, 30) + param(6, 30) + "mul.lo.s32 %r8, %r5, %r6; and.b32 %r9, %r8, 1023; mul.wide.u32 %rd9, %r9, 4;" + store, 0},
		{"hashed on purpose", param(5, 30) + "mul.lo.s32 %r8, %r5, -1640531527; shr.u32 %r9, %r8, 20; mul.wide.u32 %rd9, %r9, 4;" + store, 0},
		{"a guard", gtid + param(5, 15) + param(6, 16) + "setp.ge.s32 %p1, %r4, %r5; @%p1 bra L; mul.lo.s32 %r9, %r4, %r6; mul.wide.s32 %rd9, %r9, 4;" + store + "L:", 0},
		{"a guard of something else", gtid + param(5, 15) + param(6, 16) + "setp.ge.s32 %p1, %r3, %r5; @%p1 bra L; mul.lo.s32 %r9, %r4, %r6; mul.wide.s32 %rd9, %r9, 4;" + store + "L:", 1},
		{"a guard the other way", gtid + param(5, 15) + param(6, 16) + "setp.lt.s32 %p1, %r4, %r5; @%p1 bra L; mul.lo.s32 %r9, %r4, %r6; mul.wide.s32 %rd9, %r9, 4;" + store + "L:", 1},
		{"a guard that is negated", gtid + param(5, 15) + param(6, 16) + "setp.lt.s32 %p1, %r4, %r5; @!%p1 bra L; mul.lo.s32 %r9, %r4, %r6; mul.wide.s32 %rd9, %r9, 4;" + store + "L:", 0},
		{"two guards", gtid + param(5, 15) + param(6, 16) + "setp.ge.s32 %p1, %r4, %r5; setp.ge.s32 %p2, %r3, %r6; or.pred %p3, %p2, %p1; @%p3 bra L; mul.lo.s32 %r9, %r4, %r6; mul.wide.s32 %rd9, %r9, 4;" + store + "L:", 0},
		{"one of two guards", gtid + param(5, 15) + param(6, 16) + "setp.ge.s32 %p1, %r4, %r5; setp.ge.s32 %p2, %r3, %r6; and.pred %p3, %p2, %p1; @%p3 bra L; mul.lo.s32 %r9, %r4, %r6; mul.wide.s32 %rd9, %r9, 4;" + store + "L:", 1},
		{"behind the guard", gtid + param(5, 15) + param(6, 16) + "setp.ge.s32 %p1, %r4, %r5; @%p1 bra L; mov.u32 %r7, 0; L: mul.lo.s32 %r9, %r4, %r6; mul.wide.s32 %rd9, %r9, 4;" + store, 1},
		{"a loop's own test", param(5, 15) + param(6, 16) + "mov.u32 %r7, 0; L: mul.lo.s32 %r9, %r7, %r6; mul.wide.s32 %rd9, %r9, 4;" + store + "add.s32 %r7, %r7, 1; setp.lt.s32 %p1, %r7, %r5; @%p1 bra L;", 0},
		{"a loop's own test, too late", param(5, 16) + param(6, 16) + "mov.u32 %r7, 0; L: mul.lo.s32 %r9, %r7, %r6; mul.wide.s32 %rd9, %r9, 4;" + store + "add.s32 %r7, %r7, 1; setp.lt.s32 %p1, %r7, %r5; @%p1 bra L;", 1},
		{"steps of what is known", param(5, 30) + "mov.u32 %r7, 0; L: mul.wide.s32 %rd9, %r7, 4;" + store + "add.s32 %r7, %r7, 32; setp.lt.s32 %p1, %r7, %r5; @%p1 bra L;", 0},
		{"steps of what is not known, in bounds", param(5, 30) + param(6, 29) + "mov.u32 %r7, 0; L: mul.wide.s32 %rd9, %r7, 4;" + store + "add.s32 %r7, %r7, %r6; setp.lt.s32 %p1, %r7, %r5; @%p1 bra L;", 0},
		{"steps of what is not known", param(5, 30) + param(6, 29) + "mov.u32 %r7, 0; mov.u32 %r8, 0; L: mul.wide.s32 %rd9, %r7, 4;" + store + "add.s32 %r7, %r7, %r6; add.s32 %r8, %r8, 1; setp.lt.s32 %p1, %r8, %r5; @%p1 bra L;", 1},
		{"two addresses of one product", param(5, 30) + param(6, 30) + "mul.lo.s32 %r9, %r5, %r6; mul.wide.s32 %rd9, %r9, 4;" + store + store, 1},
		{"a product of products", param(5, 30) + param(6, 30) + "mul.lo.s32 %r8, %r5, %r6; mad.lo.s32 %r9, %r8, %r6, %r5; mul.wide.s32 %rd9, %r9, 4;" + store, 1},
		{"two products", param(5, 30) + param(6, 30) + "mul.lo.s32 %r8, %r5, %r6; mul.lo.s32 %r9, %r5, %r5; add.s32 %r10, %r8, %r9; mul.wide.s32 %rd9, %r10, 4;" + store, 2},
		{"chosen", param(5, 30) + param(6, 30) + "mul.lo.s32 %r8, %r5, %r6; setp.eq.s32 %p1, %r5, 3; selp.b32 %r9, %r8, 7, %p1; mul.wide.s32 %rd9, %r9, 4;" + store, 1},
		{"from another lane", param(5, 30) + param(6, 30) + "mul.lo.s32 %r8, %r5, %r6; shfl.sync.idx.b32 %r9|%p1, %r8, 0, 31, -1; mul.wide.s32 %rd9, %r9, 4;" + store, 1},
		{"a length of 64 bits cut to 32", "ld.param.u64 %rd1, [P15]; cvt.u32.u64 %r5, %rd1;" + param(6, 15) + "mul.lo.s32 %r9, %r5, %r6; mul.wide.s32 %rd9, %r9, 4;" + store, 0},
		{"bytes that are read", "ld.global.u8 %r5, [%rd90]; ld.global.u16 %r6, [%rd90];  mul.lo.s32 %r9, %r5, %r6; mul.wide.s32 %rd9, %r9, 4;" + store, 0},
	} {
		if got := found(t, c.body, bounds()); len(got) != c.wraps {
			t.Errorf("%s: found %d, want %d", c.name, len(got), c.wraps)
			for _, w := range got {
				t.Logf("%+v %s", w, w.At.Text)
			}
		}
	}
}

// TestProducts has the cell of a box, in the forms that compilers write it.
func TestProducts(t *testing.T) {
	const sides = "ld.param.u32 %r4, [Z]; ld.param.u32 %r5, [Y]; ld.param.u32 %r6, [X]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %tid.x;"
	const guards = "setp.ge.s32 %p1, %r1, %r4; @%p1 bra L; setp.lt.s32 %p2, %r2, %r5; not.pred %p3, %p2; setp.ge.u32 %p4, %r3, %r6; or.pred %p5, %p4, %p3; @%p5 bra L;"
	const cell = "mad.lo.s32 %r8, %r1, %r5, %r2; mad.lo.s32 %r9, %r8, %r6, %r3; mul.wide.s32 %rd9, %r9, 4;" + store + "L:"
	for _, c := range []struct {
		name, body string
		most       int64
		wraps      int
	}{
		{"a box", sides + guards + cell, 1 << 31, 0},
		{"a box of one cell more", sides + guards + cell, 1<<31 + 1, 1},
		{"rows turned with columns", sides + guards + strings.Replace(cell, "%r1, %r5, %r2", "%r2, %r5, %r1", 1), 1 << 31, 1},
		{"a guard less", sides + strings.Replace(guards, "or.pred %p5, %p4, %p3", "or.pred %p5, %p4, %p4", 1) + cell, 1 << 31, 1},
		{"a guard that lets one more in", sides + strings.Replace(guards, "setp.ge.s32 %p1", "setp.gt.s32 %p1", 1) + cell, 1 << 31, 1},
		{"products hoisted", sides + guards + strings.Replace(cell, "mad.lo.s32 %r8, %r1, %r5, %r2", "mul.lo.s32 %r7, %r1, %r5; add.s32 %r8, %r2, %r7", 1), 1 << 31, 0},
		{"three values a cell", sides + guards + strings.Replace(cell, "mul.wide.s32 %rd9, %r9, 4", "mad.lo.s32 %r9, %r9, 3, 2; mul.wide.s32 %rd9, %r9, 4", 1), 1 << 31 / 3, 0},
		{"three values of a cell more", sides + guards + strings.Replace(cell, "mul.wide.s32 %rd9, %r9, 4", "mad.lo.s32 %r9, %r9, 3, 2; mul.wide.s32 %rd9, %r9, 4", 1), 1<<31/3 + 1, 1},
	} {
		side := Interval{0, 1<<31 - 1}
		b := &Bounds{Block: [3]int{1024, 1, 1}, Blocks: [3]int64{1<<31 - 1, 65535, 1}, Params: map[string]Interval{"X": side, "Y": side, "Z": side}}
		b.Products = []Product{{[]string{"X", "Y", "Z"}, c.most}}
		if got := found(t, c.body, b); len(got) != c.wraps {
			t.Errorf("%s: found %d, want %d", c.name, len(got), c.wraps)
			for _, w := range got {
				t.Logf("%+v %s", w, w.At.Text)
			}
		}
	}
}

// TestRandom computes random subscripts in 32 bits, and in integers without end: where nothing is found the two must agree.
func TestRandom(t *testing.T) {
	random := rand.New(rand.NewSource(4))
	clean := 0
	for range 4000 {
		var body strings.Builder
		most := [3]int64{1 << random.Intn(18), 1 << random.Intn(18), 1 << random.Intn(18)}
		b := &Bounds{Block: [3]int{256, 1, 1}, Blocks: [3]int64{1, 1, 1}, Params: map[string]Interval{}}
		for i, m := range most {
			b.Params[fmt.Sprint("P", i)] = Interval{0, m}
			fmt.Fprintf(&body, "ld.param.u32 %%r%d, [P%d];\n", i, i)
		}
		type step struct{ op, x, y, z int }
		var steps []step
		for n := 3; n < 8; n++ {
			s := step{random.Intn(4), random.Intn(n), random.Intn(n), random.Intn(n)}
			steps = append(steps, s)
			switch s.op {
			case 0:
				fmt.Fprintf(&body, "mul.lo.s32 %%r%d, %%r%d, %%r%d;\n", n, s.x, s.y)
			case 1:
				fmt.Fprintf(&body, "mad.lo.s32 %%r%d, %%r%d, %%r%d, %%r%d;\n", n, s.x, s.y, s.z)
			case 2:
				fmt.Fprintf(&body, "min.s32 %%r%d, %%r%d, %%r%d;\n", n, s.x, s.y)
			case 3:
				fmt.Fprintf(&body, "shl.b32 %%r%d, %%r%d, %d;\n", n, s.x, s.y%4)
			}
		}
		body.WriteString("mul.wide.s32 %rd9, %r7, 4;" + store)
		if len(found(t, body.String(), b)) > 0 {
			continue
		}
		clean++
		for range 20 {
			var machine [8]int32
			var exact [8]int64
			for i, m := range most {
				v := m
				if random.Intn(2) == 0 {
					v = random.Int63n(m + 1)
				}
				machine[i], exact[i] = int32(v), v
			}
			fits := true
			for i, s := range steps {
				m, e := &machine[3+i], &exact[3+i]
				switch s.op {
				case 0:
					*m, *e = machine[s.x]*machine[s.y], times(exact[s.x], exact[s.y])
				case 1:
					*m, *e = machine[s.x]*machine[s.y]+machine[s.z], saturate(times(exact[s.x], exact[s.y])+exact[s.z])
				case 2:
					*m, *e = min(machine[s.x], machine[s.y]), min(exact[s.x], exact[s.y])
				case 3:
					*m, *e = machine[s.x]<<(s.y%4), times(exact[s.x], 1<<(s.y%4))
				}
				fits = fits && *e < 1<<61
			}
			// A min may hide what went wrong before it only where it went wrong in both.
			if fits && int64(machine[7]) != exact[7] {
				t.Fatalf("%v gives %d, not %d, and nothing is found:\n%s", exact[:3], machine[7], exact[7], body.String())
			}
		}
	}
	if clean < 500 || clean > 3500 {
		t.Errorf("nothing is found in %d of 4000: this test shows little", clean)
	}
}
