// One kernel, whose launcher also names an entry that is not there.
#include "ww/ww.h"

using namespace ww;

// y = x.
WW_KERNEL(block(256), grid(min(cdiv(N, block), 32 * sms)), types(W: f32))
template <class W, class N>
WW_DEV void misspelt_copy(Dim<N> n, In<W, N> x, Out<W, N> y) {
  for (auto i : threads(n)) y[i] = x[i];
}
