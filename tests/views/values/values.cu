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

// y = x + y, and where the elements of a run stand: s = the first less the second, and so on.
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
