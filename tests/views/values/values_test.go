// Package values runs kernels over one-dimensional views in the emulator: every element type, every length
// of a run, and every number of elements that a last run can lack.
package values

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/kernels/dynamic"
	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/workshop"
)

// open starts an emulator with the kernels of values.cu and facts.cu: Bazel's, or one that is compiled here with g++.
func open(t *testing.T) (*device.Device, *dynamic.Family, *manifest.Spec) {
	t.Helper()
	program, spec := os.Getenv("VALUES_EMU"), os.Getenv("VALUES_SPEC")
	if program == "" {
		var err error
		if program, spec, err = workshop.Family(t.Context(), filepath.Join("..", "..", ".."), t.TempDir(), "values", "tests/views/values/facts.cu", "tests/views/values/values.cu"); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(spec)
	if err != nil {
		t.Fatal(err)
	}
	s, err := manifest.ReadSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	d, err := device.Open(context.Background(), device.WithKind("emu"), device.WithEmulator(program))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	f, err := dynamic.Load(d, s)
	if err != nil {
		t.Fatal(err)
	}
	return d, f, s
}

// memory is a buffer of just these values.
func memory[T dtype.Element](t *testing.T, d *device.Device, values []T) *device.Buffer[T] {
	t.Helper()
	b, err := device.Alloc[T](d, len(values))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Write(nil, 0, values); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func read[T dtype.Element](t *testing.T, b *device.Buffer[T]) []T {
	t.Helper()
	out, err := b.Host(nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// launch launches and waits.
func launch(t *testing.T, f *dynamic.Family, kernel string, types map[string]string, args map[string]any) {
	t.Helper()
	if err := f.Launch(nil, &dynamic.Call{Kernel: kernel, Types: types, Args: args}); err != nil {
		t.Fatal(err)
	}
}

// lengths are those around whole runs, and around whole rounds of a grid of 64 threads.
func lengths(v int) []int {
	var out []int
	for n := range 2*v + 2 {
		out = append(out, n)
	}
	return append(out, 64*v-1, 64*v, 64*v+1, 65*v-1, 65*v, 130*v+v/2)
}

// copies copies in runs; the buffers are exactly as long as they must be, so that the sanitizer sees each
// element too many.
func copies[T dtype.Element](t *testing.T, d *device.Device, f *dynamic.Family, random func(*rand.Rand) T, vs ...int) {
	name := dtype.Of[T]()
	for _, v := range vs {
		t.Run(fmt.Sprintf("%v_%d", name, v), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(v)))
			for _, n := range lengths(v) {
				x := make([]T, n)
				for i := range x {
					x[i] = random(r)
				}
				from, to := memory(t, d, x), memory(t, d, make([]T, n))
				launch(t, f, fmt.Sprintf("values_copy%d", name.Size()), map[string]string{"W": name.String(), "V": fmt.Sprint(v)},
					map[string]any{"n": n, "x": from, "y": to})
				if y := read(t, to); !slices.Equal(x, y) {
					t.Fatalf("%d elements: got %v, want %v", n, y, x)
				}
			}
		})
	}
}

func TestRuns(t *testing.T) {
	d, f, s := open(t)
	copies(t, d, f, (*rand.Rand).Float64, 2)
	copies(t, d, f, (*rand.Rand).Int64, 2)
	copies(t, d, f, (*rand.Rand).Uint64, 2)
	copies(t, d, f, (*rand.Rand).Float32, 2, 4)
	copies(t, d, f, (*rand.Rand).Int32, 2, 4)
	copies(t, d, f, (*rand.Rand).Uint32, 2, 4)
	copies(t, d, f, func(r *rand.Rand) dtype.Float16 { return dtype.Float16(r.Uint32()) }, 2, 4, 8)
	copies(t, d, f, func(r *rand.Rand) dtype.BFloat16 { return dtype.BFloat16(r.Uint32()) }, 2, 4, 8)
	copies(t, d, f, func(r *rand.Rand) uint8 { return uint8(r.Uint32()) }, 2, 4, 8, 16)
	t.Run("kept", func(t *testing.T) { kept(t, d, f) })
	t.Run("every", func(t *testing.T) { every(t, d, f) })
	t.Run("reverse", func(t *testing.T) { reverse(t, d, f) })
	t.Run("boxes", func(t *testing.T) { times(t, d, f, "values_boxes", "parts_N", 3) })
	t.Run("lanes", func(t *testing.T) { times(t, d, f, "values_lanes", "n", 8) })
	t.Run("sums", func(t *testing.T) { times(t, d, f, "values_sums", "n", 64) })
	t.Run("places", func(t *testing.T) { places(t, d, f) })
	t.Run("plane", func(t *testing.T) { plane(t, d, f) })
	t.Run("misaligned", func(t *testing.T) { misaligned(t, d, f) })
	t.Run("facts", func(t *testing.T) { facts(t, d, f, s) })
}

// kept reads and writes the same runs, and folds them in order.
func kept(t *testing.T, d *device.Device, f *dynamic.Family) {
	for _, n := range lengths(4) {
		x, y, sum, fold := make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, n)
		for i := range x {
			x[i], y[i] = int32(i%11), int32(1000*i)
			sum[i] = x[i] + y[i]
		}
		for i := range x {
			if first := i / 4 * 4; first+4 <= n {
				fold[i] = ((x[first]*3+x[first+1])*3+x[first+2])*3 + x[first+3]
			} else {
				fold[i] = x[i]
			}
		}
		to, s := memory(t, d, y), memory(t, d, make([]int32, n))
		launch(t, f, "values_kept", map[string]string{"W": "i32"}, map[string]any{"n": n, "x": memory(t, d, x), "y": to, "s": s})
		if got := read(t, to); !slices.Equal(got, sum) {
			t.Fatalf("%d elements: got %v, want %v", n, got, sum)
		}
		if got := read(t, s); !slices.Equal(got, fold) {
			t.Fatalf("%d elements: folded %v, want %v", n, got, fold)
		}
	}
}

