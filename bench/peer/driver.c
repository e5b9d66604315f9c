//go:build gpu && cgo

// The driver's side of measuring: opening, events around each call, and the device's own copy.
#define _GNU_SOURCE
#include "driver.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ww_failed(ww_err *err, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(err->text, sizeof err->text, format, args);
  va_end(args);
  return 1;
}

int ww_driver_failed(ww_peer *p, ww_err *err, const char *call, int code) {
  const char *name = NULL;
  if (p->cuGetErrorName) p->cuGetErrorName(code, &name);
  return ww_failed(err, "%s: %s (%d)", call, name ? name : "?", code);
}

void *ww_open_first(const char *variable, const char *const *names, ww_err *err) {
  const char *named = secure_getenv(variable);
  const char *const only[] = {named, NULL};
  for (names = named && *named ? only : names; *names; names++) {
    void *lib = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    if (lib) return lib;
    ww_failed(err, "%s", dlerror());
  }
  return NULL;
}

int ww_library_failed(const ww_library *lib, ww_err *err, const char *call, int status) {
  ww_failed(err, "%s %s: %s (%d)", lib->name, call, lib->message(status), status);
  return status == lib->not_supported ? kUnsupported : 1;
}

int ww_library_open(ww_library *lib, ww_peer *p, ww_err *err) {
  const char *call = "create";
  int status = lib->create(&lib->handle);
  if (status == 0) {
    call = "set_stream";
    status = lib->set_stream(lib->handle, p->stream);
  }
  if (status == 0) {
    call = "get_version";
    status = lib->get_version(lib->handle, &lib->version);
  }
  if (status == 0) return 0;
  if (lib->handle) lib->destroy(lib->handle);
  return ww_library_failed(lib, err, call, status);
}

// Copies through memory because ISO C has no cast from void* to a function.
int ww_find(void *lib, const char *name, void *slot, ww_err *err) {
  void *symbol = dlsym(lib, name);
  if (!symbol) return ww_failed(err, "the library has no %s", name);
  memcpy(slot, &symbol, sizeof symbol);
  return 0;
}

static int find_driver(ww_peer *p, ww_err *err) {
  void *d = p->driver;
  return ww_find(d, "cuInit", &p->cuInit, err) || ww_find(d, "cuDeviceGet", &p->cuDeviceGet, err) ||
         ww_find(d, "cuDevicePrimaryCtxRetain", &p->cuDevicePrimaryCtxRetain, err) ||
         ww_find(d, "cuDevicePrimaryCtxRelease_v2", &p->cuDevicePrimaryCtxRelease, err) ||
         ww_find(d, "cuCtxSetCurrent", &p->cuCtxSetCurrent, err) || ww_find(d, "cuStreamCreate", &p->cuStreamCreate, err) ||
         ww_find(d, "cuStreamDestroy_v2", &p->cuStreamDestroy, err) ||
         ww_find(d, "cuStreamSynchronize", &p->cuStreamSynchronize, err) ||
         ww_find(d, "cuEventCreate", &p->cuEventCreate, err) || ww_find(d, "cuEventDestroy_v2", &p->cuEventDestroy, err) ||
         ww_find(d, "cuEventRecord", &p->cuEventRecord, err) ||
         ww_find(d, "cuEventElapsedTime", &p->cuEventElapsedTime, err) || ww_find(d, "cuMemAlloc_v2", &p->cuMemAlloc, err) ||
         ww_find(d, "cuMemFree_v2", &p->cuMemFree, err) || ww_find(d, "cuMemsetD8Async", &p->cuMemsetD8Async, err) ||
         ww_find(d, "cuMemcpyDtoDAsync_v2", &p->cuMemcpyDtoDAsync, err) ||
         ww_find(d, "cuGetErrorName", &p->cuGetErrorName, err);
}

int ww_peer_open(int device, ww_peer **out, ww_err *err) {
  static const char *const driver[] = {"libcuda.so.1", NULL};
  int bad = 0, found;
  ww_peer *p = calloc(1, sizeof *p);
  if (!p) return ww_failed(err, "out of memory");
  p->device = -1;
  if (!(p->driver = ww_open_first("WW_LIBCUDA", driver, err)) || find_driver(p, err)) {
    bad = kAbsent;
    goto done;
  }
  CU(cuInit(0));
  CU(cuDeviceGet(&found, device));
  CU(cuDevicePrimaryCtxRetain(&p->context, found));
  p->device = found;
  CU(cuCtxSetCurrent(p->context));
  CU(cuStreamCreate(&p->stream, 1 /* beside the default stream */));
  *out = p;
done:
  if (bad) ww_peer_close(p);
  return bad;
}

int ww_peer_enter(ww_peer *p, ww_err *err) {
  int bad = 0;
  CU(cuCtxSetCurrent(p->context));
done:
  return bad;
}

// The libraries stay loaded: unloading cuSPARSE under a living context is not supported by it.
void ww_peer_close(ww_peer *p) {
  ww_cusparse_close(p);
  ww_cublas_close(p);
  if (p->stream) p->cuStreamDestroy(p->stream);
  if (p->device >= 0) p->cuDevicePrimaryCtxRelease(p->device);
  free(p);
}

int ww_measure(ww_peer *p, ww_enqueue call, void *what, const ww_plan *plan, float *ms, ww_err *err) {
  int bad = 0;
  void **events = calloc(2 * (size_t)plan->repeat, sizeof *events);
  if (!events) return ww_failed(err, "out of memory");
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
  return ww_measure(p, enqueue_copy, &c, plan, ms, err);
}

static int enqueue_nothing(ww_peer *p, void *what, int i, ww_err *err) {
  (void)p, (void)what, (void)i, (void)err;
  return 0;
}

int ww_peer_empty(ww_peer *p, const ww_plan *plan, float *ms, ww_err *err) {
  return ww_measure(p, enqueue_nothing, NULL, plan, ms, err);
}
