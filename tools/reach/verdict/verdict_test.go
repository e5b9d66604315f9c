package verdict

import (
	"testing"

	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/reach/refs"
)

// TestSharedSources checks that launchers targets which share packages give each finding once, and that one of
// them launching a kernel is enough.
func TestSharedSources(t *testing.T) {
	target := refs.Target{Kernel: "csr_mv"}
	misspelt := refs.Launch{Target: refs.Target{Entry: "csr_mw_f32"}, Pos: "a.go:1", Via: []string{"a.F"}}
	broken := refs.Error{Pos: "a.go:2", Message: "m", Fix: "f"}
	one := &refs.Refs{
		Launches:  []refs.Launch{misspelt},
		Unreached: []refs.Unreached{{Target: target, Pos: "l.go:1", Launcher: "l.Mv.Launch", Why: "nothing refers to it"}},
		Errors:    []refs.Error{broken},
	}
	other := &refs.Refs{
		Launches: []refs.Launch{misspelt, {Target: target, Pos: "l.go:1", Via: []string{"b.F", "l.Mv.Launch"}}},
		Errors:   []refs.Error{broken},
	}
	spec := &manifest.Spec{
		Family:  "csr",
		Kernels: []manifest.Kernel{{Name: "csr_mv"}},
		Entries: []manifest.Entry{{Name: "csr_mv_f32", Kernel: "csr_mv"}},
	}
	got := Check(Input{Spec: spec, Refs: []*refs.Refs{one, other}})
	want := []string{
		"a.go:2: m",
		"launch of entry 'csr_mw_f32' (a.go:1), which family csr does not have",
	}
	if len(got) != len(want) {
		t.Fatalf("%d findings, want %d: %q", len(got), len(want), got)
	}
	for i := range want {
		if got[i].Message != want[i] {
			t.Errorf("finding %d: %q, want %q", i, got[i].Message, want[i])
		}
	}
}

// TestFamilies checks whose names a verdict judges.
func TestFamilies(t *testing.T) {
	spec := &manifest.Spec{Family: "csr"}
	for _, c := range []struct {
		name      string
		generated bool
		families  []string
		findings  int
	}{
		{"csr_none", false, nil, 1},
		{"csr_none", true, nil, 1},
		{"csr_none", false, []string{"csr"}, 1}, // naming the family itself excuses nothing
		{"fcn_mv", false, nil, 1},
		{"fcn_mv", false, []string{"fcn"}, 0},
		{"fcn_mv", true, nil, 0},
	} {
		r := &refs.Refs{Launches: []refs.Launch{{Target: refs.Target{Kernel: c.name}, Generated: c.generated}}}
		if got := Check(Input{Spec: spec, Refs: []*refs.Refs{r}, Families: c.families}); len(got) != c.findings {
			t.Errorf("%s, generated %v, families %v: findings %q, want %d", c.name, c.generated, c.families, got, c.findings)
		}
	}
}
