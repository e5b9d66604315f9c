//go:build gpu && cgo

package gpu

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/device/backend"
)

// child makes the test binary open a GPU, say what happened, and end: a process finds its driver once.
const child = "GPU_TEST_CHILD"

// TestMain finds the fake driver, or compiles it with g++ (cuda.h's folder then comes from CGO_CFLAGS).
func TestMain(m *testing.M) {
	if os.Getenv(child) != "" {
		os.Exit(openInChild())
	}
	os.Exit(func() int {
		fake := os.Getenv("FAKE_LIBCUDA")
		if fake == "" {
			dir, err := os.MkdirTemp("", "fakecuda")
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
			defer os.RemoveAll(dir)
			if fake, err = compileFake(dir); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
		if !filepath.IsAbs(fake) { // Bazel's rootpath
			fake = filepath.Join(os.Getenv("TEST_SRCDIR"), os.Getenv("TEST_WORKSPACE"), fake)
		}
		err := os.Setenv("WW_LIBCUDA", fake)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

func compileFake(dir string) (string, error) {
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		return "", err
	}
	var sources []string
	for _, pattern := range []string{"emu/*.cc", "go/device/gpu/fakecuda/*.cc"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return "", err
		}
		sources = append(sources, found...)
	}
	out := filepath.Join(dir, "libfakecuda.so")
	args := append([]string{"-std=c++20", "-O1", "-fPIC", "-shared", "-I" + root, "-o", out}, strings.Fields(os.Getenv("CGO_CFLAGS"))...)
	cmd := exec.Command("g++", append(args, sources...)...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", cmd, err, text)
	}
	return out, nil
}

func openInChild() int {
	infos, err := List()
	fmt.Printf("list: %d, %v\n", len(infos), err)
	d, err := Open(0)
	for name, target := range map[string]error{"ErrNoDriver": backend.ErrNoDriver, "ErrNoDevice": backend.ErrNoDevice} {
		if errors.Is(err, target) {
			fmt.Println(name)
		}
	}
	fmt.Printf("open: %v\n", err)
	if err != nil {
		return 0
	}
	fmt.Printf("close: %v\n", d.Close())
	return 0
}

// inChild opens a GPU in another process with more environment and returns what it said.
func inChild(t *testing.T, env ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), child+"=1"), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("child with %v: %v\n%s", env, err, out)
	}
	return string(out)
}

func TestWithoutAUsableDriver(t *testing.T) {
	for _, c := range []struct {
		name string
		env  []string
		want []string
		not  []string
	}{
		{"no library", []string{"WW_LIBCUDA=/nowhere/libcuda.so.1"}, []string{"ErrNoDriver\n", "no GPU driver", "/nowhere/libcuda.so.1"}, []string{"ErrNoDevice\n"}},
		{"not a driver", []string{"WW_LIBCUDA=libm.so.6"}, []string{"ErrNoDriver\n", "cuInit"}, []string{"ErrNoDevice\n"}},
		{"no GPU", []string{"FAKE_CUDA_INIT=100"}, []string{"ErrNoDevice\n", "cuInit: CUDA_ERROR_NO_DEVICE (100)"}, []string{"ErrNoDriver\n"}},
		{"no GPU visible", []string{"FAKE_CUDA_DEVICES=0"}, []string{"ErrNoDevice\n", "sees no GPU"}, []string{"ErrNoDriver\n"}},
		{"stub", []string{"FAKE_CUDA_INIT=34"}, []string{"ErrNoDriver\n", "stub", "CUDA_ERROR_STUB_LIBRARY (34)"}, nil},
		{"broken", []string{"FAKE_CUDA_INIT=803"}, []string{"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)"}, []string{"ErrNoDriver\n", "ErrNoDevice\n"}},
		{"unknown code", []string{"FAKE_CUDA_INIT=12345"}, []string{"(12345)"}, []string{"ErrNoDriver\n", "ErrNoDevice\n"}},
		{"present", nil, []string{"list: 1, <nil>\n", "open: <nil>\n", "close: <nil>\n"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := inChild(t, c.env...)
			for _, w := range c.want {
				if !strings.Contains(out, w) {
					t.Errorf("want %q in\n%s", w, out)
				}
			}
			for _, w := range c.not {
				if strings.Contains(out, w) {
					t.Errorf("do not want %q in\n%s", w, out)
				}
			}
		})
	}
}

// open opens the fake GPU and closes it with the test.
func open(t testing.TB) *Device {
	t.Helper()
	d, err := Open(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d.(*Device)
}

// fatbin makes a container with parts that hold nothing: "75" is machine code, "ptx90" PTX.
func fatbin(t testing.TB, parts ...string) []byte {
	t.Helper()
	var body []byte
	for _, p := range parts {
		kind := uint16(2)
		if rest, ok := strings.CutPrefix(p, "ptx"); ok {
			kind, p = 1, rest
		}
		var arch uint32
		if _, err := fmt.Sscan(p, &arch); err != nil {
			t.Fatal(err)
		}
		const header, payload = 64, 16
		entry := make([]byte, header+payload)
		binary.LittleEndian.PutUint16(entry, kind)
		binary.LittleEndian.PutUint32(entry[4:], header)
		binary.LittleEndian.PutUint64(entry[8:], payload)
		binary.LittleEndian.PutUint32(entry[28:], arch)
		body = append(body, entry...)
	}
	out := binary.LittleEndian.AppendUint32(nil, 0xBA55ED50)
	out = binary.LittleEndian.AppendUint16(out, 1)
	out = binary.LittleEndian.AppendUint16(out, 16)
	out = binary.LittleEndian.AppendUint64(out, uint64(len(body)))
	return append(out, body...)
}

// load finds a probe's entry.
func load(t testing.TB, d *Device, entry string) *kernel {
	t.Helper()
	m, err := d.Load("probe", fatbin(t, "75", "86", "90", "ptx75", "ptx90"))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel(entry)
	if err != nil {
		t.Fatal(err)
	}
	return k.(*kernel)
}

// alloc takes memory that holds p.
func alloc(t testing.TB, d *Device, p []byte) backend.Memory {
	t.Helper()
	m, err := d.Alloc(int64(len(p)))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Write(nil, 0, p); err != nil {
		t.Fatal(err)
	}
	return m
}

func newStream(t testing.TB, d *Device) *stream {
	t.Helper()
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	return s.(*stream)
}

func newEvent(t testing.TB, d *Device) *event {
	t.Helper()
	e, err := d.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	return e.(*event)
}

// ints reads memory as int32.
func ints(t testing.TB, m backend.Memory) []int32 {
	t.Helper()
	p := make([]byte, m.Size())
	if err := m.Read(nil, 0, p); err != nil {
		t.Fatal(err)
	}
	out := make([]int32, len(p)/4)
	for i := range out {
		out[i] = int32(binary.LittleEndian.Uint32(p[4*i:]))
	}
	return out
}

// wantError checks an error's identity (unless target is nil) and that it says each of parts.
func wantError(t testing.TB, err, target error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", parts)
		return
	}
	if target != nil && !errors.Is(err, target) {
		t.Errorf("error is %v, want %v in its chain", err, target)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error is %q, want it to say %q", err, p)
		}
	}
}

// one is the smallest launch.
var one = backend.Config{Grid: backend.Dim3{X: 1, Y: 1, Z: 1}, Block: backend.Dim3{X: 1, Y: 1, Z: 1}}
