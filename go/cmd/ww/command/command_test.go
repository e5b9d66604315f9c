package command

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/bench"
	"github.com/warpwright/warpwright/go/csr"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/manifest"
)

var update = flag.Bool("update", false, "write the golden files anew instead of comparing with them")

// fatbins is another package's folder of test images.
const fatbins = "../../../fatbin/testdata/"

// transcript runs the program and returns all it said, as a terminal would show it.
func transcript(args ...string) string {
	var stdout, stderr bytes.Buffer
	code := Run(args, &stdout, &stderr)
	return fmt.Sprintf("$ ww %s\n%s--- stderr\n%s--- exit code %d\n", strings.Join(args, " "), &stdout, &stderr, code)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if got != string(want) {
		t.Errorf("differs from %s:\n--- got\n%s--- want\n%s", file, got, want)
	}
}

func TestGolden(t *testing.T) {
	t.Setenv(device.EnvImages, "")
	t.Setenv(device.EnvDevice, "")
	for _, one := range []struct {
		name string
		args []string
	}{
		{"nothing", nil},
		{"help", []string{"--help"}},
		{"help_inspect", []string{"help", "inspect"}},
		{"help_info", []string{"info", "-h"}},
		{"help_doctor", []string{"doctor", "--help"}},
		{"unknown", []string{"inspcet"}},
		{"unknown_far", []string{"xyzzy"}},
		{"flag_first", []string{"-json", "info"}},
		{"flag_unknown", []string{"info", "-jsno"}},
		{"too_many", []string{"info", "here"}},
		{"inspect_none", []string{"inspect"}},
		{"inspect_missing", []string{"inspect", "testdata/there_is_none.fatbin"}},
		{"inspect_other", []string{"inspect", "cli.go"}},
		{"inspect_fatbin", []string{"inspect", fatbins + "shipped.fatbin"}},
		{"inspect_arch", []string{"inspect", fatbins + "shipped.fatbin", "-arch", "90"}},
		{"inspect_no_arch", []string{"inspect", "-arch=89", fatbins + "shipped.fatbin"}},
		{"inspect_bad_arch", []string{"inspect", "-arch=hopper", fatbins + "shipped.fatbin"}},
		{"inspect_zstd", []string{"inspect", fatbins + "zstd.fatbin"}},
		{"inspect_json", []string{"inspect", "-json", "--", fatbins + "sm_90.cubin"}},
		{"help_audit", []string{"audit", "--help"}},
		{"audit_calm", []string{"audit", "testdata/calm.audit.json"}},
		{"audit_findings", []string{"audit", "testdata/calm.audit.json", "testdata/audits"}},
		{"audit_entries", []string{"audit", "-entries", "testdata/audits/mesh.audit.json"}},
		{"audit_json", []string{"audit", "-json", "testdata/calm.audit.json"}},
		{"audit_images", []string{"audit", "-images", "testdata/audits"}},
		{"audit_nothing", []string{"audit"}},
		{"audit_no_table", []string{"audit", "."}},
		{"audit_missing", []string{"audit", "testdata/there_is_none.audit.json"}},
		{"audit_later", []string{"audit", "testdata/later.audit.json"}},
		{"help_prove", []string{"prove", "--help"}},
		{"prove_all", []string{"prove", "testdata/calm.proof.json"}},
		{"prove_owed", []string{"prove", "-owed", "testdata/calm.proof.json"}},
		{"prove_lemmas", []string{"prove", "-lemmas", "testdata/calm.proof.json"}},
		{"prove_open", []string{"prove", "testdata/calm.proof.json", "testdata/proofs"}},
		{"prove_entries", []string{"prove", "-entries", "testdata/proofs/weak.proof.json"}},
		{"prove_json", []string{"prove", "-json", "testdata/calm.proof.json"}},
		{"prove_images", []string{"prove", "-images", "testdata/proofs"}},
		{"prove_nothing", []string{"prove"}},
		{"prove_no_table", []string{"prove", "."}},
		{"prove_later", []string{"prove", "testdata/later.audit.json"}},
		{"help_mul", []string{"mul", "--help"}},
		{"help_bench", []string{"bench"}},
		{"help_bench_csr", []string{"bench", "csr", "-h"}},
		{"help_bench_gemm", []string{"bench", "gemm", "-h"}},
		{"help_tune_csr", []string{"help", "tune", "csr"}},
		{"help_tune_gemm", []string{"help", "tune", "gemm"}},
		{"bench_unknown", []string{"bench", "crs"}},
		{"bench_entries", []string{"bench", "csr", "-device", "cpu", "-entries", "2,x"}},
		{"bench_rows", []string{"bench", "csr", "-device", "cpu", "-rows", "-3"}},
		{"bench_sides", []string{"bench", "gemm", "-device", "cpu", "-sides", "2,x"}},
		{"bench_output", []string{"bench", "gemm", "-device", "cpu", "-sides", "40000", "-o", "no/such/report.json"}},
		{"bench_side", []string{"bench", "gemm", "-device", "cpu", "-sides", "40000"}},
		{"tune_cpu", []string{"tune", "csr", "-device", "cpu", "-rows", "9", "-entries", "2", "-repeat", "1"}},
		{"tune_gemm_cpu", []string{"tune", "gemm", "-device", "cpu"}},
		{"mul_none", []string{"mul"}},
		{"mul_missing", []string{"mul", "testdata/there_is_none.mtx"}},
		{"mul_broken", []string{"mul", "testdata/broken.mtx"}},
		{"mul_dtype", []string{"mul", "-dtype", "f8", "testdata/square.mtx"}},
		{"mul_device", []string{"mul", "-device", "tpu", "testdata/square.mtx"}},
		{"mul_seed", []string{"mul", "-x", "random:one", "testdata/square.mtx"}},
		{"mul_x_short", []string{"mul", "-x", "testdata/short.txt", "testdata/square.mtx"}},
		{"mul_x_long", []string{"mul", "-x", "testdata/long.txt", "testdata/square.mtx"}},
		{"mul_x_word", []string{"mul", "-x", "testdata/broken.mtx", "testdata/square.mtx"}},
		{"mul_too_large", []string{"mul", "-dtype", "f16", "testdata/large.mtx"}},
		{"images_missing", []string{"info", "-images", "testdata/there_is_none"}},
		{"images_empty", []string{"info", "-images", "testdata", "-json"}},
	} {
		t.Run(one.name, func(t *testing.T) {
			got := transcript(one.args...)
			if i := strings.Index(got, `  "devices": [`); i >= 0 {
				// What the machine has is not the test's business.
				j := strings.Index(got, "\n  ],\n")
				got = got[:i] + `  "devices": [...` + got[j:]
			}
			golden(t, one.name, cores.ReplaceAllString(got, "Go on N cores"))
		})
	}
}

