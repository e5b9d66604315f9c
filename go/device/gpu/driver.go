//go:build gpu && cgo

package gpu

/*
#cgo linux LDFLAGS: -lcuda
#cgo noescape wwLaunch
#cgo nocallback wwLaunch
#cgo noescape wwLaunchLoop
#cgo nocallback wwLaunchLoop

#include <cuda.h>
#include <stdint.h>
#include <time.h>

// The shim (tools/shim). A program that is linked with the driver itself has neither; then the driver
// is there and gorgonia.org/cu's cuInit has succeeded, or the process would not have come so far.
extern int cushim_init_result(void) __attribute__((weak));
extern const char *cushim_load_error(void) __attribute__((weak));

static int wwInit(const char **error) {
	*error = NULL;
	if (!cushim_init_result) return CUDA_SUCCESS;
	const int result = cushim_init_result();
	*error = cushim_load_error();
	return result;
}

enum { wwMaxParams = 256 };

// One crossing from Go for a launch: bind the context to this thread, point at the slots, launch.
static CUresult wwLaunch(CUcontext ctx, CUfunction f, CUstream s, const uint32_t *dims, uint32_t shared, uint64_t *slots, int n) {
	void *params[wwMaxParams];
	for (int i = 0; i < n; i++) params[i] = &slots[i];
	const CUresult r = cuCtxSetCurrent(ctx);
	if (r != CUDA_SUCCESS) return r;
	return cuLaunchKernel(f, dims[0], dims[1], dims[2], dims[3], dims[4], dims[5], shared, s, params, NULL);
}

// Launches `times` times with nothing between: what a C program pays. Returns the nanoseconds of all.
static CUresult wwLaunchLoop(CUcontext ctx, CUfunction f, CUstream s, const uint32_t *dims, uint32_t shared, uint64_t *slots, int n,
	int64_t times, int64_t *nanoseconds) {
	void *params[wwMaxParams];
	for (int i = 0; i < n; i++) params[i] = &slots[i];
	CUresult r = cuCtxSetCurrent(ctx);
	struct timespec from, to;
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int64_t i = 0; i < times && r == CUDA_SUCCESS; i++)
		r = cuLaunchKernel(f, dims[0], dims[1], dims[2], dims[3], dims[4], dims[5], shared, s, params, NULL);
	clock_gettime(CLOCK_MONOTONIC, &to);
	*nanoseconds = (int64_t)(to.tv_sec - from.tv_sec) * 1000000000 + (to.tv_nsec - from.tv_nsec);
	return r;
}
*/
import "C"

import (
	"unsafe"

	"github.com/warpwright/warpwright/go/device/backend"
	"gorgonia.org/cu"
)

// This file is what gorgonia.org/cu lacks. Its types are cu's at the border, so that no other file needs C.

// maxParams is the most arguments that a launch takes.
const maxParams = C.wwMaxParams

// cu hides the handles inside its types; they are nothing but the handles.
func rawFunction(f cu.Function) C.CUfunction { return *(*C.CUfunction)(unsafe.Pointer(&f)) }
func rawContext(c cu.CUContext) C.CUcontext  { return *(*C.CUcontext)(unsafe.Pointer(&c)) }
func rawStream(s cu.Stream) C.CUstream       { return C.CUstream(unsafe.Pointer(s.C())) }

// The conversions above hold only while these sizes agree; each line fails to compile if they do not.
var (
	_ [unsafe.Sizeof(C.CUfunction(nil)) - unsafe.Sizeof(cu.Function{})]struct{}
	_ [unsafe.Sizeof(cu.Function{}) - unsafe.Sizeof(C.CUfunction(nil))]struct{}
	_ [unsafe.Sizeof(C.CUcontext(nil)) - unsafe.Sizeof(cu.CUContext{})]struct{}
	_ [unsafe.Sizeof(cu.CUContext{}) - unsafe.Sizeof(C.CUcontext(nil))]struct{}
)

// initialize finds the driver and calls its cuInit, once. missing says why there is none.
func initialize() (code int, missing string) {
	var why *C.char
	code = int(C.wwInit(&why))
	if why != nil {
		missing = C.GoString(why)
	}
	return code, missing
}

