// Extents and indices.
//
// An extent is a tag, a type D: `D::rep` is the integer type of its indices, `D::shape` the shape of
// the launch. Its value exists only on the host, in the contract, which gives every view at least its
// extent. An index below D is minted in two ways: by the test of a loop or guard over Dim<D>, or by
// reading it from an array that was validated against D. Nobody else can make one, so a subscript
// needs no check.
//
// The type of an index also says who owns it: the element of a ThreadIx, GroupIx or BlockIx belongs
// to one thread, one group of lanes or one block of the whole grid, and only they may write it.
#pragma once

#include <type_traits>

#include "ww/platform.h"

namespace ww {

struct Entry;  // the generated entries; alone may build dims and views

// What a generated entry fixes of its launch: the threads of a block along each axis, how many axes the
// grid has, and how many bytes the address of every buffer is a multiple of.
template <u32 X, u32 Y, u32 Z, u32 Axes, u32 Align = 1>
struct Shape {
  static constexpr u32 x = X, y = Y, z = Z, threads = X * Y * Z;
  static constexpr u32 axes = Axes, align = Align;
  static constexpr bool line = Y == 1 && Z == 1 && Axes == 1;  // blocks and threads stand in one row
  // The thread's place in its block.
  static WW_MEM u32 rank() {
    u32 r = threadIdx.x;
    if constexpr (Y > 1) r += threadIdx.y * X;
    if constexpr (Z > 1) r += threadIdx.z * (X * Y);
    return r;
  }
};

// What the launcher has found to hold of an extent before it chose this entry, in its tag as D::facts. A
// tag without facts is one of which nothing is known. Views read them by the three names below, and
// leave out with `if constexpr` what a fact makes superfluous.
template <int Multiple, int Once, int Exact>
struct Facts {
  static_assert(Multiple >= 1 && Once >= 0 && Exact >= 0);
  static constexpr int multiple = Multiple, once = Once, exact = Exact;
};

// The extent is a multiple of so many.
template <class D>
inline constexpr int multiple = 1;
template <class D>
  requires requires { typename D::facts; }
inline constexpr int multiple<D> = D::facts::multiple;

// gridDim.x times so many indices are all indices: a loop of which a block takes as many or more has one
// round. 0: not known.
template <class D>
inline constexpr int once = 0;
template <class D>
  requires requires { typename D::facts; }
inline constexpr int once<D> = D::facts::once;

// gridDim.x times so many indices are all indices and no more: each place of a loop of which a block takes
// as many has an index. 0: not known.
template <class D>
inline constexpr int exact = 0;
template <class D>
  requires requires { typename D::facts; }
inline constexpr int exact<D> = D::facts::exact;

// Every buffer begins at a multiple of so many bytes. 1: not known.
template <class D>
inline constexpr int alignment = 1;
template <class D>
  requires requires { typename D::shape; }
inline constexpr int alignment<D> = D::shape::align;

// An extent that the type itself knows: the rows of In<f32, N, Const<3>> have three elements.
template <int N>
struct Const {
  static_assert(N >= 1, "an extent of nothing");
  static_assert(N <= 2147483647 - 1024, "an extent leaves room for a loop's last step, as the contract has it for those of the launch");
  using rep = i32;
};
template <int N>
inline constexpr int multiple<Const<N>> = N;

// The base of what nobody may make up. Its copy is not trivial, so that no language feature copies
// bits into a class which has it: bit_cast refuses it.
class Sealed {
 protected:
  WW_MEM Sealed() {}
  WW_MEM Sealed(const Sealed&) {}
  WW_MEM Sealed& operator=(const Sealed&) { return *this; }
};

// The right to make an index, and to ask a group whether it has one. Only ranges and views hold it.
class Mint : Sealed {
  WW_MEM Mint() {}
  template <class D, int Step, bool ByFour>
  friend class Span;
  template <class D>
  friend class Indices;
  template <class D>
  friend class Threads;
  template <class D, int S>
  friend class Groups;
  template <class D>
  friend class Blocks;
  template <class D>
  friend class BlockIx;
  template <class R, class C>
  friend class Cells;
  template <class D, int N, bool Whole>
  friend class Part;
  template <class D, int N>
  friend class Steps;
  template <class D, int N, bool Whole>
  friend class BlockPart;
  template <class D, int N>
  friend class Parts;
  template <class R, class C, int H, int W, int G, int V, bool Whole>
  friend class BlockTile;
  template <class R, class C, int H, int W, int G, int V>
  friend class Tiles;
  template <class D, int Step>
  friend class Dealt;
  template <class T, int H, int W, int Pad>
  friend class SharedTile;
  template <class T, int H, int W>
  friend class Panels;
  template <class T, class... D>
  friend class In;
  template <class T, class... D>
  friend class Out;
  template <class P, class M, class N>
  friend class Rows;
  template <class K, class N>
  friend class Order;
  template <class D, int V>
  friend class Runs;
};

// An index below D.
template <class D>
class Ix final : Sealed {
 public:
  using rep = typename D::rep;
  WW_MEM Ix(Mint, rep v) : v_(v) {}
  WW_MEM rep value() const { return v_; }

