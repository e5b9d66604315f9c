// Views: what a kernel may do with a buffer, in the type of its parameter.
//
// No access here is checked. It need not be: the contract, evaluated on the host before the launch,
// gives each view at least its extent, and an index below that extent can only be minted (extent.h).
// Offsets are 64-bit wherever they are formed.
#pragma once

#include "ww/collective.h"
#include "ww/dtype.h"

namespace ww {

// A stored index below D: what an index array that was validated against D holds.
template <class D>
struct Col {
  i32 v;
};

// D elements of T, read only, aliased by nothing that the kernel writes.
template <class T, class... D>
class In;

template <class T, class D>
class In<T, D> {
 public:
  WW_MEM T operator[](Ix<D> i) const { return __ldg(p_ + i.value()); }
  // An idle group reads nothing and gets a zero, which no loop of it will use.
  template <int S>
  WW_MEM T operator[](GroupIx<D, S> i) const {
    return i.active() ? __ldg(p_ + i.value()) : T{};
  }

 private:
  friend Entry;
  WW_MEM explicit In(const T* p) : p_(p) {}
  const T* p_;
};
WW_VIEW(In<T, D>, pointer(const T), len(D), in);

// N stored indices below K.
template <class K, class N>
class In<Col<K>, N> {
 public:
  WW_MEM Ix<K> operator[](Ix<N> e) const { return Ix<K>(Mint(), load_once(p_ + e.value())); }

 private:
  friend Entry;
  WW_MEM explicit In(const i32* p) : p_(p) {}
  const i32* p_;
};
WW_VIEW(In<Col<K>, N>, pointer(const i32), len(N), in, validated(columns), carries(K, N), index(K: i32));

// The rows of a CSR matrix: M + 1 offsets of type P, monotone from 0 to N, validated.
template <class P, class M, class N>
class Rows {
  WW_MEM P at(u64 i) const { return __ldg(p_ + i); }

 public:
  // The entries of a row, all to this thread.
  WW_MEM Span<Ix<N>, 1> all(Ix<M> row) const {
    const u64 r = row.value();
    return {Mint(), at(r), at(r + 1)};
  }
  // Those of them that fall to this lane of the group; none if the group is idle.
  template <int S>
  WW_MEM Span<Ix<N>, S> lanes(GroupIx<M, S> row) const {
    const u64 r = row.value();
    const P mine = static_cast<P>(lane() % S);
    if constexpr (S < 32) {
      if (!row.active()) return {Mint(), 0, 0};
    }
    return {Mint(), static_cast<P>(at(r) + mine), at(r + 1)};
  }
  // Those that fall to this thread of a block of B threads.
  template <int B>
  WW_MEM Span<Ix<N>, B> threads(BlockIx<M> row) const {
    const u64 r = row.value();
    return {Mint(), static_cast<P>(at(r) + static_cast<P>(threadIdx.x)), at(r + 1)};
  }

 private:
  friend Entry;
  WW_MEM explicit Rows(const P* p) : p_(p) {}
  const P* p_;
};
WW_VIEW(Rows<P, M, N>, pointer(const P), len(M + 1), in, validated(offsets), carries(M, N), index(N: P));

// The weights of N connections: One for all of them, or Each its own. What a kernel writes works for
// both, and One multiplies once a row and not once an entry:
//   a sum of w[e] * v(e)        total(sum of term(e, v(e)))
//   w[e] * v for many e         share(e, spread(v))
WW_TAG(One);
WW_TAG(Each);

template <class V, class W, class N>
class Weights;

template <class W, class N>
class Weights<One, W, N> {
 public:
  WW_MEM Acc<W> term(Ix<N>, Acc<W> v) const { return v; }
  WW_MEM Acc<W> total(Acc<W> sum) const { return acc(__ldg(p_)) * sum; }
  WW_MEM Acc<W> spread(Acc<W> v) const { return acc(__ldg(p_)) * v; }
  WW_MEM Acc<W> share(Ix<N>, Acc<W> spread) const { return spread; }

 private:
  friend Entry;
  WW_MEM explicit Weights(const W* p) : p_(p) {}
  const W* p_;
};
WW_VIEW(Weights<One, W, N>, pointer(const W), len(1), in);

template <class W, class N>
class Weights<Each, W, N> {
 public:
  WW_MEM Acc<W> term(Ix<N> e, Acc<W> v) const { return acc(load_once(p_ + e.value())) * v; }
  WW_MEM Acc<W> total(Acc<W> sum) const { return sum; }
  WW_MEM Acc<W> spread(Acc<W> v) const { return v; }
  WW_MEM Acc<W> share(Ix<N> e, Acc<W> spread) const { return acc(load_once(p_ + e.value())) * spread; }

 private:
  friend Entry;
  WW_MEM explicit Weights(const W* p) : p_(p) {}
  const W* p_;
};
WW_VIEW(Weights<Each, W, N>, pointer(const W), len(N), in);

// D elements of T, each written by its owner; never read.
template <class T, class D>
class Out {
  // What y[i] gives: it takes a value and has none.
  class Cell {
   public:
    WW_MEM explicit Cell(T* p) : p_(p) {}
    WW_MEM void operator=(T v) const { *p_ = v; }

   private:
    T* p_;
  };

 public:
  WW_MEM Cell operator[](ThreadIx<D> i) const { return Cell(p_ + i.value()); }
  template <int S>
  WW_MEM void put(GroupIx<D, S> i, Uniform<T, GroupIx<D, S>> v) const {
    if (i.active() && lane() % S == 0) p_[i.value()] = v.value();
  }
  WW_MEM void put(BlockIx<D> i, Uniform<T, BlockIx<D>> v) const {
    if (threadIdx.x == 0) p_[i.value()] = v.value();
  }

 private:
  friend Entry;
  WW_MEM explicit Out(T* p) : p_(p) {}
  T* p_;
};
WW_VIEW(Out<T, D>, pointer(T), len(D), out);

// D sums of type T, to which any thread may add in any order; read by nobody. The host has set them.
template <class T, class D>
class Add {
 public:
  WW_MEM void add(Ix<D> i, T v) const { atomicAdd(p_ + i.value(), v); }

 private:
  friend Entry;
  WW_MEM explicit Add(T* p) : p_(p) {}
  T* p_;
};
WW_VIEW(Add<T, D>, pointer(T), len(D), add);

}  // namespace ww
