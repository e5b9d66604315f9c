package judge

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/audit"
	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/manifest"
)

func file(t *testing.T, name string) string {
	t.Helper()
	p, err := os.ReadFile("../rules/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(p)
}

// family is a family of some of the kernels in the rules' testdata, for sm_90.
func family(t *testing.T) Input {
	t.Helper()
	m := &manifest.Manifest{Schema: manifest.Schema, Spec: manifest.Spec{Schema: manifest.SpecSchema, Family: "box"}}
	add := func(k manifest.Kernel, params []manifest.EntryParam, f manifest.Facts) {
		k.Block, k.Source, f.Arch = [3]uint32{256, 1, 1}, "faults.cu", 90
		if k.Grid == [3]string{} {
			k.Grid = [3]string{"cdiv(M, block)", "1", "1"}
		}
		m.Spec.Kernels = append(m.Spec.Kernels, k)
		m.Spec.Entries = append(m.Spec.Entries, manifest.Entry{Name: k.Name, Kernel: k.Name, Types: map[string]string{"S": "8"}, Params: params})
		f.Entry = k.Name
		m.Facts = append(m.Facts, f)
	}
	add(manifest.Kernel{Name: "good_copy", Shared: "align(block * sizeof(tile), 16) + S", Params: []manifest.Param{{Name: "y", Kind: "buffer"}, {Name: "tile", Kind: "shared", Elem: "Acc<f16>"}}},
		[]manifest.EntryParam{{Name: "y", Type: "f32*", Size: 8}}, manifest.Facts{Registers: 32, Shared: 8})
	add(manifest.Kernel{Name: "bad_local", Exceptions: []manifest.Exception{{Rule: "local-memory", Reason: "a table"}}}, nil, manifest.Facts{Registers: 40, Stack: 256})
	sides := []manifest.Param{{Name: "nx", Kind: "dim", Extent: "X"}, {Name: "ny", Kind: "scalar"}, {Name: "nz", Kind: "scalar"}}
	add(manifest.Kernel{Name: "bad_box", Grid: [3]string{"cdiv(X, block)", "ny", "nz"}, Params: sides, Relations: []string{"X <= 1290", "ny < 1291", "fits32(nz * 1664616)"}, Unchecked: "it is old"},
		[]manifest.EntryParam{{Name: "y", Type: "f32*", Size: 8}, {Name: "nx", Type: "u32", Size: 4}, {Name: "ny", Type: "u32", Size: 4}, {Name: "nz", Type: "u32", Size: 4}}, manifest.Facts{Registers: 16})
	return Input{Manifest: m, PTX: map[int]string{90: file(t, "faults.ptx")}, SASS: map[int]string{90: file(t, "faults.sass")}}
}

func TestFamily(t *testing.T) {
	table, err := Family(family(t))
	if err != nil {
		t.Fatal(err)
	}
	if lines := table.Unexplained(); len(lines) > 0 {
		t.Errorf("unexplained: %v", lines)
	}
	mask, local := table.Rows[0], table.Rows[1]
	if mask.Shared != 8+1024+8 || mask.Blocks != 8 || mask.Threads != 256 || mask.Instructions < 5 || mask.Findings != nil {
		t.Errorf("got %+v", mask)
	}
	if len(local.Findings) != 1 || local.Findings[0].Rule != "local-memory" || local.Findings[0].Reason != "a table" || local.Local != 256 || local.Blocks != 6 {
		t.Errorf("got %+v", local)
	}
	if k := table.Kernels[2]; k.Unchecked != "it is old" {
		t.Errorf("got %+v", k)
	}
	for _, relation := range []string{"fits32(X * ny * nz)", "nz * ny * X <= 2147483648", "2147483648 > ny * nz * X", "X * ny * nz + 1 < 2147483647"} {
		in := family(t)
		in.Manifest.Spec.Kernels[2].Relations = []string{"fits32(X)", relation}
		if table, err := Family(in); err != nil || len(table.Unexplained()) > 0 {
			t.Errorf("%s is not enough: %v, %v", relation, err, table.Unexplained())
		}
	}
	p, err := table.Write()
	if err != nil {
		t.Fatal(err)
	}
	again, err := audit.Read(p)
	if err != nil || len(again.Rows) != 3 {
		t.Errorf("%v: %+v", err, again)
	}
}

// TestFindings plants what must be said.
func TestFindings(t *testing.T) {
	for _, c := range []struct {
		fault string
		plant func(in *Input)
		want  []string
	}{
		{"no exception", func(in *Input) { in.Manifest.Spec.Kernels[1].Exceptions = nil },
			[]string{"bad_local sm_90: local-memory: ", "256 bytes a thread"}},
		{"an exception for nothing", func(in *Input) {
			in.Manifest.Spec.Kernels[0].Exceptions = []manifest.Exception{{Rule: "trap", Reason: "once"}}
		},
			[]string{`good_copy: except(trap, "once"): no entry of the kernel breaks the rule on any architecture`}},
		{"a product that is bounded too high", func(in *Input) {
			in.Manifest.Spec.Kernels[2].Relations = []string{"fits32(X)", "X * ny * nz <= 2147483649"}
		}, []string{"bad_box sm_90: index32: "}},
		{"a product of two sides only", func(in *Input) { in.Manifest.Spec.Kernels[2].Relations = []string{"fits32(X)", "X * ny <= 65536"} },
			[]string{"bad_box sm_90: index32: "}},
		{"a relation less", func(in *Input) { in.Manifest.Spec.Kernels[2].Relations = in.Manifest.Spec.Kernels[2].Relations[1:] },
			[]string{"bad_box sm_90: index32: ", "at faults.cu:35, PTX line", "mad.lo.s32"}},
		{"a relation that is weaker by one", func(in *Input) { in.Manifest.Spec.Kernels[2].Relations[1] = "ny <= 1292" },
			[]string{"bad_box sm_90: index32: "}},
		{"a relation of other instances", func(in *Input) { in.Manifest.Spec.Kernels[2].Relations[0] += " where S: 4" },
			[]string{"bad_box sm_90: index32: "}},
		{"another block", func(in *Input) { in.Manifest.Spec.Kernels[0].Block = [3]uint32{64, 2, 1} },
			[]string{"good_copy sm_90: launch-bounds: its launch bounds are 256 threads; it is launched with block(64, 2, 1), which is 128"}},
		{"a buffer of no use", func(in *Input) {
			k, e := &in.Manifest.Spec.Kernels[1], &in.Manifest.Spec.Entries[1]
			k.Params = append(k.Params, manifest.Param{Name: "z", Kind: "buffer"})
			e.Params = append(e.Params, manifest.EntryParam{Name: "y", Type: "f32*", Size: 8}, manifest.EntryParam{Name: "a", Type: "u32", Size: 4},
				manifest.EntryParam{Name: "b", Type: "u32", Size: 4}, manifest.EntryParam{Name: "z", Type: "f32*", Size: 8})
		}, []string{"bad_local sm_90: unused-memory: its code does not touch buffer z"}},
		{"spills", func(in *Input) { in.Manifest.Facts[0].SpillLoads = 12 },
			[]string{"good_copy sm_90: spills: ptxas ran out of registers: 0 bytes of spill stores and 12 of spill loads a thread"}},
	} {
		in := family(t)
		c.plant(&in)
		table, err := Family(in)
		if err != nil {
			t.Errorf("%s: %v", c.fault, err)
			continue
		}
		text := strings.Join(table.Unexplained(), "\n")
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: want %q in %q", c.fault, want, text)
			}
		}
	}
}

