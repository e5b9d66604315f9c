package join

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/manifest"
)

func load(t *testing.T, name string) []byte {
	t.Helper()
	p, err := os.ReadFile(filepath.Join("..", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func pair(t *testing.T) Input {
	t.Helper()
	spec, err := manifest.ReadSpec(load(t, "pair.spec.json"))
	if err != nil {
		t.Fatal(err)
	}
	return Input{
		Spec:   spec,
		Cubins: map[int][]byte{75: load(t, "pair.75.cubin"), 90: load(t, "pair.90.cubin")},
		Logs:   map[int]string{75: string(load(t, "pair.75.log")), 90: string(load(t, "pair.90.log"))},
		Fatbin: load(t, "pair.fatbin"),
	}
}

// TestFaults plants each disagreement; the message names entry, image, rule and
// both values.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		fault string
		plant func(in *Input)
		want  string
	}{
		{"a parameter of another size", func(in *Input) { in.Spec.Entries[0].Params[1].Size = 8 },
			"entry add_f32: image sm_75: parameter 1 (a) is 4 bytes at 8; its signature has float, 8 bytes at 8"},
		{"a parameter elsewhere", func(in *Input) { in.Spec.Entries[1].Params[3].Offset = 32 },
			"entry add_f64: image sm_90: parameter 3 (y) is 8 bytes at 24; its signature has double*, 8 bytes at 32"},
		{"a parameter of another size in ptx", func(in *Input) { in.Spec.Entries[0].Params[1].Size = 8 },
			"entry add_f32: image compute_75: parameter 1 (a) has 4 bytes; its signature has float, 8 bytes"},
		{"a parameter less", func(in *Input) { in.Spec.Entries[2].Params = in.Spec.Entries[2].Params[:1] },
			"entry late: image sm_90: it has 2 parameters; its signature has 1"},
		{"an entry that is not compiled", func(in *Input) {
			e := in.Spec.Entries[0]
			e.Name = "add_f16"
			in.Spec.Entries = append(in.Spec.Entries, e)
		}, "entry add_f16: image sm_75: the image does not have it, though kernel add is declared for it"},
		{"an entry that is not compiled to ptx", func(in *Input) {
			e := in.Spec.Entries[0]
			e.Name = "add_f16"
			in.Spec.Entries = append(in.Spec.Entries, e)
		}, "entry add_f16: image compute_75: the image does not have it"},
		{"a raw __global__", func(in *Input) { in.Spec.Entries = in.Spec.Entries[1:] },
			"entry add_f32: image sm_90: no WW_KERNEL declares it: a raw __global__"},
		{"an entry for fewer chips than declared", func(in *Input) { in.Spec.Kernels[1].Archs = nil },
			"entry late: image sm_75: the image does not have it"},
		{"an entry for more chips than declared", func(in *Input) { in.Spec.Kernels[0].Archs = []string{"sm_90"} },
			"entry add_f64: image sm_75: kernel add is declared for [sm_90] only"},
		{"another block", func(in *Input) { in.Spec.Kernels[0].Block = [3]uint32{16, 16, 1} },
			"entry add_f32: image sm_75: its launch bounds are 128 threads; kernel add has block(16, 16, 1), which is 256"},
		{"a raw kernel with other launch bounds", func(in *Input) {
			in.Spec.Kernels[0].Raw, in.Spec.Kernels[0].Block = true, [3]uint32{64, 1, 1}
		}, "entry add_f32: image sm_90: its launch bounds are 128 threads; those of its source are 64"},
		{"a report of another chip", func(in *Input) { in.Logs[75] = in.Logs[90] },
			"entry add_f32: image sm_75: the ptxas report is of sm_90"},
		{"a report of another run", func(in *Input) {
			in.Logs[90] = strings.Replace(in.Logs[90], "Used 10 registers", "Used 11 registers", 1)
		},
			"entry late: image sm_90: the ptxas report has 11 registers, the cubin 10"},
		{"a report with another frame", func(in *Input) {
			in.Logs[75] = strings.Replace(in.Logs[75], "    0 bytes stack frame", "    16 bytes stack frame", 1)
		}, "entry add_f64: image sm_75: the ptxas report has 16 bytes of stack frame, the cubin 0"},
		{"a report with shared memory", func(in *Input) {
			in.Logs[75] = strings.Replace(in.Logs[75], "used 0 barriers", "used 0 barriers, 64 bytes smem", 1)
		}, "entry add_f64: image sm_75: the ptxas report has 64 bytes of static shared memory, the cubin 0"},
		{"a report without an entry", func(in *Input) { in.Logs[75] = strings.ReplaceAll(in.Logs[75], "add_f32", "add_x") },
			"entry add_f32: image sm_75: the ptxas report does not have it"},
		{"a report with another entry", func(in *Input) { in.Logs[75] = strings.ReplaceAll(in.Logs[75], "add_f32", "add_x") },
			"entry add_x: image sm_75: the ptxas report has it, but the cubin does not"},
		{"a report without its cubin", func(in *Input) { in.Logs[86] = in.Logs[75] },
			"image sm_86: there is a ptxas report of it, but no cubin"},
		{"cubins exchanged", func(in *Input) { in.Cubins[75], in.Cubins[90] = in.Cubins[90], in.Cubins[75] },
			"image sm_75: the cubin given for it is for sm_90"},
		{"a fatbin of another build", func(in *Input) {
			b := append([]byte(nil), in.Fatbin...)
			b[16+64+5096-1] ^= 1 // the last byte of the first image
			in.Fatbin = b
		}, "image sm_75: the fatbin's has 5096 bytes and is not the cubin given, of 5096 bytes"},
		{"an image without its cubin", func(in *Input) { delete(in.Cubins, 75); delete(in.Logs, 75) },
			"image sm_75: the fatbin has it, but no cubin is given"},
	} {
		in := pair(t)
		c.plant(&in)
		_, err := Join(in)
		var faults manifest.Faults
		if !errors.As(err, &faults) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v\nwant %s", c.fault, err, c.want)
		}
	}
}

