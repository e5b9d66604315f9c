// Vector runs: V neighbouring elements that one thread loads, or stores, by one instruction of 2 to
// 16 bytes.
//
//   runs<4>(n, [&](auto run) { y[run] = map([&](f32 x, f32 y) { return a * x + y; }, x[run], y[run]); });
//
// Run k begins at element V k, and the contract aligns the first element to a whole run. The body is
// compiled twice: for whole runs, whose loop has no test but its own, and for the fewer than V
// elements beyond them, one a thread. Every element is of one run or beyond them, so none is skipped
// and each has one owner.
#pragma once

#include "ww/view.h"

namespace ww {

// How many of N neighbours one instruction moves: 4 or 2 where they divide N, but at most 16 bytes.
template <class T, int N>
inline constexpr int word = N % 4 == 0 && sizeof(T) <= 4 ? 4 : N % 2 == 0 && sizeof(T) <= 8 ? 2 : 1;
static_assert(word<u8, 1> == 1 && word<f32, 2> == 2 && word<f32, 3> == 1 && word<f32, 4> == 4 && word<f32, 5> == 1 && word<f32, 6> == 2 && word<f32, 8> == 4 &&
              word<f64, 4> == 2 && word<f64, 5> == 1);

// The same of a row of C elements, where every row is known to begin at such a place; else one. It counts for elements of
// any other type too, as long as they fit 16 bytes.
template <class T, int N, class C>
inline constexpr int in_word = multiple<C> % word<T, N> == 0 && alignment<C> % 16 == 0 ? word<T, N> : 1;

// In place of T in a view: T, accessed in runs of V.
template <class T, int V>
struct Run {
  static_assert(V >= 2 && (V & (V - 1)) == 0 && sizeof(T) * V <= 16, "a run is a power of two of elements, two at least and 16 bytes at most");
  static constexpr bool sound = true;  // views ask for it: a type that is only named asserts nothing
};

// Count neighbouring indices below D that no other thread of the grid has: V, a whole run, or one
// beyond the runs.
template <class D, int V, int Count>
class RunIx final : Sealed {
  static_assert(Count == V || Count == 1);

 public:
  WW_MEM RunIx(Mint, u64 first) : first_(first) {}
  WW_MEM u64 first() const { return first_; }

 private:
  u64 first_;
};

template <class D, int V>
class Runs final {
  static_assert(V >= 2 && V <= 16 && (V & (V - 1)) == 0, "a run is a power of two of elements, two at least and 16 bytes at most");

 public:
  template <class F>
  static WW_MEM void each(Dim<D> d, F body) {
    static_assert(D::shape::line, "runs<V>(...) wants blocks and threads in one row: block(x) and grid(x), else two threads would own one run");
    static_assert(D::shape::threads >= V, "runs<V>(...) wants V threads a block at least, so that each element beyond the runs has a thread");
    const u64 n = d.size();
    using R = Rounds<D, D::shape::threads * V>;
    using count = typename R::count;
    const count first = static_cast<count>(blockIdx.x) * count{D::shape::threads} + static_cast<count>(threadIdx.x);
    if constexpr (R::one) {
      if (R::full || first < static_cast<count>(n) / V) body(RunIx<D, V, V>(Mint(), first * V));
    } else {
      const u64 stride = u64(gridDim.x) * D::shape::threads;
      for (u64 run = first; run < n / V; run += stride) body(RunIx<D, V, V>(Mint(), run * V));
    }
    if constexpr (multiple<D> % V != 0) {
      const u64 last = n / V * V + static_cast<u64>(first);
      if (last < n) body(RunIx<D, V, 1>(Mint(), last));
    }
  }
};

// Calls body with every run of D, and with every element beyond the runs; one thread each.
template <int V, class D, class F>
WW_DEV void runs(Dim<D> d, F body) {
  Runs<D, V>::each(d, body);
}

// The elements of a run, in registers.
template <class T, int Count>
class Pack final {
  friend struct Packs;
  T v_[Count];
};

// A run in memory, which its owner may write and, if Reads, read.
template <class T, int Count, bool Reads>
class RunCell final : Sealed {
  static_assert(Count * sizeof(T) <= 16, "c[at]: the elements of a run are 16 bytes at most");

 public:
  WW_MEM void operator=(Pack<T, Count> v) const;

 private:
  friend struct Packs;
  template <class U, class... D>
  friend class Out;
  template <class U, class... D>
  friend class InOut;
  WW_MEM explicit RunCell(T* p) : p_(p) {}
  T* p_;
};

struct Packs {
  // A run as one machine word.
  template <u64 Bytes>
  using Word = std::conditional_t<Bytes == 16, uint4, std::conditional_t<Bytes == 8, uint2, std::conditional_t<Bytes == 4, u32, unsigned short>>>;