// cores is how many this machine has.
var cores = regexp.MustCompile(`Go on [0-9]+ cores?`)

// TestInfo checks what info says of the machine, which no golden file can.
func TestInfo(t *testing.T) {
	t.Setenv(device.EnvImages, "")
	var stdout, stderr bytes.Buffer
	if code := Run([]string{"info", "--json"}, &stdout, &stderr); code != exitOK {
		t.Fatalf("exit code %d, stderr: %s", code, &stderr)
	}
	var r infoReport
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	for _, d := range r.Devices {
		if d.Kind == device.CPU && d.Absent == "" && d.Multiprocessors > 0 {
			return
		}
	}
	t.Errorf("there is no CPU among the devices: %s", &stdout)
}

// TestInfoOfVariants puts a manifest with a variant beside images, and reads of it.
func TestInfoOfVariants(t *testing.T) {
	data, err := os.ReadFile(fatbins + "shipped.fatbin")
	if err != nil {
		t.Fatal(err)
	}
	m := &manifest.Manifest{Schema: manifest.Schema, Spec: manifest.Spec{
		Schema: manifest.SpecSchema, Family: "f",
		Kernels: []manifest.Kernel{{Name: "f_k", Hash: "1", Relations: []string{}, Prefers: []manifest.Prefer{{Name: "once", Facts: []manifest.Fact{
			{Text: "once(M, block)", Relations: []string{"grid.x * block >= M"}},
			{Text: "fits32(M)", Relations: []string{"M + 1024 <= 2147483647"}},
		}}}}},
		Entries: []manifest.Entry{{Name: "f_k", Kernel: "f_k"}, {Name: "f_k_once", Kernel: "f_k", Prefer: "once"}},
	}}
	text, err := m.Write()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, data := range map[string][]byte{"f.fatbin": data, "f.manifest.json": text} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	if code := Run([]string{"info", "-images", folder}, &stdout, &stderr); code != exitOK {
		t.Fatalf("exit code %d, stderr: %s", code, &stderr)
	}
	if want := "\nVariants in f, which a launch takes that keeps their facts:\n  f_k_once: once(M, block), fits32(M)\n"; !strings.Contains(stdout.String(), want) {
		t.Errorf("got %s\nwant %s", &stdout, want)
	}
}