func TestFiles(t *testing.T) {
	for _, c := range []struct {
		fault string
		plant func(in *Input)
		want  string
	}{
		{"a compressed image", func(in *Input) { in.Fatbin = load(t, "packed.fatbin") }, "image sm_75: it is compressed with zstd"},
		{"a fatbin with less", func(in *Input) { in.Fatbin = load(t, "odd.fatbin") }, "image sm_75: a cubin is given, but the fatbin does not have it"},
		{"no report", func(in *Input) { delete(in.Logs, 90) }, "image sm_90: there is no ptxas report"},
		{"a broken report", func(in *Input) { in.Logs[90] = strings.ReplaceAll(in.Logs[90], "Used", "Wants") }, "does not say how many registers"},
		{"a cut cubin", func(in *Input) { in.Cubins[90] = in.Cubins[90][:100] }, "image sm_90: cubin: at byte"},
		{"a cut fatbin", func(in *Input) { in.Fatbin = in.Fatbin[:100] }, "fatbin: at byte"},
	} {
		in := pair(t)
		c.plant(&in)
		if _, err := Join(in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v\nwant %s", c.fault, err, c.want)
		}
	}
}

// TestOdd is a source with the faults in it.
func TestOdd(t *testing.T) {
	in := pair(t)
	in.Cubins = map[int][]byte{90: load(t, "odd.90.cubin")}
	in.Logs = map[int]string{90: string(load(t, "odd.90.log"))}
	in.Fatbin = load(t, "odd.fatbin")
	_, err := Join(in)
	for _, want := range []string{
		"entry add_f32: image sm_90: parameter 0 (n) is 4 bytes at 0; its signature has unsigned long long, 8 bytes at 0",
		"entry add_f32: image sm_90: its launch bounds are 256 threads; kernel add has block(128, 1, 1), which is 128",
		"entry add_f32: image sm_90: it declares 16 bytes of static shared memory",
		"entry stray: image sm_90: no WW_KERNEL declares it",
		"entry add_f64: image sm_90: the image does not have it",
		"entry stray: image compute_90: no WW_KERNEL declares it",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

// TestSpills has a kernel and a function that it calls, whose spills count too.
func TestSpills(t *testing.T) {
	spec := &manifest.Spec{
		Schema: manifest.SpecSchema, Family: "spills",
		Kernels: []manifest.Kernel{{Name: "spills", Block: [3]uint32{32, 32, 1}, Hash: "00"}},
		Entries: []manifest.Entry{{Name: "spills", Kernel: "spills", Params: []manifest.EntryParam{{Name: "x", Size: 8}, {Name: "y", Offset: 8, Size: 8}}}},
	}
	m, err := Join(Input{spec, map[int][]byte{90: load(t, "spills.90.cubin")}, map[int]string{90: string(load(t, "spills.90.log"))}, load(t, "spills.fatbin")})
	if err != nil {
		t.Fatal(err)
	}
	f := m.Facts[0]
	if f.SpillStores != 368+136 || f.SpillLoads != 368+164 || f.Stack != 440 || f.Registers != 32 || f.MaxThreads != 1024 {
		t.Errorf("facts are %+v", f)
	}
}

func TestPTX(t *testing.T) {
	got, err := parsePTX(`
// .globl	big
.visible .entry big(
	.param .u64 .ptr .align 1 big_param_0,
	.param .align 8 .b8 big_param_1[20000],
	.param .f16 big_param_2,
	.param .s8 big_param_3
)
.maxntid 256
{
	ret;
}
.entry none()
{ ret; }
`)
	if err != nil || len(got) != 2 || got[0].name != "big" || got[1].name != "none" || len(got[1].sizes) != 0 {
		t.Fatalf("%v, %v", got, err)
	}
	if s := got[0].sizes; len(s) != 4 || s[0] != 8 || s[1] != 20000 || s[2] != 2 || s[3] != 1 {
		t.Errorf("sizes are %v", s)
	}
	for _, text := range []string{
		".entry", ".entry ", ".entry a b()", ".entry a {", ".entry a(.param .u64 x", ".entry a(u64 x)", ".entry a(.param .x y)", ".entry a(.param .b8 y[z])", ".entry a(.param .b8 y[0])",
	} {
		if got, err := parsePTX(text + " "); err == nil {
			t.Errorf("%q gives %v", text, got)
		}
	}
}