// every reads a third of one array into a half of another, and leaves the other half.
func every(t *testing.T, d *device.Device, f *dynamic.Family) {
	for _, n := range []int{0, 1, 2, 63, 64, 65, 200} {
		x, y := make([]float32, max(3*n-2, 0)), make([]float32, max(2*n-1, 0))
		for i := range x {
			x[i] = float32(i)
		}
		want := slices.Clone(y)
		for i := range n {
			want[2*i] = float32(3 * i)
		}
		to := memory(t, d, y)
		launch(t, f, "values_every", map[string]string{"W": "f32"}, map[string]any{"n": n, "x": memory(t, d, x), "y": to})
		if got := read(t, to); !slices.Equal(got, want) {
			t.Fatalf("%d elements: got %v, want %v", n, got, want)
		}
	}
}

// reverse reads what the host alone knows to be there.
func reverse(t *testing.T, d *device.Device, f *dynamic.Family) {
	x := make([]float32, 100)
	for i := range x {
		x[i] = float32(i)
	}
	to := memory(t, d, make([]float32, 100))
	launch(t, f, "values_reverse", map[string]string{"W": "f32"}, map[string]any{"n": 100, "x": memory(t, d, x), "y": to})
	slices.Reverse(x)
	if got := read(t, to); !slices.Equal(got, x) {
		t.Errorf("got %v", got)
	}
}

// times wants each element that many times.
func times(t *testing.T, d *device.Device, f *dynamic.Family, kernel, extent string, factor float32) {
	for _, n := range []int{0, 1, 23, 24, 25, 49, 50, 51, 130, 333} {
		x, want := make([]float32, n), make([]float32, n)
		for i := range x {
			x[i] = float32(i + 1)
			want[i] = factor * x[i]
		}
		to := memory(t, d, make([]float32, n))
		launch(t, f, kernel, map[string]string{"W": "f32"}, map[string]any{extent: n, "x": memory(t, d, x), "y": to})
		if got := read(t, to); !slices.Equal(got, want) {
			t.Fatalf("%s: %d elements: got %v, want %v", kernel, n, got, want)
		}
	}
}

// places copies and adds.
func places(t *testing.T, d *device.Device, f *dynamic.Family) {
	x, z, sum := make([]float32, 35), make([]float32, 35), make([]float32, 35)
	for i := range x {
		x[i], z[i] = float32(i), float32(100*i)
		sum[i] = x[i] + z[i]
	}
	y, to := memory(t, d, make([]float32, 35)), memory(t, d, z)
	launch(t, f, "values_places", map[string]string{"W": "f32"}, map[string]any{"m": 5, "n": 7, "x": memory(t, d, x), "y": y, "z": to})
	if got := read(t, y); !slices.Equal(got, x) {
		t.Errorf("y: got %v, want %v", got, x)
	}
	if got := read(t, to); !slices.Equal(got, sum) {
		t.Errorf("z: got %v, want %v", got, sum)
	}
}

// plane copies matrices of which the blocks divide the columns, the rows, both or neither.
func plane(t *testing.T, d *device.Device, f *dynamic.Family) {
	for _, s := range [][2]int{{5, 16}, {12, 5}, {7, 7}, {8, 8}, {0, 8}} {
		x := make([]float32, s[0]*s[1])
		for i := range x {
			x[i] = float32(i + 1)
		}
		y := memory(t, d, make([]float32, len(x)))
		launch(t, f, "values_plane", map[string]string{"W": "f32"}, map[string]any{"cells_M": s[0], "cells_N": s[1], "x": memory(t, d, x), "y": y})
		if got := read(t, y); !slices.Equal(got, x) {
			t.Errorf("%v: got %v, want %v", s, got, x)
		}
	}
}

// misaligned is refused before anything runs.
func misaligned(t *testing.T, d *device.Device, f *dynamic.Family) {
	part, err := memory(t, d, make([]byte, 40)).All().Slice(8, 40)
	if err != nil {
		t.Fatal(err)
	}
	err = f.Launch(nil, &dynamic.Call{
		Kernel: "values_copy1", Types: map[string]string{"W": "u8", "V": "16"},
		Args: map[string]any{"n": 32, "x": part, "y": memory(t, d, make([]byte, 32))},
	})
	if err == nil || !strings.Contains(err.Error(), "argument x must begin at a multiple of 16 bytes") {
		t.Errorf("got %v", err)
	}
}
