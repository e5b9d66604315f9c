// Tiles: pieces of an extent or of a matrix that are as long as the type says, but for the last ones.
//
// A clipped piece tests place by place what there is of it; a whole one has the same interface and no
// test. `split` asks once, with one answer in all threads of the block, and calls the kernel's code with
// the one or the other. So a 100 by 100 matrix under tiles of 16 by 16 is right, and its 36 whole tiles
// run as if 16 divided 100.
#pragma once

#include "ww/matrix.h"

namespace ww {

// N indices below D from some place on; if it is not Whole, those of them that there are.
template <class D, int N, bool Whole>
class Part final : Sealed {
  static_assert(N >= 1 && N <= 1024, "the contract bounds a part by a block's width");
  using rep = typename D::rep;
  // A part begins below the end, at a multiple of N: where N divides D, no part is clipped.
  static constexpr bool all = Whole || multiple<D> % N == 0;

 public:
  WW_MEM Part(Mint, rep from, rep end) : from_(from), end_(end) {}
  WW_MEM constexpr bool whole() const { return all || from_ + N <= end_; }
  WW_MEM bool has(Ix<D> i) const { return all || i.value() < end_; }
  WW_MEM bool has(Ix<Const<N>> i) const { return all || from_ + i.value() < end_; }
  // The index at place i, for who has asked; the same part for who knows that it is whole.
  WW_MEM Ix<D> at(Mint, Ix<Const<N>> i) const { return Ix<D>(Mint(), from_ + i.value()); }
  // Where place i is, or would be, for who has not asked; or the first place in its stead, if it is not there.
  WW_MEM Spot<D> spot(Mint, Ix<Const<N>> i) const { return Spot<D>(Mint(), from_ + i.value()); }
  WW_MEM Spot<D> near(Mint, Ix<Const<N>> i) const { return Spot<D>(Mint(), has(i) ? from_ + i.value() : from_); }
  WW_MEM Part<D, N, true> known_whole(Mint) const { return Part<D, N, true>(Mint(), from_, end_); }

 private:
  rep from_, end_;
};

// All of D in steps of N, the same ones in every thread.
template <class D, int N>
class Steps final : Sealed {
  using rep = typename D::rep;

 public:
  class Iterator final : Sealed {
   public:
    WW_MEM Iterator(Mint, rep end) : at_(0), end_(end) {}
    WW_MEM Part<D, N, false> operator*() const { return Part<D, N, false>(Mint(), at_, end_); }
    WW_MEM void operator++() { at_ += N; }
    WW_MEM bool operator!=(LoopEnd) const { return at_ < end_; }

   private:
    rep at_, end_;
  };
  WW_MEM explicit Steps(Dim<D> d) : n_(static_cast<rep>(d.size())) {}
  WW_MEM Iterator begin() const { return Iterator(Mint(), n_); }
  WW_MEM LoopEnd end() const { return {}; }
  // Calls f with every whole part, then with the rest if there is one.
  template <class F>
  WW_MEM void split(F f) const {
    rep at = 0;
    for (; at + N <= n_; at += N) f(Part<D, N, true>(Mint(), at, n_));
    if (at < n_) f(Part<D, N, false>(Mint(), at, n_));
  }

 private:
  rep n_;
};
template <int N, class D>
WW_DEV Steps<D, N> steps(Dim<D> d) {
  return Steps<D, N>(d);
}

// A tile of values in a thread's registers, set to one value. Loops over it must be short enough for the
// compiler to unroll them: else it lies in local memory, which the audit refuses.
template <class T, int... N>
class Tile;

template <class T, int N>
class Tile<T, N> {
  static_assert(N >= 1 && N <= 1024, "a thread has no more registers");

 public:
  WW_MEM explicit Tile(T v) {
#pragma unroll
    for (int i = 0; i < N; i++) v_[i] = v;
  }
  WW_MEM T& operator[](Ix<Const<N>> i) { return v_[i.value()]; }

 private:
  T v_[N];
};

template <class T, int H, int W>
class Tile<T, H, W> {
  static_assert(H >= 1 && H <= 1024 && W >= 1 && W <= 1024, "a thread has no more registers");

 public:
  WW_MEM explicit Tile(T v) {
#pragma unroll
    for (int i = 0; i < H * W; i++) v_[i] = v;
  }
  WW_MEM T& operator()(Ix<Const<H>> i, Ix<Const<W>> j) { return v_[i.value() * W + j.value()]; }
  // The V values of row i from j on, for who knows that they are there.
  template <int V>
  WW_MEM Pack<T, V> run(Mint, int i, int j) const {
    return Packs::make<T, V>([&](int e) { return v_[i * W + j + e]; });
  }

