// The smallest family: what the rules' own tests compile.
#include "ww/ww.h"

using namespace ww;

// y = a x.
WW_KERNEL(block(256), grid(min(cdiv(N, block), 32 * sms)), types(W: f32))
template <class W, class N>
WW_DEV void sample_scale(Dim<N> n, W a, In<W, N> x, Out<W, N> y) {
  for (auto i : threads(n)) y[i] = a * x[i];
}
