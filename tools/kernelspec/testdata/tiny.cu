// A family that uses every part of the language once.
#include "ww/ww.h"

using namespace ww;

// y = alpha x + y. The first buffer gives the extent.
WW_KERNEL(block(128), grid(min(cdiv(N, block), 8 * sms)), types(W: f32 f16))
template <class W, class N>
WW_DEV void tiny_axpy(Acc<W> alpha, In<W, N> x, InOut<W, N> y) {
  for (auto i : threads(y)) y[i] = round_to<W>(alpha * acc(x[i]) + acc(y[i]));  // a '}' in a comment: }
}

/* Sums the rows of a matrix, many to a block.
 * Two comments in one.
 */
WW_KERNEL(block(16, 16), grid(cdiv(C, 16), cdiv(R, 16)),  // comments stand anywhere
          types(T: 8 16; W: f64 bf16), requires(C >= 1, len(a) < 4294967296, seed != T),
          except(one-warp-block, "sixteen rows of threads are one block of eight warps"))
template <class W, int T, int BLOCK, class R, class C>
WW_DEV void tiny_row_sums(Dim<R> r, Dim<C> c, Matrix<W, R, C> a, u32 seed, Add<Acc<W>, R> sums, Shared<Acc<W>, T * T + 1> tile,
                          Shared<u8, BLOCK / 3> flags) {
  const auto quoted = "} \" {";
  char c2 = '}';
}

// Counts the entries of each column.
WW_KERNEL(block(256), grid(M), types(P: i32 i64; V: One Each; F: f32))
template <class P, class V, class F, class M, class K, class N>
WW_DEV void tiny_count(Rows<P, M, N> rows, In<Col<K>, N> cols, Weights<V, F, N> weights, Add<i32, K> counts, Out<u8, K> seen) {}

// Cell by cell: the grid follows from what lies under it. Rows of a width that the type knows.
WW_KERNEL(block(32, 8), types(T: 2 4), requires(block.x * T >= C))
template <int T, int BLOCK_X, int BLOCK_Y, class A, class R, class C>
WW_DEV void tiny_cells(Dim<A> a, Cells<R, C> cells, Cube<f32, A, R, Const<T + 1>> in, Matrix<f32, R, C> out, SharedTile<f32, BLOCK_Y, BLOCK_X> tile) {}

// Tiles of a matrix whose rows an array of offsets knows.
WW_KERNEL(block(64, 2), types(P: i32 i64))
template <class P, int BLOCK_X, class M, class N, class C>
WW_DEV void tiny_tiles(Rows<P, M, N> rows, Tiles<M, C, 4, BLOCK_X> tiles, Matrix<f32, M, C> x) {}

// Writes in runs, and reads what no view can express.
WW_KERNEL(block(64), grid(1), types(W: f32 f64; S: 1 2), unchecked("the permutation is its own inverse"))
template <class W, int S, class N>
WW_DEV void tiny_permute(Unchecked may, In<W, N> x, Out<Run<W, 2 * S>, N> y, Out<Run<u8, 16>, N> seen) {}

// Without any instance parameter; one that only one architecture can run.
WW_KERNEL(block(32), grid(1), archs(sm_90))
template <class N>
WW_DEV void tiny_fill(f64 value, Out<f64, N> out) {
  if (true) { }
}

// Every predicate, and the shape of the launch.
WW_KERNEL(block(64, 2), grid(cdiv(N, 64 * S), S), types(W: f32 i32; S: 1 3),
          requires(divides(S, N), fits32(N * S + grid.x * block), aligned(x, 4 * sizeof(x)), disjoint(x, w), shared >= block.x * sizeof(tile),
                   grid.y * block.y <= 2 * S, seed % 2 == 0, N - S >= 1))
template <class W, int S, class N>
WW_DEV void tiny_shaped(Dim<N> n, u64 seed, In<W, N> x, In<W, N> w, Out<W, N> y, Shared<f32, 64> tile) {}

// Writes through a permutation.
WW_KERNEL(block(64), grid(cdiv(N, block)), types(W: f32 f64))
template <class W, class K, class N>
WW_DEV void tiny_place(Dim<N> n, Order<K, N> order, In<W, N> x, Out<W, K, Through<N>> y, InOut<u32, K, Through<N>> seen) {
  for (auto i : threads(n)) {
    y[order[i]] = x[i];
    seen[order[i]] = seen[order[i]] + 1;
  }
}

// Eight buffers and four relations: the yardstick of a check's time.
WW_KERNEL(block(256), grid(cdiv(A, block)), types(W: f32 f64))
template <class W, class A, class B, class C, class D>
WW_DEV void tiny_eight(In<W, A> a, In<W, B> b, In<W, C> c, In<W, D> d, In<W, A> a2, In<W, B> b2, InOut<W, C> y, Out<W, D> z) {}

// Two variants, every fact; every N is a multiple of S where that is 1.
WW_KERNEL(block(64), grid(min(cdiv(N, block / S), 3 * sms)), types(W: f32 f16; S: 1 4),
          prefer(full: exact(N, block / S), fits32(N), N % (2 * max(S, 1)) == 0, N % S == 0, aligned(4 * S)), prefer(once: once(N, block / S), fits32(N)))
template <class W, int S, class N>
WW_DEV void tiny_facts(Dim<N> n, In<W, N> x, Out<W, N, ByGroup<S>> y) {
  for (auto i : groups<S>(n)) y.put(i, sum(i, x[i]));
}

// A variant of the only instance, of an extent that an array carries; the grid asks the array nothing.
WW_KERNEL(block(64), grid(2 * sms), prefer(once: once(M, block), N % 2 == 0, fits32(K)))
template <class M, class N, class K>
WW_DEV void tiny_offsets(Dim<M> m, Dim<K> k, Rows<i32, M, N> rows, Out<i32, M> y) {
  for (auto row : threads(m)) y[row] = 0;
}
