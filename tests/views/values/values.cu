// What the one-dimensional views read and write, for every element type and length of a run.
#include "ww/ww.h"

using namespace ww;

template <int V, class X, class Y, class N>
WW_DEV void copy(Dim<N> n, X x, Y y) {
  runs<V>(n, [&](auto run) { y[run] = map([](auto v) { return v; }, x[run]); });
}

// y = x in runs; one kernel a size of elements, since a run has 16 bytes at most.
WW_KERNEL(block(32), grid(2), types(W: f64 i64 u64; V: 2))
template <class W, int V, class N>
WW_DEV void values_copy8(Dim<N> n, In<Run<W, V>, N> x, Out<Run<W, V>, N> y) {
  copy<V>(n, x, y);
}
WW_KERNEL(block(32), grid(2), types(W: f32 i32 u32; V: 2 4))
template <class W, int V, class N>
WW_DEV void values_copy4(Dim<N> n, In<Run<W, V>, N> x, Out<Run<W, V>, N> y) {
  copy<V>(n, x, y);
}
WW_KERNEL(block(32), grid(2), types(W: f16 bf16; V: 2 4 8))
template <class W, int V, class N>
WW_DEV void values_copy2(Dim<N> n, In<Run<W, V>, N> x, Out<Run<W, V>, N> y) {
  copy<V>(n, x, y);
}
WW_KERNEL(block(32), grid(2), types(W: u8; V: 2 4 8 16))
template <class W, int V, class N>
WW_DEV void values_copy1(Dim<N> n, In<Run<W, V>, N> x, Out<Run<W, V>, N> y) {
  copy<V>(n, x, y);
}

// y = x + y, and s = the elements of each run folded in their order.
WW_KERNEL(block(32), grid(2), types(W: i32))
template <class W, class N>
WW_DEV void values_kept(Dim<N> n, In<Run<W, 4>, N> x, InOut<Run<W, 4>, N> y, Out<Run<W, 4>, N> s) {
  runs<4>(n, [&](auto run) {
    y[run] = map([](W x, W y) { return x + y; }, x[run], y[run]);
    const W all = fold([](W s, W v) { return 3 * s + v; }, W(0), x[run]);
    s[run] = map([&](W) { return all; }, x[run]);
  });
}

// Every third element of x to every second of y.
WW_KERNEL(block(32), grid(2), types(W: f32))
template <class W, class N>
WW_DEV void values_every(Dim<N> n, In<Every<W, 3>, N> x, Out<Every<W, 2>, N> y) {
  for (auto i : threads(n)) y[i] = x[i];
}

// y is x backwards.
WW_KERNEL(block(32), grid(2), types(W: f32), unchecked("the last element comes first"))
template <class W, class N>
WW_DEV void values_reverse(Unchecked may, Dim<N> n, In<W, N> x, Out<W, N> y) {
  for (auto i : threads(n)) y[i] = x.at(may, n.size() - 1 - i.value());
}

// y = 3 x in parts of 50, by blocks of three axes.
WW_KERNEL(block(4, 3, 2), types(W: f32))
template <class W, class N>
WW_DEV void values_boxes(Parts<N, 50> parts, In<W, N> x, Out<W, N, ByPart<50>> y) {
  for (auto part : parts)
    for (auto i : part.own()) y[i] = 3 * x[i];
}

// y = the sums of eight equal numbers, a group of lanes a number; and those of 64, a block each.
WW_KERNEL(block(64), grid(min(cdiv(N, block / 8), 2 * sms)), types(W: f32))
template <class W, class N>
WW_DEV void values_lanes(Dim<N> n, In<W, N> x, Out<W, N, ByGroup<8>> y) {
  for (auto i : groups<8>(n)) y.put(i, sum(i, x[i]));
}
WW_KERNEL(block(64), grid(min(N, 2 * sms)), types(W: f32))
template <class W, int BLOCK, class N>
WW_DEV void values_sums(Dim<N> n, In<W, N> x, Out<W, N, ByBlock> y, Shared<W, BLOCK / 32> partial) {
  for (auto i : blocks(n)) y.put(i, sum(i, partial, x[i]));
}

// y = x and z += x, each element by its place in memory.
WW_KERNEL(block(32), grid(2), types(W: f32), unchecked("a row is not walked by its own columns"))
template <class W, class M, class N>
WW_DEV void values_places(Unchecked may, Dim<M> m, Dim<N> n, In<W, M, N> x, Out<W, M, N> y, InOut<W, M, N> z) {
  for (auto i : threads(m))
    for (auto j : each(n)) {
      const u64 at = u64(i.value()) * n.size() + j.value();
      y.at(may, at) = x.at(may, at);
      z.at(may, at) = z.at(may, at) + x.at(may, at);
    }
}

// y = x, a thread a cell; blocks may divide the columns, the rows, both or neither.
WW_KERNEL(block(8, 4), types(W: f32), prefer(cols: N % block.x == 0), prefer(rows: M % block.y == 0))
template <class W, class M, class N>
WW_DEV void values_plane(Cells<M, N> cells, In<W, M, N> x, Out<W, M, N> y) {
  for (auto at : cells) y[at] = x[at];
}
