// Twins of one kernel for the tests of the comparer: y = A x with A dense and in rows, a thread a row. plants_raw is the one to
// be like; each of the others has one thing planted, good or bad.
typedef unsigned long long u64;

#define ARGUMENTS u64 m, u64 k, const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ y
#define KERNEL(name, ...) extern "C" __global__ void __launch_bounds__(256) plants_##name(ARGUMENTS __VA_OPT__(, ) __VA_ARGS__)
#define ROWS for (u64 row = u64(blockIdx.x) * blockDim.x + threadIdx.x; row < m; row += u64(gridDim.x) * blockDim.x)

KERNEL(raw) {
  ROWS {
    float sum = 0;
#pragma unroll 4
    for (u64 i = 0; i < k; i++) sum += a[row * k + i] * x[i];
    y[row] = sum;
  }
}

// Good: other words for it.
KERNEL(spelt) {
  u64 row = threadIdx.x + u64(blockDim.x) * blockIdx.x;
  if (row >= m) return;
  do {
    const float* mine = a + row * k;
    float sum = 0;
    u64 i = 0;
#pragma unroll 4
    while (k > i) {
      sum = fmaf(x[i], mine[i], sum);
      ++i;
    }
    y[row] = sum;
    row += u64(blockDim.x) * gridDim.x;
  } while (!(row >= m));
}

// Good: unrolled twice as often.
KERNEL(unrolled) {
  ROWS {
    float sum = 0;
#pragma unroll 8
    for (u64 i = 0; i < k; i++) sum += a[row * k + i] * x[i];
    y[row] = sum;
  }
}

// Good: loads that go past the read-only cache.
KERNEL(hinted) {
  ROWS {
    float sum = 0;
#pragma unroll 4
    for (u64 i = 0; i < k; i++) sum += __ldcs(a + row * k + i) * x[i];
    y[row] = sum;
  }
}

// Bad: each access is checked.
KERNEL(checked, u64 la, u64 lx, u64 ly) {
  ROWS {
    float sum = 0;
#pragma unroll 4
    for (u64 i = 0; i < k; i++) {
      if (row * k + i >= la) __trap();
      if (i >= lx) __trap();
      sum += a[row * k + i] * x[i];
    }
    if (row >= ly) __trap();
    y[row] = sum;
  }
}

// Bad: checks that the compiler can prove, so that none is left. A trap that stands elsewhere must not hide it.
KERNEL(proved) {
  ROWS {
    float sum = 0;
#pragma unroll 4
    for (u64 i = 0; i < k; i++) {
      if (i >= k) __trap();
      sum += a[row * k + i] * x[i];
    }
    if (row >= m) __trap();
    y[row] = sum;
  }
}
KERNEL(elsewhere) {
  if (k == 12345) __trap();
  ROWS {
    float sum = 0;
#pragma unroll 4
    for (u64 i = 0; i < k; i++) sum += a[row * k + i] * x[i];
    y[row] = sum;
  }
}

// Bad: an index that is clamped at each access. It has neither trap nor branch.
KERNEL(clamped, u64 lx) {
  ROWS {
    float sum = 0;
#pragma unroll 4
    for (u64 i = 0; i < k; i++) sum += a[row * k + i] * x[i < lx ? i : lx];
    y[row] = sum;
  }
}

// Bad: an index of 32 bits, which may wrap, so that the address is computed anew each time.
KERNEL(index32) {
  ROWS {
    float sum = 0;
#pragma unroll 4
    for (u64 i = 0; i < k; i++) sum += a[unsigned(row) * unsigned(k) + unsigned(i)] * x[i];
    y[row] = sum;
  }
}

// Bad: more values than registers.
extern "C" __global__ void __launch_bounds__(1024) plants_spilled(ARGUMENTS) {
  ROWS {
    float sum[72] = {};
    for (u64 i = 0; i < k; i++) {
#pragma unroll
      for (int j = 0; j < 72; j++) sum[j] += a[row * k + i] * x[i + j];
    }
    float all = 1;
#pragma unroll
    for (int j = 0; j < 72; j++) all *= sum[j];
    y[row] = all;
  }
}

// Bad: one load more in the loop.
KERNEL(loaded) {
  ROWS {
    float sum = 0;
#pragma unroll 4
    for (u64 i = 0; i < k; i++) sum += a[row * k + i] * x[i] * x[k - i];
    y[row] = sum;
  }
}

// Bad: one load more in the loop over rows, none in the hot one.
KERNEL(biased) {
  ROWS {
    float sum = x[row];
#pragma unroll 4
    for (u64 i = 0; i < k; i++) sum += a[row * k + i] * x[i];
    y[row] = sum;
  }
}

// Bad: the sum is stored at each step.
KERNEL(stored) {
  ROWS {
    float sum = 0;
#pragma unroll 4
    for (u64 i = 0; i < k; i++) *static_cast<volatile float*>(y + row) = sum += a[row * k + i] * x[i];
  }
}

// Bad: one more branch in the loop over rows.
KERNEL(branched, u64 skip) {
  ROWS {
    if (row == skip) continue;
    float sum = 0;
#pragma unroll 4
    for (u64 i = 0; i < k; i++) sum += a[row * k + i] * x[i];
    y[row] = sum;
  }
}

// Bad: a division, which is a call.
KERNEL(called) {
  ROWS {
    float sum = 0;
#pragma unroll 4
    for (u64 i = 0; i < k; i++) sum += a[row * k + i] * x[i];
    y[(row * 8 / (k + 1))] = sum;
  }
}

// Bad, without a reason: the loop is alike, but much stands before it.
KERNEL(padded) {
  float head = m;
#pragma unroll
  for (int i = 1; i < 12; i++) head = __sinf(head + i * k);
  ROWS {
    float sum = head;
#pragma unroll 4
    for (u64 i = 0; i < k; i++) sum += a[row * k + i] * x[i];
    y[row] = sum;
  }
}
