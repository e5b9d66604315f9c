// The emulator's program: serves one client on standard input and output. See protocol.md.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "emu/flags.h"
#include "emu/launch.h"
#include "emu/memory.h"
#include "emu/sanitizer.h"
#include "emu/table.h"
#include "emu/wire.h"

namespace emu {
namespace {

constexpr uint32_t kVersion = 2;

enum class Op : uint8_t { kHello, kAlloc, kFree, kWrite, kRead, kZero, kCopy, kLaunch, kStats };
enum Status : uint32_t { kOk, kMalformed, kBadAddress, kNoMemory, kNoEntry, kRefused };

struct Answer {
  Status status = kOk;
  Writer payload;                // of a success
  std::string error;             // of anything else
  std::string_view memory = {};  // sent instead of the payload: device memory, without a copy
};

[[gnu::format(printf, 2, 3)]] Answer failure(Status status, const char* format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return {status, {}, text};
}

Answer malformed(const char* op) { return failure(kMalformed, "%s: the payload does not have the fields of this request", op); }

Answer outside(const char* op, uint64_t address, uint64_t bytes) {
  return failure(kBadAddress, "%s: %llu bytes at 0x%llx are not inside one allocation", op,
                 static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(address));
}

class Server {
 public:
  explicit Server(const Flags& flags) : options_(flags.options), memory_(flags.memory_bytes) {
    for (const Family& family : families())
      for (const Entry& entry : family.entries)
        if (!entries_.emplace(entry.name, &entry).second) {
          fprintf(stderr, "emu: two entries are called %s\n", entry.name);
          _exit(2);
        }
  }

  Answer serve(std::string_view frame) {
    Reader in(frame);
    const uint8_t op = in.u8();
    if (!in.ok()) return failure(kMalformed, "an empty frame");
    switch (static_cast<Op>(op)) {
      case Op::kHello: return hello(in);
      case Op::kAlloc: return alloc(in);
      case Op::kFree: return free(in);
      case Op::kWrite: return write(in);
      case Op::kRead: return read(in);
      case Op::kZero: return zero(in);
      case Op::kCopy: return copy(in);
      case Op::kLaunch: return launch(in);
      case Op::kStats: return stats(in);
    }
    return failure(kMalformed, "unknown op %u", op);
  }

 private:
  Answer hello(Reader& in) {
    const std::string_view magic = in.str();
    const uint32_t version = in.u32();
    if (!in.complete() || magic != "warpwright") return malformed("hello");
    if (version != kVersion) return failure(kMalformed, "hello: the client speaks version %u, this program %u", version, kVersion);
    Answer answer;
    Writer& out = answer.payload;
    out.u32(kVersion).str(under_tsan() ? "thread" : under_asan() ? "address" : "none");
    out.u32(static_cast<uint32_t>(families().size()));
    for (const Family& family : families()) {
      out.str(family.name).u32(static_cast<uint32_t>(family.entries.size()));
      for (const Entry& entry : family.entries) {
        const std::string_view uses(reinterpret_cast<const char*>(entry.uses), entry.params);
        out.str(entry.name).str(entry.kernel).str(entry.contract).str(uses);
      }
    }
    return answer;
  }

  Answer alloc(Reader& in) {
    const uint64_t bytes = in.u64();
    if (!in.complete() || bytes == 0) return malformed("alloc");
    void* memory = memory_.allocate(bytes);
    if (!memory)
      return failure(kNoMemory, "alloc: no room for %llu bytes: %llu of %llu are in use", static_cast<unsigned long long>(bytes),
                     static_cast<unsigned long long>(memory_.used()), static_cast<unsigned long long>(memory_.limit()));
    Answer answer;
    answer.payload.u64(reinterpret_cast<uint64_t>(memory));
    return answer;
  }

  Answer free(Reader& in) {
    const uint64_t address = in.u64();
    if (!in.complete()) return malformed("free");
    if (!memory_.free(address))
      return failure(kBadAddress, "free: 0x%llx is not the address of an allocation", static_cast<unsigned long long>(address));
    return {};
  }

  Answer write(Reader& in) {
    const uint64_t address = in.u64();
    const std::string_view bytes = in.rest();
    if (!in.ok()) return malformed("write");
    char* to = memory_.range(address, bytes.size());
    if (!to) return outside("write", address, bytes.size());
    memcpy(to, bytes.data(), bytes.size());
    return {};
  }

