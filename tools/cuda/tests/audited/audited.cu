// Kernels that break rules of the audits: the first without saying why, the second with a reason, the third has a reason for what
// it does not do.
#include "ww/ww.h"

using namespace ww;

// y = x, a warp a block.
WW_KERNEL(block(32), grid(min(cdiv(N, block), 32 * sms)), types(W: f32))
template <class W, class N>
WW_DEV void audited_silent(Dim<N> n, In<W, N> x, Out<W, N> y) {
  for (auto i : threads(n)) y[i] = x[i];
}

// y = x, a warp a block.
WW_KERNEL(block(32), grid(min(cdiv(N, block), 32 * sms)), types(W: f32), except(one-warp-block, "a fault that is planted, with a reason"))
template <class W, class N>
WW_DEV void audited_excused(Dim<N> n, In<W, N> x, Out<W, N> y) {
  for (auto i : threads(n)) y[i] = x[i];
}

// y = x.
WW_KERNEL(block(256), grid(min(cdiv(N, block), 32 * sms)), types(W: f32), except(index32, "once there was a product"))
template <class W, class N>
WW_DEV void audited_stale(Dim<N> n, In<W, N> x, Out<W, N> y) {
  for (auto i : threads(n)) y[i] = x[i];
}
