// __half and __nv_bfloat16: storage and conversions, rounded to nearest even as the GPU does it.
// Arithmetic on them is left out on purpose: kernels accumulate in float.
#pragma once

#include <cstdint>

#include "emu/bits.h"

struct __half {
  uint16_t bits;
};
struct __nv_bfloat16 {
  uint16_t bits;
};
using half = __half;
using nv_bfloat16 = __nv_bfloat16;

namespace emu {

// What cvt.rn makes of any NaN.
inline constexpr uint16_t kHalfNaN = 0x7fff;

// `value` without its low `count` bits (0 < count < 32), the last kept bit rounded to nearest even.
inline uint32_t shift_right_to_even(uint32_t value, unsigned count) {
  const uint32_t kept = value >> count;
  const uint32_t rest = value & ((1u << count) - 1);
  const uint32_t tie = 1u << (count - 1);
  return kept + (rest > tie || (rest == tie && (kept & 1u)));
}

inline uint16_t half_bits(float value) {
  const uint32_t bits = static_cast<uint32_t>(to_word(value));
  const uint32_t sign = bits >> 16 & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return kHalfNaN;
  if (magnitude >= 0x47800000u) return static_cast<uint16_t>(sign | 0x7c00u);  // 65536 and more
  const uint32_t exponent = magnitude >> 23;
  // From 2^-14 on: drop 13 bits of the fraction and rebias by 112; a carry moves into the exponent,
  // up to infinity.
  if (exponent >= 113) return static_cast<uint16_t>(sign | shift_right_to_even(magnitude - (112u << 23), 13));
  // Below: a multiple of 2^-24. Under 2^-25 all of it is rounded away.
  if (exponent < 102) return static_cast<uint16_t>(sign);
  const uint32_t fraction = (magnitude & 0x7fffffu) | 0x800000u;
  return static_cast<uint16_t>(sign | shift_right_to_even(fraction, 126 - exponent));
}

inline float half_value(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000u) << 16;
  const uint32_t exponent = bits >> 10 & 0x1fu;
  uint32_t fraction = bits & 0x3ffu;
  if (exponent == 31) return from_word<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0) return from_word<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float value = static_cast<float>(fraction) * 0x1p-24f;  // exact
  return sign ? -value : value;
}

inline uint16_t bfloat16_bits(float value) {
  const uint32_t bits = static_cast<uint32_t>(to_word(value));
  if ((bits & 0x7fffffffu) > 0x7f800000u) return kHalfNaN;
  return static_cast<uint16_t>(shift_right_to_even(bits, 16));
}

}  // namespace emu

inline __half __float2half_rn(float value) { return {emu::half_bits(value)}; }
inline __half __float2half(float value) { return __float2half_rn(value); }
inline float __half2float(__half value) { return emu::half_value(value.bits); }
inline __nv_bfloat16 __float2bfloat16_rn(float value) { return {emu::bfloat16_bits(value)}; }
inline __nv_bfloat16 __float2bfloat16(float value) { return __float2bfloat16_rn(value); }
inline float __bfloat162float(__nv_bfloat16 value) {
  return emu::from_word<float>(static_cast<uint32_t>(value.bits) << 16);
}

inline unsigned short __half_as_ushort(__half value) { return value.bits; }
inline __half __ushort_as_half(unsigned short bits) { return {bits}; }
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 value) { return value.bits; }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return {bits}; }
