//go:build gpu && cgo

// cuSPARSE, through dlopen.
#include "driver.h"

#include <stdlib.h>

// What cuSPARSE answers to what it cannot do.
enum { kNotSupported = 10 };
enum { kInt32 = 2, kBaseZero = 0, kFloat32 = 0 };

struct ww_cusparse {
  ww_library common;

  int (*create_csr)(void **, int64_t, int64_t, int64_t, void *, void *, void *, int, int, int, int);
  int (*create_vector)(void **, int64_t, void *, int);
  int (*destroy_matrix)(void *);
  int (*destroy_vector)(void *);
  int (*buffer_size)(void *, int, const void *, void *, void *, const void *, void *, int, int, size_t *);
  int (*preprocess)(void *, int, const void *, void *, void *, const void *, void *, int, int, void *);  // may be absent
  int (*spmv)(void *, int, const void *, void *, void *, const void *, void *, int, int, void *);
};

#define SP(call) LIB(p->cusparse, call)

static int find_cusparse(void *lib, ww_cusparse *c, ww_err *err) {
  ww_err ignored;
  ww_find(lib, "cusparseSpMV_preprocess", &c->preprocess, &ignored);
  return ww_find(lib, "cusparseCreate", &c->common.create, err) || ww_find(lib, "cusparseDestroy", &c->common.destroy, err) ||
         ww_find(lib, "cusparseGetVersion", &c->common.get_version, err) || ww_find(lib, "cusparseSetStream", &c->common.set_stream, err) ||
         ww_find(lib, "cusparseGetErrorString", &c->common.message, err) || ww_find(lib, "cusparseCreateCsr", &c->create_csr, err) ||
         ww_find(lib, "cusparseCreateDnVec", &c->create_vector, err) ||
         ww_find(lib, "cusparseDestroySpMat", &c->destroy_matrix, err) ||
         ww_find(lib, "cusparseDestroyDnVec", &c->destroy_vector, err) ||
         ww_find(lib, "cusparseSpMV_bufferSize", &c->buffer_size, err) || ww_find(lib, "cusparseSpMV", &c->spmv, err);
}

int ww_peer_cusparse(ww_peer *p, ww_err *err) {
  static const char *const names[] = {"libcusparse.so.12", "/usr/local/cuda/lib64/libcusparse.so.12", NULL};
  // A dependency of cuSPARSE's that its own search path does not always reach.
  static const char *const link[] = {"libnvJitLink.so.13", "/usr/local/cuda/lib64/libnvJitLink.so.13", "libnvJitLink.so.12",
                                     "/usr/local/cuda/lib64/libnvJitLink.so.12", NULL};
  if (p->cusparse) return 0;
  ww_err ignored;
  ww_open_first("WW_LIBNVJITLINK", link, &ignored);
  void *lib = ww_open_first("WW_LIBCUSPARSE", names, err);
  if (!lib) return kAbsent;
  ww_cusparse *c = calloc(1, sizeof *c);
  if (!c) return ww_failed(err, "out of memory");
  c->common.name = "cusparse";
  c->common.not_supported = kNotSupported;
  int bad = find_cusparse(lib, c, err) ? kAbsent : ww_library_open(&c->common, p, err);
  if (bad)
    free(c);
  else
    p->cusparse = c;
  return bad;
}

void ww_cusparse_close(ww_peer *p) {
  if (!p->cusparse) return;
  p->cusparse->common.destroy(p->cusparse->common.handle);
  free(p->cusparse);
  p->cusparse = NULL;
}

int ww_peer_cusparse_version(const ww_peer *p) { return p->cusparse ? p->cusparse->common.version : 0; }

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
  SP(spmv(p->cusparse->common.handle, w->operation, &kOne, s->matrix, s->x, &kZero, s->y, kFloat32, w->algorithm, (void *)s->buffer));
done:
  return bad;
}

static int enqueue_preprocess(ww_peer *p, void *what, int i, ww_err *err) {
  int bad = 0;
  products *w = what;
  product *s = &w->sets[i % w->count];
  SP(preprocess(p->cusparse->common.handle, w->operation, &kOne, s->matrix, s->x, &kZero, s->y, kFloat32, w->algorithm, (void *)s->buffer));
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
  SP(buffer_size(p->cusparse->common.handle, w->operation, &kOne, s->matrix, s->x, &kZero, s->y, kFloat32, w->algorithm, &bytes));
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
  if (!w.sets) return ww_failed(err, "out of memory");
  for (int i = 0; i < count; i++)
    if ((bad = describe(p, &sets[i], &w, &w.sets[i], workspace, err))) goto done;
  if (p->cusparse->preprocess) {
    // Once a set, the first set's unmeasured call being the warm-up of all.
    float one = 0;
    ww_plan once = {0, 1, plan->blocker, plan->blocker_bytes};
    if ((bad = ww_measure(p, enqueue_preprocess, &w, &once, &one, err))) goto done;
    for (int i = 1; i < count; i++) {
      products tail = {&w.sets[i], 1, algorithm, w.operation};
      if ((bad = ww_measure(p, enqueue_preprocess, &tail, &once, &one, err))) goto done;
    }
    *preprocess_ms = one;
  }
  bad = ww_measure(p, enqueue_spmv, &w, plan, ms, err);
done:
  for (int i = 0; i < count; i++) {
    product *s = &w.sets[i];
    if (s->matrix) p->cusparse->destroy_matrix(s->matrix);
    if (s->x) p->cusparse->destroy_vector(s->x);
    if (s->y) p->cusparse->destroy_vector(s->y);
    if (s->buffer) p->cuMemFree(s->buffer);
  }
  free(w.sets);
  return bad;
}

