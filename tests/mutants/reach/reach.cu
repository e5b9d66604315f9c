// What no other kernel uses of the vocabulary, so that mutants of it are run by some kernel.
#include "ww/ww.h"

using namespace ww;

// y is x backwards and z twice that, by places in views whose elements are a group's or a block's.
WW_KERNEL(block(64), grid(2), types(W: f32), prefer(once: once(N, block)), unchecked("the last element comes first"))
template <class W, class N>
WW_DEV void reach_held(Unchecked may, Dim<N> n, In<W, N> x, Out<W, N, ByGroup<8>> y, Out<W, N, ByBlock> z) {
  for (auto i : threads(n)) {
    const u64 at = n.size() - 1 - i.value();
    y.at(may, at) = x[i];
    z.at(may, at) = 2 * x[i];
  }
}

// y += x backwards, and sums too, and the middle one of sums all of x: by threads that may meet.
WW_KERNEL(block(64), grid(2), types(W: f32), unchecked("the last element comes first"))
template <class W, class N>
WW_DEV void reach_added(Unchecked may, Dim<N> n, In<W, N> x, InOut<W, N> y, Add<W, N> sums) {
  for (auto i : threads(n)) {
    const u64 at = n.size() - 1 - i.value();
    y.at(may, at) = y.at(may, at) + x[i];
    sums.add(may, at, x[i]);
    sums.add(may, n.size() / 2, x[i]);
  }
}

// z is y backwards, element by element, and w is too: by places in views whose elements are a thread's.
WW_KERNEL(block(64), grid(2), types(W: f32), unchecked("the last element comes first"))
template <class W, class N>
WW_DEV void reach_kept(Unchecked may, Dim<N> n, InOut<W, N> y, InOut<W, N> z, Out<W, N> w) {
  for (auto i : threads(n)) {
    const u64 at = n.size() - 1 - i.value();
    z.at(may, at) = y[i];
    w.at(may, at) = y[i];
  }
}

// y = x in another order by indices that nobody owns, and z += x by indices that a thread owns.
WW_KERNEL(block(64), grid(min(cdiv(N, block), 2 * sms)), types(W: f32))
template <class W, class K, class N>
WW_DEV void reach_order(Dim<N> n, Order<K, N> order, In<W, K> x, Out<W, N> y, InOut<W, K, Through<N>> z) {
  for (auto place : threads(n)) {
    y[place] = x[order[Ix<N>(place)]];
    const auto i = order[place];
    z[i] = z[i] + x[i];
  }
}

// y = the sums of S sums of S equal numbers, every third element of x, a group of lanes a number, in the largest blocks: so every
// lane's sum counts.
WW_KERNEL(block(1024), grid(min(cdiv(N, block / S), 2 * sms)), types(W: f32; S: 1 8))
template <class W, int S, class N>
WW_DEV void reach_lanes(Dim<N> n, In<Every<W, 3>, N> x, Out<W, N, ByGroup<S>> y) {
  for (auto i : groups<S>(n)) y.put(i, sum(i, sum(i, x[i]).value()));
}

// y = the sums of 1024 equal numbers, one of the largest blocks a number, which the facts say are all in the first round, or not.
WW_KERNEL(block(1024), grid(min(N, 2 * sms)), types(W: f32), prefer(full: exact(N, 1), fits32(N)), prefer(first: once(N, 1)))
template <class W, int BLOCK, class N>
WW_DEV void reach_blocks(Dim<N> n, In<W, N> x, Out<W, N, ByBlock> y, Shared<W, BLOCK / 32> partial) {
  for (auto i : blocks(n)) y.put(i, sum(i, partial, x[i]));
}

// y = the sums of 32 equal numbers, a warp a number, and z = those of 64, a block a number: what is one round of warps is two of blocks.
WW_KERNEL(block(64), grid(min(cdiv(N, 2), 2 * sms)), types(W: f32), prefer(pairs: once(N, 2)))
template <class W, int BLOCK, class N>
WW_DEV void reach_both(Dim<N> n, In<W, N> x, Out<W, N, ByGroup<32>> y, Out<W, N, ByBlock> z, Shared<W, BLOCK / 32> partial) {
  for (auto i : groups<32>(n)) y.put(i, sum(i, x[i]));
  for (auto i : blocks(n)) z.put(i, sum(i, partial, x[i]));
}

// C = the sums of the rows of A in each of N columns, through one tile that is filled again and again.
WW_KERNEL(block(16, 4), types(W: f32))
template <class W, class M, class N, class K>
WW_DEV void reach_staged(Tiles<M, N, 16, 16> tiles, Dim<K> k, In<W, M, K> a, Out<W, M, N> c, SharedTile<W, 16, 12> as) {
  for (auto tile : tiles) {
    Tile<Acc<W>, tile.height> sums(0);
    for (auto step : steps<12>(k)) {
      auto x = stage(tile, as.from(a, tile.rows(), step));
      for (auto p : each<12>())
        for (auto i : each<tile.height>()) sums[i] += acc(x(tile.row(i), p));
    }
    tile.cells([&](auto at, auto i, auto) { c[at] = round_to<W>(sums[i]); });
  }
}

// C = 2 A B by one pipeline behind the other, through the same panels.
WW_KERNEL(block(8, 8), types(W: f32), prefer(fours: N % 4 == 0))
template <class W, class M, class N, class K>
WW_DEV void reach_twice(Tiles<M, N, 32, 32, 4, 4> tiles, Dim<K> k, In<W, M, K> a, In<W, K, N> b, Out<W, M, N> c, Panels<W, 8, 32> as,
                        Panels<W, 8, 32> bs) {
  for (auto tile : tiles) {
    Tile<Acc<W>, tile.height, tile.width> sums(0);
    const auto add = [&](auto x, auto y) {
      for (auto i : each<tile.height>())
        for (auto j : each<tile.width>()) sums(i, j) += acc(x[i]) * acc(y[j]);
    };
    pipeline(tile, k, as.rows(a, tile.rows()), bs.cols(b, tile.cols()), add);
    pipeline(tile, k, as.rows(a, tile.rows()), bs.cols(b, tile.cols()), add);
    tile.runs(sums, [&](auto at, auto sum) { c[at] = map([](Acc<W> sum) { return round_to<W>(sum); }, sum); });
  }
}
