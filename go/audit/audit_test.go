package audit

import (
	"bytes"
	"strings"
	"testing"
)

func table() *Table {
	return &Table{
		Schema: Schema, Family: "f",
		Kernels: []Kernel{
			{Name: "f_a", Exceptions: []Exception{{Rule: "spills", Reason: "why <not>"}}},
			{Name: "f_b", Exceptions: []Exception{{Rule: "trap", Reason: "once", Stale: true}}},
			{Name: "f_raw", Raw: true},
		},
		Rows: []Row{
			{Entry: "f_a_f32", Kernel: "f_a", Arch: 90, Findings: []Finding{{Rule: "spills", Says: "8 bytes", Reason: "why <not>"}}},
			{Entry: "f_b_f32", Kernel: "f_b", Arch: 75, Findings: []Finding{{Rule: "index32", Says: "too large", PTXLine: 7, Instruction: "mul.lo.s32 a, b, c", Source: "f.cu:3", More: 2}}},
			{Entry: "f_raw", Kernel: "f_raw", Arch: 75, Findings: []Finding{{Rule: "trap", Says: "it ends"}}},
		},
	}
}

func TestUnexplained(t *testing.T) {
	want := []string{
		"f_b_f32 sm_75: index32: too large, at f.cu:3, PTX line 7: mul.lo.s32 a, b, c, and 2 more such",
		`f_b: except(trap, "once"): no entry of the kernel breaks the rule on any architecture: take the exception away`,
	}
	if got := strings.Join(table().Unexplained(), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s", got)
	}
}

func TestRoundTrip(t *testing.T) {
	first, err := table().Write()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Read(first)
	if err != nil {
		t.Fatal(err)
	}
	second, err := again.Write()
	if err != nil || !bytes.Equal(first, second) || !bytes.Contains(first, []byte("why <not>")) {
		t.Errorf("%v\n%s\n%s", err, first, second)
	}
	for _, c := range []struct{ text, want string }{
		{"{", "unexpected end"},
		{"{}", "schema is 0, this program reads 1"},
		{`{"schema": 2, "future": 1}`, "schema is 2, this program reads 1: rebuild the images"},
		{`{"schema": 1, "future": 1}`, `unknown field "future"`},
	} {
		if got, err := Read([]byte(c.text)); err == nil || got != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}
