// The entries of a small family, as kernelspec would generate them: a kernel with two instances, and one for sm_90 alone.
#define ADD(name, T)                                                                                         \
  extern "C" __global__ void __launch_bounds__(128) name(unsigned long long n, T a, const T* __restrict__ x, \
                                                         T* __restrict__ y) {                                \
    for (unsigned long long i = blockIdx.x * 128ull + threadIdx.x; i < n; i += gridDim.x * 128ull)           \
      y[i] += a * x[i];                                                                                      \
  }
ADD(add_f32, float)
ADD(add_f64, double)

#if __CUDA_ARCH__ >= 900
extern "C" __global__ void __launch_bounds__(64) late(const float* __restrict__ x, float* __restrict__ y) {
  y[threadIdx.x] = x[threadIdx.x];
}
#endif
