// What the C files here offer to Go. Every function returns 0, or fills err and returns 1, or 2 where a library is missing, or 3
// for what a peer says it does not support.
#ifndef WARPWRIGHT_BENCH_PEER_PEER_H_
#define WARPWRIGHT_BENCH_PEER_PEER_H_

#include <stddef.h>
#include <stdint.h>

typedef struct {
  char text[512];
} ww_err;

// One matrix with its vectors; addresses are device memory.
typedef struct {
  int64_t rows, cols, nnz;
  uint64_t offsets, columns, values, x, y;
} ww_spmv;

// C = A B of f32, row by row in memory: C is m by n, and k stands between.
typedef struct {
  int m, n, k;
  uint64_t a, b, c;
} ww_sgemm;

typedef struct {
  int warm, repeat;
  uint64_t blocker, blocker_bytes;
} ww_plan;

typedef struct ww_peer ww_peer;

// Opens the driver's library and the primary context of a device, and leaves the context current on the calling thread.
int ww_peer_open(int device, ww_peer **out, ww_err *err);
// Opens a peer's library at the first call.
int ww_peer_cusparse(ww_peer *p, ww_err *err);
int ww_peer_cublas(ww_peer *p, ww_err *err);
// Makes the context current on the calling thread.
int ww_peer_enter(ww_peer *p, ww_err *err);
int ww_peer_cusparse_version(const ww_peer *p);
int ww_peer_cublas_version(const ww_peer *p);
// Times plan->repeat products that take the sets in rotation. ms has room for one a product.
int ww_peer_spmv(ww_peer *p, int algorithm, int transposed, const ww_spmv *sets, int count, const ww_plan *plan,
                 float *ms, float *preprocess_ms, uint64_t *workspace, ww_err *err);
// Times plan->repeat products in one of cuBLAS's math modes.
int ww_peer_sgemm(ww_peer *p, int mode, const ww_sgemm *product, const ww_plan *plan, float *ms, ww_err *err);
// Times copies on the device.
int ww_peer_copy(ww_peer *p, uint64_t dst, uint64_t src, uint64_t bytes, const ww_plan *plan, float *ms, ww_err *err);
// Times nothing at all: what two events alone read.
int ww_peer_empty(ww_peer *p, const ww_plan *plan, float *ms, ww_err *err);
void ww_peer_close(ww_peer *p);

#endif
