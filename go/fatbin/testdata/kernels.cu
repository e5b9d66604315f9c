// Small kernels, each for one fact that a cubin states.

// Four parameters of different sizes.
extern "C" __global__ void scale(float* __restrict__ y, const float* __restrict__ x, float a, unsigned long long n) {
  unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
  for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) y[i] = a * x[i];
}

// Static shared memory, a largest block, a parameter of one byte.
extern "C" __global__ void __launch_bounds__(256) stage(double* y, const double* x, unsigned char flag) {
  __shared__ double s[128];
  s[threadIdx.x & 127] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = flag ? s[127 - (threadIdx.x & 127)] : 0;
}

// Dynamic shared memory only.
extern "C" __global__ void dynamic(float* y) {
  extern __shared__ float d[];
  d[threadIdx.x] = y[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = d[threadIdx.x ^ 1];
}

// A stack frame, and a device function that is not inlined.
__device__ __noinline__ float again(float x, int n) { return n == 0 ? x : again(x * 2, n - 1) + n; }
extern "C" __global__ void frame(float* y, int n) {
  float a[16];
  for (int i = 0; i < 16; i++) a[i] = y[i * 7];
  a[n & 15] = 3;
  float s = 0;
  for (int i = 0; i < 16; i++) s += a[(i * n) & 15];
  y[threadIdx.x] = again(s, n);
}

extern "C" __global__ void nothing() {}
