package plain

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/warpwright/warpwright/go/dtype"
)

func TestParallel(t *testing.T) {
	for _, n := range []int{0, 1, 2, 9} {
		ran := make([]atomic.Int32, n)
		Parallel(n, func(i int) { ran[i].Add(1) })
		for i := range ran {
			if got := ran[i].Load(); got != 1 {
				t.Errorf("of %d, number %d ran %d times", n, i, got)
			}
		}
	}
}

// round is what becomes of values on their way into elements and back.
func round[W dtype.Float, A Accumulator](values ...A) []A {
	elements := make([]W, len(values))
	Narrow(elements, values)
	room := make([]A, len(values)+1)
	room[len(values)] = -1
	out := Widen(room, elements)
	if room[len(values)] != -1 {
		return nil
	}
	return out
}

func TestWidenNarrow(t *testing.T) {
	const third32 = float32(1) / 3
	for _, c := range []struct {
		name      string
		got, want []float32
	}{
		{"f32", round[float32](third32, 1), []float32{third32, 1}},
		{"f16", round[dtype.Float16](third32, 1), []float32{0x1.554p-2, 1}},
		{"bf16", round[dtype.BFloat16](third32, 1), []float32{0x1.56p-2, 1}},
		{"none", round[float32, float32](), []float32{}},
	} {
		if !slices.Equal(c.got, c.want) || c.got == nil {
			t.Errorf("%s: got %v, want %v", c.name, c.got, c.want)
		}
	}
	if got := round[float64](1.0/3, 1e300); !slices.Equal(got, []float64{1.0 / 3, 1e300}) {
		t.Errorf("f64: got %v", got)
	}
}
