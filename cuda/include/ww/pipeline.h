// Pipelines: two strips of matrices walk through shared memory, while each thread computes with what lies
// there.
//
//   pipeline(tile, k, as.rows(a, tile.rows()), bs.cols(b, tile.cols()), [&](auto x, auto y) { ... });
//
// calls the kernel's code for each index p of K in order: x[i] is a(tile's row i, p), y[j] is b(p, tile's
// column j), for the rows and columns of the thread. It needs no barrier, and cannot see shared memory.
//
// The strips come in steps of H indices, into two panels in turn: while a step is computed with, the next one
// is on its way into the other panel. So there is one barrier a step: it says that the next panel is full, and
// that nobody reads this one any more. A thread has the values of an index in registers before it computes
// with those of the index before, across the barrier too.
//
// What lies beyond an edge is zero. The last step is computed with to its end, so the code is called for up to
// H - 1 indices that K does not have, with zeros; rows and columns that the matrix does not have are zeros too.
#pragma once

#include "ww/tile.h"

namespace ww {

// Calls f(x, y) for every index of k, all threads of the block together.
template <class At, class K, class X, class Y, class F>
WW_DEV void pipeline(At at, Dim<K> k, X x, Y y, F f);

// Two panels of H by W elements that the threads of a block share: a strip of a matrix, W wide, walks through
// them in steps of H. Behind each row is a gap of 4 elements: so every row is aligned to runs of 4 as the first
// one is, and threads that write down a column do not all meet in one bank.
template <class T, int H, int W>
class Panels final : Sealed {
  static_assert(H >= 1 && H <= 1024 && W >= 1 && W <= 1024, "a panel is as wide and high as a part at most");
  static constexpr int pitch = W + 4;

  // A strip of a matrix, R by C: W of its rows if Turned, else W of its columns.
  template <class R, class C, bool Turned, bool Whole>
  class Strip final : Sealed {
    static_assert(std::is_same_v<typename R::rep, i32> && std::is_same_v<typename C::rep, i32>, "a place beyond an edge has an offset too: a strip is of a matrix whose rows and columns have indices of 32 bits, as those of Tiles<R, C, H, W> and of In<T, R, C> have");
    using Across = std::conditional_t<Turned, R, C>;
    using Along = std::conditional_t<Turned, C, R>;
    // A row of the matrix has so many elements in a step. V of them are copied at once: a machine word, where it
    // is aligned in every row and no part of it lies beyond the edge. Turned rows are written down a column.
    static constexpr int length = Turned ? H : W;
    static constexpr int V = Turned ? 1 : in_word<T, W, C>;
    static_assert(length % V == 0, "whole words fill a line, else its end is not copied");
    // Across the strip, the address of a place is the same in every step. The compiler keeps in registers what is chosen by the
    // edge, and forms anew what is not. By what an H200 takes, the former is faster where a block has few threads which copy many
    // words each, or where rows begin anywhere.
    static constexpr bool keeps = C::shape::threads <= 128 && (H * W / V >= 16 * C::shape::threads || alignment<C> % 16 != 0);

   public:
    using along = Along;
    static constexpr int step = H;
    WW_MEM Strip(Mint, Panels to, In<T, R, C> from, Part<Across, W, Whole> part) : to_(to), from_(from), part_(part) {}

   private:
    template <class At, class K, class X, class Y, class F>
    friend void pipeline(At at, Dim<K> k, X x, Y y, F f);
    // Brings this thread's share of a step into a panel.
    template <class S>
    WW_MEM void copy(WholeBlock<S>, Part<Along, H, false> step, int side) const {
      share<S, H * W / length, length / V>([&](int line, int n) { run(step, side, line, n * V); });
    }
    // V elements of a line, which is a row of the matrix, from a place on. Nothing branches at an edge: what is not there is
    // not read, and a copy writes zeros for it.
    WW_MEM void run(Part<Along, H, false> step, int side, int line, int place) const {
      const Ix<Const<W>> across(Mint(), Turned ? line : place);
      const Ix<Const<H>> along(Mint(), Turned ? place : line);
      const bool there = part_.has(across) & step.has(along);
      if constexpr (keeps) {
        words(side, along, across, there, step.spot(Mint(), along), part_.near(Mint(), across));
      } else {
        words(side, along, across, there, step.spot(Mint(), along), part_.spot(Mint(), across));
      }
    }
    WW_MEM void words(int side, Ix<Const<H>> along, Ix<Const<W>> across, bool there, Spot<Along> i, Spot<Across> j) const {
      const auto to = to_.at(side, along.value(), across.value());
      if constexpr (Turned) {
        Packs::copy<V>(to, from_.address(Mint(), j, i), there);
      } else {
        Packs::copy<V>(to, from_.address(Mint(), i, j), there);
      }
    }
    // Of row p of a panel, the elements for the thread's rows, or columns, of the tile.
    template <class At>
    WW_MEM auto mine(const At& at, int side, int p) const {
      if constexpr (Turned) {
        return to_.template gather<At::height, At::below>(side, p, [&](auto i) { return at.row(i); });
      } else {
        return to_.template gather<At::width, At::beside>(side, p, [&](auto j) { return at.col(j); });
      }
    }
    Panels to_;
    In<T, R, C> from_;
    Part<Across, W, Whole> part_;
  };

