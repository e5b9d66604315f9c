// Writing through an index array: plain stores to elements that the array chooses.
//
// A permutation that was validated leads from each place to an element of its own. So what a place
// belongs to, its element belongs to, and no two threads meet at one. But a thread may own an element
// by itself as well, or through another permutation: so how it came by it is part of the types, of the
// index and of the view that takes it, and kernelspec refuses a second permutation of the same extents.
#pragma once

#include "ww/view.h"

namespace ww {

// An element of K that this thread owns since it owns the place of N which leads there.
template <class K, class N>
class PlacedIx final : Sealed {
 public:
  WW_MEM PlacedIx(Mint key, typename K::rep v) : i_(key, v) {}
  WW_MEM operator Ix<K>() const { return i_; }
  WW_MEM typename K::rep value() const { return i_.value(); }

 private:
  Ix<K> i_;
};

// The elements below K in the order of the places below N: as many, each once, validated.
template <class K, class N>
class Order final : Sealed {
 public:
  WW_MEM Ix<K> operator[](Ix<N> place) const { return Ix<K>(Mint(), load_once(p_ + place.value())); }
  WW_MEM PlacedIx<K, N> operator[](ThreadIx<N> place) const { return PlacedIx<K, N>(Mint(), load_once(p_ + place.value())); }
  template <class I>
    requires(!Below<I, N>)
  WW_MEM Ix<K> operator[](I) const {
    static_assert(Below<I, N>, "order[i]: i must be an index of the places N of Order<K, N>, minted by a loop; I is none");
    return Ix<K>(Mint(), 0);
  }

 private:
  friend Entry;
  WW_MEM explicit Order(const i32* p) : p_(p) {}
  const i32* p_;
};
WW_VIEW(Order<K, N>, pointer(const i32), len(N), in, validated(permutation), carries(K, N), index(K: i32));

// In place of a writer in Out and InOut: who owns the place of N that leads to the element.
template <class N>
struct Through {};

template <class T, class K, class N>
class Out<T, K, Through<N>> final : Sealed {
 public:
  WW_MEM Cell<T> operator[](PlacedIx<K, N> i) const { return Cell<T>(p_ + i.value()); }
  template <class I>
  WW_MEM Cell<T> operator[](I) const {
    static_assert(std::is_same_v<I, PlacedIx<K, N>>, "y[i] = v: i must be order[place] of an Order<K, N>, at a place that is this thread's own; I is not");
    return Cell<T>(nullptr);
  }

 private:
  friend Entry;
  WW_MEM explicit Out(T* p) : p_(p) {}
  T* p_;
};
WW_VIEW(Out<T, K, Through<N>>, pointer(T), len(K), out);

template <class T, class K, class N>
class InOut<T, K, Through<N>> final : Sealed {
 public:
  WW_MEM Kept<T> operator[](PlacedIx<K, N> i) const { return Kept<T>(p_ + i.value()); }
  template <class I>
  WW_MEM Kept<T> operator[](I) const {
    static_assert(std::is_same_v<I, PlacedIx<K, N>>, "y[i]: i must be order[place] of an Order<K, N>, at a place that is this thread's own; I is not");
    return Kept<T>(nullptr);
  }

 private:
  friend Entry;
  WW_MEM explicit InOut(T* p) : p_(p) {}
  T* p_;
};
WW_VIEW(InOut<T, K, Through<N>>, pointer(T), len(K), inout);

}  // namespace ww
