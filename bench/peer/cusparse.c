//go:build gpu && cgo

// cuSPARSE and the few driver calls that timing it takes, all through dlopen: the prototypes below
// are written from their documented signatures, so neither headers nor link-time libraries are needed.
#define _GNU_SOURCE
#include "cusparse.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What cuSPARSE answers to what it cannot do, and what we make of it.
enum { kNotSupported = 10, kUnsupported = 3 };
enum { kInt32 = 2, kBaseZero = 0, kFloat32 = 0 };

struct ww_peer {
  void *driver, *cusparse;
  void *context, *stream, *handle;
  int device, version;
  ww_err without;  // why cuSPARSE is missing

  int (*cuInit)(unsigned);
  int (*cuDeviceGet)(int *, int);
  int (*cuDevicePrimaryCtxRetain)(void **, int);
  int (*cuDevicePrimaryCtxRelease)(int);
  int (*cuCtxSetCurrent)(void *);
  int (*cuStreamCreate)(void **, unsigned);
  int (*cuStreamDestroy)(void *);
  int (*cuStreamSynchronize)(void *);
  int (*cuEventCreate)(void **, unsigned);
  int (*cuEventDestroy)(void *);
  int (*cuEventRecord)(void *, void *);
  int (*cuEventElapsedTime)(float *, void *, void *);
  int (*cuMemAlloc)(uint64_t *, size_t);
  int (*cuMemFree)(uint64_t);
  int (*cuMemsetD8Async)(uint64_t, unsigned char, size_t, void *);
  int (*cuMemcpyDtoDAsync)(uint64_t, uint64_t, size_t, void *);
  int (*cuGetErrorName)(int, const char **);

  int (*create)(void **);
  int (*destroy)(void *);
  int (*get_version)(void *, int *);
  int (*set_stream)(void *, void *);
  const char *(*error_string)(int);
  int (*create_csr)(void **, int64_t, int64_t, int64_t, void *, void *, void *, int, int, int, int);
  int (*create_vector)(void **, int64_t, void *, int);
  int (*destroy_matrix)(void *);
  int (*destroy_vector)(void *);
  int (*buffer_size)(void *, int, const void *, void *, void *, const void *, void *, int, int, size_t *);
  int (*preprocess)(void *, int, const void *, void *, void *, const void *, void *, int, int, void *);  // may be absent
  int (*spmv)(void *, int, const void *, void *, void *, const void *, void *, int, int, void *);
};

static int failed(ww_err *err, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(err->text, sizeof err->text, format, args);
  va_end(args);
  return 1;
}

static int driver_failed(ww_peer *p, ww_err *err, const char *call, int code) {
  const char *name = NULL;
  if (p->cuGetErrorName) p->cuGetErrorName(code, &name);
  return failed(err, "%s: %s (%d)", call, name ? name : "?", code);
}

