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

// A thread for every cell of a matrix.
WW_KERNEL(block(8, 8), types(W: f32), unchecked("the cases of the token"))
template <class W, class M, class N, class K>
WW_DEV void views_cells(Unchecked may, Cells<M, N> cells, Dim<K> k, In<W, M, K> a, In<W, K, N> b, In<W, M, N> e, Out<W, M, N> c, Out<W, N, M> turned,
                        InOut<W, M, N> kept, In<W, K> x, Out<W, M> y, In<W, K, M, N> cube) {
#ifdef CELLS
#include "body.inc"
#endif
}

// A tile of a matrix for every block, two cells a thread.
WW_KERNEL(block(8, 8), types(W: f32))
template <class W, class M, class N, class K>
WW_DEV void views_tiles(Tiles<M, N, 16, 8> tiles, Dim<K> k, In<W, M, K> a, In<W, K, N> b, In<W, K, M> turned, Out<W, M, N> c,
                        SharedTile<W, 16, 4> xs, SharedTile<W, 4, 8> ys, SharedTile<W, 8, 4> wrong) {
#ifdef TILES
#include "body.inc"
#endif
}

// The same with four by two cells a thread, and strips of matrices on their way through shared memory.
WW_KERNEL(block(8, 8), types(W: f32))
template <class W, class M, class N, class K, class L>
WW_DEV void views_pipeline(Tiles<M, N, 32, 16, 2, 4> tiles, Dim<K> k, Dim<L> l, In<W, M, K> a, In<W, K, N> b, In<W, K, M> turned, InOut<W, M, N> c,
                           Out<W, M, N> fresh, InOut<W, N, M> across, Panels<W, 4, 32> as, Panels<W, 4, 16> bs, Panels<W, 8, 16> deep) {
#ifdef PIPELINE
#include "body.inc"
#endif
}

// A part of an extent for every block.
WW_KERNEL(block(8, 4), types(W: f32))
template <class W, class M, class N>
WW_DEV void views_parts(Dim<M> m, Parts<N, 8> parts, In<W, M, N> a, Out<W, N, ByPart<8>> y, Out<W, N> z, Out<W, N, ByPart<4>> other, Out<W, M, N> c,
                        Shared<W, 32> partial, Shared<W, 8> few, SharedTile<W, 4, 8> square) {
#ifdef PARTS
#include "body.inc"
#endif
}

// Rows of a matrix to threads and to blocks.
WW_KERNEL(block(64), grid(1), types(W: f32))
template <class W, int BLOCK, class M, class K>
WW_DEV void views_rows(Dim<M> m, Dim<K> k, Out<W, M, K> y, InOut<W, M, K> kept, In<W, M, Const<3>> colours, Out<W, M, Const<3>, ByBlock> blocked,
                       Shared<W, BLOCK / 32> partial) {
#ifdef ROWS
#include "body.inc"
#endif
}

// Writing through a permutation.
WW_KERNEL(block(64), grid(1), types(W: f32))
template <class W, class K, class N, class L>
WW_DEV void views_placed(Dim<N> n, Dim<L> l, Dim<K> k, Order<K, N> order, Order<K, L> other, In<Col<K>, N> cols, In<W, K> x, In<W, N> z,
                         Out<W, K, Through<N>> y, InOut<W, K, Through<N>> kept, Out<W, K> own, Add<W, K> sums) {
#ifdef PLACED
#include "body.inc"
#endif
}
