package lemma

import (
	"context"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/tools/internal/source"
	"github.com/warpwright/warpwright/tools/prove/smt"
	"github.com/warpwright/warpwright/tools/prove/smt/smttest"
)

// Functions that would let a thread meet another one, put into the headers: no lemma may be proved of them.
func TestRaces(t *testing.T) {
	solver := smttest.Start(t, smt.Limits{Steps: 2_000_000})
	for _, c := range []struct {
		name, file, before, code, want string
		units                          string // their names begin so
	}{
		{"reads where others hold cells", "view.h", "  WW_MEM Kept<T> operator[](ThreadIx<D> i) const {", "  WW_MEM T peek(Ix<D> i) const { return p_[i.value()]; }\n",
			"no other thread holds the element of this.p_ that is accessed (a Kept", "InOut<T, D>::"},
		{"reads where others add", "view.h", "  WW_MEM void add(Ix<D> i, T v) const {", "  WW_MEM T peek(Ix<D> i) const { return p_[i.value()]; }\n",
			"no other thread is at the element of this.p_", "Add<T, D>::"},
		{"writes for another kind of owner", "view.h", "WW_VIEW(Out<T, D>, ", "template <class T, class D>\nWW_DEV void poke(Out<T, D> y, BlockIx<D> i, T v) {\n  if (threadIdx.x == 0) y.p_[i.value()] = v;\n}\n",
			"y.p_ is accessed by members of Out<T, D> alone", "poke("},
		{"writes what is read elsewhere, and asks for no shape", "view.h", "  WW_MEM void add(Ix<D> i, T v) const {", "  WW_MEM void set(Ix<D> i, T v) const { p_[i.value()] = v; }\n",
			"no other thread is at the element of this.p_", "Add<T, D>::set"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := headers(t)
			for i, f := range files {
				if strings.HasSuffix(f.Name, "/"+c.file) {
					if strings.Count(f.Text, c.before) != 1 {
						t.Fatalf("%s: %q stands there %d times", f.Name, c.before, strings.Count(f.Text, c.before))
					}
					files[i] = source.NewFile(f.Name, strings.Replace(f.Text, c.before, c.code+c.before, 1))
				}
			}
			v, err := Read(files)
			if err != nil {
				t.Fatal(err)
			}
			p := &prover{v: v, solver: solver, visited: map[any]bool{}}
			var shared []unit
			reason := ""
			for _, u := range v.units() {
				if !strings.HasPrefix(u.name(), c.units) {
					continue
				}
				l, owners, err := p.lemma(context.Background(), u)
				if err != nil {
					t.Fatal(err)
				}
				reason += l.Reason
				if owners {
					shared = append(shared, u)
				}
			}
			if len(shared) > 0 {
				l, err := p.owners(context.Background(), c.units, shared)
				if err != nil {
					t.Fatal(err)
				}
				reason += l.Reason
			}
			if !strings.Contains(reason, c.want) {
				t.Errorf("says %q, want %s", reason, c.want)
			}
		})
	}
}
