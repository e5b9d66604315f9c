package decide

import (
	"context"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/proof"
	"github.com/warpwright/warpwright/tools/internal/obligations"
	"github.com/warpwright/warpwright/tools/prove/arith"
	"github.com/warpwright/warpwright/tools/prove/judge"
	"github.com/warpwright/warpwright/tools/prove/owed"
	"github.com/warpwright/warpwright/tools/prove/smt"
	"github.com/warpwright/warpwright/tools/prove/smt/smttest"
)

// blocks is an obligation that holds of every entry: what is found all the same, the emulator has found by itself.
const blocks = "a block has at most 1024 threads"

// decided is an entry of the twins with what is undecided of it, and what must become of that.
type decided struct {
	entry  string
	open   string
	break_ func(e *obligations.Entry)
	want   proof.Verdict
	says   string // a regular expression
}

func cases() []decided {
	return []decided{
		{"twin_csr_warp_f32", "len(y) >= M", nil, proof.Decided, `^len\(y\) >= M: too hard; it holds at (\d+) of (\d+) shapes chosen to break it, and the emulator, which ran the entry at \d+ of these, found nothing$`},
		{"twin_saxpy_f32", "len(y) >= N", checks("len(y) >= N", "len(y) + 1 >= N"), proof.Refuted,
			`^len\(y\) >= N: the contract admits N = 257, gridDim.x = 2, len\(y\) = 256: block \(1, 0, 0\), thread \(0, 0, 0\) reads and writes y\[256\]: ` +
				`emu: AddressSanitizer: heap-buffer-overflow in twin_saxpy_f32 .* block \(1, 0, 0\), thread \(0, 0, 0\), lane 0, at tests/twins/safe.cu:12: READ of size 4 is located 0 bytes after 1024-byte region$`},
		{"twin_saxpy_f32_full", blocks, checks("min(cdiv(N, block), 32 * sms) * block == N", "0 == 0"), proof.Refuted,
			`^a block has at most 1024 threads: the contract admits N = \d+,.*: emu: AddressSanitizer: heap-buffer-overflow in twin_saxpy_f32_full`},
		{"twin_csr_thread_f32", blocks, checks("cols.N == rows.N", "0 == 0"), proof.Refuted,
			`^a block has .*len\(cols\) = 0.*: emu: .* in twin_csr_thread_f32 `},
		{"twin_saxpy4_f32", blocks, func(e *obligations.Entry) {
			for i := range e.Params {
				if a := e.Params[i].Argument; a != nil {
					a.Align = 4
				}
			}
		}, proof.Refuted, `^a block has .*: emu: UndefinedBehaviorSanitizer: .*misaligned`},
		{"twin_saxpy_f32_once", judge.Possible, nil, proof.Proved, ""},
		{"twin_csr_warp_f32_once", "len(y) >= M", checks("len(x) >= K", "len(x) >= K + 1000000"), proof.Undecided, `^len\(y\) >= M: too hard; it holds at [1-9]\d* of [1-9]\d* shapes .* at 0 of these, found nothing$`},
		{"twin_csr_thread_f32_once", judge.Possible, checks("len(x) >= K", "len(x) + 1 <= 0"), proof.Undecided, `^some launch keeps the contract: too hard; at none of \d\d+ sizes that were tried is a launch known that keeps the contract$`},
		{"twin_csr_warp_f32_full", proof.Lemmas, nil, proof.Undecided, `^lemmas: too hard$`},
	}
}

// checks replaces a relation.
func checks(old, text string) func(*obligations.Entry) {
	return func(e *obligations.Entry) {
		for i := range e.Checked {
			if e.Checked[i].Text == old {
				e.Checked[i].Text = text
			}
		}
	}
}

