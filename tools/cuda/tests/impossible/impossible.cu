// A kernel that nobody can launch: no size keeps its contract, so whatever is said of its launches is true.
#include "ww/ww.h"

using namespace ww;

// y = x.
WW_KERNEL(block(256), grid(min(cdiv(N, block), 32 * sms)), types(W: f32), requires(N % 4 == 1, N % 2 == 0))
template <class W, class N>
WW_DEV void impossible_copy(Dim<N> n, In<W, N> x, Out<W, N> y) {
  for (auto i : threads(n)) y[i] = x[i];
}