 public:
  // W rows of a matrix, on their way along its columns.
  template <class R, class C, bool Whole>
  WW_MEM auto rows(In<T, R, C> a, Part<R, W, Whole> part) const {
    return Strip<R, C, true, Whole>(Mint(), *this, a, part);
  }
  // W columns of a matrix, on their way along its rows.
  template <class R, class C, bool Whole>
  WW_MEM auto cols(In<T, R, C> a, Part<C, W, Whole> part) const {
    return Strip<R, C, false, Whole>(Mint(), *this, a, part);
  }
  template <class M, class P>
  WW_MEM auto rows(M, P) const {
    static_assert(sizeof(M) == 0, "as.rows(a, rows): Panels<T, H, W> take W rows of an In<T, R, C>: rows is a Part<R, W>");
    return *this;
  }
  template <class M, class P>
  WW_MEM auto cols(M, P) const {
    static_assert(sizeof(M) == 0, "bs.cols(b, cols): Panels<T, H, W> take W columns of an In<T, R, C>: cols is a Part<C, W>");
    return *this;
  }

 private:
  friend Entry;
  WW_MEM explicit Panels(T* p) : p_(p) {}
  WW_MEM T* at(int side, int row, int place) const { return p_ + (side * (H * pitch) + row * pitch + place); }
  // N elements of a row, of which G at a time stand side by side.
  template <int N, int G, class Place>
  WW_MEM Tile<T, N> gather(int side, int row, Place place) const {
    constexpr int V = word<T, G>;
    Tile<T, N> out(T{});
    unrolled<N / V>([&](int n) {
      const Ix<Const<W>> first = place(Ix<Const<N>>(Mint(), n * V));
      const Pack<T, V> v = Packs::read<V>(at(side, row, first.value()));
      unrolled<V>([&](int i) { out[Ix<Const<N>>(Mint(), n * V + i)] = Packs::element(v, i); });
    });
    return out;
  }
  T* p_;
};
WW_VIEW(Panels<T, h, w>, shared(T, 2 * h * (w + 4)));

template <class At, class K, class X, class Y, class F>
WW_DEV void pipeline(At at, Dim<K> k, X x, Y y, F f) {
  static_assert(BlockWide<At>, "pipeline(at, ...) wants what a whole block has: a tile of Tiles");
  static_assert(std::is_same_v<typename X::along, K> && std::is_same_v<typename Y::along, K>, "pipeline(at, k, x, y, f): both strips walk along k: x are rows of a matrix with K columns, y columns of one with K rows");
  static_assert(X::step == Y::step, "pipeline(at, k, x, y, f): both strips come in steps of one length, the H of Panels<T, H, W>");
  constexpr int H = X::step;
  const auto copy = [&](Part<K, H, false> step, int side) {
    x.copy(at.whole_block(), step, side);
    y.copy(at.whole_block(), step, side);
  };
  const auto all = steps<H>(k);
  auto next = all.begin();
  if (!(next != all.end())) return;
  __syncthreads();  // nobody may still read the panels, from a pipeline before this one
  int side = 0;
  copy(*next, side);
  copied();
  __syncthreads();
  auto u = x.mine(at, side, 0);
  auto v = y.mine(at, side, 0);
  const auto turn = [&](int p) {
    const auto u1 = x.mine(at, side, p);
    const auto v1 = y.mine(at, side, p);
    f(u, v);
    u = u1;
    v = v1;
  };
  // It is left where it begins, not in its midst: there ptxas would turn it inside out, write its body twice, and keep all operands
  // of some instructions in one bank of registers. So what is loaded behind the last step, nobody computes with.
  for (;;) {
    if (!(next != all.end())) break;
    ++next;
    if (next != all.end()) copy(*next, 1 - side);
    unrolled<H - 1>([&](int p) { turn(p + 1); });
    copied();
    __syncthreads();
    side = 1 - side;
    turn(0);
  }
}

}  // namespace ww
