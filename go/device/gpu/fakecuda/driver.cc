// The driver's functions. cuda.h's macros give them their versioned names.
#include <cuda.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "emu/launch.h"
#include "go/device/gpu/fakecuda/image.h"
#include "go/device/gpu/fakecuda/order.h"
#include "go/device/gpu/fakecuda/probes.h"

using namespace fakecuda;

// A context owns what was made in it. It is the primary one of its device.
struct CUctx_st {
  int device = 0;
  int users = 0;
  CUresult poison = CUDA_SUCCESS;  // the first sticky error
  std::map<CUdeviceptr, size_t> memory;
  size_t used = 0;
  std::set<void*> host;  // pinned memory
  std::set<CUstream> streams;
  CUstream legacy = nullptr;  // the default stream
};

struct CUstream_st {
  CUcontext context;
  bool blocking;  // ordered with the default stream
  Queue queue{};
  bool capturing = false, spoilt = false;
  std::thread::id capturer{};
  std::vector<std::function<void()>> captured{};
};

struct CUevent_st {
  CUcontext context;
  bool timed;
  TaskRef recorded;
};

struct CUmod_st {
  CUcontext context;
  Choice image;
  std::map<std::string, CUfunction> functions;
};

struct CUfunc_st {
  CUmodule module;
  const emu::Entry* entry;
  Probe facts;
  int dynamic_limit;  // of dynamic shared bytes
};

struct CUgraph_st {
  std::vector<std::function<void()>> nodes;
};

struct CUgraphExec_st {
  std::vector<std::function<void()>> nodes;
};

namespace {

constexpr int kSharedDefault = 48 << 10, kSharedMost = 227 << 10;

bool initialized = false;
std::map<int, CUctx_st> contexts;  // by device
thread_local CUcontext current = nullptr;
thread_local int captures_here = 0;  // captures that this thread began

long setting(const char* name, long otherwise) {
  const char* text = getenv(name);
  return text && *text ? atol(text) : otherwise;
}

// What FAKE_CUDA_FAIL wants of an operation.
CUresult injected(std::string_view op) {
  const char* text = getenv("FAKE_CUDA_FAIL");
  std::string_view rest = text ? text : "";
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const size_t colon = item.find(':');
    if (item.substr(0, colon) == op) return static_cast<CUresult>(atoi(item.data() + colon + 1));
  }
  return CUDA_SUCCESS;
}

bool sticky(CUresult code) {
  return code == CUDA_ERROR_ILLEGAL_ADDRESS || code == CUDA_ERROR_LAUNCH_TIMEOUT ||
         (code >= CUDA_ERROR_HARDWARE_STACK_ERROR && code <= CUDA_ERROR_LAUNCH_FAILED) || code == CUDA_ERROR_ASSERT;
}

// What begins every call that needs a context.
CUresult enter(const char* op) {
  if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
  if (!current) return CUDA_ERROR_INVALID_CONTEXT;
  if (current->poison) return current->poison;
  const CUresult code = injected(op);
  if (sticky(code)) current->poison = code;
  return code;
}

#define ENTER(op)                                   \
  Lock lock(mutex);                                 \
  if (const CUresult code = enter(op)) return code

