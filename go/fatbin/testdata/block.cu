// A kernel that fixes its block, for sm_90 and above.
extern "C" __global__ void __block_size__((64, 2, 1)) fixed(float* y) { y[threadIdx.x] = 1; }

// More parameter bytes than the first form of their record can say.
struct Large { double d[2500]; };
extern "C" __global__ void large(float* y, Large l, unsigned char c) { y[threadIdx.x] = l.d[threadIdx.x & 31] + c; }
