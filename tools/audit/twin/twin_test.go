package twin

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/tools/audit/sass"
)

// plants returns the functions of testdata/plants.cu by what stands behind plants_.
func plants(t *testing.T) map[string]*sass.Function {
	t.Helper()
	functions, err := sass.ReadFile(filepath.Join("testdata", "plants.sm_90.sass"))
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*sass.Function{}
	for _, f := range functions {
		byName[strings.TrimPrefix(f.Name, "plants_")] = f
	}
	return byName
}

// TestPlants holds every kernel of the file against the raw one. What is planted must be found, and be found by the words for it.
func TestPlants(t *testing.T) {
	all := plants(t)
	cases := map[string][]string{ // words of the verdict; a verdict without FAILS for none
		"raw":       nil,
		"spelt":     nil,
		"hinted":    nil,
		"proved":    nil,
		"unrolled":  {"the kernel has 30 % more instructions"},
		"checked":   {"the safe kernel has 15 traps", "branches in the loop", "64 / 23 instructions: 179 % more, allowed are 2"},
		"elsewhere": {"the safe kernel has 1 traps", "branches: safe 9, raw 8"},
		"clamped":   {"53 / 23 instructions: 131 % more, allowed are 2"},
		"index32":   {"57 / 23 instructions: 148 % more, allowed are 2"},
		"spilled":   {"the safe kernel accesses local memory at"},
		"loaded":    {"(3 load.global.4) has no partner", "(2 load.global.4) has no partner"},
		"biased":    {"load.global.4: safe 16, raw 14"},
		"stored":    {"(1 store.global.4, 2 load.global.4) has no partner"},
		"branched":  {"branches: safe 9, raw 8"},
		"called":    {"the safe kernel has 2 calls"},
		"padded":    {"the kernel has 58 % more instructions, allowed are 5 or a reason"},
	}
	for name, f := range all {
		words, ok := cases[name]
		if !ok {
			if f.Entry() {
				t.Errorf("plants_%s has no case", name)
			}
			continue
		}
		row, err := Compare(name, "sm_90", f, all["raw"])
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		verdict := row.Verdict()
		if got, want := strings.HasPrefix(verdict, "FAILS: "), words != nil; got != want {
			t.Errorf("%s: %s", name, verdict)
		}
		for _, w := range words {
			if !strings.Contains(verdict, w) {
				t.Errorf("%s: %q is not in the verdict: %s", name, w, verdict)
			}
		}
		if row.Fine() != (words == nil) {
			t.Errorf("%s: fine is %v", name, row.Fine())
		}
	}
	for name := range cases {
		if all[name] == nil {
			t.Errorf("plants.cu has no plants_%s", name)
		}
	}
}

// TestVariant shows that a variant must be smaller than the raw kernel, that its loop may not be longer without a reason, and that it may be without one.
func TestVariant(t *testing.T) {
	all := plants(t)
	none := *all["raw"]
	none.Blocks = []sass.Block{{Instructions: none.Blocks[0].Instructions}}
	for name, c := range map[string]struct {
		safe, raw *sass.Function
		words     string // empty where all is well
	}{
		"smaller":          {all["raw"], all["padded"], ""},
		"equal":            {all["raw"], all["raw"], "facts must make it smaller"},
		"larger":           {all["padded"], all["raw"], "facts must make it smaller"},
		"larger loop":      {all["clamped"], all["raw"], "facts must make it smaller"},
		"another loop":     {all["loaded"], all["padded"], "(3 load.global.4) has no partner"},
		"without a loop":   {&none, all["raw"], ""},
		"spilled":          {all["spilled"], all["raw"], "the safe kernel accesses local memory"},
		"one store more":   {all["biased"], all["padded"], "load.global.4: safe 16, raw 14"},
		"a trap elsewhere": {all["elsewhere"], all["padded"], "the safe kernel has 1 traps"},
	} {
		row, err := CompareVariant(name, "sm_90", c.safe, c.raw)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if longer := strings.Contains(row.Verdict(), "a loop has 131 % more instructions, allowed are 0 or a reason"); longer != (name == "larger loop") {
			t.Errorf("%s: %s", name, row.Verdict())
		}
		row.Reason = "none is good enough but for the loop"
		if verdict := row.Verdict(); row.Fine() != (c.words == "") || !strings.Contains(verdict, c.words) {
			t.Errorf("%s: %s, want %q", name, verdict, c.words)
		}
	}
}

