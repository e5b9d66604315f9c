package lemma

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// changed are headers of which a part of one is replaced.
func changed(t testing.TB, files []*source.File, file, old, by string) []*source.File {
	t.Helper()
	out := slices.Clone(files)
	for i, f := range out {
		if strings.HasSuffix(f.Name, "/"+file) {
			if strings.Count(f.Text, old) != 1 {
				t.Fatalf("%s: %q stands there %d times", f.Name, old, strings.Count(f.Text, old))
			}
			out[i] = source.NewFile(f.Name, strings.Replace(f.Text, old, by, 1))
		}
	}
	return out
}

// The headers are proved once, and what is asked of them after that begins there.
func TestVocabulary(t *testing.T) {
	s := smttest.Start(t, smt.Limits{Steps: Steps})
	b, err := Prove(t.Context(), s, headers(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("proved", func(t *testing.T) {
		for _, l := range b.Table().Lemmas {
			if l.Reason != "" {
				t.Errorf("%s: %s: %s: %s", l.Source, l.Name, l.Verdict, l.Reason)
			}
		}
		if len(b.single) < 150 || len(b.owners) < 15 {
			t.Errorf("%d functions and %d classes with owners, and there were more", len(b.single), len(b.owners))
		}
	})
	t.Run("views", func(t *testing.T) { views(t, b) })
	s.Limit(500_000) // what is proved takes fewer by far, and what is not is not for more
	t.Run("changed", func(t *testing.T) { partly(t, b, s) })
	t.Run("premises", func(t *testing.T) { premises(t, b, s) })
	t.Run("mutants", func(t *testing.T) { mutate(t, b, s) })
}

func views(t *testing.T, b *Base) {
	owners := map[string]string{}
	for _, v := range b.Table().Views {
		owners[v.Row] = v.Owner
		written := slices.Contains(v.Promises, "out") || slices.Contains(v.Promises, "inout") || slices.Contains(v.Promises, "add")
		if written != (v.Owner != "") {
			t.Errorf("%s: it promises %q, and its owner is %q", v.Row, v.Promises, v.Owner)
		}
	}
	for row, want := range map[string]string{
		"Out<T, D>": "thread, by ThreadIx<D>", "Out<T, D, ByGroup<s>>": "group, by GroupIx<D, S>", "Out<T, D, ByBlock>": "block, by BlockIx<D>", "Add<T, D>": "nobody: sums are atomic",
		"InOut<T, R, C>": "thread, by CellIx<R, C>; thread, by CellRun<R, C, V>; thread, by ThreadIx<R>", "InOut<T, K, Through<N>>": "thread, by PlacedIx<K, N>",
	} {
		if owners[row] != want {
			t.Errorf("the owner of %s is %q, want %q", row, owners[row], want)
		}
	}
}

// What is found of changed headers by proving a part again is what is found by proving all: as far as the first that is not proved.
func partly(t *testing.T, b *Base, s *smt.Solver) {
	for _, c := range []struct {
		name, file, old, by, want string
		proved                    int // how many lemmas at least rest on nothing that is changed
	}{
		{"a function", "view.h", "return {Mint(), at(r), at(r + 1)};", "return {Mint(), at(r), at(r + 2)};", "Rows<P, M, N>::all", 100},
		{"one that others call", "tile.h", "return all || from_ + i.value() < end_; }", "return all || from_ + i.value() <= end_; }", "Strip<R, C, Turned, Whole>::run", 100},
		{"a constant", "tile.h", "static constexpr bool all = Whole || multiple<D> % N == 0;", "static constexpr bool all = Whole || multiple<D> % N == 1;", "", 100},
		{"what is said of every extent", "extent.h", "inline constexpr int multiple = 1;", "inline constexpr int multiple = 2;", "", 100},
		{"nothing that is proved", "view.h", "// The entries of a row, all to this thread.", "// The entries of a row.", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := changed(t, b.files, c.file, c.old, c.by)
			at, ok := b.changed(files)
			if ok != (c.proved > 0) {
				t.Fatalf("the change lies in %v, %v", at, ok)
			}
			if !ok {
				return // all is proved, as above
			}
			rest := 0
			for _, f := range slices.Concat(b.single, b.owners) {
				if !f.touched[at] {
					rest++
				}
			}
			if rest < c.proved {
				t.Errorf("%d lemmas rest on other things, want %d at least", rest, c.proved)
			}
			v, err := b.Changed(t.Context(), s, files)
			if err != nil {
				t.Fatal(err)
			}
			reasons := ""
			for _, l := range v.Lemmas {
				reasons += l.Reason
			}
			if (reasons == "") || v.Headers == b.Table().Headers {
				t.Errorf("found %q of headers %s", reasons, v.Headers)
			}
		})
	}
}

// premises drops premises, a seeded sample or all where PREMISES is all, from a lemma that may rest on it, the quickest first, until one is not proved without it. What no lemma needs
// has a written reason.
func premises(t *testing.T, b *Base, s *smt.Solver) {
	all := map[string][]*found{}
	for _, list := range [][]found{b.single, b.owners} {
		for i := range list {
			for name := range list[i].premises {
				all[name] = append(all[name], &list[i])
			}
		}
	}
	names := slices.Sorted(maps.Keys(all))
	whole := os.Getenv("PREMISES") == "all"
	if !whole {
		names = slices.DeleteFunc(names, func(name string) bool { return idle(name) != "" })
		r := rand.New(rand.NewPCG(5, 2))
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		names = names[:20]
	}
	needed, excused := 0, 0
	for _, name := range names {
		reason := idle(name)
		slices.SortStableFunc(all[name], func(f, g *found) int { return cmp.Compare(f.lemma.Took, g.lemma.Took) })
		by, begin := "", time.Now()
		for _, f := range all[name] {
			if l, err := b.without(t.Context(), s, name, f); err != nil || l.Verdict != smt.Proved {
				by = f.lemma.Name
				break
			}
		}
		t.Logf("%5.1f s  %s (%d lemmas): %s", time.Since(begin).Seconds(), name, len(all[name]), by)
		switch {
		case by == "" && reason == "":
			t.Errorf("no lemma needs: %s", name)
		case by != "" && reason != "":
			t.Errorf("%s is needed by %s, and the reason why not is %q", name, by, reason)
		case by != "":
			needed++
		default:
			excused++
		}
	}
	t.Logf("of %d premises %d are tried: %d are needed, %d are not, for written reasons", len(all), len(names), needed, excused)
}

// idle says why no lemma needs a premise; empty of one that some lemma needs.
func idle(name string) string {
	needed := []string{"fact once<D>: the places of the only round have indices", "static_assert in pipeline.h: std::is_same_v<R::rep", "static_assert in stage.h: Pad "}
	for _, c := range []struct{ part, why string }{
		{"promise of the cells: each index of ", "without it indices would be left out, and none had twice"},
		{"fact once<", "a loop that ends after its first round reaches less than one that goes on"},
		{"static_assert in extent.h: N <= (2147483647 - 1024)", "it keeps for Const what every extent promises, which the lemmas take for true of all"},
		{"BlockWide<At>", "of types: what else has a function of that name does not compile"},
		{"static_assert in pipeline.h: std::is_same_v<C::rep", "a matrix promises it of its columns"},
		{"std::is_same_v<", "of types: what fits has another function, and nothing else compiles"},
		{"sizeof(<nil>) == 0", "of types: a call with values has another function"},
		{"::sound", "it asks for the assertion of the class, which is taken with it"},
		{"static_assert in run.h: D::shape::threads >= V", "with fewer threads elements would be left out, and none reached twice"},
		{"static_assert in run.h: V <= 16", "Run<T, V> asserts it of what is accessed"},
		{"static_assert in pipeline.h: ", "of numbers: the instances have them"},
		{"static_assert in stage.h: ", "of numbers: the instances have them"},
		{"static_assert in tile.h: (S::y % 4) == 0", "of numbers: the instances have them"},
		{"static_assert in tile.h: (H % (S::y * V)) == 0", "of numbers: the instances have them"},
		{"static_assert in tile.h: (W % (S::x * G)) == 0", "of numbers: the instances have them"},
		{"static_assert in tile.h: G >= 1", "of numbers: the instances have them"},
		{"static_assert in tile.h: V >= 1", "of numbers: the instances have them"},
		{"static_assert in tile.h: S::z == 1", "of numbers: the instances have them"},
		{"static_assert in tile.h: C::shape::axes == 2", "of numbers: the instances have them"},
	} {
		if strings.Contains(name, c.part) && !slices.ContainsFunc(needed, func(part string) bool { return strings.Contains(name, part) }) {
			return c.why
		}
	}
	return ""
}

// without proves a lemma without a premise.
func (b *Base) without(ctx context.Context, s *smt.Solver, premise string, f *found) (Lemma, error) {
	p := newProver(b.v, s)
	p.without = premise
	if len(f.units) > 1 || strings.HasPrefix(f.lemma.Name, "owners: ") {
		return p.owners(ctx, family(f.units[0]), f.units)
	}
	l, _, err := p.lemma(ctx, f.units[0])
	return l, err
}
