// Package gpu is the backend for NVIDIA GPUs, through the driver API.
//
// It works in programs built with cgo and the tag gpu; Bazel always builds so. Without them Open
// returns backend.ErrNoDriver and nothing of the driver is linked. A program built with them starts
// on machines without a driver too (tools/shim), and there Open says what is missing.
package gpu
