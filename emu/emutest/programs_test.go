package emutest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/device/backend"
	"github.com/warpwright/warpwright/go/device/emu"
)

// The programs under test: the test kernels under ASan and UBSan, and under TSan.
var asanProgram, tsanProgram string

// TestMain takes the programs from Bazel, or compiles them with g++.
func TestMain(m *testing.M) {
	os.Exit(func() int {
		asanProgram, tsanProgram = os.Getenv("EMUTEST_ASAN"), os.Getenv("EMUTEST_TSAN")
		if asanProgram == "" || tsanProgram == "" {
			dir, err := os.MkdirTemp("", "emutest")
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
			defer os.RemoveAll(dir)
			if err := compile(dir); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
		return m.Run()
	}())
}

// compile builds both programs as BUILD.bazel does: the runtime without a sanitizer, the kernels with one.
func compile(dir string) error {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		return err
	}
	gxx := func(args ...string) error {
		cmd := exec.Command("g++", append([]string{"-std=c++20", "-g", "-fno-omit-frame-pointer", "-I."}, args...)...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
		}
		return nil
	}
	sources, err := filepath.Glob(filepath.Join(root, "emu", "*.cc"))
	if err != nil {
		return err
	}
	var objects []string
	for _, src := range sources {
		obj := filepath.Join(dir, filepath.Base(src)+".o")
		if err := gxx("-O2", "-c", filepath.Join("emu", filepath.Base(src)), "-o", obj); err != nil {
			return err
		}
		objects = append(objects, obj)
	}
	for _, v := range []struct {
		program *string
		name    string
		flags   []string
	}{
		{&asanProgram, "emulator", []string{"-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"}},
		{&tsanProgram, "emulator_tsan", []string{"-fsanitize=thread"}},
	} {
		kernels := filepath.Join(dir, v.name+".kernels.o")
		if err := gxx(append(v.flags, "-O1", "-Wno-unknown-pragmas", "-Wno-tsan", "-c", "emu/testdata/kernels.emu.cc", "-o", kernels)...); err != nil {
			return err
		}
		*v.program = filepath.Join(dir, v.name)
		if err := gxx(append(append(v.flags, "-o", *v.program, kernels), objects...)...); err != nil {
			return err
		}
	}
	return nil
}

// device is an emulator that fails the test instead of returning errors.
type device struct {
	*emu.Device
	t testing.TB
}

func open(t testing.TB, o emu.Options) device {
	t.Helper()
	d, err := emu.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return device{d, t}
}

func (d device) alloc(bytes int64) backend.Memory {
	d.t.Helper()
	m, err := d.Alloc(bytes)
	if err != nil {
		d.t.Fatal(err)
	}
	return m
}

// launch runs an entry of either family of test kernels.
func (d device) launch(name string, c backend.Config, slots ...uint64) error {
	d.t.Helper()
	for _, family := range []string{"controls", "faults"} {
		m, err := d.Load(family, nil)
		if err != nil {
			d.t.Fatal(err)
		}
		k, err := m.Kernel(name)
		if errors.Is(err, backend.ErrNoKernel) {
			continue
		}
		if err != nil {
			d.t.Fatal(err)
		}
		return k.Launch(nil, c, slots)
	}
	d.t.Fatalf("no test kernel %s", name)
	return nil
}

// line is a grid of n blocks of so many threads, with shared bytes.
func line(blocks, threads uint32, shared uint32) backend.Config {
	return backend.Config{Grid: backend.Dim3{X: blocks, Y: 1, Z: 1}, Block: backend.Dim3{X: threads, Y: 1, Z: 1}, Shared: shared}
}
