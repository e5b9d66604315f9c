// The kernels of raw.cu over vectors and sparse matrices, through views: the same operations in the same
// order, so that results are equal bit for bit and machine code can be compared.
#include "ww/ww.h"

using namespace ww;

// y = a x + y.
WW_KERNEL(block(256), grid(min(cdiv(N, block), 32 * sms)), types(W: f32),
          prefer(full: exact(N, block), fits32(N)), prefer(once: once(N, block), fits32(N)))
template <class W, class N>
WW_DEV void twin_saxpy(Dim<N> n, W a, In<W, N> x, InOut<W, N> y) {
  for (auto i : threads(n)) y[i] = a * x[i] + y[i];
}

// The same, four elements at a time; the last few one by one.
WW_KERNEL(block(256), grid(min(cdiv(N, 4 * block), 32 * sms)), types(W: f32),
          prefer(full: exact(N, 4 * block), fits32(N)), prefer(once: once(N, 4 * block), fits32(N), N % 4 == 0))
template <class W, class N>
WW_DEV void twin_saxpy4(Dim<N> n, W a, In<Run<W, 4>, N> x, InOut<Run<W, 4>, N> y) {
  runs<4>(n, [&](auto run) { y[run] = map([&](W v, W w) { return a * v + w; }, x[run], y[run]); });
}

// y = A x of a CSR matrix, one thread a row.
WW_KERNEL(block(256), grid(min(cdiv(M, block), 32 * sms)), types(W: f32), prefer(once: once(M, block), fits32(M)))
template <class W, class M, class K, class N>
WW_DEV void twin_csr_thread(Dim<M> m, Rows<i32, M, N> rows, In<Col<K>, N> cols, Weights<Each, W, N> weights, In<W, K> x, Out<W, M> y) {
  for (auto row : threads(m)) {
    y[row] = rows.all(row).sum(W(0), [=](auto e) { return weights.term(e, x[cols[e]]); });
  }
}

// The same, one warp a row.
WW_KERNEL(block(256), grid(min(cdiv(M, block / 32), 32 * sms)), types(W: f32),
          prefer(full: exact(M, block / 32), fits32(M)), prefer(once: once(M, block / 32), fits32(M)))
template <class W, class M, class K, class N>
WW_DEV void twin_csr_warp(Dim<M> m, Rows<i32, M, N> rows, In<Col<K>, N> cols, Weights<Each, W, N> weights, In<W, K> x, Out<W, M, ByGroup<32>> y) {
  for (auto row : groups<32>(m)) {
    const auto part = rows.lanes(row).sum(W(0), [=](auto e) { return weights.term(e, x[cols[e]]); });
    y.put(row, sum(row, part));
  }
}