// TestMul multiplies in every type and both directions, and reads what was written.
func TestMul(t *testing.T) {
	t.Setenv(device.EnvDevice, "cpu")
	for _, one := range []struct {
		args []string
		want string // y
	}{
		{nil, "3\n-1\n0.5\n"},
		{[]string{"-t"}, "-1\n1\n2.5\n"},
		{[]string{"-dtype", "f64", "-x", "testdata/x.txt"}, "11\n-2\n1.5\n"},
		{[]string{"-dtype", "f16", "-t", "-x", "testdata/x.txt"}, "-5\n2\n5.5\n"},
		{[]string{"-dtype", "bf16", "-x", "testdata/x.txt", "-json"}, "11\n-2\n1.5\n"},
	} {
		out := filepath.Join(t.TempDir(), "y.txt")
		var stdout, stderr bytes.Buffer
		if code := Run(append([]string{"mul", "testdata/square.mtx", "-o", out}, one.args...), &stdout, &stderr); code != exitOK {
			t.Errorf("%q: exit code %d: %s", one.args, code, &stderr)
			continue
		}
		if got, err := os.ReadFile(out); err != nil || string(got) != one.want {
			t.Errorf("%q: y is %q, want %q (error %v)", one.args, got, one.want, err)
		}
		for _, want := range []string{"3 x 3", "Go on"} {
			if !strings.Contains(stdout.String(), want) {
				t.Errorf("%q: the summary has no %q:\n%s", one.args, want, &stdout)
			}
		}
	}
}

// TestBench runs the benchmark through the command line and reads its report.
func TestBench(t *testing.T) {
	t.Setenv(device.EnvDevice, "cpu")
	out := filepath.Join(t.TempDir(), "report.json")
	var stdout, stderr bytes.Buffer
	if code := Run([]string{"bench", "csr", "-rows", "50", "-entries", "1,3", "-repeat", "2", "-o", out}, &stdout, &stderr); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	if !strings.Contains(stdout.String(), "entries/row") || !strings.Contains(stderr.String(), "... gather") {
		t.Errorf("stdout:\n%sstderr:\n%s", &stdout, &stderr)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Cases []struct{ Ours []struct{ Name string } }
	}
	if err := json.Unmarshal(text, &r); err != nil || len(r.Cases) != 8 || len(r.Cases[0].Ours) != 1 {
		t.Errorf("the report has %d cases, error %v", len(r.Cases), err)
	}
}

