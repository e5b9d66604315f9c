//go:build gpu && cgo

// cuBLAS, through dlopen.
#include "driver.h"

#include <stdlib.h>

// What cuBLAS answers to what it cannot do.
enum { kNotSupported = 15 };
enum { kAsItIs = 0 /* neither operand transposed */ };

struct ww_cublas {
  ww_library common;

  int (*set_math_mode)(void *, int);
  int (*sgemm)(void *, int, int, int, int, int, const float *, const float *, int, const float *, int, const float *, float *, int);
};

#define BL(call) LIB(p->cublas, call)

static int find_cublas(void *lib, ww_cublas *c, ww_err *err) {
  return ww_find(lib, "cublasCreate_v2", &c->common.create, err) || ww_find(lib, "cublasDestroy_v2", &c->common.destroy, err) ||
         ww_find(lib, "cublasGetVersion_v2", &c->common.get_version, err) || ww_find(lib, "cublasSetStream_v2", &c->common.set_stream, err) ||
         ww_find(lib, "cublasSetMathMode", &c->set_math_mode, err) ||
         ww_find(lib, "cublasGetStatusString", &c->common.message, err) || ww_find(lib, "cublasSgemm_v2", &c->sgemm, err);
}

int ww_peer_cublas(ww_peer *p, ww_err *err) {
  static const char *const names[] = {"libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so.13", "libcublas.so.12",
                                      "/usr/local/cuda/lib64/libcublas.so.12", NULL};
  // A dependency of cuBLAS's that its own search path does not always reach: that of the newer version, and of the older one,
  // since either may be found.
  static const char *const newer[] = {"libcublasLt.so.13", "/usr/local/cuda/lib64/libcublasLt.so.13", NULL};
  static const char *const older[] = {"libcublasLt.so.12", "/usr/local/cuda/lib64/libcublasLt.so.12", NULL};
  if (p->cublas) return 0;
  ww_err ignored;
  ww_open_first("WW_LIBCUBLASLT", newer, &ignored);
  ww_open_first("WW_LIBCUBLASLT", older, &ignored);
  void *lib = ww_open_first("WW_LIBCUBLAS", names, err);
  if (!lib) return kAbsent;
  ww_cublas *c = calloc(1, sizeof *c);
  if (!c) return ww_failed(err, "out of memory");
  c->common.name = "cublas";
  c->common.not_supported = kNotSupported;
  int bad = find_cublas(lib, c, err) ? kAbsent : ww_library_open(&c->common, p, err);
  if (bad)
    free(c);
  else
    p->cublas = c;
  return bad;
}

void ww_cublas_close(ww_peer *p) {
  if (!p->cublas) return;
  p->cublas->common.destroy(p->cublas->common.handle);
  free(p->cublas);
  p->cublas = NULL;
}

int ww_peer_cublas_version(const ww_peer *p) { return p->cublas ? p->cublas->common.version : 0; }

// What is row by row here is column by column to cuBLAS: it sees the transposes of A, B and C, of which the last is the
// product of the other two, in the other order.
static int enqueue_sgemm(ww_peer *p, void *what, int i, ww_err *err) {
  static const float one = 1, zero = 0;
  const ww_sgemm *g = what;
  int bad = 0, wide = g->n > 0 ? g->n : 1, deep = g->k > 0 ? g->k : 1;
  (void)i;
  BL(sgemm(p->cublas->common.handle, kAsItIs, kAsItIs, g->n, g->m, g->k, &one, (const float *)g->b, wide, (const float *)g->a, deep, &zero,
           (float *)g->c, wide));
done:
  return bad;
}

int ww_peer_sgemm(ww_peer *p, int mode, const ww_sgemm *product, const ww_plan *plan, float *ms, ww_err *err) {
  int bad = 0;
  BL(set_math_mode(p->cublas->common.handle, mode));
  bad = ww_measure(p, enqueue_sgemm, (void *)product, plan, ms, err);
done:
  return bad;
}
