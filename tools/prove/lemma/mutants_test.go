package lemma

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/tools/internal/source"
	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/smt"
	"github.com/warpwright/warpwright/tools/prove/smt/smttest"
)

// mutant is a header with one token changed.
type mutant struct {
	file     string
	from, to int // the bytes that are replaced
	by       string
	at       string // for people
	units    []unit
}

// mutants changes each operator and each number of the functions that lemmas cover.
func mutants(t *testing.T, v *Vocabulary, files []*source.File) []mutant {
	t.Helper()
	swaps := map[string][]string{"+": {"-"}, "-": {"+"}, "*": {"+"}, "/": {"*"}, "%": {"/"}, "<": {"<="}, "<=": {"<"}, "&&": {"||"}, "||": {"&&"}, "==": {"!="}, "+=": {"-="}, "&": {"|"}}
	names := map[string]string{"threads": "x", "x": "y", "y": "x", "R": "C", "row_": "col_", "from_": "end_", "first": "stride"}
	type place struct {
		file   string
		offset int
	}
	found := map[place]*mutant{}
	var order []place
	for _, u := range v.units() {
		p := newProver(v, nil)
		if passes(u.fn) != "" {
			continue
		}
		if _, err := p.exploreCases(u); err != nil {
			t.Fatalf("%s: %v", u.name(), err)
		}
		for at := range p.visited {
			x, ok := at.(cxx.Expr)
			if !ok {
				continue
			}
			text := ""
			switch x := x.(type) {
			case *cxx.Binary:
				text = x.Op
			case *cxx.Number:
				text = x.Text
			case *cxx.Name:
				text = x.Path[0].Name
			default:
				continue
			}
			key := place{x.At().File.Name, x.At().Offset}
			if text := line(x.At()); !quick(u) || strings.Contains(text, "static_assert") || strings.Contains(text, "acc(") {
				continue // an assertion that asks for more harms nobody, and values are compared elsewhere
			}
			if !strings.HasPrefix(x.At().File.Text[min(key.offset, len(x.At().File.Text)):], text) || primitiveFile(key.file) {
				continue
			}
			if found[key] == nil {
				m := &mutant{file: key.file, from: key.offset, to: key.offset + len(text), at: fmt.Sprintf("%s: %s", where(x.At()), line(x.At()))}
				switch {
				case swaps[text] != nil:
					m.by = swaps[text][0]
				case names[text] != "":
					m.by = names[text]
				default:
					n, err := strconv.Atoi(text)
					if err != nil {
						continue
					}
					m.by = strconv.Itoa(n + 1)
				}
				m.at += fmt.Sprintf("  [%s -> %s]", text, m.by)
				found[key] = m
				order = append(order, key)
			}
			found[key].units = append(found[key].units, u)
		}
	}
	slices.SortFunc(order, func(a, b place) int {
		if c := strings.Compare(a.file, b.file); c != 0 {
			return c
		}
		return a.offset - b.offset
	})
	var out []mutant
	for _, k := range order {
		out = append(out, *found[k])
	}
	return out
}

func primitiveFile(name string) bool {
	return strings.HasSuffix(name, "/platform.h") || strings.HasSuffix(name, "/dtype.h")
}

func line(p cxx.Place) string {
	return strings.TrimSpace(strings.Split(p.File.Text, "\n")[p.Line()-1])
}

// killed says how a mutant is found out; empty if it is not.
func killed(ctx context.Context, s *smt.Solver, files []*source.File, m mutant) (string, error) {
	var changed []*source.File
	for _, f := range files {
		if f.Name == m.file {
			f = source.NewFile(f.Name, f.Text[:m.from]+m.by+f.Text[m.to:])
		}
		changed = append(changed, f)
	}
	v, err := Read(changed)
	if err != nil {
		return "not read: " + strings.Split(err.Error(), "\n")[0], nil
	}
	wanted := map[string]bool{}
	for _, u := range m.units {
		wanted[u.name()] = true
	}
	p := newProver(v, s)
	families := map[string][]unit{}
	for _, u := range v.units() {
		if !wanted[u.name()] {
			continue
		}
		l, owners, err := p.lemma(ctx, u)
		if err != nil {
			return "not read: " + strings.Split(err.Error(), "\n")[0], nil
		}
		if l.Verdict != smt.Proved {
			return string(l.Verdict) + ": " + l.Reason, nil
		}
		if owners {
			key := u.name()
			if u.class != nil {
				key = u.class.String()
			}
			families[key] = append(families[key], u)
		}
	}
	for key, us := range families {
		l, err := p.owners(ctx, key, us)
		if err != nil {
			return "not read: " + strings.Split(err.Error(), "\n")[0], nil
		}
		if l.Verdict != smt.Proved {
			return string(l.Verdict) + ": " + l.Reason, nil
		}
	}
	return "", nil
}

func TestMutants(t *testing.T) {
	files := headers(t)
	v, err := Read(files)
	if err != nil {
		t.Fatal(err)
	}
	all := mutants(t, v, files)
	count := 24
	if n, err := strconv.Atoi(os.Getenv("MUTANTS")); err == nil {
		count = n
	}
	r := rand.New(rand.NewPCG(5, 1))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	s := smttest.Start(t, smt.Limits{Steps: 500_000})
	t.Logf("%d of %d mutants", min(count, len(all)), len(all))
	for _, m := range all[:min(count, len(all))] {
		how, err := killed(context.Background(), s, files, m)
		switch {
		case err != nil:
			t.Fatal(err)
		case how == "" && harmless(m.at) != "":
			t.Logf("%s\n\tlives, and should: %s", m.at, harmless(m.at))
		case how == "":
			t.Errorf("lives: %s", m.at)
		default:
			t.Logf("%s\n\t%s", m.at, how)
		}
	}
}

// harmless says why a mutant does no harm; empty if it does.
func harmless(at string) string {
	for text, why := range map[string]string{
		"p_[Ix<R>(r).value() * apart(cols_) + c.value()] = f(v.value());  [R -> C]":                            "all extents of a launch have one shape",
		"bool has(Ix<D> i) const { return all || i.value() < end_; }  [|| -> &&]":                              "a part that has less is read less",
		"if (threadIdx.x == 0) p_[i.value()] = v.value();  [0 -> 1]":                                           "one thread writes all the same",
		"static constexpr bool one = once<D> > 0 && once<D> <= Share;  [&& -> ||]":                             "a loop that ends early reaches nothing that it must not",
		"if (R::shape::rank() == 0) p_[Ix<R>(r).value() * apart(cols_) + c.value()] = f(v.value());  [0 -> 1]": "one thread writes all the same",
		"bool whole() const { return all || from_ + N <= end_; }  [from_ -> end_]":                             "a part that is not known to be whole is tested place by place",
		"if constexpr (Z > 1) r += threadIdx.z * (X * Y);  [1 -> 2]":                                           "who asks for the rank here has blocks in one row",
		"if constexpr (S < 32) {  [32 -> 33]":                                                                  "a group that is a warp is asked, too, whether it is active",
	} {
		if strings.HasSuffix(at, text) {
			return why
		}
	}
	return ""
}