// twins makes the tools, at the root of the repository, and reads what the twins owe.
func twins(t *testing.T) (*Tools, *obligations.File) {
	t.Helper()
	d := &Tools{Z3: smttest.Path(t), Kernelspec: os.Getenv("KERNELSPEC"), CXX: "g++", Root: ".", Includes: []string{"cuda/include"}, Sources: []string{"tests/twins/safe.cu"}}
	dir := t.TempDir()
	if d.Kernelspec == "" {
		t.Chdir(filepath.Join("..", "..", ".."))
		d.Kernelspec = filepath.Join(dir, "kernelspec")
		if text, err := exec.Command("go", "build", "-o", d.Kernelspec, "./tools/kernelspec").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	owed := filepath.Join(dir, "obligations.json")
	if text, err := exec.Command(d.Kernelspec, "--family", "twin", "--include", "cuda/include", "--out-obligations", owed, d.Sources[0]).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	p, err := os.ReadFile(owed)
	if err != nil {
		t.Fatal(err)
	}
	f, err := obligations.Read(p)
	if err != nil {
		t.Fatal(err)
	}
	return d, f
}

func TestTable(t *testing.T) {
	d, f := twins(t)
	table := &proof.Table{Schema: proof.Schema, Family: f.Family}
	for _, c := range cases() {
		i := slices.IndexFunc(f.Entries, func(e obligations.Entry) bool { return e.Name == c.entry })
		if i < 0 {
			t.Fatalf("no entry %s", c.entry)
		}
		e := &f.Entries[i]
		if c.break_ != nil {
			before, err := f.Write()
			if err != nil {
				t.Fatal(err)
			}
			c.break_(e)
			if after, err := f.Write(); err != nil || string(after) == string(before) {
				t.Fatalf("%s: nothing is broken: %v", c.entry, err)
			}
		}
		r := proof.Row{Entry: e.Name, Kernel: e.Kernel, Verdict: proof.Proved}
		r.Fail(proof.Failure{Name: c.open, Verdict: proof.Undecided, Says: c.open + ": too hard"})
		table.Rows = append(table.Rows, r)
	}
	table.Rows = append(table.Rows, proof.Row{Entry: "twin_other", Verdict: proof.Proved})
	if err := d.Table(context.Background(), table, f); err != nil {
		t.Fatal(err)
	}
	for i, c := range cases() {
		r := &table.Rows[i]
		says := ""
		for _, f := range r.Failures {
			says += f.Says
		}
		if r.Verdict != c.want || !regexp.MustCompile(c.says).MatchString(says) || c.want == proof.Proved && says != "" {
			t.Errorf("%s is %s: %q, want %s: %s", c.entry, r.Verdict, says, c.want, c.says)
		}
		if f := r.Failures; c.want == proof.Decided && (f[0].Runs < 50 || f[0].Shapes < f[0].Runs) {
			t.Errorf("%s: %d shapes, %d runs", c.entry, f[0].Shapes, f[0].Runs)
		}
	}
	if r := table.Rows[len(table.Rows)-1]; r.Verdict != proof.Proved || r.Failures != nil {
		t.Errorf("nothing was undecided, and now it is %+v", r)
	}
}

func TestOpen(t *testing.T) {
	table := &proof.Table{}
	for _, r := range []struct {
		name    string
		failure proof.Failure
	}{
		{"a", proof.Failure{Name: "n", Verdict: proof.Refuted}},
		{"b", proof.Failure{Name: "n", Verdict: proof.Undecided}},
		{"c", proof.Failure{Name: proof.Lemmas, Verdict: proof.Undecided}},
		{"d", proof.Failure{Name: "n", Verdict: proof.Decided, Runs: 1, Shapes: 1}},
	} {
		table.Rows = append(table.Rows, proof.Row{Entry: r.name, Failures: []proof.Failure{r.failure}})
	}
	if got := strings.Join(Open(table), " "); got != "b" {
		t.Errorf("%q is open", got)
	}
}

func TestSizes(t *testing.T) {
	e := &obligations.Entry{
		Block: [3]uint32{256, 1, 1}, Grid: [3]string{"min(cdiv(N, block), 48)", "1", "1"},
		Extents: []obligations.Extent{{Name: "N"}, {Name: "K", Multiple: 8}}, Checked: []obligations.Relation{{Text: "len(x) >= N * 100"}},
		Params: []obligations.Param{{Name: "t", Cells: []obligations.Laid{{Extent: "K", Each: 64, Axis: "y"}}}},
	}
	all := append(alone(e), combined(e, func(string, uint64) bool { return true })...)
	has := func(want map[string]uint64) bool {
		return slices.ContainsFunc(all, func(at map[string]uint64) bool {
			same := len(at) == len(want)
			for name, v := range want {
				same = same && at[name] == v
			}
			return same
		})
	}
	for _, want := range []map[string]uint64{
		{"N": 256, "K": 63}, {"N": 257, "K": 65}, {"N": 0, "K": 64}, {"N": 1, "K": 1}, // combinations
		{"N": 47}, {"N": 49}, {"N": 101}, {"N": 512}, {"K": 9}, {"K": 7}, {"N": 1<<31 - 1024}, {}, // one by one
	} {
		if !has(want) {
			t.Errorf("no %v among %d sizes", want, len(all))
		}
	}
	for _, at := range combined(e, func(extent string, v uint64) bool { return v%64 == 0 && extent == "K" || v > 255 }) {
		if at["N"] < 256 || at["K"]%64 != 0 && at["K"] < 256 {
			t.Errorf("%v is not lawful", at)
		}
	}
	if got := combined(e, func(string, uint64) bool { return false }); got != nil {
		t.Errorf("nothing is lawful, and it tries %v", got)
	}
	for n := 1; n < 12; n++ {
		if k := likely(n); k > 1 && power(k, n) > most {
			t.Errorf("%d corners of each of %d extents", k, n)
		}
	}
}

// A launch is as tight as its contract: whatever the solver began with.
func TestTightest(t *testing.T) {
	s := smttest.Start(t, smt.Limits{})
	buffer := func(name string) obligations.Param {
		return obligations.Param{Name: name, Elem: "f32", Size: 4, Argument: &obligations.Argument{Align: 4}}
	}
	e := &obligations.Entry{
		Name: "demo", Block: [3]uint32{256, 1, 1}, Grid: [3]string{"min(N, 2 * sms)", "1", "1"}, Extents: []obligations.Extent{{Name: "N", Index: "u64"}},
		Checked: []obligations.Relation{{Text: "len(x) * len(y) * len(y) >= 500000"}, {Text: "len(y) <= len(x)"}, {Text: "len(y) % 7 == 3"}, {Text: "divides(64, len(z))"}, {Text: "len(z) > N"}, {Text: "N == 70"}},
		Params:  []obligations.Param{buffer("x"), buffer("y"), buffer("z")},
	}
	premises, err := owed.Launch(e)
	if err != nil {
		t.Fatal(err)
	}
	m := smt.Model{}
	for name, v := range map[string]int64{"N": 70, "len(x)": 100_000, "len(y)": 20_002, "len(z)": 6400, "sms": 100, "gridDim.x": 70} {
		m[name] = big.NewInt(v)
	}
	if m, err = tightest(context.Background(), s, e, arith.NewScope(e.Numbers), premises, m); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int64{"len(x)": 80, "len(y)": 80, "len(z)": 128, "sms": 1, "gridDim.x": 2} {
		if m[name] == nil || m[name].Int64() != want {
			t.Errorf("%s = %v, want %d", name, m[name], want)
		}
	}
}
