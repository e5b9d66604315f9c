// Views: what a kernel may do with a buffer, in the type of its parameter.
//
// No access here is checked. It need not be: the contract, evaluated on the host before the launch,
// gives each view at least its extent, and an index below that extent can only be minted (extent.h).
// Offsets are 64-bit wherever they are formed. A subscript that is no such index ends in an overload
// whose static_assert says why.
#pragma once

#include "ww/collective.h"
#include "ww/dtype.h"
#include "ww/token.h"

namespace ww {

// A stored index below D: what an index array that was validated against D holds.
template <class D>
struct Col {
  i32 v;
};

// D elements of T, read only, aliased by nothing that the kernel writes: the contract refuses buffers that overlap, and the
// entry's pointers say so (__restrict__). From that the compiler itself loads through the read-only cache; an intrinsic would
// do the same, but hide the address.
template <class T, class... D>
class In;

template <class T, class D>
class In<T, D> final : Sealed {
 public:
  WW_MEM T operator[](Ix<D> i) const { return p_[i.value()]; }
  // An idle group reads nothing and gets a zero, which no loop of it will use.
  template <int S>
  WW_MEM T operator[](GroupIx<D, S> i) const {
    return i.active(Mint()) ? p_[i.value()] : T{};
  }
  template <class I>
    requires(!Below<I, D>)
  WW_MEM T operator[](I) const {
    static_assert(Below<I, D>, "x[i]: i must be an index of the extent D of In<T, D>, minted by a loop or read from validated data; I is none");
    return {};
  }
  WW_MEM T at(const Held auto&, u64 i) const { return __ldg(p_ + i); }

 private:
  friend Entry;
  template <class U, class... E>
  friend class In;
  WW_MEM explicit In(const T* p) : p_(p) {}
  const T* p_;
};
WW_VIEW(In<T, D>, pointer(const T), len(D), in);

// In place of T in a view: T, one every C elements, beginning with the first.
template <class T, int C>
struct Every {
  static_assert(C >= 1, "elements that stand apart by less than one would be one element");
  static constexpr bool sound = true;  // views ask for it: a type that is only named asserts nothing
};

template <class T, int C, class D>
class In<Every<T, C>, D> final : Sealed {
  static_assert(Every<T, C>::sound);

 public:
  WW_MEM T operator[](Ix<D> i) const { return __ldg(p_ + u64(i.value()) * C); }
  template <int S>
  WW_MEM T operator[](GroupIx<D, S> i) const {
    return i.active(Mint()) ? __ldg(p_ + u64(i.value()) * C) : T{};
  }

 private:
  friend Entry;
  WW_MEM explicit In(const T* p) : p_(p) {}
  const T* p_;
};
WW_VIEW(In<Every<T, C>, D>, pointer(const T), len((max(D, 1) - 1) * C + min(D, 1)), in);

// N stored indices below K.
template <class K, class N>
class In<Col<K>, N> final : Sealed {
 public:
  WW_MEM Ix<K> operator[](Ix<N> e) const { return Ix<K>(Mint(), load_once(p_ + e.value())); }
  template <class I>
    requires(!Below<I, N>)
  WW_MEM Ix<K> operator[](I) const {
    static_assert(Below<I, N>, "cols[e]: e must be an index of the entries N of In<Col<K>, N>, minted by a loop over a row; I is none");
    return Ix<K>(Mint(), 0);
  }

 private:
  friend Entry;
  WW_MEM explicit In(const i32* p) : p_(p) {}
  const i32* p_;
};
WW_VIEW(In<Col<K>, N>, pointer(const i32), len(N), in, validated(columns), carries(K, N), index(K: i32));

// The rows of a CSR matrix: M + 1 offsets of type P, monotone from 0 to N, validated.
template <class P, class M, class N>
class Rows final : Sealed {
  // Sums by four pay where each thread has one row at most; in a loop over rows they are the slower ones (docs/performance.md).
  static constexpr bool by_four = once<M> > 0;
  WW_MEM P at(u64 i) const { return p_[i]; }

