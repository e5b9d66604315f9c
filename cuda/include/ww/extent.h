// Extents and indices.
//
// An extent is a tag: a type D with `D::rep`, the integer type of its indices. Its value exists
// only on the host, in the contract, which gives every view at least its extent. An index below D
// is minted in two ways: by the test of a loop or guard over Dim<D>, or by reading it from an array
// that was validated against D. Nobody else can make one, so a subscript needs no check.
//
// The type of an index also says who owns it: the element of a ThreadIx, GroupIx or BlockIx belongs
// to one thread, one group of lanes or one block of the whole grid, and only they may write it.
#pragma once

#include "ww/platform.h"

namespace ww {

struct Entry;  // the generated entries; alone may build dims and views

// The right to make an index. Only ranges and validated views hold it.
class Mint {
  Mint() = default;
  template <class I, int Step>
  friend class Span;
  template <class D>
  friend class Indices;
  template <class D>
  friend class Threads;
  template <class D, int S>
  friend class Groups;
  template <class D>
  friend class Blocks;
  template <class T, class... D>
  friend class In;
  template <class P, class M, class N>
  friend class Rows;
};

// An index below D.
template <class D>
class Ix {
 public:
  using rep = typename D::rep;
  WW_MEM Ix(Mint, rep v) : v_(v) {}
  WW_MEM rep value() const { return v_; }

 private:
  rep v_;
};

// An index below D that no other thread of the grid has.
template <class D>
class ThreadIx : public Ix<D> {
 public:
  WW_MEM ThreadIx(Mint key, typename D::rep v) : Ix<D>(key, v) {}
};

// An index below D that no other block of the grid has; the same in all its threads.
template <class D>
class BlockIx : public Ix<D> {
 public:
  WW_MEM BlockIx(Mint key, typename D::rep v) : Ix<D>(key, v) {}
};

// An index that S neighbouring lanes of a warp share and no other lane of the grid has. The last
// groups of a grid may have none left: they are idle, yet stay in the loop with their warp, since
// collectives name all 32 lanes. So a GroupIx is no Ix: whatever takes it asks `active` first.
template <class D, int S>
class GroupIx {
  static_assert(S >= 1 && S <= 32 && (S & (S - 1)) == 0, "a group is a power of two of at most 32 lanes");

 public:
  static constexpr int lanes = S;
  using rep = typename D::rep;
  WW_MEM GroupIx(Mint, rep v, bool active) : v_(v), active_(active) {}
  WW_MEM bool active() const { return active_; }
  WW_MEM rep value() const { return v_; }

 private:
  rep v_;
  bool active_;
};

// The size of D. It is the only view that knows its extent at run time.
template <class D>
class Dim {
 public:
  WW_MEM u64 size() const { return n_; }

 private:
  friend Entry;
  WW_MEM explicit Dim(u64 n) : n_(n) {}
  u64 n_;
};
WW_VIEW(Dim<D>, dim(D));

}  // namespace ww
