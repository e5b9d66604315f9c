package uniform

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// part is a piece of a random program: it changes registers, looks at one, and goes on to one of two parts.
type part struct {
	code       []operation // operation i writes register to[i]
	to         []int
	seen       int // the register that is looked at
	left       int // the register that the choice compares
	right      uint32
	jump, next int // where to go if left < right, and if not; beyond the last part is the end
}

const registers = 6 // thread, parameter, and what is computed

// program is a random program as PTX.
func program(parts []part) string {
	var b strings.Builder
	b.WriteString("mov.u32 %r0, %tid.x; ld.param.u32 %r1, [f_param_1]; shr.u32 %r2, %r0, 5; mov.u32 %r3, 7; and.b32 %r4, %r0, 3; mov.u32 %r5, %r1;\n")
	for i, p := range parts {
		fmt.Fprintf(&b, "L%d:\n", i)
		for j, o := range p.code {
			b.WriteString(o.text(p.to[j]) + "\n")
		}
		fmt.Fprintf(&b, "st.global.u32 [%%rd90], %%r%d;\nsetp.lt.u32 %%p1, %%r%d, %d;\n@%%p1 bra L%d;\n", p.seen, p.left, p.right, p.jump)
		if p.next != i+1 {
			fmt.Fprintf(&b, "bra L%d;\n", p.next)
		}
	}
	fmt.Fprintf(&b, "L%d:\n", len(parts))
	return b.String()
}

// walk runs the program in one thread and returns what each part saw, each time it ran; false if it does not end.
func walk(parts []part, thread, parameter uint32) ([][]uint32, bool) {
	r := []uint32{thread, parameter, thread >> 5, 7, thread & 3, parameter}
	seen := make([][]uint32, len(parts))
	at := 0
	for range 60 {
		if at == len(parts) {
			return seen, true
		}
		p := &parts[at]
		for i, o := range p.code {
			r[p.to[i]] = o.apply(r)
		}
		seen[at] = append(seen[at], r[p.seen])
		if at = p.next; r[p.left] < p.right {
			at = p.jump
		}
	}
	return nil, false
}

// TestRandomFlow runs random programs with branches and loops in every thread: where threads are said to come by together they come by
// equally often, and what is said to be uniform there is the same each time.
func TestRandomFlow(t *testing.T) {
	random := rand.New(rand.NewSource(5))
	together, apart, uniforms := 0, 0, 0
	for range 6000 {
		parts := make([]part, 2+random.Intn(5))
		for i := range parts {
			p := &parts[i]
			for range random.Intn(4) {
				o := operation{op: []string{"add.s32", "sub.s32", "shr.u32", "and.b32"}[random.Intn(4)], from: [2]int{random.Intn(registers), random.Intn(registers)}}
				if random.Intn(2) == 0 || o.op == "shr.u32" {
					o.from[1], o.constant[1] = -1, uint32(1+random.Intn(3))
				}
				to := 2 + random.Intn(registers-2)
				if random.Intn(2) == 0 {
					// What a loop counts by.
					o = operation{"add.s32", [2]int{to, -1}, [2]uint32{0, uint32(1 + random.Intn(3))}}
				}
				p.code, p.to = append(p.code, o), append(p.to, to)
			}
			p.seen, p.left, p.right = random.Intn(registers), random.Intn(registers), uint32(random.Intn(40))
			p.jump, p.next = random.Intn(len(parts)+1), i+1
			if random.Intn(3) == 0 {
				p.jump = i
			}
			if random.Intn(4) == 0 {
				p.next = random.Intn(len(parts) + 1)
			}
		}
		body := program(parts)
		const threads = 64
		var runs [3][threads][][]uint32
		ends := true
		for i, parameter := range []uint32{0, 9, 33} {
			for thread := range uint32(threads) {
				var ok bool
				if runs[i][thread], ok = walk(parts, thread, parameter); !ok {
					ends = false
				}
			}
		}
		if !ends {
			continue
		}
		r := analyzed(t, body, [3]int{threads, 1, 1})
		at := 0
		for _, in := range r.g.Func.Instructions {
			if in.Kind() != "st" {
				continue
			}
			i := at
			at++
			if !r.g.Blocks[in.Block].Reachable {
				continue
			}
			level, _ := r.Together(in.Block)
			if level == Neither {
				apart++
				continue
			}
			together++
			holds := max(level, r.Level(in, &in.Srcs[1]))
			if holds != Neither {
				uniforms++
			}
			for _, run := range runs {
				for thread := range threads {
					first := 0
					if level == Warp {
						first = thread - thread%32
					}
					if len(run[thread][i]) != len(run[first][i]) {
						t.Fatalf("part %d is %v: thread %d comes by %d times, thread %d %d times:\n%s", i, level, first, len(run[first][i]), thread, len(run[thread][i]), body)
					}
					if holds == Neither {
						continue
					}
					if holds == Warp {
						first = thread - thread%32
					}
					for n, v := range run[thread][i] {
						if v != run[first][i][n] {
							t.Fatalf("register %d in part %d is %v: round %d is %d in thread %d, %d in thread %d:\n%s", parts[i].seen, i, holds, n, run[first][i][n], first, v, thread, body)
						}
					}
				}
			}
		}
	}
	if together < 500 || apart < 500 || uniforms < 200 {
		t.Errorf("%d together, %d apart, %d uniform: this test shows little", together, apart, uniforms)
	}
}