// TestReason shows that a reason excuses the size of the whole kernel, and nothing else.
func TestReason(t *testing.T) {
	all := plants(t)
	row, err := Compare("unrolled", "sm_90", all["unrolled"], all["raw"])
	if err != nil {
		t.Fatal(err)
	}
	row.Reason = "unrolled more often"
	if got, want := row.Verdict(), "35 more, 30 %; the loop has 8 : 4 copies of its body: compared a copy; unrolled more often"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	row, err = Compare("clamped", "sm_90", all["clamped"], all["raw"])
	if err != nil {
		t.Fatal(err)
	}
	row.Reason = "none is good enough"
	if !strings.Contains(row.Verdict(), "FAILS") {
		t.Errorf("a reason excuses a loop: %s", row.Verdict())
	}
}

// TestChecked shows that checks which are gone are missed, also if a trap stands elsewhere.
func TestChecked(t *testing.T) {
	all := plants(t)
	for name, words := range map[string][]string{
		"checked":   nil,
		"proved":    {"has no trap", "touches 8 elements and has 0 comparisons"},
		"elsewhere": {"touches 8 elements and has 0 comparisons"},
		"clamped":   {"has no trap", "touches 8 elements and has 4 comparisons"},
		"raw":       {"has no trap", "touches 8 elements and has 0 comparisons"},
	} {
		findings, err := Checked(all[name], all["raw"])
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(findings) != len(words) {
			t.Errorf("%s: got %q, want %q", name, findings, words)
			continue
		}
		for n, w := range words {
			if !strings.Contains(findings[n], w) {
				t.Errorf("%s: got %q, want %q", name, findings[n], w)
			}
		}
	}
}

