// Element types and the accumulator rule: f64 accumulates in f64, all else in f32, rounded once.
#pragma once

#include <type_traits>

#include "ww/platform.h"

namespace ww {

using f32 = float;
using f64 = double;
using f16 = __half;
using bf16 = __nv_bfloat16;

namespace detail {
template <class W>
struct Accumulator {
  using type = f32;
};
template <>
struct Accumulator<f64> {
  using type = f64;
};
}  // namespace detail

// The type in which values of W are summed.
template <class W>
using Acc = typename detail::Accumulator<W>::type;

// A stored value as its accumulator; exact.
WW_DEV f32 acc(f32 v) { return v; }
WW_DEV f64 acc(f64 v) { return v; }
WW_DEV f32 acc(f16 v) { return __half2float(v); }
WW_DEV f32 acc(bf16 v) { return __bfloat162float(v); }

// An accumulator as a stored value; to nearest, ties to even.
template <class W>
WW_DEV W round_to(Acc<W> v) {
  if constexpr (std::is_same_v<W, f16>) {
    return __float2half_rn(v);
  } else if constexpr (std::is_same_v<W, bf16>) {
    return __float2bfloat16_rn(v);
  } else {
    return v;
  }
}

}  // namespace ww