 private:
  rep v_;
};

// Where an index of D stands, or would stand beyond the last one, in the room that the contract leaves for a loop's last step:
// for who forms an address there, and reads only what there is.
template <class D>
class Spot final : Sealed {
 public:
  WW_MEM Spot(Mint, typename D::rep v) : v_(v) {}
  WW_MEM typename D::rep value() const { return v_; }

 private:
  typename D::rep v_;
};

// Something that is an index below D, whoever owns it.
template <class I, class D>
concept Below = std::is_convertible_v<I, Ix<D>>;

// An index below D that no other thread of the grid has. It is no class derived from Ix, lest a
// cast turn an Ix into one.
template <class D>
class ThreadIx final : Sealed {
 public:
  WW_MEM ThreadIx(Mint key, typename D::rep v) : i_(key, v) {}
  WW_MEM operator Ix<D>() const { return i_; }
  WW_MEM typename D::rep value() const { return i_.value(); }

 private:
  Ix<D> i_;
};

// A cell of an R by C matrix that no other thread of the grid has. It is one index, not two: were a
// thread to own a row and a column apart, all threads of a row would own one element of Out<T, R>.
template <class R, class C>
class CellIx final : Sealed {
 public:
  WW_MEM CellIx(Mint, Ix<R> row, Ix<C> col) : row_(row), col_(col) {}
  WW_MEM Ix<R> row() const { return row_; }
  WW_MEM Ix<C> col() const { return col_; }

 private:
  Ix<R> row_;
  Ix<C> col_;
};

// V cells side by side of an R by C matrix that no other thread of the grid has, the first of them at a column
// that V divides.
template <class R, class C, int V>
class CellRun final : Sealed {
 public:
  WW_MEM CellRun(Mint, Ix<R> row, Ix<C> first) : row_(row), first_(first) {}
  WW_MEM Ix<R> row() const { return row_; }
  WW_MEM Ix<C> first() const { return first_; }

 private:
  Ix<R> row_;
  Ix<C> first_;
};

// Whoever can show it runs together with all threads of its block, whose shape is S.
template <class S>
class WholeBlock final : Sealed {
 public:
  WW_MEM explicit WholeBlock(Mint) {}
};

// Something that a whole block has: an index of blocks, a tile, a part.
template <class S>
WW_DEV void shown(WholeBlock<S>) {}
template <class At>
concept BlockWide = requires(At at) { shown(at.whole_block()); };

// An index below D that no other block of the grid has; the same in all its threads.
template <class D>
class BlockIx final : Sealed {
 public:
  WW_MEM BlockIx(Mint key, typename D::rep v) : i_(key, v) {}
  WW_MEM WholeBlock<typename D::shape> whole_block() const { return WholeBlock<typename D::shape>(Mint()); }
  WW_MEM operator Ix<D>() const { return i_; }
  WW_MEM typename D::rep value() const { return i_.value(); }

 private:
  Ix<D> i_;
};

// An index that S neighbouring lanes of a warp share and no other lane of the grid has. The last
// groups of a grid may have none left: they are idle, yet stay in the loop with their warp, since
// collectives name all 32 lanes. So a GroupIx is no Ix: what takes it asks `active` first. Kernels
// cannot ask, or an idle group could leave the loop before a collective.
template <class D, int S>
class GroupIx final : Sealed {
  static_assert(S >= 1 && S <= 32 && (S & (S - 1)) == 0, "a group is a power of two of at most 32 lanes");

 public:
  WW_MEM GroupIx(Mint, typename D::rep v, bool active) : v_(v), active_(active) {}
  WW_MEM bool active(Mint) const { return active_; }
  WW_MEM typename D::rep value() const { return v_; }

 private:
  typename D::rep v_;
  bool active_;
};

// The size of D. It is the only view that knows its extent at run time.
template <class D>
class Dim final : Sealed {
 public:
  WW_MEM u64 size() const { return n_; }

 private:
  friend Entry;
  WW_MEM explicit Dim(u64 n) : n_(n) {}
  u64 n_;
};
WW_VIEW(Dim<D>, dim(D));

template <int N>
class Dim<Const<N>> final : Sealed {
 public:
  WW_MEM static constexpr u64 size() { return N; }
};

// The size of D in the type of its indices. Where D is a multiple of a power of two the low bits, which are
// zero, are made zero: so the compiler knows it, and leaves out what an unrolled loop would do with a rest.
template <class D>
WW_DEV typename D::rep whole(Dim<D> d) {
  constexpr int low = multiple<D> & -multiple<D>;
  return static_cast<typename D::rep>(d.size()) & ~static_cast<typename D::rep>(low - 1);
}

}  // namespace ww
