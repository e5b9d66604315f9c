package lemma

import (
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
)

// mutant is a header with one token changed.
type mutant struct {
	at cxx.Place
	by string
	of string // the token
}

// String is the line with what becomes of it.
func (m mutant) String() string {
	return fmt.Sprintf("%s: %s  [%s -> %s]", where(m.at), line(m.at), m.of, m.by)
}

func line(p cxx.Place) string { return strings.TrimSpace(strings.Split(p.File.Text, "\n")[p.Line()-1]) }

// apply makes the change.
func (m mutant) apply(files []*source.File) []*source.File {
	out := slices.Clone(files)
	for i, f := range out {
		if f.Name == m.at.File.Name {
			out[i] = source.NewFile(f.Name, f.Text[:m.at.Offset]+m.by+f.Text[m.at.Offset+len(m.of):])
		}
	}
	return out
}

// mutants changes each operator, each number and some names of the functions that lemmas cover. Assertions are premises, which have a test
// of their own.
func (b *Base) mutants() []mutant {
	swaps := map[string]string{"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "<": "<=", "<=": "<", "&&": "||", "||": "&&", "==": "!=", "+=": "-=", "&": "|"}
	names := map[string]string{"threads": "x", "x": "y", "y": "x", "R": "C", "row_": "col_", "from_": "end_", "first": "stride"}
	var out []mutant
	see := func(x cxx.Expr) bool {
		of, by := "", ""
		switch x := x.(type) {
		case *cxx.Binary:
			of, by = x.Op, swaps[x.Op]
		case *cxx.Number:
			if n, err := strconv.Atoi(x.Text); err == nil {
				of, by = x.Text, strconv.Itoa(n+1)
			}
		case *cxx.Name:
			of, by = x.Path[0].Name, names[x.Path[0].Name]
		}
		at := x.At()
		if by == "" || !strings.HasPrefix(at.File.Text[at.Offset:], of) {
			return true
		}
		if text := line(at); !strings.Contains(text, "static_assert") && !strings.Contains(text, "acc(") { // values are compared elsewhere
			out = append(out, mutant{at, by, of})
		}
		return true
	}
	function := func(c *cxx.Class, f *cxx.Function) {
		switch b.v.kind(c, f) {
		case refusal, unchecked, primary:
			return
		}
		for _, i := range f.Inits {
			for _, a := range i.Args {
				cxx.Walk(a, see)
			}
		}
		cxx.Walk(f.Body, see)
	}
	var class func(c *cxx.Class)
	class = func(c *cxx.Class) {
		for _, f := range c.Methods {
			function(c, f)
		}
		for _, k := range c.Consts {
			cxx.Walk(k.Value, see)
		}
		for _, n := range c.Classes {
			class(n)
		}
	}
	for _, c := range b.v.unit.Classes {
		class(c)
	}
	for _, f := range b.v.unit.Functions {
		function(nil, f)
	}
	for _, k := range b.v.unit.Consts {
		if !primitiveFile(k.File.Name) {
			cxx.Walk(k.Value, see)
		}
	}
	return out
}

func primitiveFile(name string) bool {
	return strings.HasSuffix(name, "/platform.h") || strings.HasSuffix(name, "/dtype.h")
}

// mutate demands that mutants of the headers are refuted, or not read: a seeded sample of them, or as many as MUTANTS says.
func mutate(t *testing.T, b *Base, s *smt.Solver) {
	all := b.mutants()
	count := 12
	if n, err := strconv.Atoi(os.Getenv("MUTANTS")); err == nil {
		count = n
	}
	r := rand.New(rand.NewPCG(5, 1))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:min(count, len(all))]
	t.Logf("%d of %d mutants", len(all), len(b.mutants()))
	killed := 0
	for _, m := range all {
		how := ""
		v, err := b.Changed(t.Context(), s, m.apply(b.files))
		if err != nil {
			how = "not read: " + strings.Split(err.Error(), "\n")[0]
		} else {
			for _, l := range v.Lemmas {
				if l.Reason != "" {
					how = fmt.Sprintf("%s: %s: %s", l.Verdict, l.Name, l.Reason)
					break
				}
			}
		}
		switch {
		case how == "" && harmless(m) != "":
			t.Logf("%s\n\tlives, and should: %s", m, harmless(m))
		case how == "":
			t.Errorf("lives: %s", m)
		default:
			killed++
			t.Logf("%s\n\t%s", m, how)
		}
	}
	t.Logf("%d of %d are found out", killed, len(all))
	for text := range reasons() {
		if !slices.ContainsFunc(b.mutants(), func(m mutant) bool { return strings.Contains(m.String(), text) }) {
			t.Errorf("there is a reason, and no mutant: %s", text)
		}
	}
}