  template <int Count, class T>
  static WW_MEM Pack<T, Count> load(const T* p) {
    Pack<T, Count> out;
    if constexpr (Count == 1) {
      out.v_[0] = __ldg(p);
    } else {
      const auto word = __ldg(reinterpret_cast<const Word<sizeof out>*>(p));
      __builtin_memcpy(&out.v_, &word, sizeof out);
    }
    return out;
  }
  template <class T, int Count>
  static WW_MEM void store(T* p, Pack<T, Count> v) {
    if constexpr (Count == 1) {
      *p = v.v_[0];
    } else {
      Word<sizeof v> word;
      __builtin_memcpy(&word, &v.v_, sizeof v);
      *reinterpret_cast<Word<sizeof v>*>(p) = word;
    }
  }
  // Copies a run into shared memory, or zeros where none is there: beside the thread, if the device can; they are there after
  // copied().
  template <int Count, class T>
  static WW_MEM void copy(T* to, const T* from, bool there) {
    constexpr int bytes = Count * sizeof(T);
    if constexpr (copies_beside && bytes >= 4) {
      copy_beside<bytes>(to, from, there);
    } else if (there) {
      store(to, load<Count>(from));
    } else {
      unrolled<Count>([&](int i) { to[i] = T{}; });
    }
  }

  template <class T, int Count>
  static WW_MEM Pack<T, Count> of(Pack<T, Count> v) {
    return v;
  }
  // f(0), f(1), ... as a pack.
  template <class T, int Count, class F>
  static WW_MEM Pack<T, Count> make(F f) {
    Pack<T, Count> out;
    unrolled<Count>([&](int i) { out.v_[i] = f(i); });
    return out;
  }
  template <class T, int Count>
  static WW_MEM T element(Pack<T, Count> v, int i) {
    return v.v_[i];
  }
  // Not through __ldg: the kernel writes this memory.
  template <int Count, class T>
  static WW_MEM Pack<T, Count> read(const T* p) {
    Pack<T, Count> out;
    if constexpr (Count == 1) {
      out.v_[0] = *p;
    } else {
      const auto word = *reinterpret_cast<const Word<sizeof out>*>(p);
      __builtin_memcpy(&out.v_, &word, sizeof out);
    }
    return out;
  }
  template <class T, int Count>
  static WW_MEM Pack<T, Count> of(RunCell<T, Count, true> cell) {
    return read<Count>(cell.p_);
  }

  template <class F, class T, int Count, class... U>
  static WW_MEM auto map(F f, Pack<T, Count> first, Pack<U, Count>... more) {
    Pack<decltype(f(first.v_[0], more.v_[0]...)), Count> out;
#pragma unroll
    for (int i = 0; i < Count; i++) out.v_[i] = f(first.v_[i], more.v_[i]...);
    return out;
  }
  template <class F, class A, class T, int Count>
  static WW_MEM A fold(F f, A from, Pack<T, Count> v) {
#pragma unroll
    for (int i = 0; i < Count; i++) from = f(from, v.v_[i]);
    return from;
  }
};

template <class T, int Count, bool Reads>
WW_MEM void RunCell<T, Count, Reads>::operator=(Pack<T, Count> v) const {
  Packs::store(p_, v);
}

// f of the first elements of all packs, f of the second ones, and so on: a pack again.
template <class F, class... P>
WW_DEV auto map(F f, P... packs) {
  return Packs::map(f, Packs::of(packs)...);
}

// f(f(from, first element), second element), and so on.
template <class F, class A, class P>
WW_DEV A fold(F f, A from, P pack) {
  return Packs::fold(f, from, Packs::of(pack));
}

template <class T, int V, class D>
class In<Run<T, V>, D> final : Sealed {
  static_assert(Run<T, V>::sound);

 public:
  template <int Count>
  WW_MEM Pack<T, Count> operator[](RunIx<D, V, Count> i) const {
    return Packs::load<Count>(p_ + i.first());
  }

 private:
  friend Entry;
  WW_MEM explicit In(const T* p) : p_(p) {}
  const T* p_;
};
WW_VIEW(In<Run<T, V>, D>, pointer(const T), len(D), align(V * sizeof(T)), in);

template <class T, int V, class D>
class Out<Run<T, V>, D> final : Sealed {
  static_assert(Run<T, V>::sound);

 public:
  template <int Count>
  WW_MEM auto operator[](RunIx<D, V, Count> i) const {
    return RunCell<T, Count, false>(p_ + i.first());
  }

 private:
  friend Entry;
  WW_MEM explicit Out(T* p) : p_(p) {}
  T* p_;
};
WW_VIEW(Out<Run<T, V>, D>, pointer(T), len(D), align(V * sizeof(T)), out);

template <class T, int V, class D>
class InOut<Run<T, V>, D> final : Sealed {
  static_assert(Run<T, V>::sound);

 public:
  template <int Count>
  WW_MEM auto operator[](RunIx<D, V, Count> i) const {
    return RunCell<T, Count, true>(p_ + i.first());
  }

 private:
  friend Entry;
  WW_MEM explicit InOut(T* p) : p_(p) {}
  T* p_;
};
WW_VIEW(InOut<Run<T, V>, D>, pointer(T), len(D), align(V * sizeof(T)), inout);

}  // namespace ww
