#include "ww/ww.h"

using namespace ww;

// z = a x + y.
WW_KERNEL(block(256), grid(min(cdiv(N, block), 32 * sms)), types(W: f32 f64))
template <class W, class N>
WW_DEV void axpy_plain(Dim<N> n, W a, In<W, N> x, In<W, N> y, Out<W, N> z) {
  for (auto i : threads(n)) z[i] = a * x[i] + y[i];
}
