package lemma

import (
	"slices"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/tools/internal/source"
	"github.com/warpwright/warpwright/tools/prove/smt"
	"github.com/warpwright/warpwright/tools/prove/smt/smttest"
)

// lie is a change of the headers that lets a kernel do what the lemmas deny.
type lie struct {
	name  string
	units string   // whose lemmas speak of it: they begin so, | between two
	want  string   // what is said of it
	edits []string // a file, what stands there, and what shall: of each
}

// member puts a member into In<T, D>, element one into Out<T, D>.
func member(code string) []string {
	const before = "  WW_MEM T at(const Held auto&, u64 i) const { return __ldg(p_ + i); }"
	return []string{"view.h", before, "  " + code + "\n" + before}
}

func element(code string) []string {
	const before = "  WW_MEM Cell<T> operator[](ThreadIx<D> i) const { return Cell<T>(p_ + i.value()); }"
	return []string{"view.h", before, "  " + code + "\n" + before}
}

// lies are of all kinds: of each the reader once believed one, or could have.
func lies() []lie {
	const in, out = "In<T, D>::added", "Out<T, D>::"
	return []lie{
		// What is executed once here, and often on a device.
		{"an unrolled lambda counts", in, "a lambda that is called again changes what was there before it", member("WW_MEM T added(Ix<D> i) const { u64 at = i.value(); unrolled<3>([&](int) { load_once(p_ + at); at += 1; }); return T{}; }")},
		{"the body of a loop over a range counts", in, "the body of a loop changes what was there before it", member("WW_MEM T added(Dim<D> d) const { u64 at = 0; for (auto i : each(d)) { load_once(p_ + at); at += 2; } return T{}; }")},
		{"the body of a loop counts", in, "the body of a loop changes what was there before it", member("WW_MEM T added(Dim<D> d) const { u64 at = 0; for (u64 i = 0; i < d.size(); i += 1) { load_once(p_ + at); at += 2; } return T{}; }")},
		{"a lambda in a helper's loop counts", in, "the body of a loop changes what was there before it", member("template <class F> static WW_MEM void often(u64 n, F f) { for (u64 i = 0; i < n; i += 1) f(i); }\n  WW_MEM T added(Dim<D> d) const { u64 at = 0; often(d.size(), [&](u64) { load_once(p_ + at); at += 2; }); return T{}; }")},
		{"a condition's second half stores", in, "what may not be evaluated changes what was there before it", member("WW_MEM T added(Ix<D> i, bool b) const { u64 at = i.value() + 5; if (b && bool(at = 0)) at = 0; return p_[at]; }")},
		{"an arm stores", in, "what may not be evaluated changes what was there before it", member("WW_MEM T added(Dim<D> d) const { u64 at = d.size(); const u64 x = d.size() == 7 ? (at = 0) : u64(1); return d.size() == 0 ? T{} : p_[at]; }")},
		{"what only a type is wanted of stores", in, "what is not evaluated changes what was there before it", member("WW_MEM T added(Dim<D> d) const { u64 at = d.size(); decltype(at = 0) x = 0; return d.size() == 0 ? T{} : p_[at]; }")},
		{"an argument stores", in, "may be evaluated before the others or after them, changes", member("static WW_MEM u64 two(u64 a, u64 b) { return b; }\n  WW_MEM T added(Ix<D> i) const { u64 at = i.value() + 7; return p_[two(at = i.value(), at)]; }")},
		{"an operand stores", in, "may be evaluated before the other one or after it, changes", member("WW_MEM T added(Ix<D> i) const { u64 at = i.value() + 7; const u64 x = (at = i.value()) + at - at; return p_[x]; }")},
		{"a barrier in a loop", in, "a barrier in the body of a loop", member("WW_MEM T added(Dim<D> d) const { for (auto i : each(d)) __syncthreads(); return T{}; }")},
		{"a loop does another thing on another path", "pipeline(", "the loop changes a number on one path in another way than on the first", []string{"pipeline.h", "if (next != all.end()) copy(*next, 1 - side);", "if (next != all.end()) copy(*next, 1 - side); else side = 5;"}},

		// What is a copy, and what is not.
		{"a lambda captures a copy", in, "a lambda captures all by reference", member("WW_MEM T added(Dim<D> d, Ix<D> i) const { u64 at = d.size(); const auto f = [=]() { return p_[at]; }; at = i.value(); return f(); }")},
		{"a reference", in, "also is a reference", member("WW_MEM T added(Ix<D> i) const { u64 at = i.value(); auto& also = at; also = 1000; return p_[at]; }")},
		{"a reference to what changes", in, "also is a reference", member("WW_MEM T added(Ix<D> i) const { u64 at = i.value(); const auto& also = at; at = 1000; return p_[also]; }")},
		{"a parameter that is a reference", in, "at is a reference to what may be changed", member("static WW_MEM void bump(u64& at) { at += 5; }\n  WW_MEM T added(Ix<D> i) const { u64 at = i.value(); bump(at); return p_[at]; }")},
		{"a lambda's parameter that is a reference", in, "x is a reference to what may be changed", member("WW_MEM T added(Ix<D> i) const { u64 at = i.value(); const auto f = [&](u64& x) { x += 5; }; f(at); return p_[at]; }")},
		{"a copy that is none", in, "a copy of Odd has what it is a copy of", member("struct Odd {\n    u64 v;\n    WW_MEM Odd(u64 x) : v(x) {}\n    WW_MEM Odd(const Odd& o) : v(o.v + 1) {}\n  };\n  WW_MEM T added(Ix<D> i) const { const Odd a(i.value()); const Odd b = a; return p_[b.v]; }")},
		{"members in another order", "Late<", "members are set in the order in which they are declared: a_ is before b_", []string{"view.h", "WW_VIEW(In<T, D>, pointer(const T), len(D), in);", "WW_VIEW(In<T, D>, pointer(const T), len(D), in);\ntemplate <class D>\nclass Late final : Sealed {\n public:\n  WW_MEM Late(Ix<D> i) : b_(i.value()), a_(b_) {}\n\n private:\n  u64 a_, b_;\n};"}},
		{"an assignment of the base", in, "no operator= takes these arguments", member("WW_MEM T added(Ix<D> i) const { Ix<D> k(Mint(), i.value()); const Ix<D> bad(Mint(), i.value() + 1); k = bad; return p_[k.value()]; }")},

		{"a member that hides its base's", in, "has members that the constructors of its base do not set", member("struct Low {\n    u64 v;\n    WW_MEM Low(u64 x) : v(x) {}\n  };\n  struct High : public Low {\n    using Low::Low;\n    u64 v;\n  };\n  WW_MEM T added(Ix<D> i) const { const High h(i.value()); return p_[h.v]; }")},

		// Pointers and numbers.
		{"a copy of two bytes", "Panels<T, H, W>::Strip", "2 bytes are copied at once", []string{"run.h", "if constexpr (copies_beside && bytes >= 4) {", "if constexpr (copies_beside) {"}},
		{"bytes of a number", in, "bytes are copied into at, whose value is known", member("WW_MEM T added(Ix<D> i) const { u64 at = i.value(); u64 far = 1000; __builtin_memcpy(&at, &far, 8); return p_[at]; }")},
		{"bytes of an index", in, "bytes are copied into at, whose value is known", member("WW_MEM T added(Ix<D> i) const { Ix<D> at(Mint(), i.value()); int far = 1000; __builtin_memcpy(&at, &far, sizeof(at)); return p_[at.value()]; }")},
		{"a step of a word", in, "a step of that pointer is no element of what lies there", member("WW_MEM T added(Ix<D> i) const { const auto w = reinterpret_cast<const u64*>(p_); __ldg(w + i.value()); return T{}; }")},
		{"a pointer to something else", in, "a pointer to T becomes one to void", member("WW_MEM T added(Ix<D> i) const { __ldg(static_cast<const uint4*>(static_cast<const void*>(p_ + i.value()))); return T{}; }")},
		{"a hexadecimal number without a sign", in, "an operand of i32 keeps its value as u32", member("WW_MEM T added(Ix<D> i) const { const int one = -1; return one < 0x80000000 ? p_[i.value()] : p_[i.value() + 1]; }")},
		{"a long number without a sign", in, "an operand of i32 keeps its value as u64", member("WW_MEM T added(Ix<D> i) const { const int one = -1; return one < 5ul ? p_[i.value()] : p_[i.value() + 1]; }")},
		{"the same, the other way round", in, "an operand of i32 keeps its value as u64", member("WW_MEM T added(Ix<D> i) const { const int one = -1; return one < 5llu ? p_[i.value()] : p_[i.value() + 1]; }")},
		{"a mask of fewer bits", "whole(", "the mask has fewer bits than what it masks", []string{"extent.h", "static_cast<typename D::rep>(d.size()) & ~static_cast<typename D::rep>(low - 1)", "static_cast<typename D::rep>(d.size() & ~static_cast<u32>(low - 1))"}},
		{"a mask that loses something", "whole(", "keeps its value as u8", []string{"extent.h", "~static_cast<typename D::rep>(low - 1)", "~static_cast<u8>(low - 1)"}},
		{"a shift that loses something", in, "v << 60 does not wrap (u64)", member("WW_MEM T added(u64 v, Dim<D> d) const { return v < d.size() ? p_[(v << 60) >> 60] : T{}; }")},
		{"a remainder of what is negative", in, "divides what is not negative", member("WW_MEM T added(i32 v, Dim<D> d) const { return d.size() > 0 && d.size() < 100 ? p_[v % i32(d.size())] : T{}; }")},
		{"a sum of bytes in a byte", in, "c keeps its value as u8", member("WW_MEM T added(u8 a, u8 b, Dim<D> d) const { const u8 c = a + b; return d.size() > 255 ? p_[c] : T{}; }")},
		{"a number that is not set", in, "a comparison of values decides nothing", member("WW_MEM T added(Dim<D> d) const { u64 c; return d.size() > 255 && c < 255 ? p_[c] : T{}; }")},
		{"a number in an array", in, "a number of u64 from an array", member("WW_MEM T added(Ix<D> i) const { u64 a[3]; a[0] = i.value() + 3; return p_[a[0]]; }")},
		{"an argument by default", in, "expected ,, found =", member("WW_MEM T added(Dim<D> d, u64 at = 7) const { return p_[at]; }")},
		{"an element that is handed out as a place", in, "p_[i.value() + 1] lies inside", member("WW_MEM const T& added(Ix<D> i) const { return p_[i.value() + 1]; }")},

		// Who is called, and what is known of it.
		{"a lawful index of a primitive's", in, "nobody knows that this is a lawful Ix<D>", member("WW_MEM T added() const { const Ix<D> i = acc(T{}).index(); return p_[i.value()]; }")},
		{"a lawful index of a primitive that is called", in, "nobody knows that this is a lawful Ix<D>", member("WW_MEM T added() const { const Ix<D> i = acc(T{})(); return p_[i.value()]; }")},
		{"a pointer for a primitive", in, "far is given a pointer", append(member("WW_MEM T added() const { return far(p_); }"), "dtype.h", "WW_DEV f32 acc(f32 v)", "template <class T>\nWW_DEV T far(const T* p) { return p[100]; }\nWW_DEV f32 acc(f32 v)")},
		{"an index of a primitive's making", in, "nobody knows that this is a lawful Ix<D>", append(member("WW_MEM T added() const { const Ix<D> i = conjured(7); return p_[i.value()]; }"), "dtype.h", "WW_DEV f32 acc(f32 v)", "template <class I>\nWW_DEV I conjured(int v) { return I(v); }\nWW_DEV f32 acc(f32 v)")},
		{"a function without a lemma, of what is not known", in, "has no lemma of its own", member("template <class U>\n  WW_MEM T deep(Mint, Dim<U> d, u64 i) const { return p_[i]; }\n  template <class Z>\n  WW_MEM T added(Ix<D> i, Z z) const { return deep(Mint(), z, u64(5)); }")},
		{"a template that fits better than a conversion", in, "i + 1 does not wrap (u32)", member("WW_MEM T pick(Mint, u64 i) const { return T{}; }\n  template <class I>\n  WW_MEM T pick(Mint, I i) const { return p_[i + 1]; }\n  WW_MEM T added(u32 i) const { return pick(Mint(), i); }")},
		{"functions of which none is the best", in, "has no lemma of its own", member("WW_MEM T pick(Mint, u64 i) const { return T{}; }\n  WW_MEM T pick(Mint, i64 i) const { return p_[i + 1]; }\n  WW_MEM T added(u32 i) const { return pick(Mint(), i); }")},
		{"a concept in place of the token", in, "the concept Below before auto", member("WW_MEM T added(const Below<D> auto& i) const { return p_[i.value() + 1]; }")},
		{"a refusal that compiles", "Out<T, R, C>::operator()", "holds a null pointer", []string{"matrix.h", "    requires(!std::is_same_v<I, ThreadIx<R>> || !Below<J, C>)\n  WW_MEM Cell<T>", "  WW_MEM Cell<T>"}},

		// What C++ must forbid, and what the headers say of extents.
		{"another class of the name", in, "there are two classes Ix<D>", []string{"view.h", "// D elements of T, read only, aliased", "namespace detail {\ntemplate <class D>\nclass Ix final : Sealed {\n public:\n  WW_MEM explicit Ix(u64 v) : v_(v) {}\n  WW_MEM u64 value() const { return v_ + 1; }\n\n private:\n  u64 v_;\n};\n}\n// D elements of T, read only, aliased"}},
		{"a member changes its object", "Part<", "the object behind widen: Part<D, N, Whole> keeps its law: end_ == D", []string{"tile.h", "  WW_MEM bool has(Ix<D> i) const { return all", "  WW_MEM void widen() { if (end_ < 1000) end_ += N; }\n  WW_MEM bool has(Ix<D> i) const { return all"}},
		{"a reference to a member", "Ix<D>", "raw hands out a member that everybody may change", []string{"extent.h", "  WW_MEM Ix(Mint, rep v) : v_(v) {}\n  WW_MEM rep value() const { return v_; }", "  WW_MEM Ix(Mint, rep v) : v_(v) {}\n  WW_MEM rep& raw() { return v_; }\n  WW_MEM rep value() const { return v_; }"}},
		{"a sum that nobody formed", "Uniform<", "whoever calls it has the right that Uniform<T, Index> is", []string{"collective.h", "  WW_MEM T value() const { return v_; }", "  WW_MEM T value() const { return v_; }\n  WW_MEM explicit Uniform(T v, int) : v_(v) {}"}},
		{"whole block for everybody", "GroupIx<D, S>", "only what a block has shows that the whole block is there", []string{"extent.h", "  WW_MEM bool active(Mint) const { return active_; }", "  WW_MEM bool active(Mint) const { return active_; }\n  WW_MEM WholeBlock<typename D::shape> whole_block() const { return WholeBlock<typename D::shape>(Mint()); }"}},
		{"members for everybody", in, "p_ is public", []string{"view.h", " private:\n  friend Entry;\n  template <class U, class... E>\n  friend class In;\n  WW_MEM explicit In(const T* p) : p_(p) {}", "  friend Entry;\n  template <class U, class... E>\n  friend class In;\n  WW_MEM explicit In(const T* p) : p_(p) {}"}},
		{"an index for everybody", "RunIx<", "first_ is public", []string{"run.h", "  WW_MEM u64 first() const { return first_; }\n\n private:", "  WW_MEM u64 first() const { return first_; }\n"}},
		{"a mint for everybody", "Ix<D>", "whoever calls it has the right that Mint is", []string{"extent.h", "class Mint : Sealed {\n", "class Mint : Sealed {\n public:\n"}},
		{"a mint for whoever asks", "In<T, D>::key", "nobody hands out the right to make indices", member("WW_MEM Mint key() const { return Mint(); }")},
		{"anything is a token", in, "the concept asks for true", []string{"token.h", "concept Held = std::is_same_v<T, Unchecked>;", "concept Held = true;"}},
		{"anything is below", in, "the concept asks for true", []string{"extent.h", "concept Below = std::is_convertible_v<I, Ix<D>>;", "concept Below = true;"}},
		{"a multiple of Const", "Const<", "it is stated of Const<N>, and is no number", []string{"extent.h", "inline constexpr int multiple<Const<N>> = N;", "inline constexpr int multiple<Const<N>> = N * 2;"}},
		{"two of every Const", "Const<", "it is stated of Const<N>, and is not so of each", []string{"extent.h", "inline constexpr int multiple<Const<N>> = N;", "inline constexpr int multiple<Const<N>> = 2;"}},
		{"a fact for another", "Const<", "is not D::facts::multiple", []string{"extent.h", "inline constexpr int multiple<D> = D::facts::multiple;", "inline constexpr int multiple<D> = D::facts::once;"}},
		{"facts in another order", "Const<", "its parameters are not Multiple Once Exact", []string{"extent.h", "template <int Multiple, int Once, int Exact>", "template <int Once, int Multiple, int Exact>"}},
		{"a fact by another's name", "Const<", "multiple is not Multiple", []string{"extent.h", "multiple = Multiple, once = Once", "multiple = Once, once = Multiple"}},
		{"an alignment of every buffer", "Const<", "it is stated of every extent, and is not so of each", []string{"extent.h", "inline constexpr int alignment = 1;", "inline constexpr int alignment = 16;"}},
		{"an alignment that nobody said", "Const<", "align is not Align", []string{"extent.h", "axes = Axes, align = Align", "axes = Axes, align = 16"}},

		// Rows.
		{"two rows of a view", in, "view In<T, D> has two rows", []string{"view.h", "WW_VIEW(In<T, D>, pointer(const T), len(D), in);", "WW_VIEW(In<T, D>, pointer(const T), len(D), in);\nWW_VIEW(In<T, D>, pointer(const T), len(1), in);"}},
		{"a shorter row of tiles", "Tiles<", "it does not promise what the row of Tiles<R, C, h, w, g, v> does", []string{"tile.h", "WW_VIEW(Tiles<R, C, h, w>, cells(R: h, C: w)", "WW_VIEW(Tiles<R, C, h, w>, cells(R: w, C: h)"}},
		{"a shorter row of a shared tile", "SharedTile<", "it does not promise what the row of SharedTile<T, h, w, pad> does", []string{"stage.h", "WW_VIEW(SharedTile<T, h, w>, shared(T, h * w));", "WW_VIEW(SharedTile<T, h, w>, shared(T, h));"}},

		// Owners.
		{"a private range", "Out<T, D, ByPart<N>>|BlockPart", "nobody has shown what part.other(Mint()) gives", []string{"tile.h", "    for (auto i : part.own()) p_[i.value()] = f(v.value());", "    for (auto i : part.other(Mint())) p_[i.value()] = f(v.value());", "tile.h", "  // The thread's own indices: at the place", "  WW_MEM auto other(Mint) const { return Once<PartIx<D, N>>(Mint(), PartIx<D, N>(Mint(), from_), true); }\n  // The thread's own indices: at the place"}},
		{"an element of a neighbour", out, "what a Cell holds is held by one owner", element("WW_MEM Cell<T> added(ThreadIx<D> i) const { return Cell<T>(p_ + (i.value() == 0 ? 0 : i.value() - 1)); }")},
		{"reads where others hold cells", "InOut<T, D>::", "no other thread holds the element of this.p_ that is accessed (a Kept", []string{"view.h", "  WW_MEM Kept<T> operator[](ThreadIx<D> i) const {", "  WW_MEM T peek(Ix<D> i) const { return p_[i.value()]; }\n  WW_MEM Kept<T> operator[](ThreadIx<D> i) const {"}},
		{"reads where others add", "Add<T, D>::", "no other thread is at the element of this.p_", []string{"view.h", "  WW_MEM void add(Ix<D> i, T v) const {", "  WW_MEM T peek(Ix<D> i) const { return p_[i.value()]; }\n  WW_MEM void add(Ix<D> i, T v) const {"}},
		{"writes where others add, and asks for no shape", "Add<T, D>::set", "no other thread is at the element of this.p_", []string{"view.h", "  WW_MEM void add(Ix<D> i, T v) const {", "  WW_MEM void set(Ix<D> i, T v) const { p_[i.value()] = v; }\n  WW_MEM void add(Ix<D> i, T v) const {"}},
		{"writes for another kind of owner", "poke(", "y.p_ is accessed by members of Out<T, D> alone", []string{"view.h", "WW_VIEW(Out<T, D>, ", "template <class T, class D>\nWW_DEV void poke(Out<T, D> y, BlockIx<D> i, T v) {\n  if (threadIdx.x == 0) y.p_[i.value()] = v;\n}\nWW_VIEW(Out<T, D>, "}},
		{"writes for runs where others have elements", "Out<Run<T, V>, D>::poke", "no other thread is at the element of this.p_", []string{"run.h", "  template <int Count>\n  WW_MEM auto operator[](RunIx<D, V, Count> i) const {\n    return RunCell<T, Count, false>",
			"  template <int Count>\n  WW_MEM void poke(RunIx<D, V, Count> i, T v) const { p_[Count == 1 ? i.first() : i.first() / V] = v; }\n  template <int Count>\n  WW_MEM auto operator[](RunIx<D, V, Count> i) const {\n    return RunCell<T, Count, false>"}},
		{"an idle group wakes", "GroupIx<D, S>", "what a GroupIx holds is held by one owner", []string{"extent.h", "  WW_MEM bool active(Mint) const { return active_; }", "  WW_MEM bool active(Mint) const { return active_; }\n  WW_MEM GroupIx wake(Dim<D> d) const { return GroupIx(Mint(), v_, u64(v_) < d.size()); }"}},
		{"another loop over the same indices", "Rotated<|Threads<", "what it makes (ThreadIx) another class makes as well", []string{"range.h", "// S neighbouring lanes an index.", `template <class D>
class Rotated final : Sealed {
  static_assert(D::shape::line, "");

 public:
  class Iterator : public Stride {
   public:
    using Stride::Stride;
    WW_MEM ThreadIx<D> operator*() const { return ThreadIx<D>(Mint(), static_cast<typename D::rep>(n_ - 1 - at_)); }
  };
  WW_MEM explicit Rotated(Dim<D> d) : n_(d.size()) {}
  WW_MEM auto begin() const { return Iterator(Mint(), u64(blockIdx.x) * D::shape::threads + threadIdx.x, u64(gridDim.x) * D::shape::threads, n_); }
  WW_MEM LoopEnd end() const { return {}; }

 private:
  u64 n_;
};

// S neighbouring lanes an index.`}},
		{"two views that may be one", "InOut<T, D>::", "no other thread holds the element of o.p_ that is accessed", []string{"view.h", "  WW_MEM Kept<T> operator[](ThreadIx<D> i) const { return Kept<T>(p_ + i.value()); }", "  WW_MEM Kept<T> operator[](ThreadIx<D> i) const { return Kept<T>(p_ + i.value()); }\n  WW_MEM T peek(InOut o, Ix<D> i) const { return o.p_[i.value()]; }"}},
		{"no barrier behind a sum", "Collective::sum(BlockIx", "no other thread is at the element of partial.p_ that one writes", []string{"collective.h", "    __syncthreads();  // nobody may start the next sum while a slow warp still reads this one\n", ""}},
		{"no barrier within a sum", "Collective::sum(BlockIx", "no other thread is at the element of partial.p_ that one writes", []string{"collective.h", "    __syncthreads();\n    v = 0;\n#pragma unroll\n    for (int warp", "    v = 0;\n#pragma unroll\n    for (int warp"}},

		// Barriers of what fills shared memory.
		{"no barrier before a stage", "stage(At, Fill)", "which others may still read from before", []string{"stage.h", "  __syncthreads();  // nobody may still read what stood there\n", ""}},
		{"no barrier behind a stage", "stage(At, Fill)", "which others may read from then on", []string{"stage.h", "  auto filled = fill.run(at.whole_block());\n  __syncthreads();\n", "  auto filled = fill.run(at.whole_block());\n"}},
		{"a stage's second part behind its barrier", "stage(At, Fill, Other)", "which others may read from then on", []string{"stage.h", "  const auto second = other.run(at.whole_block());\n  __syncthreads();\n", "  __syncthreads();\n  const auto second = other.run(at.whole_block());\n"}},
		{"no barrier before a pipeline", "pipeline(", "which others may still read from before", []string{"pipeline.h", "  __syncthreads();  // nobody may still read the panels, from a pipeline before this one\n", ""}},
		{"no barrier in a pipeline's round", "pipeline(", "copy of X writes shared memory, which others may read from then on", []string{"pipeline.h", "    copied();\n    __syncthreads();\n    side = 1 - side;", "    copied();\n    side = 1 - side;"}},
		{"nobody waits for the first copies", "pipeline(", "copy of X writes the side of shared memory that mine accesses", []string{"pipeline.h", "  copied();\n  __syncthreads();\n  auto u", "  __syncthreads();\n  auto u"}},
		{"nobody waits for the copies of a round", "pipeline(", "copy of X writes shared memory, which others may read from then on", []string{"pipeline.h", "    copied();\n    __syncthreads();\n    side", "    __syncthreads();\n    side"}},
		{"a pipeline turns too late", "pipeline(", "writes the side of shared memory that mine accesses", []string{"pipeline.h", "    side = 1 - side;\n    turn(0);", "    turn(0);\n    side = 1 - side;"}},
		{"a pipeline copies where it reads", "pipeline(", "writes the side of shared memory that mine accesses", []string{"pipeline.h", "copy(*next, 1 - side);", "copy(*next, side);"}},
	}
}

