package lemma

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/warpwright/warpwright/tools/internal/source"
	"github.com/warpwright/warpwright/tools/prove/smt"
	"github.com/warpwright/warpwright/tools/prove/smt/smttest"
)

func headers(t testing.TB) []*source.File {
	t.Helper()
	names, err := filepath.Glob("../../../cuda/include/ww/*.h")
	if err != nil || len(names) == 0 {
		t.Fatalf("no headers: %v", err)
	}
	var out []*source.File
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, source.NewFile("cuda/include/ww/"+filepath.Base(name), string(text)))
	}
	return out
}

func TestCoverage(t *testing.T) {
	v, err := Read(headers(t))
	if err != nil {
		t.Fatal(err)
	}
	p := newProver(v, nil)
	for _, u := range v.units() {
		if _, err := p.exploreCases(u); err != nil {
			t.Error(err)
		}
	}
	for _, o := range p.uncovered() {
		t.Errorf("%s: %s: %s", o.source, o.name, o.reason)
	}
}

// quick says that the lemmas of a header take seconds: the tests prove these, and prove lemmas proves all.
func quick(u unit) bool {
	switch filepath.Base(u.fn.File.Name) {
	case "view.h", "matrix.h", "gather.h", "extent.h":
		return true
	}
	return u.class != nil && (u.class.Name == "Threads" || u.class.Name == "Blocks" || u.class.Name == "Parts" || u.class.Name == "Part")
}

func TestLemmas(t *testing.T) {
	v, err := Read(headers(t))
	if err != nil {
		t.Fatal(err)
	}
	p := newProver(v, smttest.Start(t, smt.Limits{Steps: Steps}))
	families := map[string][]unit{}
	proved := func(l Lemma, err error) {
		if err != nil || l.Verdict != smt.Proved {
			t.Errorf("%s: %s %s %v", l.Name, l.Verdict, l.Reason, err)
		}
	}
	for _, u := range v.units() {
		if !quick(u) || passes(u.fn) != "" {
			continue
		}
		l, owners, err := p.lemma(context.Background(), u)
		proved(l, err)
		if owners && u.class != nil {
			families[u.class.String()] = append(families[u.class.String()], u)
		}
	}
	for name, units := range families {
		proved(p.owners(context.Background(), name, units))
	}
	if len(families) < 15 {
		t.Errorf("%d classes have owners, and there were more", len(families))
	}
}
