package operators

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// kernelText has a place for every operator.
const kernelText = `// Comments: a + 1, __syncthreads();
#include "ww/ww.h"
WW_KERNEL(block(256), grid(min(cdiv(M, block), 32 * sms)), types(W: f32; S: 8), requires(M >= 1, N >= 2), prefer(full: N % 4 == 0))
template <class W, int S, int BLOCK, class M, class N>
WW_DEV void k_sum(Dim<M> m, In<W, M, N> x, Out<W, M> y, Shared<Acc<W>, BLOCK / 32> partial) {
  static_assert(S == 8, "a + b");
  for (u64 i = first; i < n; i += stride) {
    if (i % 2 == 0 && lane() != 3) continue;
    Acc<W> sum = 0;
    sum = add(sum, static_cast<W>(p_[i * apart(cols_) + threadIdx.x]));
    __syncthreads();
    v += __shfl_xor_sync(0xffffffffu, v, offset);
    atomicAdd(p_ + i, v);
    y[i] = i > 4 ? sum : -sum;
  }
}
WW_VIEW(In<T, R, C>, pointer(const T), len(R * C), in, validated(offsets), index(C: i32));
`

// One mutant of each kind, and the result, which must be among those that the operator makes.
var made = []struct{ operator, result string }{
	{"swap-arguments", "sum = add(static_cast<W>(p_[i * apart(cols_) + threadIdx.x]), sum);"},
	{"swap-arguments", "In<W, N, M> x"},
	{"drop-guard", "if (lane() != 3) continue;"},
	{"drop-guard", "if (i % 2 == 0) continue;"},
	{"drop-guard", "if (false) continue;"},
	{"drop-guard", "y[i] = true ? sum : -sum;"},
	{"initial-value", "Acc<W> sum = 1;"},
	{"off-by-one", "i > 5 ? sum"},
	{"off-by-one", "lane() != 2"},
	{"off-by-one", "requires(M >= 1, N >= 1)"},
	{"off-by-one", "BLOCK / 33"},
	{"comparison", "i <= n;"},
	{"comparison", "i >= 4 ?"},
	{"comparison", "i % 2 != 0"},
	{"comparison", "requires(M > 1,"},
	{"logic", "i % 2 == 0 || lane()"},
	{"arithmetic", "p_[i + apart(cols_) + threadIdx.x]"},
	{"arithmetic", "p_[i * apart(cols_) - threadIdx.x]"},
	{"drop-modulo", "if (i == 0 && lane()"},
	{"stride", "i += 1)"},
	{"stride", "p_[i * 1 + threadIdx.x]"},
	{"warp", "0x0000ffffu, v, offset"},
	{"warp", "threadIdx.x != 3"},
	{"rank", "apart(cols_) + 0u]"},
	{"axis", "apart(rows_)"},
	{"axis", "threadIdx.y]"},
	{"barrier", "threadIdx.x]));\n    \n    v +="},
	{"narrow", "for (u32 i = first"},
	{"drop-cast", "sum = add(sum, (p_["},
	{"control", "lane() != 3) return;"},
	{"drop-statement", "offset);\n    ;\n    y[i]"},
	{"shared-bytes", "Shared<Acc<W>, BLOCK / 32 / 2>"},
	{"drop-clause", "requires(N >= 2)"},
	{"drop-clause", "in, index(C: i32));"},
	{"direction", "len(R * C), out,"},
	{"atomic", "*(p_ + i) += v;"},
	{"accumulator", "    W sum = 0;"},
	{"extent", "Out<W, N> y"},
	{"extent", "len(C), in"},
	{"extent", "validated(columns)"},
}

