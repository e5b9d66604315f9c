// Package workshop compiles kernels as the build does where no build runs: with g++ for the emulator, with nvcc and ptxas for a GPU.
// The museum of faults and the mutants are made in it, thousands of small builds, so what they have in common is compiled once.
package workshop