// reasons are, of mutants that do no harm, a part of the line and the change: why they do none.
func reasons() map[string]string {
	return map[string]string{
		"const count mine = S == 32 ? first : first + static_cast<count>(lane() / S);  [32 -> 33]":             "a lane's number divided by 32 is zero",
		"has(i) ? from_ + i.value() : from_); }  [from_ -> end_]":                                              "what is not there is not read, and the end has an offset too",
		"? 4 : N % 2 == 0 && sizeof(T) <= 8 ? 2 : 1;  [<= -> <]":                                               "fewer elements are accessed at once",
		"v += __shfl_xor_sync(0xffffffffu, v, offset);  [+= -> -=]":                                            "it changes a value, and no place",
		"{ return typename Span<D, 1>::Iterator(Mint(), 0); }  [0 -> 1]":                                       "an index is left out",
		"? 4 : N % 2 == 0 && sizeof(T) <= 8 ? 2 : 1;  [2 -> 3]":                                                "fewer elements are accessed at once",
		"? 4 : N % 2 == 0 && sizeof(T) <= 8 ? 2 : 1;  [4 -> 5]":                                                "fewer elements are accessed at once",
		"if constexpr (rest != 0) {  [0 -> 1]":                                                                 "elements are left out",
		"turn(0);  [0 -> 1]":                                                                                   "a row of the panel is taken twice, which is a value",
		"v = 0;  [0 -> 1]":                                                                                     "it changes a value, and no place",
		"offset > 0; offset /= 2) {  [0 -> 1]":                                                                 "it changes a value, and no place",
		"return all || from_ + i.value() < end_; }  [|| -> &&]":                                                "a part that has less is read less",
		"v_[i] = v;  [0 -> 1]":                                                                                 "a value that is not set is still the thread's own",
		"mine < n);  [|| -> &&]":                                                                               "a group is idle that need not be",
		"return all || from_ + i.value() < end_; }  [from_ -> end_]":                                           "a part that has less is read less",
		"once<D> > 0 && once<D> <= Share;  [0 -> 1]":                                                           "a loop that is not known to end after a round is tested",
		"p_[Ix<R>(r).value() * apart(cols_) + c.value()] = f(v.value());  [R -> C]":                            "all extents of a launch have one shape",
		"bool has(Ix<D> i) const { return all || i.value() < end_; }  [|| -> &&]":                              "a part that has less is read less",
		"if (threadIdx.x == 0) p_[i.value()] = v.value();  [0 -> 1]":                                           "one thread writes all the same",
		"static constexpr bool one = once<D> > 0 && once<D> <= Share;  [&& -> ||]":                             "a loop that ends early reaches nothing that it must not",
		"if (R::shape::rank() == 0) p_[Ix<R>(r).value() * apart(cols_) + c.value()] = f(v.value());  [0 -> 1]": "one thread writes all the same",
		"bool whole() const { return all || from_ + N <= end_; }  [from_ -> end_]":                             "a part that is not known to be whole is tested place by place",
		"if constexpr (Z > 1) r += threadIdx.z * (X * Y);  [1 -> 2]":                                           "who asks for the rank here has blocks in one row",
		"static constexpr bool by_four = once<M> > 0;  [0 -> 1]":                                               "a sum is formed in the other way, to the same end",
		"if constexpr (S < 32) {  [32 -> 33]":                                                                  "a group that is a warp is asked, too, whether it is active",
		"for (int offset = S / 2; offset > 0; offset /= 2) {  [2 -> 3]":                                        "it changes a value, and no place",
		"WW_MEM constexpr bool whole() const { return all || from_ + N <= end_; }  [|| -> &&]":                 "a part that is not known to be whole is tested place by place",
		"WW_MEM constexpr bool whole() const { return all || from_ + N <= end_; }  [<= -> <]":                  "a part that is not known to be whole is tested place by place",
		"for (; at + N <= n_; at += N) f(Part<D, N, true>(Mint(), at, n_));  [<= -> <]":                        "a part that is not known to be whole is tested place by place",
		"return i.active(Mint()) && lane() % S == 0; }  [0 -> 1]":                                              "one lane writes all the same, or none",
		"out.v_[i] = f(first.v_[i], more.v_[i]...);  [0 -> 1]":                                                 "it changes a value, and no place",
		"from = f(from, v.v_[i]);  [0 -> 1]":                                                                   "it changes a value, and no place",
		"if constexpr (multiple<D> % V != 0) {  [0 -> 1]":                                                      "elements beyond the runs are left out, or there are none",
		"WW_MEM bool has(i32 place) const { return Whole || from_ + place < end_; }  [|| -> &&]":               "a part that has less is read less",
		"WW_MEM bool has(i32 place) const { return Whole || from_ + place < end_; }  [from_ -> end_]":          "a part that has less is read less",
		"R::full || first < static_cast<count>(n_));  [|| -> &&]":                                              "an index is left out",
		"all || (r < i32(rows_.size()) && c < i32(cols_.size())));  [|| -> &&]":                                "a cell is left out",
		"? 4 : N % 2 == 0 && sizeof(T) <= 8 ? 2 : 1;  [8 -> 9]":                                                "no element has nine bytes",
		"per_warp = 32 / S;  [32 -> 33]":                                                                       "an index is left out",
		"if constexpr (S::threads % W == 0) {  [% -> /]":                                                       "the other way deals the same, and where this one is taken a thread has one place again and again",
		"auto u = x.mine(at, side, 0);  [0 -> 1]":                                                              "a row of the panel is taken for another, which is a value",
		"auto u = x.mine(at, side, 0);  [x -> y]":                                                              "values of the other strip, or it does not compile",
		"int side = 0;  [0 -> 1]":                                                                              "it begins with the other panel",
		"if constexpr (copies_beside && bytes >= 4) {  [4 -> 5]":                                               "fewer elements are copied beside the thread",
		"S == 32 || R::full || mine < n);  [32 -> 33]":                                                         "a group that is a warp is asked, too, whether it is active",
		"return Zip<D, X, Y>(d, x, y);  [x -> y]":                                                              "values of the other view, or it does not compile",
		"v += partial.p_[warp];  [0 -> 1]":                                                                     "it changes a value, and no place",
		"v += partial.p_[u64(y) * N + threadIdx.x];  [0 -> 1]":                                                 "it changes a value, and no place",
		"auto v = y.mine(at, side, 0);  [y -> x]":                                                              "values of the other strip, or it does not compile",
		"const auto v1 = y.mine(at, side, p);  [y -> x]":                                                       "values of the other strip, or it does not compile",
		"const auto u1 = x.mine(at, side, p);  [x -> y]":                                                       "values of the other strip, or it does not compile",
		"return Zip<D, X, Y>(d, x, y);  [y -> x]":                                                              "values of the other view, or it does not compile",
		"body(RunIx<D, V, V>(Mint(), first * V));  [|| -> &&]":                                                 "a run is left out",
		"WW_MEM Iterator begin() const { return Iterator(Mint(), from_); }  [from_ -> end_]":                   "all indices are left out",
		"if (!row.active(Mint())) return {Mint(), 0, 0};  [0 -> 1]":                                            "from 1 to 0 there are no entries either",
		"if (lane() == 0) partial.p_[threadIdx.x / 32] = v;  [0 -> 1]":                                         "it changes a value, and no place",
		"v += partial.p_[u64(y) * N + threadIdx.x];  [+= -> -=]":                                               "it changes a value, and no place",
		"v += partial.p_[warp];  [+= -> -=]":                                                                   "it changes a value, and no place",
		"auto v = y.mine(at, side, 0);  [0 -> 1]":                                                              "a row of the panel is taken for another, which is a value",
		"if constexpr (multiple<D> % V != 0) {  [% -> /]":                                                      "elements beyond the runs are left out, or there are none",
		"per_warp = 32 / S;  [/ -> *]":                                                                         "indices are left out",
		"WW_MEM Zip(Dim<D> d, X x, Y y) : d_(d), x_(x), y_(y) {}  [y -> x]":                                    "values of the other view, or it does not compile",
		"WW_MEM Zip(Dim<D> d, X x, Y y) : d_(d), x_(x), y_(y) {}  [x -> y]":                                    "values of the other view, or it does not compile",
		"static constexpr bool all = Whole || multiple<D> % N == 0;  [|| -> &&]":                               "a part that is whole is tested place by place",
		"once<D> > 0 && once<D> <= Share;  [<= -> <]":                                                          "a loop that ends after its first round is tested for another",
		"if constexpr (S < 32) {  [< -> <=]":                                                                   "a group that is a warp is asked, too, whether it is active",
		"const P mine = static_cast<P>(lane() % S);  [% -> /]":                                                 "a lane reads the entries of another one, which is a value",
		"group(first, n), R::full || first < n);  [|| -> &&]":                                                  "groups are left out",
		"for (int offset = S / 2; offset > 0; offset /= 2) {  [/ -> *]":                                        "it changes a value, and no place",
	}
}

// harmless says why a mutant does no harm; empty if it does.
func harmless(m mutant) string {
	for text, why := range reasons() {
		if strings.HasSuffix(m.String(), text) {
			return why
		}
	}
	for _, text := range []string{"v += 4 * Step", "term(within(v))", "s += a;", "< end_) s += ", "s += term("} { // Span::sum
		if strings.Contains(m.String(), text) {
			return "it changes what is summed, and no place"
		}
	}
	if strings.Contains(m.String(), "static constexpr bool keeps = ") {
		return "an address is kept or formed anew, and is the same"
	}
	return ""
}