// Calls to the driver and to cuSPARSE that leave the function through `done` when they fail.
#define CU(call)                                     \
  do {                                               \
    int code_ = p->call;                             \
    if (code_) {                                     \
      bad = driver_failed(p, err, #call, code_);     \
      goto done;                                     \
    }                                                \
  } while (0)
#define SP(call)                                                          \
  do {                                                                    \
    int code_ = p->call;                                                  \
    if (code_) {                                                          \
      bad = failed(err, "cusparse %s: %s (%d)", #call, p->error_string(code_), code_); \
      if (code_ == kNotSupported) bad = kUnsupported;                     \
      goto done;                                                          \
    }                                                                     \
  } while (0)

// Opens what the environment variable names, else the first of the names.
static void *open_first(const char *variable, const char *const *names, ww_err *err) {
  const char *named = secure_getenv(variable);
  const char *const only[] = {named, NULL};
  for (names = named && *named ? only : names; *names; names++) {
    void *lib = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    if (lib) return lib;
    failed(err, "%s", dlerror());
  }
  return NULL;
}

// Copies through memory because ISO C has no cast from void* to a function.
static int find(void *lib, const char *name, void *slot, ww_err *err) {
  void *symbol = dlsym(lib, name);
  if (!symbol) return failed(err, "the library has no %s", name);
  memcpy(slot, &symbol, sizeof symbol);
  return 0;
}

static int find_driver(ww_peer *p, ww_err *err) {
  void *d = p->driver;
  return find(d, "cuInit", &p->cuInit, err) || find(d, "cuDeviceGet", &p->cuDeviceGet, err) ||
         find(d, "cuDevicePrimaryCtxRetain", &p->cuDevicePrimaryCtxRetain, err) ||
         find(d, "cuDevicePrimaryCtxRelease_v2", &p->cuDevicePrimaryCtxRelease, err) ||
         find(d, "cuCtxSetCurrent", &p->cuCtxSetCurrent, err) || find(d, "cuStreamCreate", &p->cuStreamCreate, err) ||
         find(d, "cuStreamDestroy_v2", &p->cuStreamDestroy, err) ||
         find(d, "cuStreamSynchronize", &p->cuStreamSynchronize, err) ||
         find(d, "cuEventCreate", &p->cuEventCreate, err) || find(d, "cuEventDestroy_v2", &p->cuEventDestroy, err) ||
         find(d, "cuEventRecord", &p->cuEventRecord, err) ||
         find(d, "cuEventElapsedTime", &p->cuEventElapsedTime, err) || find(d, "cuMemAlloc_v2", &p->cuMemAlloc, err) ||
         find(d, "cuMemFree_v2", &p->cuMemFree, err) || find(d, "cuMemsetD8Async", &p->cuMemsetD8Async, err) ||
         find(d, "cuMemcpyDtoDAsync_v2", &p->cuMemcpyDtoDAsync, err) ||
         find(d, "cuGetErrorName", &p->cuGetErrorName, err);
}

static int find_cusparse(ww_peer *p, ww_err *err) {
  void *c = p->cusparse;
  ww_err ignored;
  find(c, "cusparseSpMV_preprocess", &p->preprocess, &ignored);
  return find(c, "cusparseCreate", &p->create, err) || find(c, "cusparseDestroy", &p->destroy, err) ||
         find(c, "cusparseGetVersion", &p->get_version, err) || find(c, "cusparseSetStream", &p->set_stream, err) ||
         find(c, "cusparseGetErrorString", &p->error_string, err) || find(c, "cusparseCreateCsr", &p->create_csr, err) ||
         find(c, "cusparseCreateDnVec", &p->create_vector, err) ||
         find(c, "cusparseDestroySpMat", &p->destroy_matrix, err) ||
         find(c, "cusparseDestroyDnVec", &p->destroy_vector, err) ||
         find(c, "cusparseSpMV_bufferSize", &p->buffer_size, err) || find(c, "cusparseSpMV", &p->spmv, err);
}

int ww_peer_open(int device, ww_peer **out, int *absent, ww_err *err) {
  static const char *const driver[] = {"libcuda.so.1", NULL};
  static const char *const cusparse[] = {"libcusparse.so.12", "/usr/local/cuda/lib64/libcusparse.so.12", NULL};
  // A dependency of cuSPARSE's that its own search path does not always reach.
  static const char *const link[] = {"libnvJitLink.so.13", "/usr/local/cuda/lib64/libnvJitLink.so.13", "libnvJitLink.so.12",
                                     "/usr/local/cuda/lib64/libnvJitLink.so.12", NULL};
  int bad = 0;
  ww_err ignored;
  *absent = 0;
  ww_peer *p = calloc(1, sizeof *p);
  if (!p) return failed(err, "out of memory");
  p->device = -1;
  open_first("WW_LIBNVJITLINK", link, &ignored);
  if (!(p->driver = open_first("WW_LIBCUDA", driver, err)) || find_driver(p, err)) {
    *absent = 1;
    bad = 1;
    goto done;
  }
  int found;
  CU(cuInit(0));
  CU(cuDeviceGet(&found, device));
  CU(cuDevicePrimaryCtxRetain(&p->context, found));
  p->device = found;
  CU(cuCtxSetCurrent(p->context));
  CU(cuStreamCreate(&p->stream, 1 /* beside the default stream */));
  if (!(p->cusparse = open_first("WW_LIBCUSPARSE", cusparse, &p->without)) || find_cusparse(p, &p->without)) goto done;
  p->without.text[0] = 0;
  SP(create(&p->handle));
  SP(set_stream(p->handle, p->stream));
  SP(get_version(p->handle, &p->version));
done:
  if (bad) {
    ww_peer_close(p);
    return 1;
  }
  *out = p;
  return 0;
}

int ww_peer_enter(ww_peer *p, ww_err *err) {
  int bad = 0;
  CU(cuCtxSetCurrent(p->context));
done:
  return bad;
}

const char *ww_peer_without_cusparse(const ww_peer *p) { return p->without.text; }

int ww_peer_version(const ww_peer *p) { return p->version; }

// The libraries stay loaded: unloading cuSPARSE under a living context is not supported by it.
void ww_peer_close(ww_peer *p) {
  if (p->handle) p->destroy(p->handle);
  if (p->stream) p->cuStreamDestroy(p->stream);
  if (p->device >= 0) p->cuDevicePrimaryCtxRelease(p->device);
  free(p);
}

// A thing to time: enqueues call number i on the peer's stream, or fills err and returns 1.
typedef int (*enqueue)(ww_peer *p, void *what, int i, ww_err *err);

static int measure(ww_peer *p, enqueue call, void *what, const ww_plan *plan, float *ms, ww_err *err) {
  int bad = 0;
  void **events = calloc(2 * (size_t)plan->repeat, sizeof *events);
  if (!events) return failed(err, "out of memory");
  for (int i = 0; i < 2 * plan->repeat; i++) CU(cuEventCreate(&events[i], 0));
  for (int i = 0; i < plan->warm; i++)
    if ((bad = call(p, what, i, err))) goto done;
  CU(cuStreamSynchronize(p->stream));
  if (plan->blocker_bytes) CU(cuMemsetD8Async(plan->blocker, 0, plan->blocker_bytes, p->stream));
  for (int i = 0; i < plan->repeat; i++) {
    CU(cuEventRecord(events[2 * i], p->stream));
    if ((bad = call(p, what, i, err))) goto done;
    CU(cuEventRecord(events[2 * i + 1], p->stream));
  }
  CU(cuStreamSynchronize(p->stream));
  for (int i = 0; i < plan->repeat; i++) CU(cuEventElapsedTime(&ms[i], events[2 * i], events[2 * i + 1]));
done:
  for (int i = 0; i < 2 * plan->repeat; i++)
    if (events[i]) p->cuEventDestroy(events[i]);
  free(events);
  return bad;
}

typedef struct {
  void *matrix, *x, *y;
  uint64_t buffer;
} product;

typedef struct {
  product *sets;
  int count, algorithm, operation;
} products;

static const float kOne = 1, kZero = 0;

static int enqueue_spmv(ww_peer *p, void *what, int i, ww_err *err) {
  int bad = 0;
  products *w = what;
  product *s = &w->sets[i % w->count];
  SP(spmv(p->handle, w->operation, &kOne, s->matrix, s->x, &kZero, s->y, kFloat32, w->algorithm, (void *)s->buffer));
done:
  return bad;
}

static int enqueue_preprocess(ww_peer *p, void *what, int i, ww_err *err) {
  int bad = 0;
  products *w = what;
  product *s = &w->sets[i % w->count];
  SP(preprocess(p->handle, w->operation, &kOne, s->matrix, s->x, &kZero, s->y, kFloat32, w->algorithm, (void *)s->buffer));
done:
  return bad;
}

static int describe(ww_peer *p, const ww_spmv *in, products *w, product *s, uint64_t *workspace, ww_err *err) {
  int bad = 0;
  size_t bytes = 0;
  int64_t x = w->operation ? in->rows : in->cols, y = w->operation ? in->cols : in->rows;
  SP(create_csr(&s->matrix, in->rows, in->cols, in->nnz, (void *)in->offsets, (void *)in->columns, (void *)in->values,
                kInt32, kInt32, kBaseZero, kFloat32));
  SP(create_vector(&s->x, x, (void *)in->x, kFloat32));
  SP(create_vector(&s->y, y, (void *)in->y, kFloat32));
  SP(buffer_size(p->handle, w->operation, &kOne, s->matrix, s->x, &kZero, s->y, kFloat32, w->algorithm, &bytes));
  CU(cuMemAlloc(&s->buffer, bytes ? bytes : 1));
  *workspace = bytes;
done:
  return bad;
}

int ww_peer_spmv(ww_peer *p, int algorithm, int transposed, const ww_spmv *sets, int count, const ww_plan *plan, float *ms,
                 float *preprocess_ms, uint64_t *workspace, ww_err *err) {
  int bad = 0;
  products w = {calloc((size_t)count, sizeof(product)), count, algorithm, transposed ? 1 : 0};
  *preprocess_ms = 0;
  if (!w.sets) return failed(err, "out of memory");
  for (int i = 0; i < count; i++)
    if ((bad = describe(p, &sets[i], &w, &w.sets[i], workspace, err))) goto done;
  if (p->preprocess) {
    // Once a set, the first set's unmeasured call being the warm-up of all.
    float one = 0;
    ww_plan once = {0, 1, plan->blocker, plan->blocker_bytes};
    if ((bad = measure(p, enqueue_preprocess, &w, &once, &one, err))) goto done;
    for (int i = 1; i < count; i++) {
      products tail = {&w.sets[i], 1, algorithm, w.operation};
      if ((bad = measure(p, enqueue_preprocess, &tail, &once, &one, err))) goto done;
    }
    *preprocess_ms = one;
  }
  bad = measure(p, enqueue_spmv, &w, plan, ms, err);
done:
  for (int i = 0; i < count; i++) {
    product *s = &w.sets[i];
    if (s->matrix) p->destroy_matrix(s->matrix);
    if (s->x) p->destroy_vector(s->x);
    if (s->y) p->destroy_vector(s->y);
    if (s->buffer) p->cuMemFree(s->buffer);
  }
  free(w.sets);
  return bad;
}

typedef struct {
  uint64_t dst, src, bytes;
} copy;

static int enqueue_copy(ww_peer *p, void *what, int i, ww_err *err) {
  (void)i;
  int bad = 0;
  copy *c = what;
  CU(cuMemcpyDtoDAsync(c->dst, c->src, c->bytes, p->stream));
done:
  return bad;
}

int ww_peer_copy(ww_peer *p, uint64_t dst, uint64_t src, uint64_t bytes, const ww_plan *plan, float *ms, ww_err *err) {
  copy c = {dst, src, bytes};
  return measure(p, enqueue_copy, &c, plan, ms, err);
}

static int enqueue_nothing(ww_peer *p, void *what, int i, ww_err *err) {
  (void)p, (void)what, (void)i, (void)err;
  return 0;
}

int ww_peer_empty(ww_peer *p, const ww_plan *plan, float *ms, ww_err *err) {
  return measure(p, enqueue_nothing, NULL, plan, ms, err);
}