 private:
  T v_[H * W];
};

// Where a thread stands in its block when the block divides a tile: along x and y as it was launched; or, if
// threads take squares of cells, so that a warp stands in 4 rows of 8 threads. In shared memory neighbours
// by one lane then read one place along x, and neighbours by two lanes one place along y: what a half
// warp loads at 16 bytes a lane, the memory delivers at once.
template <class S, bool Squares>
struct Standing {
  static_assert(S::x % 8 == 0 && S::y % 4 == 0, "threads that take squares stand in warps of 8 by 4: block(x, y) with x % 8 == 0 and y % 4 == 0");
  static WW_MEM i32 x() {
    const i32 rank = S::rank(), warp = rank / 32;
    return warp % i32(S::x / 8) * 8 + rank / 2 % 8;
  }
  static WW_MEM i32 y() {
    const i32 rank = S::rank(), warp = rank / 32;
    return warp / i32(S::x / 8) * 4 + rank / 16 % 2 * 2 + rank % 2;
  }
};
template <class S>
struct Standing<S, false> {
  static WW_MEM i32 x() { return threadIdx.x; }
  static WW_MEM i32 y() { return threadIdx.y; }
};

// Deals H lines of W places to the threads of a block, whose shape is S, one after the other: calls f(line, place) for
// those of this thread.
template <class S, int H, int W, class F>
WW_DEV void share(F f) {
  static_assert(H >= 1 && H <= 1024 && W >= 1 && W <= 1024, "the longest line, and the most lines, are those of a part");
  constexpr int all = H * W / S::threads, rest = H * W % S::threads;
  const int rank = S::rank();
  if constexpr (S::threads % W == 0) {
    unrolled<all>([&](int n) { f(rank / W + n * int(S::threads / W), rank % W); });  // always the same place of a line
  } else {
    unrolled<all>([&](int n) { f((n * S::threads + rank) / W, (n * S::threads + rank) % W); });
  }
  if constexpr (rest != 0) {
    if (rank < rest) f((all * S::threads + rank) / W, (all * S::threads + rank) % W);
  }
}

// A piece of an R by C matrix, H by W cells, that one block has and no other. Its threads divide the
// cells among them: a thread has G columns side by side, the next thread the G columns behind them, and so
// on until the row is dealt out; and in the same way V rows one below the other.
template <class R, class C, int H, int W, int G, int V, bool Whole>
class BlockTile final : Sealed {
  using S = typename C::shape;
  using Stand = Standing<S, (V > 1)>;
  static_assert(G >= 1 && V >= 1 && S::z == 1 && H % (S::y * V) == 0 && W % (S::x * G) == 0, "each thread has as many cells of a tile as every other: Tiles<R, C, H, W, G, V> wants block(x, y) with H % (y * V) == 0 and W % (x * G) == 0");
  // From the thread's first cell to another one.
  static WW_MEM constexpr i32 down(i32 i) { return i / V * (S::y * V) + i % V; }
  static WW_MEM constexpr i32 right(i32 j) { return j / G * (S::x * G) + j % G; }

 public:
  static constexpr int height = H / S::y, width = W / S::x;  // cells of a thread
  static constexpr int beside = G, below = V;                // how many of them follow each other in a row, in a column
  WW_MEM BlockTile(Mint, Part<R, H, Whole> rows, Part<C, W, Whole> cols)
      : rows_(rows),
        cols_(cols),
        row_(rows.at(Mint(), row(Ix<Const<height>>(Mint(), 0))).value()),
        col_(cols.at(Mint(), col(Ix<Const<width>>(Mint(), 0))).value()) {}
  WW_MEM Part<R, H, Whole> rows() const { return rows_; }
  WW_MEM Part<C, W, Whole> cols() const { return cols_; }
  WW_MEM WholeBlock<S> whole_block() const { return WholeBlock<S>(Mint()); }

  // Where in the tile the thread's rows and columns lie.
  WW_MEM Ix<Const<H>> row(Ix<Const<height>> i) const { return Ix<Const<H>>(Mint(), Stand::y() * V + down(i.value())); }
  WW_MEM Ix<Const<W>> col(Ix<Const<width>> j) const { return Ix<Const<W>>(Mint(), Stand::x() * G + right(j.value())); }

