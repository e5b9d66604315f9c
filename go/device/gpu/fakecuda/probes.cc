#include "go/device/gpu/fakecuda/probes.h"

#include <atomic>
#include <thread>
#include <type_traits>

#include "emu/cuda.h"
#include "emu/table.h"

namespace {

// Each thread stores the arguments as it got them.
extern "C" void probe_pack(unsigned char u8, signed char i8, unsigned short u16, int i32, unsigned u32, float f32, long long i64,
                           unsigned long long u64, double f64, double* out) {
  const double values[] = {double(u8), double(i8), double(u16), double(i32), double(u32), double(f32), double(i64), double(u64), f64};
  for (int i = 0; i < 9; i++) out[i] = values[i];
}

// out[i] += add, i over all threads of the grid.
extern "C" void probe_add(int* out, int add) {
  out[blockIdx.x * blockDim.x + threadIdx.x] += add;
}

// Waits until the host sets the gate. Needs a grid of one thread.
extern "C" void probe_gate(int* gate) {
  while (!std::atomic_ref<int>(*gate).load()) std::this_thread::yield();
}

// Nothing, of no arguments.
extern "C" void probe_nothing() {}

// Writes the launch's shape.
extern "C" void probe_shape(unsigned* out) {
  const unsigned shape[] = {gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y, blockDim.z};
  for (int i = 0; i < 6; i++) out[i] = shape[i];
}

// A parameter of two slots: only its facts are ever looked at.
struct Wide {
  double a, b;
};

template <class... P>
std::vector<size_t> sizes(void (*)(P...)) {
  return {sizeof(P)...};
}

const emu::Registration registration("probe", {
    emu::entry<&probe_pack>("probe_pack", "probe_pack", "1"),
    emu::entry<&probe_add>("probe_add", "probe_add", "1"),
    emu::entry<&probe_gate>("probe_gate", "probe_gate", "1"),
    emu::entry<&probe_nothing>("probe_nothing", "probe_nothing", "1"),
    emu::entry<&probe_nothing>("probe_wide", "probe_wide", "1"),
    emu::entry<&probe_nothing>("probe_static", "probe_static", "1"),
    emu::entry<&probe_nothing>("probe_narrow", "probe_narrow", "1"),
    emu::entry<&probe_shape>("probe_shape", "probe_shape", "1"),
});

}  // namespace

namespace fakecuda {

const Probe* probe(const std::string& entry) {
  static const std::vector<Probe> all = {
      {"probe_pack", sizes(&probe_pack)},
      {"probe_add", sizes(&probe_add)},
      {"probe_gate", sizes(&probe_gate)},
      {"probe_nothing", {}},
      {"probe_wide", {sizeof(int), sizeof(Wide)}},
      {"probe_static", {}, 1024},
      {"probe_narrow", {}, 0, 128},
      {"probe_shape", sizes(&probe_shape)},
  };
  for (const Probe& p : all)
    if (p.entry == entry) return &p;
  return nullptr;
}

}  // namespace fakecuda
