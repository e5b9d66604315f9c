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
	"github.com/warpwright/warpwright/tools/mutate/trial"
	"github.com/warpwright/warpwright/tools/workshop"
)

// open starts an emulator with the kernels of values.cu and facts.cu: Bazel's, or one that is compiled here with g++.
func open(t *testing.T) (program string, d *device.Device, f *dynamic.Family, s *manifest.Spec) {
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
	if s, err = manifest.ReadSpec(text); err != nil {
		t.Fatal(err)
	}
	if d, err = device.Open(context.Background(), device.WithKind("emu"), device.WithEmulator(program)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	if f, err = dynamic.Load(d, s); err != nil {
		t.Fatal(err)
	}
	return program, d, f, s
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
	program, d, f, s := open(t)
	copies(t, d, f, (*rand.Rand).Float64, 2)
	copies(t, d, f, (*rand.Rand).Int64, 2)
	copies(t, d, f, (*rand.Rand).Uint64, 2)
	copies(t, d, f, (*rand.Rand).Float32, 2, 4)
	copies(t, d, f, (*rand.Rand).Int32, 2, 4)
	copies(t, d, f, (*rand.Rand).Uint32, 2, 4)
	copies(t, d, f, func(r *rand.Rand) dtype.Float16 { return dtype.Float16(r.Uint32()) }, 2, 4, 8)
	copies(t, d, f, func(r *rand.Rand) dtype.BFloat16 { return dtype.BFloat16(r.Uint32()) }, 2, 4, 8)
	copies(t, d, f, func(r *rand.Rand) uint8 { return uint8(r.Uint32()) }, 2, 4, 8, 16)
	for _, one := range trial.Of("tests/views/values/values.cu") {
		t.Run(one.Kernel, func(t *testing.T) {
			for _, r := range trial.Rounds() {
				if err := one.Run(t.Context(), program, s, r); err != nil {
					t.Errorf("%+v: %v", r, err)
				}
			}
		})
	}
	t.Run("misaligned", func(t *testing.T) { misaligned(t, d, f) })
	t.Run("facts", func(t *testing.T) { facts(t, d, f, s) })
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
