// The same family with faults: a raw __global__, static shared memory, other launch bounds, another parameter, and one
// entry less.
extern "C" __global__ void __launch_bounds__(256) add_f32(unsigned int n, float a, const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[4];
  s[threadIdx.x & 3] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < n) y[threadIdx.x] += a * s[threadIdx.x & 1];
}
extern "C" __global__ void stray(float* y) { y[threadIdx.x] = 1; }
