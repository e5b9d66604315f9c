// Dense matrices, row by row in memory: C = alpha A B + beta C, where A is M by K and B is K by N.
// If beta is zero, what C held does not count, not even where it is no number.
#include "ww/ww.h"

using namespace ww;

// A finished sum on its way into a cell of C.
template <class W, class Cell>
WW_DEV W update(Acc<W> alpha, Acc<W> sum, Acc<W> beta, Cell c) {
  return round_to<W>(beta == 0 ? alpha * sum : alpha * sum + beta * acc(c));
}

// One thread a cell: for small matrices, and for element types that have no tiles.
WW_KERNEL(block(16, 16), types(W: f32 f64 f16 bf16), prefer(fours: K % 4 == 0))
template <class W, class M, class N, class K>
WW_DEV void gemm_cell(Cells<M, N> cells, Dim<K> k, Acc<W> alpha, In<W, M, K> a, In<W, K, N> b, Acc<W> beta, InOut<W, M, N> c) {
  for (auto at : cells) {
    Acc<W> sum = 0;
    for (auto [x, y] : zip(k, a.row(at.row()), b.col(at.col()))) sum += acc(x) * acc(y);
    c[at] = update<W>(alpha, sum, beta, c[at]);
  }
}

// A block's tile of C: each thread sums its cells, while strips of A and B walk through the panels.
template <class W, class Tiles, class K, class A, class B, class C, class P, class Q>
WW_DEV void by_tiles(Tiles tiles, Dim<K> k, Acc<W> alpha, A a, B b, Acc<W> beta, C c, P as, Q bs) {
  for (auto tile : tiles) {
    Tile<Acc<W>, tile.height, tile.width> sums(0);
    pipeline(tile, k, as.rows(a, tile.rows()), bs.cols(b, tile.cols()), [&](auto x, auto y) {
      for (auto i : each<tile.height>())
        for (auto j : each<tile.width>()) sums(i, j) += acc(x[i]) * acc(y[j]);
    });
    tile.runs(sums, [&](auto at, auto sum) {
      if (beta == 0) {
        c[at] = map([&](Acc<W> sum) { return round_to<W>(alpha * sum); }, sum);
      } else {
        c[at] = map([&](Acc<W> sum, W old) { return update<W>(alpha, sum, beta, old); }, sum, c[at]);
      }
    });
  }
}

// Tiles of H by 64 cells a block, whose threads have H / 16 by 8 of them each: four rows one below the other, or the two of a
// tile of 32. Where matrices consist of whole tiles, nothing is tested; where rows begin at multiples of 16 bytes, B and C are
// moved four cells at a time all the same.
WW_KERNEL(block(8, 16), types(W: f32; H: 32 64 128), prefer(whole: M % H == 0, N % 64 == 0, K % 16 == 0, aligned(16)),
          prefer(words: N % 4 == 0, aligned(16)))
template <class W, int H, class M, class N, class K>
WW_DEV void gemm_tile(Tiles<M, N, H, 64, 4, 4 - 2 * (32 / H)> tiles, Dim<K> k, Acc<W> alpha, In<W, M, K> a, In<W, K, N> b, Acc<W> beta, InOut<W, M, N> c,
                      Panels<W, 16, H> as, Panels<W, 16, 64> bs) {
  by_tiles<W>(tiles, k, alpha, a, b, beta, c, as, bs);
}

// Tiles of 128 by 128 cells, for matrices of so many of them that every multiprocessor has some.
WW_KERNEL(block(16, 16), types(W: f32), prefer(whole: M % 128 == 0, N % 128 == 0, K % 16 == 0, aligned(16)), prefer(words: N % 4 == 0, aligned(16)))
template <class W, class M, class N, class K>
WW_DEV void gemm_wide(Tiles<M, N, 128, 128, 4, 4> tiles, Dim<K> k, Acc<W> alpha, In<W, M, K> a, In<W, K, N> b, Acc<W> beta, InOut<W, M, N> c,
                      Panels<W, 16, 128> as, Panels<W, 16, 128> bs) {
  by_tiles<W>(tiles, k, alpha, a, b, beta, c, as, bs);
}
