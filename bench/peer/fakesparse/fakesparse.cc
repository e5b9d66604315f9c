// cuSPARSE for machines without a GPU, as far as bench/peer calls it: the device's memory is host memory there
// (go/device/gpu/fakecuda), so a product is two loops. It is strict about what it is given, so that a wrong
// argument of ours shows; it says nothing about how fast anything is.
//
//   FAKE_CUSPARSE_FAULT=wrong                 one element of every product is wrong
//   FAKE_CUSPARSE_FAULT="no ALG2 transposed"  as it says
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

enum Status { kSuccess = 0, kInvalidValue = 3, kNotSupported = 10 };
enum { kFloat32 = 0, kInt32 = 2, kDefault = 0, kAlg1 = 2, kAlg2 = 3 };

struct Handle {
  void* stream;
  int (*synchronize)(void*);
};

struct Matrix {
  int64_t rows, cols, nnz;
  const int32_t* offsets;
  const int32_t* columns;
  const float* values;
  const void* preprocessed;  // the workspace that the analysis was left in
};

struct Vector {
  int64_t size;
  float* values;
};

constexpr size_t kWorkspace = 64;

bool fault(std::string_view name) {
  const char* asked = getenv("FAKE_CUSPARSE_FAULT");
  return asked && asked == name;
}

// The rules that hold for all three calls about a product.
Status check(int operation, const Matrix* a, const Vector* x, const Vector* y, int compute, int algorithm) {
  const bool transposed = operation == 1;
  if (operation != 0 && !transposed) return kInvalidValue;
  if (compute != kFloat32) return kNotSupported;
  if (algorithm != kDefault && algorithm != kAlg1 && algorithm != kAlg2) return kInvalidValue;
  if (transposed && algorithm == kAlg2 && fault("no ALG2 transposed")) return kNotSupported;
  if (x->size != (transposed ? a->rows : a->cols) || y->size != (transposed ? a->cols : a->rows)) return kInvalidValue;
  return kSuccess;
}

}  // namespace

extern "C" {

Status cusparseCreate(Handle** out) {
  const char* driver = getenv("WW_LIBCUDA");
  void* library = dlopen(driver ? driver : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return kNotSupported;
  *out = new Handle{nullptr, reinterpret_cast<int (*)(void*)>(dlsym(library, "cuStreamSynchronize"))};
  return kSuccess;
}

Status cusparseDestroy(Handle* h) {
  delete h;
  return kSuccess;
}

Status cusparseGetVersion(Handle*, int* version) {
  *version = 12603;
  return kSuccess;
}

Status cusparseSetStream(Handle* h, void* stream) {
  h->stream = stream;
  return kSuccess;
}

const char* cusparseGetErrorString(Status s) {
  return s == kSuccess ? "success" : s == kInvalidValue ? "invalid value" : "operation not supported";
}

Status cusparseCreateCsr(Matrix** out, int64_t rows, int64_t cols, int64_t nnz, const int32_t* offsets, const int32_t* columns,
                         const float* values, int offsets_type, int columns_type, int base, int type) {
  if (offsets_type != kInt32 || columns_type != kInt32 || base != 0 || type != kFloat32) return kNotSupported;
  if (offsets[0] != 0 || offsets[rows] != nnz) return kInvalidValue;
  *out = new Matrix{rows, cols, nnz, offsets, columns, values, nullptr};
  return kSuccess;
}

Status cusparseDestroySpMat(Matrix* a) {
  delete a;
  return kSuccess;
}

Status cusparseCreateDnVec(Vector** out, int64_t size, float* values, int type) {
  if (type != kFloat32) return kNotSupported;
  *out = new Vector{size, values};
  return kSuccess;
}

Status cusparseDestroyDnVec(Vector* v) {
  delete v;
  return kSuccess;
}

Status cusparseSpMV_bufferSize(Handle*, int operation, const float*, Matrix* a, Vector* x, const float*, Vector* y, int compute,
                               int algorithm, size_t* bytes) {
  *bytes = kWorkspace;
  return check(operation, a, x, y, compute, algorithm);
}

Status cusparseSpMV_preprocess(Handle*, int operation, const float*, Matrix* a, Vector* x, const float*, Vector* y, int compute,
                               int algorithm, void* workspace) {
  a->preprocessed = workspace;
  return workspace ? check(operation, a, x, y, compute, algorithm) : kInvalidValue;
}

Status cusparseSpMV(Handle* h, int operation, const float* alpha, Matrix* a, Vector* x, const float* beta, Vector* y,
                    int compute, int algorithm, void* workspace) {
  if (const Status s = check(operation, a, x, y, compute, algorithm); s != kSuccess) return s;
  // An analysis belongs to the workspace that it was left in.
  if (!workspace || (a->preprocessed && a->preprocessed != workspace)) return kInvalidValue;
  if (h->synchronize(h->stream) != 0) return kInvalidValue;
  for (int64_t i = 0; i < y->size; i++) y->values[i] = *beta == 0 ? 0 : *beta * y->values[i];
  for (int64_t r = 0; r < a->rows; r++) {
    for (int32_t e = a->offsets[r]; e < a->offsets[r + 1]; e++) {
      const int32_t c = a->columns[e];
      if (operation == 1) {
        y->values[c] += *alpha * a->values[e] * x->values[r];
      } else {
        y->values[r] += *alpha * a->values[e] * x->values[c];
      }
    }
  }
  if (fault("wrong") && y->size > 3) y->values[3] += 1;
  return kSuccess;
}

}  // extern "C"
