// What loops, runs and cells leave out where facts decide it: each kernel with every entry that it has.
#include "ww/ww.h"

using namespace ww;

WW_KERNEL(block(32), grid(2), prefer(full: exact(N, block), fits32(N)), prefer(once: once(N, block)))
template <class N>
WW_DEV void values_threads(Dim<N> n, In<f32, N> x, Out<f32, N> y) {
  for (auto i : threads(n)) y[i] = x[i];
}

// y = S x.
WW_KERNEL(block(64), grid(2), types(S: 1 4 32), prefer(full: exact(N, block / S)), prefer(once: once(N, block / S), fits32(N)))
template <int S, class N>
WW_DEV void values_groups(Dim<N> n, In<f32, N> x, Out<f32, N, ByGroup<S>> y) {
  for (auto i : groups<S>(n)) y.put(i, sum(i, x[i]));
}

// y = 64 x.
WW_KERNEL(block(64), grid(3), prefer(full: exact(N, 1), fits32(N)), prefer(once: once(N, 1)))
template <int BLOCK, class N>
WW_DEV void values_blocks(Dim<N> n, In<f32, N> x, Out<f32, N, ByBlock> y, Shared<f32, BLOCK / 32> partial) {
  for (auto i : blocks(n)) y.put(i, sum(i, partial, x[i]));
}

WW_KERNEL(block(32), grid(2), types(V: 2 4), prefer(full: exact(N, V * block), fits32(N)), prefer(whole: N % V == 0))
template <int V, class N>
WW_DEV void values_runs(Dim<N> n, In<Run<f32, V>, N> x, Out<Run<f32, V>, N> y) {
  runs<V>(n, [&](auto run) { y[run] = map([](f32 v) { return v; }, x[run]); });
}

// With elements beyond the runs.
WW_KERNEL(block(32), grid(2), prefer(once: once(N, 4 * block), fits32(N)))
template <class N>
WW_DEV void values_rest(Dim<N> n, In<Run<f32, 4>, N> x, Out<Run<f32, 4>, N> y) {
  runs<4>(n, [&](auto run) { y[run] = map([](f32 v) { return v; }, x[run]); });
}

// Two loops: the share that the fact names is that of the lesser one.
WW_KERNEL(block(64), grid(2), prefer(once: once(N, block / 8), fits32(N)))
template <class N>
WW_DEV void values_loops(Dim<N> n, In<f32, N> x, Out<f32, N> y, Out<f32, N, ByGroup<8>> z) {
  for (auto i : threads(n)) y[i] = x[i];
  for (auto i : groups<8>(n)) z.put(i, sum(i, x[i]));
}

WW_KERNEL(block(8, 4), except(one-warp-block, "a small matrix has many blocks"), prefer(whole: R % block.y == 0, C % block.x == 0))
template <class R, class C>
WW_DEV void values_cells(Cells<R, C> cells, In<f32, R, C> x, Out<f32, R, C> y) {
  for (auto at : cells) y[at] = x[at];
}

// y = the sums of rows.
WW_KERNEL(block(64), grid(1), prefer(twelves: K % 12 == 0), prefer(odd: K % 3 == 0))
template <class M, class K>
WW_DEV void values_depth(Dim<M> m, Dim<K> k, In<f32, M, K> x, Out<f32, M> y) {
  for (auto row : threads(m)) {
    f32 sum = 0;
    for (auto i : each(k)) sum += x(row, i);
    y[row] = sum;
  }
}
