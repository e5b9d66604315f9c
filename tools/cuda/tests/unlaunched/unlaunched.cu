// Two kernels, one of which no launcher reaches: whatever uses these images must not build.
#include "ww/ww.h"

using namespace ww;

// y = x.
WW_KERNEL(block(256), grid(min(cdiv(N, block), 32 * sms)), types(W: f32))
template <class W, class N>
WW_DEV void unlaunched_copy(Dim<N> n, In<W, N> x, Out<W, N> y) {
  for (auto i : threads(n)) y[i] = x[i];
}

// y = -x.
WW_KERNEL(block(256), grid(min(cdiv(N, block), 32 * sms)), types(W: f32))
template <class W, class N>
WW_DEV void unlaunched_negate(Dim<N> n, In<W, N> x, Out<W, N> y) {
  for (auto i : threads(n)) y[i] = -x[i];
}
