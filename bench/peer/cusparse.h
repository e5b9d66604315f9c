// What cusparse.c offers to Go. Every function returns 0, or fills err and returns 1, or 3 for what cuSPARSE says it
// does not support.
#ifndef WARPWRIGHT_BENCH_PEER_CUSPARSE_H_
#define WARPWRIGHT_BENCH_PEER_CUSPARSE_H_

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

typedef struct {
  int warm, repeat;
  uint64_t blocker, blocker_bytes;
} ww_plan;

typedef struct ww_peer ww_peer;

// Opens the driver's library and the primary context of a device, and cuSPARSE if it is there, and leaves the
// context current on the calling thread. absent is 1 if the driver's library is missing, as opposed to failing.
int ww_peer_open(int device, ww_peer **out, int *absent, ww_err *err);
// Empty if cuSPARSE is there, else why it is not.
const char *ww_peer_without_cusparse(const ww_peer *p);
// Makes the context current on the calling thread.
int ww_peer_enter(ww_peer *p, ww_err *err);
int ww_peer_version(const ww_peer *p);
// Times plan->repeat products that take the sets in rotation. ms has room for one a product.
int ww_peer_spmv(ww_peer *p, int algorithm, int transposed, const ww_spmv *sets, int count, const ww_plan *plan,
                 float *ms, float *preprocess_ms, uint64_t *workspace, ww_err *err);
// Times copies on the device.
int ww_peer_copy(ww_peer *p, uint64_t dst, uint64_t src, uint64_t bytes, const ww_plan *plan, float *ms, ww_err *err);
// Times nothing at all: what two events alone read.
int ww_peer_empty(ww_peer *p, const ww_plan *plan, float *ms, ww_err *err);
void ww_peer_close(ww_peer *p);

#endif