func TestQuiet(t *testing.T) {
	in := family(t)
	in.Manifest.Spec.Kernels[0].Exceptions = []manifest.Exception{{Rule: "trap", Reason: "on another chip"}}
	in.Narrow = true
	table, err := Family(in)
	if err != nil || len(table.Unexplained()) > 0 {
		t.Errorf("not all architectures are there: %v, %v", err, table.Unexplained())
	}
	in = family(t)
	for i := range in.Manifest.Spec.Kernels {
		in.Manifest.Spec.Kernels[i] = manifest.Kernel{Name: in.Manifest.Spec.Kernels[i].Name, Raw: true}
	}
	if table, err = Family(in); err != nil || len(table.Unexplained()) > 0 {
		t.Errorf("raw kernels promise nothing: %v, %v", err, table.Unexplained())
	}
	if !slices.ContainsFunc(table.Rows, func(r audit.Row) bool { return len(r.Findings) > 0 }) {
		t.Error("what a raw kernel does is not said")
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		fault string
		plant func(in *Input)
		want  string
	}{
		{"no such rule", func(in *Input) { in.Manifest.Spec.Kernels[1].Exceptions[0].Rule = "locals" }, "kernel bad_local: except(locals, ...): there is no such rule; there are local-memory, spills"},
		{"no PTX", func(in *Input) { delete(in.PTX, 90) }, "image sm_90: its PTX is not given"},
		{"no listing", func(in *Input) { delete(in.SASS, 90) }, "image sm_90: its machine code is not given"},
		{"a listing too many", func(in *Input) { in.SASS[75] = in.SASS[90] }, "image sm_75: machine code is given, but the manifest has no facts of it"},
		{"PTX without an entry", func(in *Input) { in.PTX[90] = strings.ReplaceAll(in.PTX[90], "good_copy", "x") }, "entry good_copy: image sm_90: the PTX does not have it"},
		{"a listing without an entry", func(in *Input) { in.SASS[90] = strings.ReplaceAll(in.SASS[90], "good_copy", "x") }, "entry good_copy: image sm_90: the machine code does not have it"},
		{"PTX that is none", func(in *Input) { in.PTX[90] = "ret;" }, "image sm_90: ptx: line 1"},
		{"lines that are none", func(in *Input) { in.Lines = "ret;" }, "lines: ptx: line 1"},
		{"shared memory of what is not known", func(in *Input) { in.Manifest.Spec.Kernels[0].Shared = "M" }, "entry good_copy: image sm_90: shared memory M: M has no value"},
	} {
		in := family(t)
		c.plant(&in)
		if _, err := Family(in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.fault, err, c.want)
		}
	}
}

