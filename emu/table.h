// The table of entries: how kernels, compiled with a sanitizer, become known to the server.
//
// Each family's generated X.emu.cc has exactly this form (kernels in source order, entries in the
// spec's order, one line each):
//
//   #include "emu/cuda.h"
//   #include "emu/table.h"
//
//   #include "cuda/csr/csr.entries.cu"
//
//   static const emu::Registration registration("csr", {
//       emu::entry<&csr_mv_thread_f32_i32_each>("csr_mv_thread_f32_i32_each", "csr_mv_thread", "<contract hash>"),
//       emu::entry<&csr_mv_warp_f32_i32_each>("csr_mv_warp_f32_i32_each", "csr_mv_warp", "<contract hash>"),
//   });
//
// An entry is an `extern "C" void` function of plain words: integers, floating-point numbers and
// pointers, 8 bytes at most each. Number and sizes of parameters are read off the function itself.
// Nothing refers to the object file by name: link it whole (`alwayslink = True` in Bazel).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "emu/bits.h"

namespace emu {

// Runs an entry as one CUDA thread. Arguments are 8-byte slots, low bytes first.
using ThreadBody = void (*)(const uint64_t* slots);

// What an entry may do with the memory that a parameter points to.
enum Use : uint8_t { kWord, kReads, kWrites };  // no pointer; one to const; any other

struct Entry {
  const char* name;      // csr_mv_thread_f32_i32_each
  const char* kernel;    // csr_mv_thread
  const char* contract;  // hash of the kernel's signature and annotation
  uint32_t params;
  const uint8_t* sizes;  // of the parameters, in bytes
  const uint8_t* uses;   // of the parameters: Use
  ThreadBody body;
};

namespace detail {
template <class P>
constexpr uint8_t use() {
  if (!std::is_pointer_v<P>) return kWord;
  return std::is_const_v<std::remove_pointer_t<P>> ? kReads : kWrites;
}

template <auto kFunction>
struct Call;
template <class... P, void (*kFunction)(P...)>
struct Call<kFunction> {
  static constexpr uint32_t kParams = sizeof...(P);
  static constexpr uint8_t kSizes[] = {sizeof(P)..., 0};  // one more than there are, for there may be none
  static constexpr uint8_t kUses[] = {use<P>()..., 0};
  static void run(const uint64_t* slots) { run_with(slots, std::make_index_sequence<sizeof...(P)>()); }

 private:
  template <size_t... I>
  static void run_with([[maybe_unused]] const uint64_t* slots, std::index_sequence<I...>) {
    kFunction(from_word<P>(slots[I])...);
  }
};
}  // namespace detail

template <auto kFunction>
constexpr Entry entry(const char* name, const char* kernel, const char* contract) {
  return {name, kernel, contract, detail::Call<kFunction>::kParams, detail::Call<kFunction>::kSizes, detail::Call<kFunction>::kUses,
          &detail::Call<kFunction>::run};
}

struct Family {
  std::string name;
  std::vector<Entry> entries;
};

// Every family that is linked into this program.
std::vector<Family>& families();

// Adds a family before main starts.
class Registration {
 public:
  Registration(const char* family, std::initializer_list<Entry> entries);
};

}  // namespace emu