// Headers that lie are found out, and the same headers without the lie are not.
func TestLies(t *testing.T) {
	solver := smttest.Start(t, smt.Limits{Steps: 500_000})
	truths := []lie{
		{"numbers of one's own", "In<T, D>::added", "", member("WW_MEM T added(Ix<D> i) const { u64 at = 0; if (i.value() > 0) at += 1; for (u64 k = 0; k < 3; k += 1) { u64 more = k; more += 1; } return p_[at - at + i.value()]; }")},
		{"names that the reader makes as well", "In<T, D>::added", "", member("WW_MEM T added(u64 index, u64 place, Dim<D> d) const { return index < d.size() ? p_[Ix<D>(Mint(), static_cast<typename D::rep>(index)).value()] : T{}; }")},
	}
	for _, l := range append(lies(), truths...) {
		t.Run(l.name, func(t *testing.T) {
			files := headers(t)
			for edit := range slices.Chunk(l.edits, 3) {
				files = changed(t, files, edit[0], edit[1], edit[2])
			}
			said := foundOut(t, solver, files, strings.Split(l.units, "|"))
			if (said == "") != (l.want == "") || !strings.Contains(said, l.want) {
				t.Errorf("says %q, want %q", said, l.want)
			}
		})
	}
}

// foundOut says what is wrong with headers: by the lemmas of some functions, and by what must be so besides.
func foundOut(t *testing.T, solver *smt.Solver, files []*source.File, units []string) string {
	t.Helper()
	v, err := Read(files)
	if err != nil {
		return err.Error()
	}
	p := newProver(v, solver)
	bad := func(f found, err error) string {
		switch {
		case err != nil:
			t.Fatal(err)
		case f.unread != nil:
			return f.unread.Error()
		}
		return f.lemma.Reason
	}
	var single []found
	for _, u := range v.units() {
		if !slices.ContainsFunc(units, func(name string) bool { return strings.HasPrefix(u.name(), name) }) {
			continue
		}
		f, err := p.one(t.Context(), u)
		if reason := bad(f, err); reason != "" {
			return reason
		}
		single = append(single, f)
	}
	for _, us := range families(single) {
		if reason := bad(p.together(t.Context(), us)); reason != "" {
			return reason
		}
	}
	open, err := p.untrue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	differing, err := p.differing(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range slices.Concat(open, differing, v.unsealed(), minters(single)) {
		said += o.name + ": " + o.reason + "\n"
	}
	return said
}
