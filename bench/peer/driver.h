// What the C files here share: the driver's calls that timing takes, and how a library is found at run time. Prototypes are
// written from documented signatures, so neither headers nor link-time libraries are needed.
#ifndef WARPWRIGHT_BENCH_PEER_DRIVER_H_
#define WARPWRIGHT_BENCH_PEER_DRIVER_H_

#include "peer.h"

// What a function returns where a library is missing, and for what a peer says it does not support.
enum { kAbsent = 2, kUnsupported = 3 };

typedef struct ww_cusparse ww_cusparse;
typedef struct ww_cublas ww_cublas;

struct ww_peer {
  void *driver;
  void *context, *stream;
  int device;
  // The peers' libraries, NULL until they are asked for.
  ww_cusparse *cusparse;
  ww_cublas *cublas;

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
};

// Fills err and returns 1.
int ww_failed(ww_err *err, const char *format, ...);
int ww_driver_failed(ww_peer *p, ww_err *err, const char *call, int code);

// Opens what the environment variable names, else the first of the names; NULL if there is none.
void *ww_open_first(const char *variable, const char *const *names, ww_err *err);
// Puts the address of a library's function into a slot.
int ww_find(void *lib, const char *name, void *slot, ww_err *err);

// A thing to time: enqueues call number i on the peer's stream, or fills err and returns what is wrong.
typedef int (*ww_enqueue)(ww_peer *p, void *what, int i, ww_err *err);
int ww_measure(ww_peer *p, ww_enqueue call, void *what, const ww_plan *plan, float *ms, ww_err *err);

// What the peers' libraries have in common: a handle, and calls that return a status.
typedef struct {
  const char *name;
  int not_supported;  // the status for what the library cannot do
  void *handle;
  int version;

  int (*create)(void **);
  int (*destroy)(void *);
  int (*get_version)(void *, int *);
  int (*set_stream)(void *, void *);
  const char *(*message)(int);
} ww_library;

// Makes the library's handle for the peer's stream.
int ww_library_open(ww_library *lib, ww_peer *p, ww_err *err);
// Fills err by a call's status; returns 1, or kUnsupported.
int ww_library_failed(const ww_library *lib, ww_err *err, const char *call, int status);

// Give back what a peer's library holds, if it was opened.
void ww_cusparse_close(ww_peer *p);
void ww_cublas_close(ww_peer *p);

// A call to a library that begins with a ww_library named common: it leaves the function through `done` when it fails.
#define LIB(of, call)                                                \
  do {                                                               \
    int status_ = (of)->call;                                        \
    if (status_) {                                                   \
      bad = ww_library_failed(&(of)->common, err, #call, status_);   \
      goto done;                                                     \
    }                                                                \
  } while (0)

// A call to the driver that leaves the function through `done` when it fails.
#define CU(call)                                    \
  do {                                              \
    int code_ = p->call;                            \
    if (code_) {                                    \
      bad = ww_driver_failed(p, err, #call, code_); \
      goto done;                                    \
    }                                               \
  } while (0)

#endif
