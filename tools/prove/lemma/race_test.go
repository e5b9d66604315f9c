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
			p := newProver(v, solver)
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

// What is taken as it is, and not read, gets no pointer.
func TestPrimitivesGetNoPointers(t *testing.T) {
	files := headers(t)
	change := func(file, before, code string) {
		for i, f := range files {
			if strings.HasSuffix(f.Name, "/"+file) && strings.Count(f.Text, before) == 1 {
				files[i] = source.NewFile(f.Name, strings.Replace(f.Text, before, code+before, 1))
				return
			}
		}
		t.Fatalf("%s has no %s", file, before)
	}
	change("dtype.h", "WW_DEV f32 acc(f32 v)", "template <class T>\nWW_DEV T far(const T* p) { return p[100]; }\n")
	change("view.h", "  WW_MEM T at(const Held auto&, u64 i) const { return __ldg(p_ + i); }", "  WW_MEM T hundredth() const { return far(p_); }\n")
	v, err := Read(files)
	if err != nil {
		t.Fatal(err)
	}
	p := newProver(v, nil)
	for _, u := range v.units() {
		if u.fn.Name == "hundredth" {
			if _, err := p.explore(u, "", nil); err == nil || !strings.Contains(err.Error(), "far is given a pointer") {
				t.Errorf("%s: %v", u.name(), err)
			}
			return
		}
	}
	t.Error("the function is not found")
}