// TestKnown reads bounds off relations.
func TestKnown(t *testing.T) {
	for _, c := range []struct {
		relations []string
		name      string
		lo, hi    uint64
	}{
		{[]string{"M <= 100"}, "M", 0, 100},
		{[]string{"M < 100"}, "M", 0, 99},
		{[]string{"100 >= M"}, "M", 0, 100},
		{[]string{"100 > M"}, "M", 0, 99},
		{[]string{"M == 100"}, "M", 0, 100},
		{[]string{"M + 1024 <= 2147483647"}, "M", 0, 2147482623},
		{[]string{"M + K <= 100"}, "K", 0, 100},
		{[]string{"block * M <= 1000"}, "M", 0, 3},
		{[]string{"M * K <= 1000"}, "M", 0, unbounded}, // K may be 0
		{[]string{"M - 1 < 100"}, "M", 0, 100},
		{[]string{"max(M, K) <= 9"}, "K", 0, 9},
		{[]string{"min(M, K) <= 9"}, "K", 0, unbounded},
		{[]string{"cdiv(M, 16) <= 65535"}, "M", 0, 1048560},
		{[]string{"align(M, 16) <= 100"}, "M", 0, 100},
		{[]string{"fits32(M)"}, "M", 0, 2147483647},
		{[]string{"M <= K", "K <= 7"}, "M", 0, 7},
		{[]string{"M <= 7 where S: 4"}, "M", 0, unbounded},
		{[]string{"M <= 7 where S: 8"}, "M", 0, 7},
		{[]string{"M != 7", "len(x) >= M"}, "M", 0, unbounded},
		{nil, "S", 8, 8},
		{nil, "block", 256, 256},
		{nil, "block.y", 4, 4},
	} {
		f := known(&manifest.Kernel{Block: [3]uint32{64, 4, 1}, Relations: c.relations}, &manifest.Entry{Types: map[string]string{"S": "8", "W": "f32"}})
		if got := f.span(contract.Name(c.name)); got.lo != c.lo || got.hi != c.hi {
			t.Errorf("%v: %s is %+v, want %d to %d", c.relations, c.name, got, c.lo, c.hi)
		}
	}
}