  // Calls f(at, i, j) for each of the thread's cells that the matrix has.
  template <class F>
  WW_MEM void cells(F f) const {
    unrolled<height>([&](int i) {
      unrolled<width>([&](int j) {
        const Ix<R> r(Mint(), row_ + down(i));
        const Ix<C> c(Mint(), col_ + right(j));
        if (rows_.has(r) & cols_.has(c)) f(CellIx<R, C>(Mint(), r, c), Ix<Const<height>>(Mint(), i), Ix<Const<width>>(Mint(), j));
      });
    });
  }

  // Calls f(at, v) for each run of the thread's cells that the matrix has, with what `of` holds for them: G cells
  // side by side where they are aligned to be accessed at once, else one.
  //   tile.runs(sums, [&](auto at, auto v) { c[at] = map(f, v, c[at]); });
  template <class T, class F>
  WW_MEM void runs(const Tile<T, height, width>& of, F f) const {
    constexpr int run = in_word<T, G, C>;
    unrolled<height>([&](int i) {
      unrolled<width / run>([&](int n) {
        const Ix<R> r(Mint(), row_ + down(i));
        const Ix<C> c(Mint(), col_ + right(n * run));
        if (rows_.has(r) & cols_.has(c)) f(CellRun<R, C, run>(Mint(), r, c), of.template run<run>(Mint(), i, n * run));
      });
    });
  }

  template <class F>
  WW_MEM void split(F f) const {
    if (rows_.whole() && cols_.whole()) {
      f(BlockTile<R, C, H, W, G, V, true>(Mint(), rows_.known_whole(Mint()), cols_.known_whole(Mint())));
    } else {
      f(*this);
    }
  }

 private:
  Part<R, H, Whole> rows_;
  Part<C, W, Whole> cols_;
  // The thread's first cell, formed once for all that the kernel does with the tile.
  typename R::rep row_;
  typename C::rep col_;
};

// The tiles of an R by C matrix, one a block: rows along y, columns along x. As with Cells, the grid
// follows from them.
//   for (auto tile : tiles) ...               once, with the whole block
// G is how many neighbouring cells of a row are one thread's: 4 let it load them from shared memory at once.
// V is the same for a column.
template <class R, class C, int H, int W, int G = 1, int V = 1>
class Tiles final : Sealed {
  static_assert(C::shape::axes == 2, "the grid of Tiles has two axes");
  using Piece = BlockTile<R, C, H, W, G, V, false>;

 public:
  WW_MEM auto begin() const {
    const Part<R, H, false> rows(Mint(), blockIdx.y * H, rows_.size());
    const Part<C, W, false> cols(Mint(), blockIdx.x * W, cols_.size());
    return typename Once<Piece>::Iterator(Mint(), Piece(Mint(), rows, cols), true);
  }
  WW_MEM LoopEnd end() const { return {}; }

 private:
  friend Entry;
  WW_MEM Tiles(Dim<R> rows, Dim<C> cols) : rows_(rows), cols_(cols) {}
  Dim<R> rows_;
  Dim<C> cols_;
};
WW_VIEW(Tiles<R, C, h, w>, cells(R: h, C: w), index(R: i32), index(C: i32));
WW_VIEW(Tiles<R, C, h, w, g>, cells(R: h, C: w), index(R: i32), index(C: i32));
WW_VIEW(Tiles<R, C, h, w, g, v>, cells(R: h, C: w), index(R: i32), index(C: i32));

// An index below D that no other thread of the grid has, in parts of N: who owns it depends on N.
template <class D, int N>
class PartIx final : Sealed {
 public:
  WW_MEM PartIx(Mint key, typename D::rep v) : i_(key, v) {}
  WW_MEM operator Ix<D>() const { return i_; }
  WW_MEM typename D::rep value() const { return i_.value(); }

 private:
  Ix<D> i_;
};

// N indices below D that one block has and no other.
template <class D, int N, bool Whole>
class BlockPart final : Sealed {
  static_assert(N >= 1 && N <= 1024, "the contract bounds a part by a block's width");
  using S = typename D::shape;
  using rep = typename D::rep;

  // Every S::threads-th index of the part, from the thread's rank on.
  class Walk final : Sealed {
   public:
    class Iterator final : Sealed {
     public:
      WW_MEM Iterator(Mint, rep from) : from_(from), at_(S::rank()) {}
      WW_MEM PartIx<D, N> operator*() const { return PartIx<D, N>(Mint(), from_ + at_); }
      WW_MEM void operator++() { at_ += S::threads; }
      WW_MEM bool operator!=(i32 end) const { return at_ < end; }

