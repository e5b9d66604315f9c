// Atomics: relaxed, as on the GPU, so the race detector sees no order in them. Overloads are CUDA's
// (compute capability 7.5), so that what compiles here compiles there.
#pragma once

#include <type_traits>

#include "emu/bits.h"
#include "emu/runtime.h"

namespace emu {

// The integer of a value's size; `aliased` may be read where a float was written.
template <size_t kBytes>
struct WordOf;
template <>
struct WordOf<2> {
  using plain = uint16_t;
  typedef uint16_t __attribute__((may_alias)) aliased;
};
template <>
struct WordOf<4> {
  using plain = uint32_t;
  typedef uint32_t __attribute__((may_alias)) aliased;
};
template <>
struct WordOf<8> {
  using plain = uint64_t;
  typedef uint64_t __attribute__((may_alias)) aliased;
};

// Replaces *address by next(*address) in one step and returns what was there.
template <class T, class Next>
inline T read_modify_write(T* address, Next next, Site site) {
  using Word = typename WordOf<sizeof(T)>::plain;
  if (reinterpret_cast<uintptr_t>(address) % sizeof(T) != 0)
    fail("misaligned atomic", site, "an atomic on %zu bytes at address %p", sizeof(T), static_cast<void*>(address));
  auto* word = reinterpret_cast<typename WordOf<sizeof(T)>::aliased*>(address);
  Word seen = __atomic_load_n(word, __ATOMIC_RELAXED);
  for (;;) {
    const T old = from_word<T>(seen);
    const Word wanted = static_cast<Word>(to_word<T>(next(old)));
    if (__atomic_compare_exchange_n(word, &seen, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return old;
  }
}

// The sum of two integers modulo 2^bits, of two floats as it is.
template <class T>
inline T wrapping_add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
  else
    return a + b;
}
template <class T>
inline T wrapping_subtract(T a, T b) {
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) - static_cast<std::make_unsigned_t<T>>(b));
}

}  // namespace emu

#define EMU_ATOMIC(NAME, T, NEXT)                                                             \
  inline T NAME(T* address, T value, EMU_SITE) {                                              \
    return emu::read_modify_write<T>(address, [value]([[maybe_unused]] T old) -> T { return NEXT; }, emu_site); \
  }
#define EMU_ATOMIC_INTEGERS(NAME, NEXT) \
  EMU_ATOMIC(NAME, int, NEXT)           \
  EMU_ATOMIC(NAME, unsigned, NEXT)      \
  EMU_ATOMIC(NAME, unsigned long long, NEXT)

EMU_ATOMIC_INTEGERS(atomicAdd, emu::wrapping_add(old, value))
EMU_ATOMIC(atomicAdd, float, old + value)
EMU_ATOMIC(atomicAdd, double, old + value)
EMU_ATOMIC(atomicSub, int, emu::wrapping_subtract(old, value))
EMU_ATOMIC(atomicSub, unsigned, emu::wrapping_subtract(old, value))
EMU_ATOMIC_INTEGERS(atomicMin, value < old ? value : old)
EMU_ATOMIC(atomicMin, long long, value < old ? value : old)
EMU_ATOMIC_INTEGERS(atomicMax, old < value ? value : old)
EMU_ATOMIC(atomicMax, long long, old < value ? value : old)
EMU_ATOMIC_INTEGERS(atomicAnd, old & value)
EMU_ATOMIC_INTEGERS(atomicOr, old | value)
EMU_ATOMIC_INTEGERS(atomicXor, old ^ value)
EMU_ATOMIC_INTEGERS(atomicExch, value)
EMU_ATOMIC(atomicExch, float, value)
EMU_ATOMIC(atomicInc, unsigned, old >= value ? 0u : old + 1u)
EMU_ATOMIC(atomicDec, unsigned, old == 0u || old > value ? value : old - 1u)

#undef EMU_ATOMIC
#undef EMU_ATOMIC_INTEGERS

#define EMU_ATOMIC_CAS(T)                                                                     \
  inline T atomicCAS(T* address, T expected, T value, EMU_SITE) {                             \
    return emu::read_modify_write<T>(                                                         \
        address, [expected, value](T old) -> T { return old == expected ? value : old; }, emu_site); \
  }
EMU_ATOMIC_CAS(int)
EMU_ATOMIC_CAS(unsigned)
EMU_ATOMIC_CAS(unsigned long long)
EMU_ATOMIC_CAS(unsigned short)
#undef EMU_ATOMIC_CAS
