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

// Tiles of T by T cells a block, staged in shared memory; whole tiles apart from clipped ones.
WW_KERNEL(block(16, 16), types(W: f32; T: 64))
template <class W, int T, class M, class N, class K>
WW_DEV void gemm_tile(Tiles<M, N, T, T> tiles, Dim<K> k, Acc<W> alpha, In<W, M, K> a, In<W, K, N> b, Acc<W> beta, InOut<W, M, N> c,
                      SharedTile<W, T, 16> as, SharedTile<W, 16, T> bs) {
  for (auto clipped : tiles) {
    clipped.split([&](auto tile) {
      Tile<Acc<W>, tile.height, tile.width> sum(0);
      steps<16>(k).split([&](auto step) {
        auto [x, y] = stage(tile, as.from(a, tile.rows(), step), bs.from(b, step, tile.cols()));
        for (auto p : each<16>())
          for (auto i : each<tile.height>())
            for (auto j : each<tile.width>()) sum(i, j) += acc(x(tile.row(i), p)) * acc(y(p, tile.col(j)));
      });
      tile.cells([&](auto at, auto i, auto j) { c[at] = update<W>(alpha, sum(i, j), beta, c[at]); });
    });
  }
}
