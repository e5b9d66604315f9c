// The kernels of raw.cu over matrices, through views: the same operations in the same order, so that
// results are equal bit for bit and machine code can be compared.
#include "ww/ww.h"

using namespace ww;

// C = alpha A B + beta C, one thread a cell.
WW_KERNEL(block(16, 16), types(W: f32), prefer(whole: M % block.y == 0, N % block.x == 0, K % 4 == 0))
template <class W, class M, class N, class K>
WW_DEV void twin_gemm(Cells<M, N> cells, Dim<K> k, Acc<W> alpha, In<W, M, K> a, In<W, K, N> b, Acc<W> beta, InOut<W, M, N> c) {
  for (auto at : cells) {
    Acc<W> sum = 0;
    for (auto [x, y] : zip(k, a.row(at.row()), b.col(at.col()))) sum += acc(x) * acc(y);
    c[at] = round_to<W>(alpha * sum + beta * acc(c[at]));
  }
}

// The same through tiles of 16 by 16 in shared memory; what lies beyond the edges is zero.
WW_KERNEL(block(16, 16), types(W: f32), prefer(whole: M % block.x == 0, N % block.x == 0, K % block.x == 0))
template <class W, int BLOCK_X, class M, class N, class K>
WW_DEV void twin_gemm_tiled(Tiles<M, N, BLOCK_X, BLOCK_X> tiles, Dim<K> k, Acc<W> alpha, In<W, M, K> a, In<W, K, N> b, Acc<W> beta,
                            InOut<W, M, N> c, SharedTile<W, BLOCK_X, BLOCK_X> as, SharedTile<W, BLOCK_X, BLOCK_X> bs) {
  for (auto tile : tiles) {
    Tile<Acc<W>, tile.height, tile.width> sum(0);
    for (auto step : steps<BLOCK_X>(k)) {
      auto [x, y] = stage(tile, as.from(a, tile.rows(), step), bs.from(b, step, tile.cols()));
      for (auto p : each<BLOCK_X>())
        for (auto i : each<tile.height>())
          for (auto j : each<tile.width>()) sum(i, j) += acc(x(tile.row(i), p)) * acc(y(p, tile.col(j)));
    }
    tile.cells([&](auto at, auto i, auto j) { c[at] = round_to<W>(alpha * sum(i, j) + beta * acc(c[at])); });
  }
}

// The same with T by T cells a block, whole tiles apart from clipped ones.
WW_KERNEL(block(16, 16), types(W: f32; T: 16 64))
template <class W, int T, class M, class N, class K>
WW_DEV void twin_gemm_split(Tiles<M, N, T, T> tiles, Dim<K> k, Acc<W> alpha, In<W, M, K> a, In<W, K, N> b, Acc<W> beta,
                            InOut<W, M, N> c, SharedTile<W, T, 16> as, SharedTile<W, 16, T> bs) {
  for (auto clipped : tiles) {
    clipped.split([&](auto tile) {
      Tile<Acc<W>, tile.height, tile.width> sum(0);
      steps<16>(k).split([&](auto step) {
        auto [x, y] = stage(tile, as.from(a, tile.rows(), step), bs.from(b, step, tile.cols()));
        for (auto p : each<16>())
          for (auto i : each<tile.height>())
            for (auto j : each<tile.width>()) sum(i, j) += acc(x(tile.row(i), p)) * acc(y(p, tile.col(j)));
      });
      tile.cells([&](auto at, auto i, auto j) { c[at] = round_to<W>(alpha * sum(i, j) + beta * acc(c[at])); });
    });
  }
}

// y[g] = the sum of the N rows of three of x[g], one block a g: what a gradient of three biases is, cut
// into G parts.
WW_KERNEL(block(256), grid(min(G, 1024 * sms)), types(W: f32))
template <class W, int BLOCK, class G, class N>
WW_DEV void twin_colsum(Dim<G> groups, Dim<N> n, In<W, G, N, Const<3>> x, Out<W, G, Const<3>, ByBlock> y, Shared<Acc<W>, BLOCK / 32> partial) {
  for (auto g : blocks(groups)) {
    Tile<Acc<W>, 3> sums(0);
    for (auto r : deal(n, g))
      for (auto j : each<3>()) sums[j] += acc(x(g, r, j));
    for (auto j : each<3>()) y.put(g, j, sum(g, partial, sums[j]), round_to<W>);
  }
}

// y = the sums of the columns of x: 32 columns a block, whose 8 rows of threads share the rows.
WW_KERNEL(block(32, 8), types(W: f32))
template <class W, int BLOCK, int BLOCK_X, class M, class N>
WW_DEV void twin_colsum_tiled(Dim<M> m, Parts<N, BLOCK_X> parts, In<W, M, N> x, Out<W, N, ByPart<BLOCK_X>> y, Shared<Acc<W>, BLOCK> partial) {
  for (auto part : parts) {
    Acc<W> v = 0;
    for (auto col : part.column())
      for (auto row : along_y(m)) v += acc(x(row, col));
    y.put(part, sum(part, partial, v), round_to<W>);
  }
}
