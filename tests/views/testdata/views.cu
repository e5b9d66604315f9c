// Kernels with every kind of one-dimensional parameter. A case fills in the body of one of them, and may
// declare something before them; the entries are kernelspec's, as for any family.
#include "ww/ww.h"

using namespace ww;

#include "declared.inc"

// Blocks and threads in one row.
WW_KERNEL(block(64), grid(1), types(W: f32; S: 8), unchecked("the cases of the token"))
template <class W, int S, int BLOCK, class M, class K, class N>
WW_DEV void views_line(Unchecked may, Dim<M> m, Dim<K> k, Rows<i32, M, N> rows, In<Col<K>, N> cols, Weights<Each, W, N> weights, In<W, K> x,
                       In<W, M> z, Out<W, M> y, Out<W, M, ByGroup<S>> grouped, Out<W, M, ByBlock> blocked, InOut<W, M> kept, Add<W, K> sums,
                       In<Run<W, 4>, M> runs_in, Out<Run<W, 4>, M> runs_out, InOut<Run<W, 4>, M> runs_kept, In<Every<W, 3>, M> every,
                       Out<Every<W, 3>, M> every_out, Shared<W, BLOCK / 32> partial, Shared<W, 4> four) {
#ifdef LINE
#include "body.inc"
#endif
}

// A block and a grid of two axes.
WW_KERNEL(block(8, 8), grid(1, 1), types(W: f32))
template <class W, class M>
WW_DEV void views_square(Dim<M> m, Out<W, M> y) {
#ifdef SQUARE
#include "body.inc"
#endif
}

// A block with a part of a warp.
WW_KERNEL(block(48), grid(1), types(W: f32))
template <class W, class M>
WW_DEV void views_odd(Dim<M> m, Out<W, M> y) {
#ifdef ODD
#include "body.inc"
#endif
}