// For calls that a capture of this thread does not allow: they spoil it.
CUresult unsafe_here() {
  if (captures_here == 0) return CUDA_SUCCESS;
  for (CUstream s : current->streams)
    if (s->capturing && s->capturer == std::this_thread::get_id()) s->spoilt = true;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult resolve(CUstream& s) {
  if (!s) s = current->legacy;
  return current->streams.count(s) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

// Gives work to a stream, in the order that it has with the default stream. Needs the lock.
CUresult enqueue(CUstream s, std::function<void()> work, TaskRef* task = nullptr, TaskRef also = nullptr) {
  if (const CUresult code = resolve(s)) return code;
  if (s->capturing) {
    s->captured.push_back(std::move(work));
    return CUDA_SUCCESS;
  }
  std::vector<TaskRef> after = {also};
  if (s == current->legacy) {
    for (CUstream other : current->streams) {
      if (!other->blocking) continue;
      if (other->capturing) {
        other->spoilt = true;
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
      }
      after.push_back(other->queue.last());
    }
  } else if (s->blocking) {
    after.push_back(current->legacy->queue.last());
  }
  TaskRef pushed = s->queue.push([work = std::move(work), context = current] {
    if (!context->poison) work();
  }, std::move(after));
  if (task) *task = pushed;
  return CUDA_SUCCESS;
}

// Gives work and waits for it.
CUresult perform(Lock& lock, CUstream s, std::function<void()> work) {
  TaskRef task;
  if (const CUresult code = unsafe_here()) return code;
  if (const CUresult code = enqueue(s, std::move(work), &task)) return code;
  const CUcontext context = current;
  wait(lock, task);
  return context->poison;
}

// Whether a range lies inside one allocation.
bool allocated(CUdeviceptr p, size_t n) {
  auto at = current->memory.upper_bound(p);
  if (at == current->memory.begin()) return false;
  --at;
  return n <= at->second && p - at->first <= at->second - n;
}

char* pointer(CUdeviceptr p) { return reinterpret_cast<char*>(p); }

const emu::Entry* entry_named(const std::string& name) {
  for (const emu::Family& family : emu::families())
    for (const emu::Entry& entry : family.entries)
      if (name == entry.name) return &entry;
  return nullptr;
}

// Waits for all work of a context.
void drain(Lock& lock, CUcontext context) {
  const std::set<CUstream> streams = context->streams;
  for (CUstream s : streams) wait(lock, s->queue.last());
}

// Deletes a stream, whose thread ends when its work has. Needs the lock, and lets go of it meanwhile.
void destroy(Lock& lock, CUstream s) {
  s->context->streams.erase(s);
  lock.unlock();
  delete s;
  lock.lock();
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned) {
  Lock lock(mutex);
  const auto code = static_cast<CUresult>(setting("FAKE_CUDA_INIT", 0));
  initialized = code == CUDA_SUCCESS;
  return code;
}

CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult code, const char** name) {
  switch (static_cast<int>(code)) {
    case 1: *name = "CUDA_ERROR_INVALID_VALUE"; return CUDA_SUCCESS;
    case 2: *name = "CUDA_ERROR_OUT_OF_MEMORY"; return CUDA_SUCCESS;
    case 34: *name = "CUDA_ERROR_STUB_LIBRARY"; return CUDA_SUCCESS;
    case 100: *name = "CUDA_ERROR_NO_DEVICE"; return CUDA_SUCCESS;
    case 200: *name = "CUDA_ERROR_INVALID_IMAGE"; return CUDA_SUCCESS;
    case 209: *name = "CUDA_ERROR_NO_BINARY_FOR_GPU"; return CUDA_SUCCESS;
    case 500: *name = "CUDA_ERROR_NOT_FOUND"; return CUDA_SUCCESS;
    case 700: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; return CUDA_SUCCESS;
    case 719: *name = "CUDA_ERROR_LAUNCH_FAILED"; return CUDA_SUCCESS;
    case 803: *name = "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"; return CUDA_SUCCESS;
    case 900: *name = "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"; return CUDA_SUCCESS;
    case 901: *name = "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"; return CUDA_SUCCESS;
  }
  *name = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult code, const char** text) {
  const char* name;
  const CUresult known = cuGetErrorName(code, &name);
  *text = known == CUDA_SUCCESS ? "the fake driver's words" : nullptr;
  return known;
}

// ---- devices and contexts

CUresult cuDeviceGetCount(int* count) {
  if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
  *count = static_cast<int>(setting("FAKE_CUDA_DEVICES", 1));
  return injected("cuDeviceGetCount");
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
  if (ordinal < 0 || ordinal >= setting("FAKE_CUDA_DEVICES", 1)) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
  snprintf(name, static_cast<size_t>(size), "Fake GPU %d", device);
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t* bytes, CUdevice) {
  *bytes = static_cast<size_t>(setting("FAKE_CUDA_MEMORY", 1 << 30));
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute what, CUdevice) {
  const int arch = static_cast<int>(setting("FAKE_CUDA_ARCH", 90));
  switch (what) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = arch / 10; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = arch % 10; break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 4; break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X: *value = 2147483647; break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z: *value = 65535; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *value = kSharedDefault; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = kSharedMost; break;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  Lock lock(mutex);
  if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
  if (const CUresult code = injected("cuDevicePrimaryCtxRetain")) return code;
  CUctx_st& c = contexts[device];
  if (c.users++ == 0) {
    c.device = device;
    c.legacy = new CUstream_st{&c, false};
    c.streams.insert(c.legacy);
  }
  *context = &c;
  return CUDA_SUCCESS;
}

// The last release destroys the context and what is left in it, which ends a poisoning too.
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  Lock lock(mutex);
  CUctx_st& c = contexts[device];
  if (c.users == 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (--c.users > 0) return CUDA_SUCCESS;
  const CUresult poison = c.poison;
  drain(lock, &c);
  while (!c.streams.empty()) destroy(lock, *c.streams.begin());
  for (auto& [p, n] : c.memory) free(pointer(p));
  for (void* p : c.host) free(p);
  // What a client forgot: tests read this.
  if (!poison && (!c.memory.empty() || !c.host.empty())) fprintf(stderr, "fakecuda: %zu allocations outlived their context\n", c.memory.size() + c.host.size());
  contexts.erase(device);
  return poison;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  Lock lock(mutex);
  if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
  current = context;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
  ENTER("cuCtxSynchronize");
  if (const CUresult code = unsafe_here()) return code;
  drain(lock, current);
  return current->poison;
}

// ---- memory

CUresult cuMemGetInfo(size_t* free, size_t* total) {
  ENTER("cuMemGetInfo");
  *total = static_cast<size_t>(setting("FAKE_CUDA_MEMORY", 1 << 30));
  *free = *total - current->used;
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr* out, size_t bytes) {
  ENTER("cuMemAlloc");
  if (const CUresult code = unsafe_here()) return code;
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (bytes > static_cast<size_t>(setting("FAKE_CUDA_MEMORY", 1 << 30)) - current->used) return CUDA_ERROR_OUT_OF_MEMORY;
  void* p = aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
  memset(p, 0xA5, bytes);
  *out = reinterpret_cast<CUdeviceptr>(p);
  current->memory[*out] = bytes;
  current->used += bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr p) {
  ENTER("cuMemFree");
  if (const CUresult code = unsafe_here()) return code;
  const auto at = current->memory.find(p);
  if (at == current->memory.end()) return CUDA_ERROR_INVALID_VALUE;
  drain(lock, current);
  current->used -= at->second;
  current->memory.erase(at);
  free(pointer(p));
  return current->poison;
}

CUresult cuMemHostAlloc(void** out, size_t bytes, unsigned) {
  ENTER("cuMemHostAlloc");
  if (!(*out = malloc(bytes))) return CUDA_ERROR_OUT_OF_MEMORY;
  current->host.insert(*out);
  return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void* p) {
  ENTER("cuMemFreeHost");
  if (!current->host.erase(p)) return CUDA_ERROR_INVALID_VALUE;
  free(p);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t n) {
  ENTER("cuMemcpyHtoD");
  if (!allocated(to, n)) return CUDA_ERROR_INVALID_VALUE;
  return perform(lock, nullptr, [=] { memcpy(pointer(to), from, n); });
}

CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t n) {
  ENTER("cuMemcpyDtoH");
  if (!allocated(from, n)) return CUDA_ERROR_INVALID_VALUE;
  return perform(lock, nullptr, [=] { memcpy(to, pointer(from), n); });
}

