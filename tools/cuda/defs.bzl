"""The rules that turn .cu files into checked images. This is the only file to load from.

    kernel_family     everything of one family: the usual way
    kernel_launchers  the Go package of a family's generated launchers
    kernel_images     the images of some families in one folder
    kernel_test       one Go test on every backend
    raw_kernels       plain __global__ functions, for tests to compare with

A program that runs families on the CPU is emulator's, of //emu:defs.bzl.

    kernel_spec, cuda_fatbin            what kernel_family is made of
    raw_fatbin                          cuda_fatbin's part in raw_kernels
    CudaFatbinInfo, KernelSpecInfo      what they provide
"""

load("//tools/cuda/private:cuda_fatbin.bzl", _cuda_fatbin = "cuda_fatbin")
load("//tools/cuda/private:kernel_family.bzl", _kernel_family = "kernel_family")
load("//tools/cuda/private:kernel_images.bzl", _kernel_images = "kernel_images")
load("//tools/cuda/private:kernel_launchers.bzl", _kernel_launchers = "kernel_launchers")
load("//tools/cuda/private:kernel_spec.bzl", _kernel_spec = "kernel_spec")
load("//tools/cuda/private:kernel_test.bzl", _kernel_test = "kernel_test")
load("//tools/cuda/private:providers.bzl", _CudaFatbinInfo = "CudaFatbinInfo", _KernelSpecInfo = "KernelSpecInfo")
load("//tools/cuda/private:raw_kernels.bzl", _raw_fatbin = "raw_fatbin", _raw_kernels = "raw_kernels")

cuda_fatbin = _cuda_fatbin
kernel_family = _kernel_family
kernel_images = _kernel_images
kernel_launchers = _kernel_launchers
kernel_spec = _kernel_spec
kernel_test = _kernel_test
raw_fatbin = _raw_fatbin
raw_kernels = _raw_kernels
CudaFatbinInfo = _CudaFatbinInfo
KernelSpecInfo = _KernelSpecInfo