  Answer read(Reader& in) {
    const uint64_t address = in.u64();
    const uint32_t bytes = in.u32();
    if (!in.complete()) return malformed("read");
    if (bytes > kMostFrameBytes) return failure(kMalformed, "read: %u bytes, at most %u go in a frame", bytes, kMostFrameBytes);
    const char* from = memory_.range(address, bytes);
    if (!from) return outside("read", address, bytes);
    Answer answer;
    answer.memory = {from, bytes};
    return answer;
  }

  Answer zero(Reader& in) {
    const uint64_t address = in.u64(), bytes = in.u64();
    if (!in.complete()) return malformed("zero");
    char* to = memory_.range(address, bytes);
    if (!to) return outside("zero", address, bytes);
    memset(to, 0, bytes);
    return {};
  }

  Answer copy(Reader& in) {
    const uint64_t to_address = in.u64(), from_address = in.u64(), bytes = in.u64();
    if (!in.complete()) return malformed("copy");
    char* to = memory_.range(to_address, bytes);
    const char* from = memory_.range(from_address, bytes);
    if (!to) return outside("copy to", to_address, bytes);
    if (!from) return outside("copy from", from_address, bytes);
    memmove(to, from, bytes);
    return {};
  }

  Answer launch(Reader& in) {
    const std::string_view name = in.str();
    const uint32_t gx = in.u32(), gy = in.u32(), gz = in.u32(), bx = in.u32(), by = in.u32(), bz = in.u32();
    const uint64_t shared = in.u64();
    const uint32_t count = in.u32();
    std::vector<uint64_t> slots;
    for (uint32_t i = 0; i < count && in.ok(); i++) slots.push_back(in.u64());
    if (!in.complete()) return malformed("launch");
    const auto found = entries_.find(name);
    if (found == entries_.end()) return failure(kNoEntry, "launch: no entry is called %.*s", static_cast<int>(std::min<size_t>(name.size(), 200)), name.data());
    const Entry& entry = *found->second;
    if (count != entry.params) return failure(kRefused, "launch: %s has %u parameters, got %u slots", entry.name, entry.params, count);
    // Each factor is at most 1024 when the product is looked at, so it does not wrap.
    const bool fits = bx <= kMaxThreadsPerBlock && by <= kMaxThreadsPerBlock && bz <= kMaxThreadsPerBlock;
    if (!fits || bx * by * bz == 0 || bx * by * bz > kMaxThreadsPerBlock)
      return failure(kRefused, "launch: %s: %u x %u x %u threads a block, 1 to %u are possible", entry.name, bx, by, bz, kMaxThreadsPerBlock);
    if (shared > kMostSharedBytes)
      return failure(kRefused, "launch: %s: %llu bytes of shared memory a block, at most %llu are possible", entry.name,
                     static_cast<unsigned long long>(shared), static_cast<unsigned long long>(kMostSharedBytes));
    launches_[&entry]++;
    const auto start = std::chrono::steady_clock::now();
    const Work work = run_grid({&entry, {gx, gy, gz}, {bx, by, bz}, shared, slots.data()}, options_);
    const auto took = std::chrono::steady_clock::now() - start;
    Answer answer;
    answer.payload.u64(work.blocks).u64(work.threads).u64(work.switches);
    answer.payload.u64(static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count()));
    return answer;
  }

  Answer stats(Reader& in) {
    if (!in.complete()) return malformed("stats");
    Answer answer;
    answer.payload.u32(static_cast<uint32_t>(entries_.size()));
    for (const auto& [name, entry] : entries_) answer.payload.str(name).u64(launches_[entry]);
    return answer;
  }

  static constexpr uint64_t kMostSharedBytes = 1 << 20;  // more than any GPU has

  Options options_;
  DeviceMemory memory_;
  std::map<std::string_view, const Entry*> entries_;
  std::map<const Entry*, uint64_t> launches_;
};

int run(int argc, char** argv) {
  Server server(parse_flags(argc, argv));
  signal(SIGPIPE, SIG_IGN);  // a client that has gone is seen by the write
  // Answers go through a descriptor of their own; whatever else writes to standard output lands in the report.
  const int out = dup(STDOUT_FILENO);
  if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    perror("emu: standard output");
    return 2;
  }
  std::vector<char> frame;
  while (read_frame(STDIN_FILENO, frame)) {
    const Answer answer = server.serve({frame.data(), frame.size()});
    write_frame(out, answer.status, answer.status != kOk ? answer.error : !answer.memory.empty() ? answer.memory : answer.payload.bytes());
  }
  return 0;
}

}  // namespace
}  // namespace emu

int main(int argc, char** argv) { return emu::run(argc, argv); }
