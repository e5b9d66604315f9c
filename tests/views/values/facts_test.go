package values

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/kernels/dynamic"
	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tests/harness"
)

// facts launches kernels with variants for lengths around what facts say, so that each entry is taken by some, and wants the
// same of all. Buffers are as long as they must be and no longer, so that the sanitizer sees each element too many.
func facts(t *testing.T, d *device.Device, f *dynamic.Family, s *manifest.Spec) {
	copies := func(factor float32, outputs ...string) func(n int, call *dynamic.Call) map[string][]float32 {
		return func(n int, call *dynamic.Call) map[string][]float32 {
			x, want := rising(n), map[string][]float32{}
			call.Args = map[string]any{"n": n, "x": memory(t, d, x)}
			for i, name := range outputs {
				y := slices.Clone(x)
				for at := range y {
					y[at] *= factor
					if i > 0 { // by groups of eight
						y[at] *= 8
					}
				}
				want[name] = y
			}
			return want
		}
	}
	for _, c := range []struct {
		kernel  string
		types   map[string]string
		lengths []int
		call    func(n int, call *dynamic.Call) (want map[string][]float32)
	}{
		{"values_threads", nil, around(32, 64), copies(1, "y")},
		{"values_groups", map[string]string{"S": "1"}, around(64, 128), copies(1, "y")},
		{"values_groups", map[string]string{"S": "4"}, around(16, 32), copies(4, "y")},
		{"values_groups", map[string]string{"S": "32"}, around(2, 4), copies(32, "y")},
		{"values_blocks", nil, around(1, 3), copies(64, "y")},
		{"values_runs", map[string]string{"V": "2"}, around(64, 128), copies(1, "y")},
		{"values_runs", map[string]string{"V": "4"}, around(128, 256), copies(1, "y")},
		{"values_rest", nil, around(128, 256), copies(1, "y")},
		{"values_loops", nil, around(8, 16), copies(1, "y", "z")},
		{"values_cells", nil, around(8, 32), func(n int, call *dynamic.Call) map[string][]float32 {
			rows := max(1, n/7*4) // a multiple of a block's as often as not
			if n%3 == 0 {
				rows++
			}
			x := rising(rows * n)
			call.Args = map[string]any{"cells_R": rows, "cells_C": n, "x": memory(t, d, x)}
			return map[string][]float32{"y": x}
		}},
		{"values_depth", nil, around(3, 36), func(n int, call *dynamic.Call) map[string][]float32 {
			x, y := rising(3*n), make([]float32, 3)
			for i, v := range x {
				y[i/n] += v
			}
			call.Args = map[string]any{"m": 3, "k": n, "x": memory(t, d, x)}
			return map[string][]float32{"y": y}
		}},
	} {
		t.Run(c.kernel+strings.Join(slices.Sorted(maps.Values(c.types)), ""), func(t *testing.T) {
			taken := harness.Watch(t, d)
			for _, n := range c.lengths {
				call := &dynamic.Call{Kernel: c.kernel, Types: c.types}
				want := c.call(n, call)
				outputs := map[string]*device.Buffer[float32]{}
				for name, y := range want {
					outputs[name] = memory(t, d, make([]float32, len(y)))
					call.Args[name] = outputs[name]
				}
				choice, err := f.Chosen(call)
				if err != nil {
					t.Fatal(err)
				}
				taken.Chosen(choice.Entry)
				launch(t, f, call.Kernel, call.Types, call.Args)
				for name, y := range want {
					if got := read(t, outputs[name]); !slices.Equal(got, y) {
						t.Errorf("%d: %v: %s is %v, want %v", n, choice, name, got, y)
					}
				}
			}
			taken.Want(entries(t, s, c.kernel, c.types))
		})
	}
}

// entries are those of an instance, as the spec lists them.
func entries(t *testing.T, s *manifest.Spec, kernel string, types map[string]string) []string {
	t.Helper()
	var out []string
	for _, e := range s.Entries {
		if e.Kernel == kernel && maps.Equal(e.Types, types) {
			out = append(out, e.Name)
		}
	}
	if len(out) < 2 {
		t.Fatalf("%s %v has the entries %v", kernel, types, out)
	}
	return out
}

func rising(n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(i + 1)
	}
	return out
}

// around are lengths up to one round of a grid and beyond, and the neighbours of each multiple of a block's share.
func around(share, round int) []int {
	var out []int
	for n := 0; n <= round+2*share; n += share {
		out = append(out, max(n-1, 1), max(n, 1), n+1)
	}
	return append(out, round+3*share+2)
}
