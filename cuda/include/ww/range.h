// Loops that mint indices. Those over a Dim stride by the whole grid, so any grid serves any size;
// the ones for groups and blocks keep every lane of a warp (every thread of a block) in the loop for
// the same number of rounds, which is what makes collectives inside them legal.
#pragma once

#include "ww/extent.h"

namespace ww {

WW_DEV u32 lane() { return threadIdx.x & 31; }

// The end of a loop that counts in u64: the iterator holds the state.
struct LoopEnd {};

// The indices from, from + Step, ... below end, counted in the extent's own type. The host has checked that the
// extent plus 1024 (a block's width at most) stays inside that type, so the last step cannot wrap. ByFour is how sums are
// formed: to the same end, but short ones wait once where they would four times, and take more of the code.
template <class D, int Step, bool ByFour = false>
class Span final : Sealed {
  static_assert(Step >= 1 && Step <= 1024, "the contract bounds a step by a block's width");

 public:
  using rep = typename D::rep;
  class Iterator {
   public:
    WW_MEM Iterator(Mint, rep v) : v_(v) {}
    WW_MEM Ix<D> operator*() const { return Ix<D>(Mint(), v_); }
    WW_MEM Iterator& operator++() {
      v_ += Step;
      return *this;
    }
    WW_MEM bool operator!=(rep end) const { return v_ < end; }

   private:
    rep v_;
  };
  WW_MEM Span(Mint, rep from, rep end) : from_(from), end_(end) {}
  WW_MEM Iterator begin() const { return Iterator(Mint(), from_); }
  WW_MEM rep end() const { return end_; }

  // s plus what term gives for each index, one after the other. By four, the loads of four are on their way together; past the end the
  // last index stands in for what is not there, and is left out. So term may be asked more than once for it, and must
  // write nothing.
  template <class T, class F>
  WW_MEM T sum(T s, F term) const {
    if constexpr (ByFour) {
      static_assert(4 * Step <= 1024, "the contract bounds four steps by a block's width");
#pragma unroll 1
      for (rep v = from_; v < end_; v += 4 * Step) {
        const T a = term(within(v)), b = term(within(v + Step)), c = term(within(v + 2 * Step)), d = term(within(v + 3 * Step));
        s += a;
        if (v + Step < end_) s += b;
        if (v + 2 * Step < end_) s += c;
        if (v + 3 * Step < end_) s += d;
      }
    } else {
      for (rep v = from_; v < end_; v += Step) s += term(Ix<D>(Mint(), v));
    }
    return s;
  }

 private:
  // The index v, or the last one below the end of a loop that has any.
  WW_MEM Ix<D> within(rep v) const { return Ix<D>(Mint(), v < end_ ? v : end_ - 1); }
  rep from_, end_;
};

// A grid-stride loop in u64: from, from + stride, ... below n. u64 cannot wrap here: n is the length
// of a buffer, and a grid has fewer than 2^42 threads. Who could make one could choose the index.
class Stride : Sealed {
 public:
  WW_MEM Stride(Mint, u64 from, u64 stride, u64 n) : at_(from), stride_(stride), n_(n) {}
  WW_MEM void operator++() { at_ += stride_; }
  WW_MEM bool operator!=(LoopEnd) const { return at_ < n_; }

 protected:
  u64 at_, stride_, n_;
};

// A loop that runs once, or not at all. What it runs with is its iterator's to give, so that *part.own() is
// nothing: the piece may not exist, and only the loop has asked.
template <class Piece>
class Once final : Sealed {
 public:
  class Iterator final : Sealed {
   public:
    WW_MEM Iterator(Mint, Piece piece, bool is) : piece_(piece), is_(is) {}
    WW_MEM Piece operator*() const { return piece_; }
    WW_MEM void operator++() { is_ = false; }
    WW_MEM bool operator!=(LoopEnd) const { return is_; }

   private:
    Piece piece_;
    bool is_;
  };
  WW_MEM Once(Mint key, Piece piece, bool is) : at_(key, piece, is) {}
  WW_MEM Iterator begin() const { return at_; }
  WW_MEM LoopEnd end() const { return {}; }

 private:
  Iterator at_;
};

// What facts make of a loop of which a block takes Share indices of D a round. If they say that all rounds
// are one, that one counts in D's own type: gridDim.x times Share fits it then. If they say that no
// place lies beyond the end, nothing is left to test.
template <class D, int Share>
struct Rounds {
  static constexpr bool one = once<D> > 0 && once<D> <= Share;
  static constexpr bool full = exact<D> == Share;
  using count = std::conditional_t<once<D> == Share && sizeof(typename D::rep) == 4, i32, u64>;
};

// Every index below D, in each thread.
template <class D>
class Indices final : Sealed {
 public:
  WW_MEM explicit Indices(Dim<D> d) : n_(whole(d)) {}
  WW_MEM auto begin() const { return typename Span<D, 1>::Iterator(Mint(), 0); }
  WW_MEM auto end() const { return n_; }

