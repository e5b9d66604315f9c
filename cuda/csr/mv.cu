// CSR matrix times vector, both directions. A has M rows, K columns and N stored entries;
// duplicate entries sum, columns need no order, rows may be empty.
#include "ww/ww.h"

using namespace ww;

// y = A x, one thread a row: for rows of a few entries.
WW_KERNEL(block(256), grid(min(cdiv(M, block), 32 * sms)), types(W: f32 f64 f16 bf16; P: i32 i64; V: One Each),
          prefer(once: once(M, block), fits32(M)))
template <class W, class P, class V, class M, class K, class N>
WW_DEV void csr_mv_thread(Dim<M> m, Rows<P, M, N> rows, In<Col<K>, N> cols, Weights<V, W, N> weights, In<W, K> x, Out<W, M> y) {
  for (auto row : threads(m)) {
    const auto sum = rows.all(row).sum(Acc<W>(0), [=](auto e) { return weights.term(e, acc(x[cols[e]])); });
    y[row] = round_to<W>(weights.total(sum));
  }
}

// y = A x, S lanes a row, 32 / S rows a warp: for rows of some S entries or more.
WW_KERNEL(block(256), grid(min(cdiv(M, block / S), 32 * sms)), types(W: f32 f64 f16 bf16; P: i32 i64; V: One Each; S: 4 8 32),
          prefer(once: once(M, block / S), fits32(M)))
template <class W, class P, class V, int S, class M, class K, class N>
WW_DEV void csr_mv_group(Dim<M> m, Rows<P, M, N> rows, In<Col<K>, N> cols, Weights<V, W, N> weights, In<W, K> x, Out<W, M, ByGroup<S>> y) {
  for (auto row : groups<S>(m)) {
    const auto part = rows.lanes(row).sum(Acc<W>(0), [=](auto e) { return weights.term(e, acc(x[cols[e]])); });
    y.put(row, sum(row, part), [&](Acc<W> total) { return round_to<W>(weights.total(total)); });
  }
}

// y = A x, one block a row: for rows of many entries.
WW_KERNEL(block(256), grid(min(M, 1024 * sms)), types(W: f32 f64 f16 bf16; P: i32 i64; V: One Each))
template <class W, class P, class V, int BLOCK, class M, class K, class N>
WW_DEV void csr_mv_block(Dim<M> m, Rows<P, M, N> rows, In<Col<K>, N> cols, Weights<V, W, N> weights, In<W, K> x, Out<W, M, ByBlock> y,
                         Shared<Acc<W>, BLOCK / 32> partial) {
  for (auto row : blocks(m)) {
    const auto part = rows.threads(row).sum(Acc<W>(0), [=](auto e) { return weights.term(e, acc(x[cols[e]])); });
    y.put(row, sum(row, partial, part), [&](Acc<W> total) { return round_to<W>(weights.total(total)); });
  }
}

// sums += A^T x, S lanes a row. The sums are in the accumulator's type whatever W is, so that a
// half-precision result is rounded once (csr_round) and not at every addition.
WW_KERNEL(block(256), grid(min(cdiv(M, block / S), 32 * sms)), types(W: f32 f64 f16 bf16; P: i32 i64; V: One Each; S: 4 8 32))
template <class W, class P, class V, int S, class M, class K, class N>
WW_DEV void csr_mvt_group(Dim<M> m, Rows<P, M, N> rows, In<Col<K>, N> cols, Weights<V, W, N> weights, In<W, M> x, Add<Acc<W>, K> sums) {
  for (auto row : groups<S>(m)) {
    const Acc<W> v = weights.spread(acc(x[row]));
    for (auto e : rows.lanes(row)) sums.add(cols[e], weights.share(e, v));
  }
}

// y = sums, rounded: the second half of a half-precision scatter.
WW_KERNEL(block(256), grid(min(cdiv(K, block), 32 * sms)), types(W: f16 bf16))
template <class W, class K>
WW_DEV void csr_round(Dim<K> k, In<f32, K> sums, Out<W, K> y) {
  for (auto i : threads(k)) y[i] = round_to<W>(sums[i]);
}