// TestBenchGemm does the same for products of dense matrices.
func TestBenchGemm(t *testing.T) {
	t.Setenv(device.EnvDevice, "cpu")
	out := filepath.Join(t.TempDir(), "report.json")
	var stdout, stderr bytes.Buffer
	if code := Run([]string{"bench", "gemm", "-sides", "7,33", "-repeat", "2", "-o", out}, &stdout, &stderr); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	if !strings.Contains(stdout.String(), "GFLOP/s") || !strings.Contains(stderr.String(), "... 33 a side: Go") {
		t.Errorf("stdout:\n%sstderr:\n%s", &stdout, &stderr)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Cases []struct{ Ways []struct{ Name string } }
	}
	if err := json.Unmarshal(text, &r); err != nil || len(r.Cases) != 2 || len(r.Cases[0].Ways) != 1 {
		t.Errorf("the report has %d cases, error %v", len(r.Cases), err)
	}
}

// plant makes a root folder for the doctor to look at. A name that ends in / is a folder.
func plant(t *testing.T, files map[string]string) string {
	root := t.TempDir()
	for name, content := range files {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestDoctor(t *testing.T) {
	t.Setenv(device.EnvImages, "")
	card := map[string]string{
		"sys/bus/pci/devices/0000:01:00.0/vendor": "0x10de\n",
		"sys/bus/pci/devices/0000:01:00.0/class":  "0x030200\n",
	}
	driven := map[string]string{
		"proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64  Kernel Module  580.95.05\nGCC version: x\n",
		"dev/nvidia0":                "", "dev/nvidiactl": "", "dev/nvidia-uvm": "",
		"etc/ld.so.conf.d/nvidia.conf":  "# NVIDIA\n/opt/nvidia/lib\n",
		"opt/nvidia/lib/libcuda.so.1":   "",
		"sys/bus/pci/devices/0/vendor":  "0x8086\n",
		"sys/bus/pci/devices/0/class":   "0x030000\n",
		"sys/bus/pci/devices/00/vendor": "0x10de\n", // NVIDIA's, but a sound device
		"sys/bus/pci/devices/00/class":  "0x040300\n",
	}
	h200 := []device.Info{{Kind: device.GPU, Name: "NVIDIA H200", Arch: 90, Driver: "13.0"}}
	for _, one := range []struct {
		name string
		root []map[string]string
		gpus []device.Info
		err  error
	}{
		{"bare", nil, nil, fmt.Errorf("libcuda.so.1: %w", device.ErrNoDriver)},
		{"container", []map[string]string{card, {".dockerenv": ""}}, nil, fmt.Errorf("libcuda.so.1: %w", device.ErrNoDriver)},
		{"no_card", []map[string]string{driven}, nil, device.ErrNoDevice},
		{"no_images", []map[string]string{card, driven}, h200, nil},
	} {
		t.Run(one.name, func(t *testing.T) {
			files := map[string]string{}
			for _, more := range one.root {
				for name, content := range more {
					files[name] = content
				}
			}
			m := machine{
				root: plant(t, files),
				env:  func(string) string { return "" },
				gpus: func(context.Context, []device.Option) ([]device.Info, error) { return one.gpus, one.err },
			}
			d := m.examine(t.Context(), &deviceChoice{})
			if d.Usable {
				t.Error("a GPU can be used, it says")
			}
			var text bytes.Buffer
			if err := d.text(&text); err != nil {
				t.Fatal(err)
			}
			golden(t, "doctor_"+one.name, text.String())
		})
	}
}

func TestNearest(t *testing.T) {
	names := []string{"info", "inspect", "mul", "bench", "tune", "doctor"}
	for typed, want := range map[string]string{
		"ifno": "info", "docter": "doctor", "mull": "mul", "bnech": "bench", "xyzzy": "", "": "", "m": "", "inspekt": "inspect",
	} {
		if got := nearest(typed, names); got != want {
			t.Errorf("nearest(%q) = %q, want %q", typed, got, want)
		}
	}
}

// TestMutate hands its arguments, all of them, to another program, and says where one can come from.
func TestMutate(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho got \"$@\"\necho no >&2\ntest \"$1\" = --help\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("WW_MUTATE", program)
	var stdout, stderr bytes.Buffer
	if code := Run([]string{"mutate", "--help"}, &stdout, &stderr); code != exitOK || stdout.String() != "got --help\n" {
		t.Errorf("got %d, %q", code, stdout.String())
	}
	stderr.Reset()
	if code := Run([]string{"mutate", "--n", "3"}, &stdout, &stderr); code != exitFailed || stderr.String() != "no\n" {
		t.Errorf("got %d, %q", code, stderr.String())
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexit 2\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if code := Run([]string{"mutate", "--what"}, &stdout, &stderr); code != exitUsage {
		t.Errorf("wrong usage of the program: got %d, want %d", code, exitUsage)
	}
	t.Setenv("WW_MUTATE", "")
	t.Setenv("PATH", dir)
	t.Chdir(dir)
	stderr.Reset()
	if code := Run([]string{"mutate"}, &stdout, &stderr); code != exitFailed || !strings.Contains(stderr.String(), "run it in a checkout") {
		t.Errorf("got %d, %q", code, stderr.String())
	}
}

// A tier table is of a GPU's times, though the emulator runs the same kernels.
func TestTunable(t *testing.T) {
	for kind, want := range map[device.Kind]bool{device.CPU: false, device.Emu: false, device.GPU: true} {
		if err := tunable(&device.Info{Kind: kind, Name: "it", Arch: 90}); (err == nil) != want {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// A tier table's measurements are kept where -report says, the table's own failure notwithstanding.
func TestTuneReport(t *testing.T) {
	measured := &bench.Report{Device: bench.Device{Kind: "gpu", Name: "a GPU", Arch: 90}}
	for at, ways := range map[csr.Direction][]csr.Tier{csr.Gather: csr.Tiers(csr.Gather)[:2], csr.Scatter: csr.Tiers(csr.Scatter)[:1]} {
		c := bench.Case{Direction: at, PerRow: 3}
		for i, tier := range ways {
			c.Ours = append(c.Ours, bench.Measured{Name: tier.String(), Tier: tier, Entry: "an entry", Figures: bench.Figures{Median: float64(2 - i)}})
		}
		measured.Cases = append(measured.Cases, c)
	}
	tune := func(file string) (string, error) {
		f := flag.NewFlagSet("tune", flag.ContinueOnError)
		run := tuneSetup(func(*flag.FlagSet, bool) func(*invocation) (report, error) {
			return func(*invocation) (report, error) { return measured, nil }
		})(f)
		if err := f.Parse([]string{"-report", file, "-source", "somebody"}); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		table, err := run(&invocation{ctx: t.Context(), stderr: &out}, nil)
		if err == nil {
			err = table.text(&out)
		}
		return out.String(), err
	}
	file := filepath.Join(t.TempDir(), "report.json")
	for _, arch := range []int{90, 0} {
		measured.Device.Arch = arch
		table, err := tune(file)
		if arch == 0 != (err != nil) {
			t.Errorf("sm_%d: %v", arch, err)
		}
		if want := `{"from": 0, "kernel": "csr_mv_group", "types": {"S": "4"}}`; err == nil && (!strings.Contains(table, want) || !strings.Contains(table, "somebody")) {
			t.Errorf("the table is\n%s", table)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got bench.Report
		if err := json.Unmarshal(text, &got); err != nil || got.Device.Arch != arch || len(got.Cases) != 2 || got.Cases[0].Ours[0].Entry != "an entry" {
			t.Errorf("sm_%d: the report is %s, %v", arch, text, err)
		}
	}
	if _, err := tune(filepath.Join(file, "none")); err == nil {
		t.Error("a report that cannot be written")
	}
}