 private:
  typename D::rep n_;
};
template <class D>
WW_DEV Indices<D> each(Dim<D> d) {
  return Indices<D>(d);
}
template <int N>
WW_DEV Indices<Const<N>> each() {
  return Indices<Const<N>>(Dim<Const<N>>());
}

// One thread an index.
template <class D>
class Threads final : Sealed {
  static_assert(D::shape::line, "threads(...) wants blocks and threads in one row: block(x) and grid(x), else two threads would own one index");
  using R = Rounds<D, D::shape::threads>;
  using count = typename R::count;

 public:
  class Iterator : public Stride {
   public:
    using Stride::Stride;
    WW_MEM ThreadIx<D> operator*() const { return ThreadIx<D>(Mint(), static_cast<typename D::rep>(at_)); }
  };
  WW_MEM explicit Threads(Dim<D> d) : n_(d.size()) {}
  WW_MEM auto begin() const {
    constexpr u32 threads = D::shape::threads;
    const count first = static_cast<count>(blockIdx.x) * count{threads} + static_cast<count>(threadIdx.x);
    if constexpr (R::one) {
      return typename Once<ThreadIx<D>>::Iterator(Mint(), ThreadIx<D>(Mint(), static_cast<typename D::rep>(first)), R::full || first < static_cast<count>(n_));
    } else {
      return Iterator(Mint(), first, u64(gridDim.x) * threads, n_);
    }
  }
  WW_MEM LoopEnd end() const { return {}; }

 private:
  u64 n_;
};
template <class D>
WW_DEV Threads<D> threads(Dim<D> d) {
  return Threads<D>(d);
}

// S neighbouring lanes an index. A warp takes 32 / S indices a round, and the loop runs on the first
// of them, so its test is the same in all 32 lanes.
template <class D, int S>
class Groups final : Sealed {
  static_assert(D::shape::line, "groups<S>(...) wants blocks and threads in one row: block(x) and grid(x), else two groups would own one index");
  static_assert(D::shape::threads % 32 == 0, "groups<S>(...) wants whole warps: block(x) with a multiple of 32");
  static constexpr u32 warps = D::shape::threads / 32, per_warp = 32 / S;
  using R = Rounds<D, warps * per_warp>;
  using count = typename R::count;

  // The group of this lane, given the first of its warp.
  static WW_MEM GroupIx<D, S> group(count first, count n) {
    const count mine = S == 32 ? first : first + static_cast<count>(lane() / S);
    return GroupIx<D, S>(Mint(), static_cast<typename D::rep>(mine), S == 32 || R::full || mine < n);
  }

 public:
  class Iterator : public Stride {
   public:
    using Stride::Stride;
    WW_MEM GroupIx<D, S> operator*() const { return group(at_, n_); }
  };
  WW_MEM explicit Groups(Dim<D> d) : n_(d.size()) {}
  WW_MEM auto begin() const {
    const count first = (static_cast<count>(blockIdx.x) * count{warps} + static_cast<count>(threadIdx.x / 32)) * count{per_warp};
    if constexpr (R::one) {
      const count n = static_cast<count>(n_);
      return typename Once<GroupIx<D, S>>::Iterator(Mint(), group(first, n), R::full || first < n);
    } else {
      return Iterator(Mint(), first, u64(gridDim.x) * warps * per_warp, n_);
    }
  }
  WW_MEM LoopEnd end() const { return {}; }

 private:
  u64 n_;
};
template <int S, class D>
WW_DEV Groups<D, S> groups(Dim<D> d) {
  return Groups<D, S>(d);
}

// One block an index.
template <class D>
class Blocks final : Sealed {
  static_assert(D::shape::line, "blocks(...) wants blocks and threads in one row: block(x) and grid(x), else two blocks would own one index");
  static_assert(D::shape::threads % 32 == 0, "blocks(...) wants whole warps: block(x) with a multiple of 32");
  using R = Rounds<D, 1>;
  using count = typename R::count;

 public:
  class Iterator : public Stride {
   public:
    using Stride::Stride;
    WW_MEM BlockIx<D> operator*() const { return BlockIx<D>(Mint(), static_cast<typename D::rep>(at_)); }
  };
  WW_MEM explicit Blocks(Dim<D> d) : n_(d.size()) {}
  WW_MEM auto begin() const {
    const count first = static_cast<count>(blockIdx.x);
    if constexpr (R::one) {
      return typename Once<BlockIx<D>>::Iterator(Mint(), BlockIx<D>(Mint(), static_cast<typename D::rep>(first)), R::full || first < static_cast<count>(n_));
    } else {
      return Iterator(Mint(), first, gridDim.x, n_);
    }
  }
  WW_MEM LoopEnd end() const { return {}; }

 private:
  u64 n_;
};
template <class D>
WW_DEV Blocks<D> blocks(Dim<D> d) {
  return Blocks<D>(d);
}

}  // namespace ww
