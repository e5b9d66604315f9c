// Dynamic shared memory as a typed parameter of a kernel. It is no argument of the launch: the
// launcher sums the bytes of all Shared parameters, and the entry lays them out one after another.
#pragma once

#include "ww/dtype.h"
#include "ww/extent.h"

namespace ww {

// N elements of T that the threads of a block share; undefined at the start of a block.
template <class T, int N>
class Shared {
  friend Entry;
  friend struct Collective;
  WW_MEM explicit Shared(T* p) : p_(p) {}
  T* p_;
};
WW_VIEW(Shared<T, n>, shared(T, n));

}  // namespace ww
