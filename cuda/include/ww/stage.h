// Shared memory in two dimensions. A kernel neither writes it nor waits for it: `stage` fills tiles from
// matrices with the barriers that this takes, and returns what then may be read.
#pragma once

#include "ww/tile.h"

namespace ww {

template <class At, class Fill>
WW_DEV auto stage(At at, Fill fill);
template <class At, class Fill, class Other>
WW_DEV auto stage(At at, Fill fill, Other other);

// H rows of W elements, Pad unused ones behind each, that the threads of a block share.
template <class T, int H, int W, int Pad = 0>
class SharedTile final : Sealed {
  static_assert(H >= 1 && H <= 1024 && W >= 1 && W <= 1024 && Pad >= 0 && Pad <= 1024, "a tile is as wide and high as a part at most");

  // What the tile holds, from when all threads have filled it until they fill it anew.
  class Filled final : Sealed {
   public:
    WW_MEM T operator()(Ix<Const<H>> i, Ix<Const<W>> j) const { return of_.at(i.value(), j.value()); }

   private:
    friend SharedTile;
    WW_MEM explicit Filled(SharedTile of) : of_(of) {}
    SharedTile of_;
  };

  // A piece of a matrix on its way into the tile, with zeros beyond the matrix's edges.
  template <class R, class C, bool A, bool B>
  class Fill final : Sealed {
   public:
    WW_MEM Fill(Mint, SharedTile to, In<T, R, C> from, Part<R, H, A> rows, Part<C, W, B> cols) : to_(to), from_(from), rows_(rows), cols_(cols) {}

   private:
    // Only stage has the barriers before and after.
    template <class At, class F>
    friend auto stage(At, F);
    template <class At, class F, class Other>
    friend auto stage(At, F, Other);
    // This thread's share.
    template <class S>
    WW_MEM Filled run(WholeBlock<S>) const {
      if constexpr (H % S::y == 0 && W % S::x == 0 && S::z == 1) {
        unrolled<H / S::y>([&](int i) { unrolled<W / S::x>([&](int j) { element(i * S::y + threadIdx.y, j * S::x + threadIdx.x); }); });
      } else {
        share<S, H, W>([&](int i, int j) { element(i, j); });
      }
      return Filled(to_);
    }
    WW_MEM void element(int row, int col) const {
      const Ix<Const<H>> i(Mint(), row);
      const Ix<Const<W>> j(Mint(), col);
      to_.at(row, col) = rows_.has(i) && cols_.has(j) ? from_(rows_.at(Mint(), i), cols_.at(Mint(), j)) : T{};
    }
    SharedTile to_;
    In<T, R, C> from_;
    Part<R, H, A> rows_;
    Part<C, W, B> cols_;
  };

 public:
  template <class R, class C, bool A, bool B>
  WW_MEM Fill<R, C, A, B> from(In<T, R, C> a, Part<R, H, A> rows, Part<C, W, B> cols) const {
    return Fill<R, C, A, B>(Mint(), *this, a, rows, cols);
  }
  template <class M, class Rows, class Cols>
  WW_MEM auto from(M, Rows, Cols) const {
    static_assert(sizeof(M) == 0, "xs.from(a, rows, cols): a SharedTile<T, H, W> takes H rows and W columns of an In<T, R, C>: rows is a Part<R, H>, cols a Part<C, W>");
    return *this;
  }

 private:
  friend Entry;
  WW_MEM explicit SharedTile(T* p) : p_(p) {}
  WW_MEM T& at(u64 i, u64 j) const { return p_[i * (W + Pad) + j]; }
  T* p_;
};
WW_VIEW(SharedTile<T, h, w>, shared(T, h * w));
WW_VIEW(SharedTile<T, h, w, pad>, shared(T, h * (w + pad)));

// Fills shared tiles, all threads of the block together:
//   auto [x, y] = stage(tile, xs.from(a, tile.rows(), k), ys.from(b, k, tile.cols()));
template <class At, class Fill>
WW_DEV auto stage(At at, Fill fill) {
  static_assert(BlockWide<At>, "stage(at, ...) wants what a whole block has: a tile of Tiles, a part of Parts, an index of blocks(...)");
  __syncthreads();  // nobody may still read what stood there
  auto filled = fill.run(at.whole_block());
  __syncthreads();
  return filled;
}
template <class At, class Fill, class Other>
WW_DEV auto stage(At at, Fill fill, Other other) {
  static_assert(BlockWide<At>, "stage(at, ...) wants what a whole block has: a tile of Tiles, a part of Parts, an index of blocks(...)");
  __syncthreads();
  const auto first = fill.run(at.whole_block());
  const auto second = other.run(at.whole_block());
  __syncthreads();
  return Pair<decltype(fill.run(at.whole_block())), decltype(other.run(at.whole_block()))>{first, second};
}

}  // namespace ww