// The copies below run when the stream comes to them, so a client that takes its memory back early shows.
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t n, CUstream s) {
  ENTER("cuMemcpyHtoDAsync");
  if (!allocated(to, n)) return CUDA_ERROR_INVALID_VALUE;
  return enqueue(s, [=] { memcpy(pointer(to), from, n); });
}

CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t n, CUstream s) {
  ENTER("cuMemcpyDtoHAsync");
  if (!allocated(from, n)) return CUDA_ERROR_INVALID_VALUE;
  return enqueue(s, [=] { memcpy(to, pointer(from), n); });
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s) {
  ENTER("cuMemcpyDtoDAsync");
  if (!allocated(to, n) || !allocated(from, n)) return CUDA_ERROR_INVALID_VALUE;
  return enqueue(s, [=] { memmove(pointer(to), pointer(from), n); });
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n, CUstream s) {
  ENTER("cuMemsetD8Async");
  if (!allocated(to, n)) return CUDA_ERROR_INVALID_VALUE;
  return enqueue(s, [=] { memset(pointer(to), value, n); });
}

// ---- streams and events

CUresult cuStreamCreate(CUstream* out, unsigned flags) {
  ENTER("cuStreamCreate");
  *out = new CUstream_st{current, !(flags & CU_STREAM_NON_BLOCKING)};
  current->streams.insert(*out);
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream s) {
  ENTER("cuStreamDestroy");
  if (!s || !current->streams.count(s)) return CUDA_ERROR_INVALID_HANDLE;
  destroy(lock, s);
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream s) {
  ENTER("cuStreamSynchronize");
  if (const CUresult code = resolve(s)) return code;
  if (s->capturing) {
    s->spoilt = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return perform(lock, s, [] {});
}

CUresult cuStreamQuery(CUstream s) {
  ENTER("cuStreamQuery");
  if (const CUresult code = resolve(s)) return code;
  if (s->capturing) {
    s->spoilt = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return s->queue.last() && !s->queue.last()->done ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned) {
  ENTER("cuStreamWaitEvent");
  if (e->context != current) return CUDA_ERROR_INVALID_HANDLE;
  return enqueue(s, [] {}, nullptr, e->recorded);
}

CUresult cuEventCreate(CUevent* out, unsigned flags) {
  ENTER("cuEventCreate");
  *out = new CUevent_st{current, !(flags & CU_EVENT_DISABLE_TIMING), nullptr};
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent e) {
  ENTER("cuEventDestroy");
  if (e->context != current) return CUDA_ERROR_INVALID_HANDLE;
  delete e;
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent e, CUstream s) {
  ENTER("cuEventRecord");
  if (e->context != current) return CUDA_ERROR_INVALID_HANDLE;
  return enqueue(s, [] {}, &e->recorded);
}

CUresult cuEventQuery(CUevent e) {
  ENTER("cuEventQuery");
  return e->recorded && !e->recorded->done ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float* ms, CUevent from, CUevent to) {
  ENTER("cuEventElapsedTime");
  if (!from->timed || !to->timed || !from->recorded || !to->recorded) return CUDA_ERROR_INVALID_HANDLE;
  if (!from->recorded->done || !to->recorded->done) return CUDA_ERROR_NOT_READY;
  *ms = static_cast<float>(to->recorded->at - from->recorded->at);
  return CUDA_SUCCESS;
}

// ---- modules and launches

CUresult cuModuleLoadDataEx(CUmodule* out, const void* image, unsigned n, CUjit_option* options, void** values) {
  ENTER("cuModuleLoadDataEx");
  if (const CUresult code = unsafe_here()) return code;
  Choice choice = choose(image, static_cast<int>(setting("FAKE_CUDA_ARCH", 90)));
  if (choice.code != CUDA_SUCCESS) {
    char* log = nullptr;
    size_t size = 0;
    for (unsigned i = 0; i < n; i++) {
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER) log = static_cast<char*>(values[i]);
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) size = reinterpret_cast<size_t>(values[i]);
    }
    if (log) snprintf(log, size, "%s", choice.log.c_str());
    return static_cast<CUresult>(choice.code);
  }
  *out = new CUmod_st{current, choice, {}};
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
  ENTER("cuModuleUnload");
  if (module->context != current) return CUDA_ERROR_INVALID_HANDLE;
  for (CUstream s : current->streams)
    if (s->queue.last() && !s->queue.last()->done) return CUDA_ERROR_ILLEGAL_STATE;  // work that may be the module's
  for (auto& [name, function] : module->functions) delete function;
  delete module;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* out, CUmodule module, const char* name) {
  ENTER("cuModuleGetFunction");
  const emu::Entry* entry = entry_named(name);
  if (!entry) return CUDA_ERROR_NOT_FOUND;
  CUfunction& function = module->functions[name];
  if (!function) {
    const Probe* known = probe(name);
    Probe facts = known ? *known : Probe{name, std::vector<size_t>(entry->sizes, entry->sizes + entry->params)};
    function = new CUfunc_st{module, entry, facts, kSharedDefault - facts.shared};
  }
  *out = function;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute what, CUfunction f) {
  ENTER("cuFuncGetAttribute");
  switch (what) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = f->facts.max_threads; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = f->facts.shared; break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = 16; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = 24; break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = f->module->image.binary; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = f->module->image.ptx; break;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute what, int value) {
  ENTER("cuFuncSetAttribute");
  if (what != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 || value + f->facts.shared > kSharedMost)
    return CUDA_ERROR_INVALID_VALUE;
  f->dynamic_limit = value;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction f, size_t i, size_t* offset, size_t* size) {
  ENTER("cuFuncGetParamInfo");
  if (i >= f->facts.sizes.size()) return CUDA_ERROR_INVALID_VALUE;
  // As in C: every parameter at a multiple of its size, which 8 bytes bound.
  size_t at = 0;
  for (size_t j = 0;; at += f->facts.sizes[j++]) {
    const size_t alignment = std::min<size_t>(f->facts.sizes[j], 8);
    at = (at + alignment - 1) / alignment * alignment;
    if (j == i) break;
  }
  *offset = at;
  *size = f->facts.sizes[i];
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                        CUstream s, void** params, void**) {
  ENTER("cuLaunchKernel");
  if (f->module->context != current) return CUDA_ERROR_INVALID_HANDLE;
  const size_t threads = size_t{bx} * by * bz;
  if (gx == 0 || gy == 0 || gz == 0 || threads == 0 || threads > static_cast<size_t>(f->facts.max_threads)) return CUDA_ERROR_INVALID_VALUE;
  if (shared > static_cast<unsigned>(f->dynamic_limit)) return CUDA_ERROR_INVALID_VALUE;
  // A parameter's own bytes and no more, so that what belongs to nobody cannot help.
  std::vector<uint64_t> slots(f->facts.sizes.size(), 0xCCCCCCCCCCCCCCCC);
  for (size_t i = 0; i < slots.size(); i++) memcpy(&slots[i], params[i], std::min<size_t>(f->facts.sizes[i], 8));
  return enqueue(s, [=, context = current] {
    if (const CUresult code = injected("kernel")) {
      Lock lock(mutex);
      context->poison = code;
      return;
    }
    static std::mutex one_at_a_time;  // the emulator has one block of threads
    const std::lock_guard<std::mutex> hold(one_at_a_time);
    emu::Options options;
    options.deadline_seconds = 0;
    emu::run_grid({f->entry, dim3(gx, gy, gz), dim3(bx, by, bz), shared, slots.data()}, options);
  });
}

