// Frames on a pipe, and the numbers and strings in them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace emu {

inline constexpr uint32_t kMostFrameBytes = 64u << 20;

// Reads the fields of a payload in order. Reading past the end gives zeros and makes ok() false for good.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  uint8_t u8() { return number<uint8_t>(); }
  uint32_t u32() { return number<uint32_t>(); }
  uint64_t u64() { return number<uint64_t>(); }
  std::string_view str() { return take(u32()); }
  std::string_view rest() { return take(rest_.size()); }
  bool ok() const { return ok_; }
  // All was read and nothing is left.
  bool complete() const { return ok_ && rest_.empty(); }

 private:
  std::string_view take(size_t n) {
    if (n > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    std::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return taken;
  }
  template <class T>
  T number() {
    T value = 0;
    std::string_view bytes = take(sizeof value);
    if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string_view rest_;
  bool ok_ = true;
};

// Collects the fields of an answer.
class Writer {
 public:
  Writer& u32(uint32_t value) { return raw(&value, sizeof value); }
  Writer& u64(uint64_t value) { return raw(&value, sizeof value); }
  Writer& str(std::string_view text) { return u32(static_cast<uint32_t>(text.size())).raw(text.data(), text.size()); }
  std::string_view bytes() const { return bytes_; }

 private:
  Writer& raw(const void* data, size_t n) {
    bytes_.append(static_cast<const char*>(data), n);
    return *this;
  }
  std::string bytes_;
};

// The next request's bytes after its length, in `frame`. False at the end of the input. Input that ends
// inside a frame, or a frame that is too long, ends the program.
bool read_frame(int fd, std::vector<char>& frame);

// Writes an answer. A client that has gone ends the program.
void write_frame(int fd, uint32_t status, std::string_view payload);

}  // namespace emu
