package main

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/internal/source"
	"github.com/warpwright/warpwright/tools/kernelspec/internal/emit"
	"github.com/warpwright/warpwright/tools/kernelspec/internal/family"
)

func TestRaw(t *testing.T) {
	dir := t.TempDir()
	args := []string{"--raw", "--family", "raw"}
	outs := map[string]string{"entries": "testdata/raw.entries.cu", "emu": "testdata/raw.emu.cc", "spec": "testdata/raw.spec.json"}
	for out := range outs {
		args = append(args, "--out-"+out, filepath.Join(dir, out))
	}
	if err := Run(t, append(args, "testdata/raw.cu")); err != nil {
		t.Fatal(err)
	}
	for out, name := range outs {
		golden(t, name, []byte(readFile(t, filepath.Join(dir, out))))
	}
	// The spec is one that the manifest's tools take.
	s, err := manifest.ReadSpec([]byte(readFile(t, filepath.Join(dir, "spec"))))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range s.Kernels {
		if !k.Raw || !strings.HasPrefix(k.Hash, manifest.RawHash) {
			t.Errorf("kernel %s: raw is %v, its hash %s", k.Name, k.Raw, k.Hash)
		}
	}
}

func TestRawCommandLine(t *testing.T) {
	for _, extra := range [][]string{{"--out-launchers", "x.go"}, {"--tiers", "testdata/tiers.json"}, {"--go-package", "x"}} {
		err := Run(t, append(append([]string{"--raw", "--family", "raw"}, extra...), "testdata/raw.cu"))
		if err == nil || !strings.Contains(err.Error(), "raw kernels have neither launchers, tiers nor obligations") {
			t.Errorf("%q: got %v", extra, err)
		}
	}
}

// generateRaw runs everything on one source.
func generateRaw(cu string) error {
	f, err := family.NewRaw("raw", []*source.File{source.NewFile("raw.cu", cu)})
	if err != nil {
		return err
	}
	spec, err := emit.Spec(f)
	if err != nil {
		return err
	}
	if _, err := manifest.ReadSpec(spec); err != nil {
		return err
	}
	emit.Entries(f)
	emit.Emulator(f, "raw.entries.cu")
	return nil
}

// TestRawRefusals: what --raw says of what it cannot read stands in testdata/refused_raw.txt.
func TestRawRefusals(t *testing.T) {
	cu := readFile(t, "testdata/raw.cu")
	var out bytes.Buffer
	for _, c := range [][3]string{
		{"template", `extern "C" __global__ void raw_fill`, "template <class T>\n__global__ void raw_fill"},
		{"template with a C name", `extern "C" __global__ void raw_fill`, "template <class T> __launch_bounds__(32) __global__ void raw_fill"},
		{"no extern C", `extern "C" WW_GLOBAL`, "WW_GLOBAL"},
		{"static", `extern "C" __global__ void raw_fill`, "static __global__ void raw_fill"},
		{"extern C block", `extern "C" __device__`, "extern \"C\" { } extern \"C\" __device__"},
		{"kernel in a macro", "namespace {", "#define KERNEL extern \"C\" __global__\nnamespace {"},
		{"kernel with a contract", "namespace {", "WW_KERNEL(block(32), grid(1))\nnamespace {"},
		{"structure by value", "int i,", "struct Shape i,"},
		{"structure by name", "int i,", "Shape i,"},
		{"vector by value", "int i,", "float4 i,"},
		{"pointer to a structure", "unsigned char* bytes", "Shape* bytes"},
		{"pointer to void", "unsigned char* bytes", "void* bytes"},
		{"pointer to char", "unsigned char* bytes", "char* bytes"},
		{"pointer to a pointer", "unsigned char* bytes", "float** bytes"},
		{"pointer to a const pointer", "unsigned char* bytes", "float* const* bytes"},
		{"reference", "unsigned char* bytes", "float& bytes"},
		{"template type", "unsigned char* bytes", "Span<float> bytes"},
		{"array", "unsigned char* bytes", "float bytes[4]"},
		{"size that depends on the system", "long long k", "unsigned long k"},
		{"bool", "int i", "bool i"},
		{"no name", "int i,", "int,"},
		{"no name behind a pointer", "unsigned char* bytes", "unsigned char*"},
		{"no type", "int i,", ","},
		{"default argument", "double d", "double d = 1"},
		{"parameter twice", "double d", "double i"},
		{"result", "void raw_none", "int raw_none"},
		{"no bounds", "2 * 32", ""},
		{"bounds that are no number", "2 * 32", "kThreads"},
		{"bounds too large", "2 * 32", "64 * 32"},
		{"bounds of nothing", "2 * 32", "0"},
		{"bounds twice", "void __launch_bounds__(128, 4)", "WW_GLOBAL(32) void __launch_bounds__(128, 4)"},
		{"kernel twice", "raw_none", "raw_all"},
		{"kernel of another family", "raw_none", "row_none"},
		{"name with capitals", "raw_none", "raw_None"},
		{"declaration", "raw_none() {}", "raw_none();"},
		{"body without an end", "raw_none() {}", "raw_none() {"},
		{"comment without an end", "/* No launch bounds. */", "/* No launch bounds."},
	} {
		if !strings.Contains(cu, c[1]) {
			t.Fatalf("%s: nothing to edit: %q", c[0], c[1])
		}
		err := generateRaw(strings.Replace(cu, c[1], c[2], 1))
		var at *source.Error
		if !errors.As(err, &at) {
			t.Errorf("%s: got %v, want an error with a place", c[0], err)
			continue
		}
		out.WriteString("# " + c[0] + "\n" + err.Error() + "\n\n")
	}
	golden(t, "testdata/refused_raw.txt", out.Bytes())
}

func TestRawMutations(t *testing.T) {
	cu := readFile(t, "testdata/raw.cu")
	r := rand.New(rand.NewPCG(9, 10))
	for range 5000 {
		text := mutate(r, cu)
		err := generateRaw(text)
		var at *source.Error
		if errors.As(err, &at) && (at.Offset < 0 || at.Offset > len(text)) {
			t.Fatalf("the error points outside the file: %d\n%s", at.Offset, text)
		}
		if err != nil && !errors.As(err, &at) {
			t.Fatalf("%v\nof\n%s", err, text)
		}
	}
}

func FuzzRaw(f *testing.F) {
	f.Add(readFile(f, "testdata/raw.cu"))
	f.Fuzz(func(t *testing.T, cu string) {
		err := generateRaw(cu)
		var at *source.Error
		if err != nil && (!errors.As(err, &at) || at.Offset < 0 || at.Offset > len(cu)) {
			t.Fatalf("%v", err)
		}
	})
}
