// Values as bits and back, for types of at most 8 bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace emu {

// The value's bytes, low first, in a word whose other bytes are zero.
template <class T>
inline uint64_t to_word(T value) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>, "at most 8 plain bytes");
  uint64_t word = 0;
  std::memcpy(&word, &value, sizeof value);
  return word;
}

// The inverse: T from the low bytes of a word.
template <class T>
inline T from_word(uint64_t word) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>, "at most 8 plain bytes");
  T value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

}  // namespace emu
