// cuBLAS for machines without a GPU, as far as bench/peer calls it: the device's memory is host memory there
// (go/device/gpu/fakecuda), so a product is three loops. It is strict about what it is given, so that a wrong argument of
// ours shows; it says nothing about how fast anything is.
//
//   FAKE_CUBLAS_FAULT=wrong           one element of every product is wrong
//   FAKE_CUBLAS_FAULT="no pedantic"   there is no pedantic mode
#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

namespace {

enum Status { kSuccess = 0, kNotInitialized = 1, kInvalidValue = 7, kNotSupported = 15 };
enum { kDefaultMath = 0, kPedanticMath = 2 };

struct Handle {
  void* stream;
  int mode;
  int (*synchronize)(void*);
};

bool fault(std::string_view name) {
  const char* asked = getenv("FAKE_CUBLAS_FAULT");
  return asked && asked == name;
}

}  // namespace

extern "C" {

Status cublasCreate_v2(Handle** out) {
  const char* driver = getenv("WW_LIBCUDA");
  void* library = dlopen(driver ? driver : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return kNotInitialized;
  *out = new Handle{nullptr, -1, reinterpret_cast<int (*)(void*)>(dlsym(library, "cuStreamSynchronize"))};
  return kSuccess;
}

Status cublasDestroy_v2(Handle* h) {
  delete h;
  return kSuccess;
}

Status cublasGetVersion_v2(Handle*, int* version) {
  *version = 130002;
  return kSuccess;
}

Status cublasSetStream_v2(Handle* h, void* stream) {
  h->stream = stream;
  return kSuccess;
}

Status cublasSetMathMode(Handle* h, int mode) {
  if (mode != kDefaultMath && mode != kPedanticMath) return kInvalidValue;
  if (mode == kPedanticMath && fault("no pedantic")) return kNotSupported;
  h->mode = mode;
  return kSuccess;
}

const char* cublasGetStatusString(Status s) {
  return s == kSuccess ? "success" : s == kNotInitialized ? "not initialized" : s == kInvalidValue ? "invalid value" : "not supported";
}

// Column by column, as cuBLAS has it.
Status cublasSgemm_v2(Handle* h, int transa, int transb, int m, int n, int k, const float* alpha, const float* a, int lda, const float* b,
                      int ldb, const float* beta, float* c, int ldc) {
  // Whoever wants f32 says so: by one of the modes that know no shorter type.
  if (h->mode < 0 || !h->stream || transa != 0 || transb != 0) return kInvalidValue;
  if (m < 0 || n < 0 || k < 0 || lda < (m > 1 ? m : 1) || ldb < (k > 1 ? k : 1) || ldc < (m > 1 ? m : 1)) return kInvalidValue;
  if (h->synchronize(h->stream) != 0) return kInvalidValue;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < m; i++) {
      float sum = 0;
      for (int p = 0; p < k; p++) sum += a[i + long(p) * lda] * b[p + long(j) * ldb];
      float& to = c[i + long(j) * ldc];
      to = *beta == 0 ? *alpha * sum : *alpha * sum + *beta * to;
    }
  }
  if (fault("wrong") && m > 3 && n > 0) c[3] += 1;
  return kSuccess;
}

}  // extern "C"
