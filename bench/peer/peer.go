// Package peer runs what this project compares itself with: NVIDIA's cuSPARSE and cuBLAS, found at run
// time and called through prototypes of our own, so that nothing of NVIDIA's is needed to build or ship
// it; and the device's own copy, the ceiling for whatever moves bytes.
//
// Peers work on the very buffers of the device that a benchmark opened: both use the primary
// context of the GPU, where addresses are the same. A program without cgo and the tag gpu, or a
// machine without the libraries, has no peers; Open, CuSPARSE and CuBLAS then say why. WW_LIBCUDA,
// WW_LIBCUSPARSE and WW_LIBCUBLAS name other libraries than libcuda.so.1, libcusparse.so.12 and
// libcublas.so.13 or .12.
package peer

import "errors"

// ErrAbsent is wrapped by errors about what is not there: the comparison cannot be made here, nothing else is wrong.
var ErrAbsent = errors.New("no peer to compare with")

// ErrUnsupported is wrapped by errors about what the peer does not do.
var ErrUnsupported = errors.New("the peer does not support it")

// Algorithm is one of cuSPARSE's ways to multiply a CSR matrix with a vector.
type Algorithm int

// The algorithms, by cuSPARSE's own numbers.
const (
	Default Algorithm = 0 // CUSPARSE_SPMV_ALG_DEFAULT
	CSRAlg1 Algorithm = 2 // CUSPARSE_SPMV_CSR_ALG1
	CSRAlg2 Algorithm = 3 // CUSPARSE_SPMV_CSR_ALG2
)

// Algorithms returns all of them.
func Algorithms() []Algorithm { return []Algorithm{Default, CSRAlg1, CSRAlg2} }

// String is the name as tables print it.
func (a Algorithm) String() string {
	switch a {
	case Default:
		return "cuSPARSE default"
	case CSRAlg1:
		return "cuSPARSE ALG1"
	case CSRAlg2:
		return "cuSPARSE ALG2"
	}
	return "cuSPARSE ?"
}

// SpMV is one product y = A x or y = Aᵀ x of f32 with int32 offsets and columns. The addresses are
// device memory.
type SpMV struct {
	Rows, Cols, NNZ          int64
	Offsets, Columns, Values uint64
	X, Y                     uint64
	Transposed               bool
}

// Math is one of cuBLAS's modes for products of f32. In none of these are operands shortened to TF32.
type Math int

// The modes, by cuBLAS's own numbers.
const (
	DefaultMath  Math = 0 // CUBLAS_DEFAULT_MATH
	PedanticMath Math = 2 // CUBLAS_PEDANTIC_MATH: every step as the standard has it
)

// Maths returns all of them.
func Maths() []Math { return []Math{DefaultMath, PedanticMath} }

// String is the name as tables print it.
func (m Math) String() string {
	switch m {
	case DefaultMath:
		return "cuBLAS"
	case PedanticMath:
		return "cuBLAS pedantic"
	}
	return "cuBLAS ?"
}

// SGEMM is one product C = A B of f32, row by row in memory: C is M by N, and K stands between. The addresses are
// device memory.
type SGEMM struct {
	M, N, K int
	A, B, C uint64
}

// Plan is how to time something.
type Plan struct {
	Warm, Repeat int // calls before, and calls measured
	// Blocker is device memory of BlockerBytes that a memset writes before the measured calls:
	// while it runs the host enqueues them, so that the device never waits for the host.
	Blocker, BlockerBytes uint64
}

// Timing is what a measurement gave.
type Timing struct {
	Seconds    []float64 // one a measured call, in order
	Preprocess float64   // seconds of the peer's own analysis, of which Seconds count nothing
	Workspace  uint64    // bytes that the peer needs beside the operands
}
