package lemma

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/tools/prove/smt"
	"github.com/warpwright/warpwright/tools/prove/smt/smttest"
)

func TestDebug(t *testing.T) {
	want := os.Getenv("UNIT")
	if want == "" {
		return
	}
	v, err := Read(headers(t))
	if err != nil {
		t.Fatal(err)
	}
	p := &prover{v: v, solver: smttest.Start(t, smt.Limits{Steps: Steps}), visited: map[any]bool{}}
	p.dump = os.Getenv("DUMP") != ""
	for _, u := range v.units() {
		if !strings.Contains(u.name(), want) {
			continue
		}
		l, owners, err := p.lemma(context.Background(), u)
		t.Log(l.Verdict, l.Name, l.Reason, err)
		if owners {
			l, err = p.owners(context.Background(), u.name(), []unit{u})
			t.Log(l.Verdict, l.Name, l.Reason, err)
		}
	}
}
