// Kernels that together use every view of matrices, tiles, parts and permutations, each in more than one shape.
#include "ww/ww.h"

using namespace ww;

// C = A B, tiles of T by T cells a block, whole ones apart from clipped ones. A thread has four cells side by
// side; rows in shared memory stand one element further apart than they are long.
WW_KERNEL(block(8, 8), types(W: f32; T: 32))
template <class W, int T, class M, class N, class K>
WW_DEV void matrix_product(Tiles<M, N, T, T, 4> tiles, Dim<K> k, In<W, M, K> a, In<W, K, N> b, Out<W, M, N> c, SharedTile<W, T, 7, 1> as,
                           SharedTile<W, 7, T> bs) {
  for (auto clipped : tiles) {
    clipped.split([&](auto tile) {
      Tile<Acc<W>, tile.height, tile.width> sums(0);
      steps<7>(k).split([&](auto step) {
        auto [x, y] = stage(tile, as.from(a, tile.rows(), step), bs.from(b, step, tile.cols()));
        for (auto p : each<7>())
          for (auto i : each<tile.height>())
            for (auto j : each<tile.width>()) sums(i, j) += acc(x(tile.row(i), p)) * acc(y(p, tile.col(j)));
      });
      tile.cells([&](auto at, auto i, auto j) { c[at] = round_to<W>(sums(i, j)); });
    });
  }
}

// C += A B by a pipeline in steps of H; four by four cells a thread.
WW_KERNEL(block(8, 8), types(W: f64 f16; H: 5 16), prefer(words: N % 4 == 0, aligned(16)),
          except(index32, "a place below 5 times 32 is divided by 5 and multiplied again, which the audit, not knowing how large it is, takes for one that wraps"))
template <class W, int H, class M, class N, class K>
WW_DEV void matrix_pipeline(Tiles<M, N, 32, 32, 4, 4> tiles, Dim<K> k, In<W, M, K> a, In<W, K, N> b, InOut<W, M, N> c, Panels<W, H, 32> as,
                            Panels<W, H, 32> bs) {
  for (auto clipped : tiles) {
    clipped.split([&](auto tile) {
      Tile<Acc<W>, tile.height, tile.width> sums(0);
      pipeline(tile, k, as.rows(a, tile.rows()), bs.cols(b, tile.cols()), [&](auto x, auto y) {
        for (auto i : each<tile.height>())
          for (auto j : each<tile.width>()) sums(i, j) += acc(x[i]) * acc(y[j]);
      });
      tile.runs(sums, [&](auto at, auto sum) { c[at] = map([](Acc<W> sum, W old) { return round_to<W>(sum + acc(old)); }, sum, c[at]); });
    });
  }
}

// B = A transposed, through a tile that is read across.
WW_KERNEL(block(16, 4), types(W: f32 u8))
template <class W, class M, class N>
WW_DEV void matrix_transpose(Tiles<N, M, 16, 16> tiles, In<W, M, N> a, Out<W, N, M> b, SharedTile<W, 16, 16, 1> turned) {
  for (auto tile : tiles) {
    auto x = stage(tile, turned.from(a, tile.cols(), tile.rows()));
    tile.cells([&](auto at, auto i, auto j) { b[at] = x(tile.col(j), tile.row(i)); });
  }
}

// C = the sum of L matrices, a thread a cell.
WW_KERNEL(block(32, 2), types(W: f32 f16))
template <class W, class L, class M, class N>
WW_DEV void matrix_stack(Cells<M, N> cells, Dim<L> layers, In<W, L, M, N> a, Out<W, M, N> c) {
  for (auto at : cells) {
    Acc<W> sum = 0;
    for (auto i : each(layers)) sum += acc(a[i][at]);
    c[at] = round_to<W>(sum);
  }
}

// Y += X, rows of three, a thread a row.
WW_KERNEL(block(64), grid(min(cdiv(M, block), 2 * sms)), types(W: f32))
template <class W, class M>
WW_DEV void matrix_rows(Dim<M> m, In<W, M, Const<3>> x, InOut<W, M, Const<3>> y) {
  for (auto r : threads(m))
    for (auto j : each<3>()) y(r, j) = y(r, j) + x(r, j);
}

// y = 2 x in parts of P, whole ones apart from the last.
WW_KERNEL(block(32, 2), types(W: f32; P: 48 64 200))
template <class W, int P, class N>
WW_DEV void matrix_parts(Parts<N, P> parts, In<W, N> x, Out<W, N, ByPart<P>> y) {
  for (auto clipped : parts) {
    clipped.split([&](auto part) {
      for (auto i : part.own()) y[i] = 2 * x[i];
    });
  }
}

// y = the sums of the columns of x; seen = how many rows the threads of a column were dealt.
WW_KERNEL(block(16, 4), types(W: f32))
template <class W, int BLOCK, int BLOCK_X, class M, class N>
WW_DEV void matrix_columns(Dim<M> m, Parts<N, BLOCK_X> parts, In<W, M, N> x, Out<W, N, ByPart<BLOCK_X>> y, Out<W, N, ByPart<BLOCK_X>> seen,
                           Shared<W, BLOCK> partial) {
  for (auto part : parts) {
    W v = 0, dealt = 0;
    for (auto c : part.column())
      for (auto r : along_y(m)) v += x(r, c);
    for ([[maybe_unused]] auto r : deal(m, part)) dealt += 1;
    y.put(part, sum(part, partial, v), [](W s) { return s; });
    seen.put(part, sum(part, partial, dealt), [](W s) { return s; });
  }
}

// y = x in another order, and z gets what x has more than it: each place leads to an element of its own.
WW_KERNEL(block(64), grid(min(cdiv(N, block), 2 * sms)), types(W: f32))
template <class W, class K, class N>
WW_DEV void matrix_order(Dim<N> n, Order<K, N> order, In<W, N> x, Out<W, K, Through<N>> y, InOut<W, K, Through<N>> z) {
  for (auto place : threads(n)) {
    const auto i = order[place];
    y[i] = x[place];
    z[i] = x[place] - z[i];
  }
}
