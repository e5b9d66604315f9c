// The way past the contract, for accesses that no view can express.
//
// Each view has a subscript that takes a plain integer and checks nothing: x.at(may, i). It wants an
// Unchecked in hand. Only an entry can make one, for a kernel that has it among its parameters and
// gives the reason as unchecked("...") in its annotation; kernelspec refuses one without the other,
// and the reason stands in the manifest. A token cannot be copied: what a kernel calls, or what calls
// it, has none unless it is passed one by reference, in sight, as const Unchecked&.
#pragma once

#include "ww/extent.h"

namespace ww {

class Unchecked final : Sealed {
 public:
  Unchecked(const Unchecked&) = delete;
  Unchecked& operator=(const Unchecked&) = delete;

 private:
  friend Entry;
  WW_MEM Unchecked() {}
};
WW_VIEW(Unchecked, token);

// The token itself, not what can be converted to one.
template <class T>
concept Held = std::is_same_v<T, Unchecked>;

}  // namespace ww