// ---- graphs

CUresult cuStreamBeginCapture(CUstream s, CUstreamCaptureMode mode) {
  ENTER("cuStreamBeginCapture");
  if (!s) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (!current->streams.count(s) || mode != CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) return CUDA_ERROR_INVALID_VALUE;
  if (s->capturing) return CUDA_ERROR_ILLEGAL_STATE;
  s->capturing = true;
  s->spoilt = false;
  s->capturer = std::this_thread::get_id();
  captures_here++;
  return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream s, CUgraph* out) {
  ENTER("cuStreamEndCapture");
  *out = nullptr;
  if (!s || !current->streams.count(s) || !s->capturing) return CUDA_ERROR_ILLEGAL_STATE;
  if (s->capturer != std::this_thread::get_id()) return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  captures_here--;
  s->capturing = false;
  std::vector<std::function<void()>> nodes;
  nodes.swap(s->captured);
  if (s->spoilt) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  *out = new CUgraph_st{std::move(nodes)};
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* out, CUgraph graph, unsigned long long) {
  ENTER("cuGraphInstantiate");
  *out = new CUgraphExec_st{graph->nodes};
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
  ENTER("cuGraphDestroy");
  delete graph;
  return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec graph, CUstream s) {
  ENTER("cuGraphLaunch");
  if (const CUresult code = resolve(s)) return code;
  if (s->capturing) {
    s->spoilt = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return enqueue(s, [nodes = graph->nodes] {
    for (const auto& node : nodes) node();
  });
}

CUresult cuGraphExecDestroy(CUgraphExec graph) {
  ENTER("cuGraphExecDestroy");
  delete graph;
  return CUDA_SUCCESS;
}

}  // extern "C"