// describe returns the driver's name of a code and its words for it.
func describe(code int) (name, text string) {
	var p *C.char
	if C.cuGetErrorName(C.CUresult(code), &p) == C.CUDA_SUCCESS && p != nil {
		name = C.GoString(p)
	}
	p = nil
	if C.cuGetErrorString(C.CUresult(code), &p) == C.CUDA_SUCCESS && p != nil {
		text = C.GoString(p)
	}
	return name, text
}

// launch binds the context to the calling thread and launches, in one crossing. len(slots) is at most maxParams.
func launch(ctx cu.CUContext, f cu.Function, s cu.Stream, c *backend.Config, slots []uint64) int {
	dims := [6]C.uint32_t{C.uint32_t(c.Grid.X), C.uint32_t(c.Grid.Y), C.uint32_t(c.Grid.Z), C.uint32_t(c.Block.X), C.uint32_t(c.Block.Y), C.uint32_t(c.Block.Z)}
	return int(C.wwLaunch(rawContext(ctx), rawFunction(f), rawStream(s), &dims[0], C.uint32_t(c.Shared),
		(*C.uint64_t)(unsafe.SliceData(slots)), C.int(len(slots))))
}

// launchLoop launches n times from C and returns the nanoseconds that took.
func launchLoop(ctx cu.CUContext, f cu.Function, s cu.Stream, c *backend.Config, slots []uint64, n int64) (nanoseconds int64, code int) {
	dims := [6]C.uint32_t{C.uint32_t(c.Grid.X), C.uint32_t(c.Grid.Y), C.uint32_t(c.Grid.Z), C.uint32_t(c.Block.X), C.uint32_t(c.Block.Y), C.uint32_t(c.Block.Z)}
	var ns C.int64_t
	code = int(C.wwLaunchLoop(rawContext(ctx), rawFunction(f), rawStream(s), &dims[0], C.uint32_t(c.Shared),
		(*C.uint64_t)(unsafe.SliceData(slots)), C.int(len(slots)), C.int64_t(n), &ns))
	return int64(ns), code
}

// setMaxDynamicShared raises what a function may take of dynamic shared memory. Needs the context.
func setMaxDynamicShared(f cu.Function, bytes int) int {
	return int(C.cuFuncSetAttribute(rawFunction(f), C.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, C.int(bytes)))
}

// paramSize is the size of a function's parameter i in bytes. The code is invalidValue where there is no
// such parameter, and notFound where the driver is too old to say. Needs the context.
func paramSize(f cu.Function, i int) (size, code int) {
	var offset, bytes C.size_t
	code = int(C.cuFuncGetParamInfo(rawFunction(f), C.size_t(i), &offset, &bytes))
	return int(bytes), code
}

// The driver's codes that this package tells apart.
const (
	success      = int(C.CUDA_SUCCESS)
	invalidValue = int(C.CUDA_ERROR_INVALID_VALUE)
	notFound     = int(C.CUDA_ERROR_NOT_FOUND)
	stubLibrary  = int(C.CUDA_ERROR_STUB_LIBRARY)
)

// allocHost takes page-locked host memory. Needs the context.
func allocHost(bytes int64) (unsafe.Pointer, int) {
	var p unsafe.Pointer
	code := int(C.cuMemHostAlloc(&p, C.size_t(bytes), 0))
	return p, code
}

// graph and graphExec are handles of the driver.
type (
	graph     struct{ g C.CUgraph }
	graphExec struct{ e C.CUgraphExec }
)

// beginCapture makes the stream record; only the calling thread is kept from calls that a capture
// does not allow. Needs the context.
func beginCapture(s cu.Stream) int {
	return int(C.cuStreamBeginCapture(rawStream(s), C.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL))
}

// endCapture returns what was recorded. It must run on the thread that began. Needs the context.
func endCapture(s cu.Stream) (graph, int) {
	var g graph
	code := int(C.cuStreamEndCapture(rawStream(s), &g.g))
	return g, code
}

func (g graph) destroy() int {
	if g.g == nil {
		return success
	}
	return int(C.cuGraphDestroy(g.g))
}

func (g graph) instantiate() (graphExec, int) {
	var e graphExec
	code := int(C.cuGraphInstantiateWithFlags(&e.e, g.g, 0))
	return e, code
}

func (e graphExec) launch(s cu.Stream) int { return int(C.cuGraphLaunch(e.e, rawStream(s))) }
func (e graphExec) destroy() int           { return int(C.cuGraphExecDestroy(e.e)) }