// TestArithmetic keeps moves and conversions apart from sums.
func TestArithmetic(t *testing.T) {
	functions, err := sass.Parse(strings.NewReader("\t.target\tsm_90\n\t.section\t.text.k,\"ax\",@progbits\n\t.type k,@function\nk:\n" +
		"/*0000*/ HFMA2.MMA R15, -RZ, RZ, 0, 9.5367431640625e-07 ;\n" +
		"/*0010*/ HADD2.F32 R4, -RZ, R4.H0_H0 ;\n" +
		"/*0020*/ FFMA R4, R4, R5, R6 ;\n" +
		"/*0030*/ EXIT ;\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := arithmetic(functions[0].Body())
	if len(got) != 1 || got["FFMA"] != 1 {
		t.Errorf("got %v, want one FFMA", got)
	}
}

func TestGrown(t *testing.T) {
	for _, c := range []struct{ safe, safeCopies, raw, rawCopies, want int }{
		{100, 1, 100, 1, 0},
		{102, 1, 100, 1, 2},
		{103, 1, 102, 1, 1},
		{51, 4, 50, 4, 2},
		{52, 4, 51, 4, 2},
		{46, 8, 23, 4, 0},
		{99, 1, 100, 1, 0},
		{1021, 1, 1000, 1, 3},
	} {
		if got := grown(c.safe, c.safeCopies, c.raw, c.rawCopies); got != c.want {
			t.Errorf("%+v: got %d", c, got)
		}
	}
}

func TestReasons(t *testing.T) {
	rows := func() []Row {
		mk := func(pair, arch string, safe, raw int) Row {
			return Row{Pair: pair, Arch: arch, Safe: Measure{Instructions: safe}, Raw: Measure{Instructions: raw}}
		}
		variant := mk("csr_once", "sm_90", 80, 100)
		variant.Variant, variant.Longer = true, 7
		return []Row{mk("saxpy", "sm_75", 30, 30), mk("saxpy", "sm_90", 33, 30), mk("gemm", "sm_90", 104, 100), variant}
	}
	for _, c := range []struct {
		name, file string
		want       string // an error; none if empty
		left       string // what is stale
	}{
		{"nothing", "# only words\n\n", "", ""},
		{"a reason that holds", "saxpy sm_90 10% it is so", "", ""},
		{"a bound below the measure", "saxpy sm_90 9% it is so", "", "saxpy sm_90: the reason allows 9 %, measured are 10: a new reason is needed"},
		{"a bound above the measure", "saxpy sm_90 12% it is so", "", "saxpy sm_90: the reason allows 12 %, measured are 10: write that"},
		{"a reason for a variant's loop", "csr_once sm_90 7% it is so", "", ""},
		{"a variant's loop that is longer by now", "csr_once sm_90 6% it is so", "", "csr_once sm_90: the reason allows 6 %, measured are 7: a new reason is needed"},
		{"a reason that nothing needs", "gemm sm_90 6% it is so", "", "gemm sm_90: 4 % need no reason: delete it"},
		{"a pair that is not there", "axpy sm_90 10% it is so", "", "axpy sm_90: there is no such pair"},
		{"no words", "saxpy sm_90 10%", "reasons:1: want PAIR ARCH PERCENT% REASON", ""},
		{"no number", "saxpy sm_90 much it is so", `reasons:1: "much" is no whole number with a %`, ""},
		{"twice", "saxpy sm_90 10% a\nsaxpy sm_90 10% b", "reasons:2: saxpy sm_90 stands twice", ""},
	} {
		reasons, err := ReadReasons("reasons", strings.NewReader(c.file))
		if (err == nil) != (c.want == "") || (err != nil && !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got error %v, want %q", c.name, err, c.want)
		}
		if err != nil {
			continue
		}
		r := rows()
		stale := Excuse(r, reasons)
		var want []string
		if c.left != "" {
			want = []string{c.left}
		}
		if !slices.Equal(stale, want) {
			t.Errorf("%s: got stale %q, want %q", c.name, stale, want)
		}
		if c.name == "a reason that holds" && (!r[1].Fine() || r[1].Reason != "it is so") {
			t.Errorf("%s: %s", c.name, r[1].Verdict())
		}
		if loop := c.name == "a reason for a variant's loop"; r[3].Fine() != loop || !loop && !strings.Contains(r[3].Verdict(), "a loop has 7 % more instructions, allowed are 0 or a reason") {
			t.Errorf("%s: %s", c.name, r[3].Verdict())
		}
		if c.name == "a bound below the measure" && r[1].Fine() {
			t.Errorf("%s: %s", c.name, r[1].Verdict())
		}
	}
}

// TestTable shows what a reader sees: numbers of one loop, a copy where copies differ, loops without a partner.
func TestTable(t *testing.T) {
	all := plants(t)
	var rows []Row
	for _, name := range []string{"unrolled", "loaded", "raw"} {
		row, err := Compare(name, "sm_90", all[name], all["raw"])
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	var got strings.Builder
	if err := WriteTable(&got, rows); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(got.String(), "\n")
	for n, want := range []string{
		"| pair     | arch  | instructions | in the loop    | loads   | stores | branches | verdict |",
		"|---|---|---|---|---|---|---|---|",
		"| unrolled | sm_90 | 152 / 117    | 4.38 / 5.75    | 30 / 14 | 2 / 2  | 12 / 8   | FAILS: the kernel has 30 % more instructions, allowed are 5 or a reason |",
		"| loaded   | sm_90 | 142 / 117    | 33 / -, - / 23 | ",
		"| raw      | sm_90 | 117 / 117    | 23 / 23        | 14 / 14 | 2 / 2  | 8 / 8    | equal |",
	} {
		if !strings.HasPrefix(lines[n], want) {
			t.Errorf("line %d: got\n%s\nwant\n%s", n, lines[n], want)
		}
	}
}

// TestJudge pairs kernels by name.
func TestJudge(t *testing.T) {
	kernel := func(source, name string) []*sass.Function {
		f := *plants(t)[source]
		f.Name, f.Kernel = name, name
		return []*sass.Function{&f}
	}
	rows, err := Judge(Listings{Arch: "sm_90", Safe: kernel("spelt", "twin_x"), Raw: kernel("raw", "raw_x"), Checked: kernel("checked", "checked_x")})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1 || rows[0].Pair != "x" || !rows[0].Fine() {
		t.Errorf("got %+v", rows)
	}
	rows, err = Judge(Listings{Arch: "sm_90", Safe: kernel("spelt", "twin_x"), Raw: kernel("raw", "raw_x"), Checked: kernel("elsewhere", "checked_x")})
	if err != nil || rows[0].Fine() {
		t.Errorf("a checked twin without checks is fine: %v", err)
	}
	rows, err = Judge(Listings{Arch: "sm_90", Safe: kernel("spelt", "twin_x"), Alone: []string{"x"}})
	if err != nil || len(rows) != 0 {
		t.Errorf("a kernel alone: got %v, %v", rows, err)
	}
	for _, c := range []struct {
		listings Listings
		want     string
	}{
		{Listings{Arch: "sm_90", Safe: kernel("spelt", "twin_x"), Raw: kernel("raw", "raw_x")}, "sm_90: of twin_x, raw_x and checked_x not all are there"},
		{Listings{Arch: "sm_90", Safe: kernel("spelt", "safe_x"), Raw: kernel("raw", "raw_x")}, "sm_90: safe_x does not begin with twin_"},
		{
			Listings{Arch: "sm_90", Safe: kernel("spelt", "twin_x"), Raw: kernel("raw", "raw_x"), Alone: []string{"x"}},
			"sm_90: x is to be alone: want twin_x and neither raw_x nor checked_x",
		},
		{Listings{Arch: "sm_90", Alone: []string{"x"}}, "sm_90: x is to be alone: want twin_x and neither raw_x nor checked_x"},
	} {
		if _, err := Judge(c.listings); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
