package syntax

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/warpwright/warpwright/tools/internal/source"
)

// seeds are short texts of every form that the parsers read.
var seeds = []string{
	"// Doc.\nWW_KERNEL(block(128), grid(min(cdiv(N, block), 8 * sms)), types(W: f32 f16; S: 4 8))\n" +
		"template <class W, int S, class N> WW_DEV void t_axpy(Acc<W> alpha, In<W, N> x, InOut<W, N> y) { y[0] = '}'; }",
	"WW_KERNEL(block(16, 16), grid(1), requires(divides(T, C), fits32(grid.x), aligned(a, 16), C >= 1), except(spills, \"why \\\" not\"), archs(sm_90))\n" +
		"template <int T, int BLOCK, class C> WW_DEV void t_k(Dim<C> c, Matrix<f32, T + 1, C> a, Shared<u8, BLOCK / 3> s) {}",
	"WW_VIEW(Rows<P, M, N>, pointer(const P), len(M + 1), in, validated(offsets), carries(M, N), index(N: P));\nWW_TAG(One);",
	"#define X WW_KERNEL(\n/* c */ extern \"C\" __global__ void WW_GLOBAL(32) t_raw(const float* x, unsigned long long n) { if (n) { x; } }",
}

// robust is what holds of any text: no panic, and an error that points into it.
func robust(t *testing.T, text string) {
	f := source.NewFile("t.cu", text)
	var v Vocabulary
	_, kernels := Kernels(f)
	_, raw := RawKernels(f)
	for _, err := range []error{kernels, raw, v.AddHeader(f)} {
		var at *source.Error
		if err != nil && (!errors.As(err, &at) || at.Offset < 0 || at.Offset > len(text) || at.Error() == "") {
			t.Fatalf("%q: %#v", text, err)
		}
	}
}

func TestMutations(t *testing.T) {
	words := []string{"WW_KERNEL(", "WW_VIEW(", "template", "<", ">", "(", ")", "{", "}", ",", ";", ":", "\"", "'", "/*", "//", "\\\n", "#", "R\"(", "class ", "In<",
		"divides(", "block(", "18446744073709551615", "__global__", "\x00", "é", "\xff"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		text := seeds[r.IntN(len(seeds))]
		for range 1 + r.IntN(4) {
			i := r.IntN(len(text) + 1)
			j := min(len(text), i+r.IntN(20))
			switch r.IntN(3) {
			case 0:
				text = text[:i] + text[j:]
			case 1:
				text = text[:i] + words[r.IntN(len(words))] + text[j:]
			default:
				text = text[:i] + words[r.IntN(len(words))] + text[i:]
			}
		}
		robust(t, text)
	}
}

func FuzzSyntax(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(robust)
}
