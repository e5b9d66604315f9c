// A kernel of which the solver does not know whether anybody can launch it: few sizes keep its contract.
#include "ww/ww.h"

using namespace ww;

// y = x, beside a product of three extents that makes a square.
WW_KERNEL(block(256), grid(min(cdiv(N, block), 32 * sms)), types(W: f32), requires(M >= 200, N >= 200, K >= 200, side * side == M * N * K + N))
template <class W, class M, class N, class K>
WW_DEV void rare_copy(Dim<M> m, Dim<N> n, Dim<K> k, u64 side, In<W, N> x, Out<W, N> y) {
  for (auto i : threads(n)) y[i] = x[i];
}