     private:
      rep from_;
      i32 at_;
    };
    WW_MEM Walk(Mint, rep from, i32 end) : from_(from), end_(end) {}
    WW_MEM Iterator begin() const { return Iterator(Mint(), from_); }
    WW_MEM i32 end() const { return end_; }

   private:
    rep from_;
    i32 end_;
  };
  WW_MEM bool whole() const { return Whole || from_ + N <= end_; }
  WW_MEM bool has(i32 place) const { return Whole || from_ + place < end_; }

 public:
  WW_MEM BlockPart(Mint, rep from, rep end) : from_(from), end_(end) {}
  WW_MEM WholeBlock<S> whole_block() const { return WholeBlock<S>(Mint()); }
  // The thread's own indices: at the place of its rank in the block, S::threads further, and so on.
  WW_MEM auto own() const {
    const i32 first = S::rank();
    if constexpr (N > S::threads) {
      return Walk(Mint(), from_, whole() ? N : i32(end_ - from_));
    } else {
      return Once<PartIx<D, N>>(Mint(), PartIx<D, N>(Mint(), from_ + first), first < N && has(first));
    }
  }
  // The index at place threadIdx.x: threads above each other in the block share it.
  WW_MEM auto column() const {
    static_assert(N == S::x, "part.column(): one column a thread along x, so Parts<D, N> wants block(N, y)");
    const i32 place = threadIdx.x;
    return Once<Ix<D>>(Mint(), Ix<D>(Mint(), from_ + place), has(place));
  }
  template <class F>
  WW_MEM void split(F f) const {
    if (whole()) {
      f(BlockPart<D, N, true>(Mint(), from_, end_));
    } else {
      f(*this);
    }
  }

 private:
  rep from_, end_;
};

// D in parts of N, one a block. The grid follows from them.
//   for (auto part : parts) ...               once, with the whole block
template <class D, int N>
class Parts final : Sealed {
  static_assert(D::shape::axes == 1, "the grid of Parts has one axis");
  using rep = typename D::rep;
  using Piece = BlockPart<D, N, false>;

 public:
  WW_MEM auto begin() const { return typename Once<Piece>::Iterator(Mint(), Piece(Mint(), static_cast<rep>(blockIdx.x) * N, static_cast<rep>(d_.size())), true); }
  WW_MEM LoopEnd end() const { return {}; }

 private:
  friend Entry;
  WW_MEM explicit Parts(Dim<D> d) : d_(d) {}
  Dim<D> d_;
};
WW_VIEW(Parts<D, n>, cells(D: n));

// D elements of T, each written by the thread that owns it in parts of N.
template <int N>
struct ByPart {};

template <class T, class D, int N>
class Out<T, D, ByPart<N>> final : Sealed {
 public:
  WW_MEM Cell<T> operator[](PartIx<D, N> i) const { return Cell<T>(p_ + i.value()); }
  // Writes f of what the threads of each column hold alike.
  template <bool Whole, class A, class F>
  WW_MEM void put(BlockPart<D, N, Whole> part, Uniform<A, PartIx<D, N>> v, F f) const {
    for (auto i : part.own()) p_[i.value()] = f(v.value());
  }

 private:
  friend Entry;
  WW_MEM explicit Out(T* p) : p_(p) {}
  T* p_;
};
WW_VIEW(Out<T, D, ByPart<n>>, pointer(T), len(D), out);

// The indices below D, dealt to the threads of a block: one after the other along y, which threads side
// by side share, or by their rank.
template <class D, int Step>
class Dealt final : Sealed {
  using rep = typename D::rep;

 public:
  WW_MEM Dealt(Dim<D> d, WholeBlock<typename D::shape>) : first_(D::shape::rank()), n_(static_cast<rep>(d.size())) {}
  WW_MEM explicit Dealt(Dim<D> d) : first_(threadIdx.y), n_(static_cast<rep>(d.size())) {}
  WW_MEM auto begin() const { return typename Span<D, Step>::Iterator(Mint(), first_); }
  WW_MEM auto end() const { return n_; }

 private:
  rep first_, n_;
};
template <class D>
WW_DEV auto along_y(Dim<D> d) {
  return Dealt<D, D::shape::y>(d);
}
template <class D, class At>
WW_DEV auto deal(Dim<D> d, At at) {
  static_assert(BlockWide<At>, "deal(d, at) wants what a whole block has: a tile of Tiles, a part of Parts, an index of blocks(...)");
  return Dealt<D, D::shape::threads>(d, at.whole_block());
}

}  // namespace ww
