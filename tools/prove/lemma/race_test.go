package lemma

import (
	"context"
	"slices"
	"strings"
	"testing"

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
		{"writes for runs where others have elements", "run.h", "  template <int Count>\n  WW_MEM auto operator[](RunIx<D, V, Count> i) const {\n    return RunCell<T, Count, false>",
			"  template <int Count>\n  WW_MEM void poke(RunIx<D, V, Count> i, T v) const { p_[Count == 1 ? i.first() : i.first() / V] = v; }\n",
			"no other thread is at the element of this.p_", "Out<Run<T, V>, D>::poke"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := Read(changed(t, headers(t), c.file, c.before, c.code+c.before))
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

// What is taken as it is, and not read, gets no pointer and makes no objects.
func TestPrimitives(t *testing.T) {
	for _, c := range []struct{ name, primitive, member, want string }{
		{"a pointer", "template <class T>\nWW_DEV T far(const T* p) { return p[100]; }\n", "  WW_MEM T added() const { return far(p_); }\n", "far is given a pointer"},
		{"an index", "template <class I>\nWW_DEV I conjured(int v) { return I(v); }\n", "  WW_MEM T added() const {\n    const Ix<D> i = conjured(7);\n    return p_[i.value()];\n  }\n",
			"nobody knows that this is a lawful Ix<D>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := changed(t, headers(t), "dtype.h", "WW_DEV f32 acc(f32 v)", c.primitive+"WW_DEV f32 acc(f32 v)")
			const before = "  WW_MEM T at(const Held auto&, u64 i) const { return __ldg(p_ + i); }"
			v, err := Read(changed(t, files, "view.h", before, c.member+before))
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(v.units(), func(u unit) bool { return u.fn.Name == "added" })
			if at < 0 {
				t.Fatal("the function is not found")
			}
			if _, err := newProver(v, nil).explore(v.units()[at], "", nil); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}
