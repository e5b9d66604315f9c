// Intrinsics, min and max. What fast-math intrinsics give differs from the GPU's in the last bits.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "emu/bits.h"
#include "emu/runtime.h"

// As in CUDA: mixed operands meet in their common type, and a NaN loses against a number.
template <class A, class B>
constexpr std::common_type_t<A, B> min(A a, B b) {
  static_assert(std::is_arithmetic_v<A> && std::is_arithmetic_v<B>, "min and max are of numbers that C++ has; of f16 and bf16 write max(acc(x), acc(y))");
  using T = std::common_type_t<A, B>;
  const T x = static_cast<T>(a), y = static_cast<T>(b);
  if constexpr (std::is_floating_point_v<T>) return y < x || x != x ? y : x;
  else return y < x ? y : x;
}
template <class A, class B>
constexpr std::common_type_t<A, B> max(A a, B b) {
  static_assert(std::is_arithmetic_v<A> && std::is_arithmetic_v<B>, "min and max are of numbers that C++ has; of f16 and bf16 write max(acc(x), acc(y))");
  using T = std::common_type_t<A, B>;
  const T x = static_cast<T>(a), y = static_cast<T>(b);
  if constexpr (std::is_floating_point_v<T>) return x < y || x != x ? y : x;
  else return x < y ? y : x;
}

// Loads and stores with a cache hint are loads and stores.
template <class T> inline T __ldg(const T* p) { return *p; }
template <class T> inline T __ldca(const T* p) { return *p; }
template <class T> inline T __ldcg(const T* p) { return *p; }
template <class T> inline T __ldcs(const T* p) { return *p; }
template <class T> inline void __stcg(T* p, T value) { *p = value; }
template <class T> inline void __stcs(T* p, T value) { *p = value; }

inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline float __fdividef(float a, float b) { return a / b; }

// glibc declares these names itself, so they are macros over functions of ours.
namespace emu {
inline float rsqrt(float x) { return 1.0f / std::sqrt(x); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float fast_exp(float x) { return std::exp(x); }
inline float fast_log(float x) { return std::log(x); }
}  // namespace emu
#define rsqrtf(x) (::emu::rsqrt(static_cast<float>(x)))
#define rsqrt(x) (::emu::rsqrt(static_cast<double>(x)))
#define __expf(x) (::emu::fast_exp(x))
#define __logf(x) (::emu::fast_log(x))

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<uint64_t>(a) * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}

inline float __int_as_float(int x) { return emu::from_word<float>(static_cast<uint32_t>(x)); }
inline int __float_as_int(float x) { return static_cast<int>(emu::to_word(x)); }
inline float __uint_as_float(unsigned x) { return emu::from_word<float>(x); }
inline unsigned __float_as_uint(float x) { return static_cast<unsigned>(emu::to_word(x)); }
inline double __longlong_as_double(long long x) { return emu::from_word<double>(static_cast<uint64_t>(x)); }
inline long long __double_as_longlong(double x) { return static_cast<long long>(emu::to_word(x)); }

inline void __trap(EMU_SITE) { emu::fail("trap", emu_site, "the kernel called __trap"); }
// To nvcc a promise, here a check.
namespace emu {
inline void check_assumption(bool holds, const char* text, Site site = Site::current()) {
  if (!holds) fail("broken assumption", site, "__builtin_assume(%s) does not hold", text);
}
}  // namespace emu
#define __builtin_assume(condition) (::emu::check_assumption(static_cast<bool>(condition), #condition))