func TestOperators(t *testing.T) {
	all, err := File("k.cu", kernelText)
	if err != nil {
		t.Fatal(err)
	}
	results := map[string][]string{}
	ids := map[string]bool{}
	for _, m := range all {
		if ids[m.ID()] {
			t.Errorf("two mutants are called %s", m.ID())
		}
		ids[m.ID()] = true
		results[m.Operator] = append(results[m.Operator], m.Apply(kernelText))
	}
	for _, op := range All() {
		if !slices.ContainsFunc(made, func(x struct{ operator, result string }) bool { return x.operator == op.Name }) {
			t.Errorf("nothing is expected of %s", op.Name)
		}
	}
	for _, want := range made {
		if !slices.ContainsFunc(results[want.operator], func(text string) bool { return strings.Contains(text, want.result) }) {
			t.Errorf("%s does not make %q", want.operator, want.result)
		}
	}
	// What cannot change a program, or only tunes it, stays.
	for _, stays := range []string{"// Comments: a + 1, __syncthreads();", `static_assert(S == 8, "a + b");`, "block(256)", "grid(min(cdiv(M, block), 32 * sms))", "prefer(full: N % 4 == 0)", "types(W: f32; S: 8)"} {
		for _, m := range all {
			if !strings.Contains(m.Apply(kernelText), stays) {
				t.Errorf("%s touches %q", m.ID(), stays)
			}
		}
	}
}

// A sample has something of every stratum before it has two of one, and is the same for the same seed.
func TestSample(t *testing.T) {
	all, err := File("k.cu", kernelText)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, m := range all {
		kinds[m.Operator] = true
	}
	names := func(seed uint64, n int) []string {
		var out []string
		for _, m := range Sample(slices.Clone(all), n, seed) {
			out = append(out, m.ID())
		}
		return out
	}
	seen := map[string]bool{}
	for _, m := range Sample(slices.Clone(all), len(kinds), 1) {
		seen[m.Operator] = true
	}
	if len(seen) != len(kinds) {
		t.Errorf("the first %d mutants are of %d operators", len(kinds), len(seen))
	}
	if a, b := names(1, 30), names(1, 30); !slices.Equal(a, b) {
		t.Error("one seed gave two samples")
	}
	if a, b := names(1, 30), names(2, 30); slices.Equal(a, b) {
		t.Error("two seeds gave one sample")
	}
	if got := names(1, 10*len(all)); len(got) != len(all) {
		t.Errorf("of %d mutants a sample has %d", len(all), len(got))
	}
}

// A kernel begins with its annotation and ends with its function.
func TestKernelAt(t *testing.T) {
	text := "u32 before();\n" + kernelText
	for what, want := range map[string]string{"before": "", "types(": "k_sum", "__syncthreads();\n    v": "k_sum", "WW_VIEW": ""} {
		if got := KernelAt(text, strings.Index(text, what)); got != want {
			t.Errorf("at %q: %q, want %q", what, got, want)
		}
	}
}

// What devices read that nets compile for is mutated, and says so; what the emulator alone reads, or older devices, stays.
func TestDevice(t *testing.T) {
	const text = `#ifdef WW_EMU
int a() { return 1; }
#else
int b() { return 2; }
#if __CUDA_ARCH__ >= 800
void c() { asm volatile("wait;" ::: "memory"); }
#else
int d() { return 3; }
#endif
#endif
#ifndef WW_EMU
int e() { return 4; }
#endif
int f() { return 5; }
`
	all, err := File("k.h", text)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range all {
		if m.Operator == "off-by-one" && strings.HasSuffix(m.After, "3") || m.Operator != "off-by-one" && m.Operator != "control" {
			got = append(got, fmt.Sprintf("%s %d %v", m.Operator, m.Line, m.Device))
		}
		if m.Line == 2 || m.Line == 8 {
			t.Errorf("%s is read by no compiler of a net that could tell", m.ID())
		}
		if device := m.Line < 14; m.Device != device {
			t.Errorf("%s: device is %v, want %v", m.ID(), m.Device, device)
		}
	}
	if want := []string{"off-by-one 4 true", "drop-statement 6 true", "off-by-one 12 true"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Without its line a source has the same blocks.
func TestWithout(t *testing.T) {
	for line, want := range map[string]string{"x = f({1});": "", "if (x) {": "{", "} else {": "}{", "for (;;) { x(); }": ""} {
		text := "a\n" + line + "\nb\n"
		m := &Mutant{Offset: 4, Before: "", File: "k.cu"}
		if got := m.Without(text).Apply(text); got != "a\n"+want+"\nb\n" {
			t.Errorf("%q leaves %q, want %q", line, got, want)
		}
	}
}
