// Sums over the lanes of a group and over a block.
//
// A collective takes the index that its lanes share: such an index exists only inside a loop that all
// 32 lanes (all threads of the block) run together. It returns a Uniform, which alone can be put
// into an element that the group or the block owns.
//
// What no type can say: that all lanes come to the collective. A kernel that calls it in an inner loop
// which some lanes have left, in a branch that they do not take, or in a loop over groups that stands
// in a loop over threads, compiles; the emulator stops at it, and the audit of the compiled code
// refuses it.
#pragma once

#include "ww/range.h"
#include "ww/shared.h"

namespace ww {

template <class D, int N>
class PartIx;
template <class D, int N, bool Whole>
class BlockPart;

// A value that all owners of Index hold alike.
template <class T, class Index>
class Uniform final : Sealed {
 public:
  WW_MEM T value() const { return v_; }

 private:
  friend struct Collective;
  WW_MEM explicit Uniform(T v) : v_(v) {}
  T v_;
};

struct Collective {
  template <class T, class D, int S>
  static WW_MEM auto sum(GroupIx<D, S>, T v) {
    return Uniform<T, GroupIx<D, S>>(over<S>(v));
  }

  template <class T, class D, int Warps>
  static WW_MEM auto sum(BlockIx<D>, Shared<T, Warps> partial, T v) {
    static_assert(Warps == D::shape::threads / 32, "the sum over a block wants one element of shared memory a warp: Shared<T, BLOCK / 32>");
    v = over<32>(v);
    if (lane() == 0) partial.p_[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
#pragma unroll
    for (int warp = 0; warp < Warps; warp++) v += partial.p_[warp];
    __syncthreads();  // nobody may start the next sum while a slow warp still reads this one
    return Uniform<T, BlockIx<D>>(v);
  }

  template <class T, class D, int N, bool Whole, int Threads>
  static WW_MEM auto sum(BlockPart<D, N, Whole>, Shared<T, Threads> partial, T v) {
    static_assert(N == D::shape::x && D::shape::z == 1 && Threads == D::shape::threads, "the sum of columns wants a column a thread along x, and an element of shared memory a thread: Parts<D, BLOCK_X>, Shared<T, BLOCK>");
    partial.p_[u64(threadIdx.y) * N + threadIdx.x] = v;
    __syncthreads();
    v = 0;
#pragma unroll
    for (int y = 0; y < Threads / N; y++) v += partial.p_[u64(y) * N + threadIdx.x];
    __syncthreads();
    return Uniform<T, PartIx<D, N>>(v);
  }

 private:
  // The sum over S neighbouring lanes: a butterfly, so that each of them ends with it. All 32 lanes take part, idle groups too.
  template <int S, class T>
  static WW_MEM T over(T v) {
#pragma unroll
    for (int offset = S / 2; offset > 0; offset /= 2) {
      v += __shfl_xor_sync(0xffffffffu, v, offset);
    }
    return v;
  }
};

// The sum over the S lanes that share the index.
template <class T, class D, int S>
WW_DEV auto sum(GroupIx<D, S> of, T v) {
  return Collective::sum(of, v);
}

// The sum over the block; `partial` has one element a warp.
template <class T, class D, int Warps>
WW_DEV auto sum(BlockIx<D> of, Shared<T, Warps> partial, T v) {
  return Collective::sum(of, partial, v);
}

// What the threads above each other in the block hold, summed for each column of a part.
template <class T, class D, int N, bool Whole, int Threads>
WW_DEV auto sum(BlockPart<D, N, Whole> of, Shared<T, Threads> partial, T v) {
  return Collective::sum(of, partial, v);
}

}  // namespace ww
