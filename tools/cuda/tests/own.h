// A header of a family's own.
#pragma once

#include "ww/ww.h"

using namespace ww;

template <class W>
WW_DEV W twice(W v) {
  return v + v;
}
