#include "emu/wire.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace emu {
namespace {

// As many bytes as there are, up to n.
size_t read_all(int fd, char* to, size_t n) {
  size_t done = 0;
  while (done < n) {
    const ssize_t got = read(fd, to + done, n - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

void write_all(int fd, const char* from, size_t n) {
  while (n > 0) {
    const ssize_t put = write(fd, from, n);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) _exit(0);
    from += put;
    n -= static_cast<size_t>(put);
  }
}

[[noreturn]] void broken(const char* what, size_t got, size_t wanted) {
  fprintf(stderr, "emu: protocol: %s: %zu of %zu bytes\n", what, got, wanted);
  _exit(2);
}

}  // namespace

bool read_frame(int fd, std::vector<char>& frame) {
  uint32_t length = 0;
  const size_t got = read_all(fd, reinterpret_cast<char*>(&length), sizeof length);
  if (got == 0) return false;
  if (got < sizeof length) broken("the input ends inside a frame's length", got, sizeof length);
  if (length > kMostFrameBytes) {
    fprintf(stderr, "emu: protocol: a frame of %u bytes, at most %u are allowed\n", length, kMostFrameBytes);
    _exit(2);
  }
  frame.resize(length);
  const size_t body = read_all(fd, frame.data(), length);
  if (body < length) broken("the input ends inside a frame", body, length);
  return true;
}

void write_frame(int fd, uint32_t status, std::string_view payload) {
  const uint32_t header[2] = {static_cast<uint32_t>(sizeof status + payload.size()), status};
  write_all(fd, reinterpret_cast<const char*>(header), sizeof header);
  write_all(fd, payload.data(), payload.size());
}

}  // namespace emu
