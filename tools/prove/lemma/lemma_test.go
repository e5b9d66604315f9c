package lemma

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

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
	p := &prover{v: v, visited: map[any]bool{}}
	for _, u := range v.units() {
		if _, err := p.exploreCases(u); err != nil {
			t.Error(err)
		}
	}
	for _, o := range p.uncovered() {
		t.Errorf("%s: %s: %s", o.source, o.name, o.reason)
	}
}

func TestLemmas(t *testing.T) {
	v, err := Read(headers(t))
	if err != nil {
		t.Fatal(err)
	}
	s := smttest.Start(t, smt.Limits{Steps: 2_000_000})
	begin := time.Now()
	lemmas, err := v.Prove(context.Background(), s)
	if err != nil {
		t.Error(err)
	}
	for _, l := range lemmas {
		if l.Verdict != smt.Proved {
			t.Errorf("%s: %s", l.Name, l.Reason)
		}
		t.Logf("%s %s %s:%d %s %d cases %d goals %s", l.Verdict, l.Took.Round(time.Millisecond), l.File, l.Line, l.Name, l.Cases, l.Goals, l.Reason)
	}
	t.Log(s.Asked(), time.Since(begin))
}