 public:
  // The entries of a row, all to this thread.
  WW_MEM Span<N, 1, by_four> all(Ix<M> row) const {
    const u64 r = row.value();
    return {Mint(), at(r), at(r + 1)};
  }
  // Those of them that fall to this lane of the group; none if the group is idle.
  template <int S>
  WW_MEM Span<N, S, by_four> lanes(GroupIx<M, S> row) const {
    const u64 r = row.value();
    const P mine = static_cast<P>(lane() % S);
    if constexpr (S < 32) {
      if (!row.active(Mint())) return {Mint(), 0, 0};
    }
    return {Mint(), static_cast<P>(at(r) + mine), at(r + 1)};
  }
  // Those that fall to this thread of the block.
  WW_MEM auto threads(BlockIx<M> row) const {
    const u64 r = row.value();
    return Span<N, M::shape::threads>(Mint(), static_cast<P>(at(r) + static_cast<P>(threadIdx.x)), at(r + 1));
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
class Weights<One, W, N> final : Sealed {
 public:
  WW_MEM Acc<W> term(Ix<N>, Acc<W> v) const { return v; }
  WW_MEM Acc<W> total(Acc<W> sum) const { return acc(*p_) * sum; }
  WW_MEM Acc<W> spread(Acc<W> v) const { return acc(*p_) * v; }
  WW_MEM Acc<W> share(Ix<N>, Acc<W> spread) const { return spread; }

 private:
  friend Entry;
  WW_MEM explicit Weights(const W* p) : p_(p) {}
  const W* p_;
};
WW_VIEW(Weights<One, W, N>, pointer(const W), len(1), in);

template <class W, class N>
class Weights<Each, W, N> final : Sealed {
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

// Who writes the elements of an Out, where it is not a thread. It is part of the type, so that one
// buffer has one kind of owner: were it written by threads here and by blocks there, one element
// would have two.
template <int S>
struct ByGroup {};
WW_TAG(ByBlock);

// What y[i] of an Out gives: it takes a value and has none.
template <class T>
class Cell final : Sealed {
 public:
  WW_MEM void operator=(T v) const { *p_ = v; }
  void operator=(const Cell&) = delete;

 private:
  template <class U, class... D>
  friend class Out;
  WW_MEM explicit Cell(T* p) : p_(p) {}
  T* p_;
};

// What y[i] of an InOut gives: it has a value and takes another.
template <class T>
class Kept final : Sealed {
 public:
  WW_MEM operator T() const { return *p_; }
  WW_MEM void operator=(T v) const { *p_ = v; }
  WW_MEM void operator=(const Kept& v) const { *p_ = *v.p_; }

 private:
  template <class U, class... D>
  friend class InOut;
  WW_MEM explicit Kept(T* p) : p_(p) {}
  T* p_;
};

// D elements of T, each written by its owner; never read.
template <class T, class... D>
class Out;

template <class T, class D>
class Out<T, D> final : Sealed {
 public:
  WW_MEM Cell<T> operator[](ThreadIx<D> i) const { return Cell<T>(p_ + i.value()); }
  template <class I>
  WW_MEM Cell<T> operator[](I) const {
    static_assert(std::is_same_v<I, ThreadIx<D>>, "y[i] = v: the element must be this thread's own, so i comes from threads(...) over the extent D of Out<T, D>; I does not");
    return Cell<T>(nullptr);
  }
  WW_MEM Cell<T> at(const Held auto&, u64 i) const { return Cell<T>(p_ + i); }

 private:
  friend Entry;
  WW_MEM explicit Out(T* p) : p_(p) {}
  T* p_;
};
WW_VIEW(Out<T, D>, pointer(T), len(D), out);

template <class T, int C, class D>
class Out<Every<T, C>, D> final : Sealed {
  static_assert(Every<T, C>::sound);

 public:
  WW_MEM Cell<T> operator[](ThreadIx<D> i) const { return Cell<T>(p_ + u64(i.value()) * C); }

 private:
  friend Entry;
  WW_MEM explicit Out(T* p) : p_(p) {}
  T* p_;
};
WW_VIEW(Out<Every<T, C>, D>, pointer(T), len((max(D, 1) - 1) * C + min(D, 1)), out);

// The first of the group's lanes writes.
template <class T, class D, int S>
class Out<T, D, ByGroup<S>> final : Sealed {
 public:
  WW_MEM void put(GroupIx<D, S> i, Uniform<T, GroupIx<D, S>> v) const {
    if (mine(i)) p_[i.value()] = v.value();
  }
  // f of the value, called by the lane that writes.
  template <class A, class F>
  WW_MEM void put(GroupIx<D, S> i, Uniform<A, GroupIx<D, S>> v, F f) const {
    if (mine(i)) p_[i.value()] = f(v.value());
  }
  template <class I, class... V>
  WW_MEM void put(I, V...) const {
    static_assert(std::is_same_v<I, GroupIx<D, S>> && sizeof...(V) == 0, "y.put(i, v): i comes from groups<S>(...) over the extent D of Out<T, D, ByGroup<S>>, and v is what all its lanes hold, a Uniform of that group");
  }
  WW_MEM Cell<T> at(const Held auto&, u64 i) const { return Cell<T>(p_ + i); }

 private:
  friend Entry;
  WW_MEM explicit Out(T* p) : p_(p) {}
  static WW_MEM bool mine(GroupIx<D, S> i) { return i.active(Mint()) && lane() % S == 0; }
  T* p_;
};
WW_VIEW(Out<T, D, ByGroup<s>>, pointer(T), len(D), out);

// The first of the block's threads writes.
template <class T, class D>
class Out<T, D, ByBlock> final : Sealed {
 public:
  WW_MEM void put(BlockIx<D> i, Uniform<T, BlockIx<D>> v) const {
    if (threadIdx.x == 0) p_[i.value()] = v.value();
  }
  template <class A, class F>
  WW_MEM void put(BlockIx<D> i, Uniform<A, BlockIx<D>> v, F f) const {
    if (threadIdx.x == 0) p_[i.value()] = f(v.value());
  }
  template <class I, class... V>
  WW_MEM void put(I, V...) const {
    static_assert(std::is_same_v<I, BlockIx<D>> && sizeof...(V) == 0, "y.put(i, v): i comes from blocks(...) over the extent D of Out<T, D, ByBlock>, and v is what all its threads hold, a Uniform of that block");
  }
  WW_MEM Cell<T> at(const Held auto&, u64 i) const { return Cell<T>(p_ + i); }

 private:
  friend Entry;
  WW_MEM explicit Out(T* p) : p_(p) {}
  T* p_;
};
WW_VIEW(Out<T, D, ByBlock>, pointer(T), len(D), out);

// D elements of T, each read and written by the thread that owns it.
template <class T, class... D>
class InOut;

template <class T, class D>
class InOut<T, D> final : Sealed {
 public:
  WW_MEM Kept<T> operator[](ThreadIx<D> i) const { return Kept<T>(p_ + i.value()); }
  template <class I>
  WW_MEM Kept<T> operator[](I) const {
    static_assert(std::is_same_v<I, ThreadIx<D>>, "y[i]: the element must be this thread's own, so i comes from threads(...) over the extent D of InOut<T, D>; I does not");
    return Kept<T>(nullptr);
  }
  WW_MEM Kept<T> at(const Held auto&, u64 i) const { return Kept<T>(p_ + i); }

 private:
  friend Entry;
  WW_MEM explicit InOut(T* p) : p_(p) {}
  T* p_;
};
WW_VIEW(InOut<T, D>, pointer(T), len(D), inout);

// D sums of type T, to which any thread may add in any order; read by nobody. The host has set them.
template <class T, class D>
class Add final : Sealed {
 public:
  WW_MEM void add(Ix<D> i, T v) const { atomicAdd(p_ + i.value(), v); }
  template <class I>
    requires(!Below<I, D>)
  WW_MEM void add(I, T) const {
    static_assert(Below<I, D>, "sums.add(i, v): i must be an index of the extent D of Add<T, D>, minted by a loop or read from validated data; I is none");
  }
  WW_MEM void add(const Held auto&, u64 i, T v) const { atomicAdd(p_ + i, v); }

 private:
  friend Entry;
  WW_MEM explicit Add(T* p) : p_(p) {}
  T* p_;
};
WW_VIEW(Add<T, D>, pointer(T), len(D), add);

}  // namespace ww
