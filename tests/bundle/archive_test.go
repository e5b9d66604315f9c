//go:build gpu

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The promises about the archive.
const (
	maxBytes = 40 << 20
	maxGlibc = "2.34" // Debian 12's and Ubuntu 22.04's are newer
)

// open unpacks the archive. Bazel builds it, and always with the tag gpu, so plain `go test` leaves these tests out.
func open(t *testing.T) (folder string, names []string) {
	t.Helper()
	file := os.Getenv("WW_GPU_BUNDLE")
	if file == "" {
		t.Fatal("WW_GPU_BUNDLE names no archive: run `bazel test //tests/bundle:bundle_test`")
	}
	packed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(packed) > maxBytes {
		t.Errorf("the archive has %d bytes, at most %d are promised", len(packed), maxBytes)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return folder, names
		}
		if err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(folder, h.Name)
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(at, 0o755)
		} else {
			names = append(names, h.Name)
			var content []byte
			if content, err = io.ReadAll(r); err == nil {
				err = os.WriteFile(at, content, h.FileInfo().Mode())
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestContents(t *testing.T) {
	_, names := open(t)
	want := []string{"warpwright/bundle"}
	families := append(strings.Fields(os.Getenv("WW_FAMILIES")), "checked", "once", "raw", "twin")
	slices.Sort(families)
	for _, folder := range []string{"images", "images_ptx75"} {
		for _, family := range families {
			kinds := []string{"audit.json", "fatbin", "manifest.json"}
			if family != "checked" && family != "once" && family != "raw" { // which have no contract
				kinds = append(kinds, "proof.json")
			}
			for _, kind := range kinds {
				want = append(want, fmt.Sprintf("warpwright/%s/%s.%s", folder, family, kind))
			}
		}
	}
	want = append(want, "warpwright/machine_code.json", "warpwright/run.sh")
	if !slices.Equal(names, want) {
		t.Errorf("the archive holds %q, want %q", names, want)
	}
}

// TestRunsElsewhere checks what the program needs of the host: a C library of no recent version, and nothing of CUDA's.
func TestRunsElsewhere(t *testing.T) {
	folder, _ := open(t)
	f, err := elf.Open(filepath.Join(folder, "warpwright/bundle"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	libraries, err := f.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range libraries {
		switch l {
		case "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "libresolv.so.2", "ld-linux-x86-64.so.2":
		default:
			t.Errorf("the program needs %s before it starts", l)
		}
	}
	symbols, err := f.ImportedSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		version, ok := strings.CutPrefix(s.Version, "GLIBC_")
		if ok && newer(version, maxGlibc) {
			t.Errorf("the program needs %s of %s, at most GLIBC_%s is promised", s.Name, s.Version, maxGlibc)
		}
	}
	if len(symbols) == 0 {
		t.Error("no imported symbols: this test looks at the wrong file")
	}
	if f.Section(".symtab") != nil || f.Section(".debug_info") != nil {
		t.Error("the program is not stripped")
	}
}

// newer compares versions such as 2.34 and 2.4.
func newer(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		m, errM := strconv.Atoi(x[i])
		n, errN := strconv.Atoi(y[i])
		if errM != nil || errN != nil {
			return true // no version known to be old enough
		}
		if m != n {
			return m > n
		}
	}
	return len(x) > len(y)
}

func TestNewer(t *testing.T) {
	for _, one := range []struct {
		a, b string
		want bool
	}{
		{"2.38", "2.34", true}, {"2.34", "2.34", false}, {"2.4", "2.34", false}, {"2.2.5", "2.34", false},
		{"2.34.1", "2.34", true}, {"3.0", "2.34", true}, {"PRIVATE", "2.34", true},
	} {
		if got := newer(one.a, one.b); got != one.want {
			t.Errorf("newer(%s, %s) = %v", one.a, one.b, got)
		}
	}
}

// script runs run.sh of the unpacked archive and returns its exit code and its summary.
func script(t *testing.T, env []string, steps ...string) (code int, summary string) {
	t.Helper()
	folder, _ := open(t)
	out := t.TempDir()
	cmd := exec.Command(filepath.Join(folder, "warpwright/run.sh"), steps...)
	cmd.Env = append(os.Environ(), append(env, "OUT="+out)...)
	text, err := cmd.CombinedOutput()
	t.Logf("%s", text)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	p, err := os.ReadFile(filepath.Join(out, "summary.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(p)
}

// TestNoGPU: a host without a GPU is a failure that says so, not a run on the CPU. CUDA_VISIBLE_DEVICES
// hides whatever this machine has.
func TestNoGPU(t *testing.T) {
	code, summary := script(t, []string{"WW_DEVICE=gpu", "CUDA_VISIBLE_DEVICES=", "COMPUTE_SANITIZER=/bin/false"}, "gpu", "memcheck", "containment", "twins", "bench", "gemm")
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	for _, step := range []string{"gpu", "memcheck", "containment", "twins", "bench", "gemm"} {
		if !strings.Contains(summary, fmt.Sprintf("FAILED %s ", step)) {
			t.Errorf("the summary has no failure of %s:\n%s", step, summary)
		}
	}
	if !strings.Contains(summary, "no GPU driver") && !strings.Contains(summary, "no device") {
		t.Errorf("the summary does not say what is missing:\n%s", summary)
	}
}

// TestOnCPU runs the steps that a machine without a GPU can run, through the same script.
func TestOnCPU(t *testing.T) {
	code, summary := script(t, []string{"WW_DEVICE=cpu"}, "bench")
	if code != 0 || !strings.Contains(summary, "ok     bench") {
		t.Errorf("exit code %d, summary:\n%s", code, summary)
	}
}

// TestContainment runs bad launches through the same script, on the emulator.
func TestContainment(t *testing.T) {
	emulator, err := filepath.Abs(os.Getenv("WW_TWINS_EMULATOR"))
	if err != nil {
		t.Fatal(err)
	}
	code, summary := script(t, []string{"WW_DEVICE=emu", "WW_EMU=" + emulator}, "containment")
	if code != 0 || !strings.Contains(summary, "ok     containment") || !strings.Contains(summary, "safe: 2 refused") {
		t.Errorf("exit code %d, summary:\n%s", code, summary)
	}
}

// TestGemm gives the talk and measures, through the same script, on the emulator.
func TestGemm(t *testing.T) {
	emulator, err := filepath.Abs(os.Getenv("WW_GEMM_EMULATOR"))
	if err != nil {
		t.Fatal(err)
	}
	code, summary := script(t, []string{"WW_DEVICE=emu", "WW_EMU=" + emulator}, "gemm")
	if code != 0 || !strings.Contains(summary, "ok     gemm") || !strings.Contains(summary, "48 a side: every access ") {
		t.Errorf("exit code %d, summary:\n%s", code, summary)
	}
}

func TestUnknownStep(t *testing.T) {
	if code, _ := script(t, nil, "benhc"); code != 2 {
		t.Errorf("exit code %d, want 2", code)
	}
}
