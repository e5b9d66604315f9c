// Matrices: row by row in memory, each row right behind the one before it.
//
// The distance between two rows is the number of columns, and no kernel passes it: the entry takes it
// from the extent C, so a matrix cannot be read by the width of another one. The contract bounds columns
// to 31 bits, which halves the arithmetic of a loop over them; offsets are formed in 64 bits.
#pragma once

#include "ww/run.h"

namespace ww {

// An extent as a factor of an offset: the contract has bounded it to the type of its indices. A multiple is written
// as one here too, so that a loop keeps in a register what it would load again each round.
template <class D>
WW_DEV i64 apart(Dim<D> d) {
  return whole(d);
}

// D elements of T, a row of C elements apart: a column of a matrix.
template <class T, class D, class C>
class Column final : Sealed {
 public:
  WW_MEM T operator[](Ix<D> i) const { return p_[i.value() * apart(cols_)]; }

 private:
  template <class U, class... E>
  friend class In;
  WW_MEM Column(const T* p, Dim<C> cols) : p_(p), cols_(cols) {}
  const T* p_;
  Dim<C> cols_;
};

// R rows of C elements, read only. A row is a view of C elements like any other.
template <class T, class R, class C>
class In<T, R, C> final : Sealed {
 public:
  WW_MEM T operator()(Ix<R> r, Ix<C> c) const { return p_[r.value() * apart(cols_) + c.value()]; }
  WW_MEM T operator[](CellIx<R, C> at) const { return (*this)(at.row(), at.col()); }
  WW_MEM In<T, C> row(Ix<R> r) const { return In<T, C>(p_ + r.value() * apart(cols_)); }
  WW_MEM Column<T, R, C> col(Ix<C> c) const { return Column<T, R, C>(p_ + c.value(), cols_); }
  WW_MEM T at(const Held auto&, u64 i) const { return p_[i]; }
  // Where row r has element c, or would have it beyond the edges, for who copies what is there. The compiler forms such addresses from one
  // another, as long as they differ by the same number of rows. So no index is chosen that is within the edges; and the distance of
  // rows is taken as it comes, not with its low bits made zero.
  WW_MEM const T* address(Mint, Spot<R> r, Spot<C> c) const {
    const i64 apart = static_cast<typename C::rep>(cols_.size());
    return p_ + (r.value() * apart + c.value());
  }

  template <class I, class J>
    requires(!Below<I, R> || !Below<J, C>)
  WW_MEM T operator()(I, J) const {
    static_assert(Below<I, R>, "a(r, c): r must be an index of the rows R of In<T, R, C>, minted by a loop or read from validated data");
    static_assert(Below<J, C>, "a(r, c): c must be an index of the columns C of In<T, R, C>, minted by a loop or read from validated data");
    return {};
  }

 private:
  friend Entry;
  template <class U, class... E>
  friend class In;
  WW_MEM In(const T* p, Dim<C> cols) : p_(p), cols_(cols) {}
  const T* p_;
  Dim<C> cols_;
};
WW_VIEW(In<T, R, C>, pointer(const T), len(R * C), in, stride(C), index(C: i32));

// A matrices of R by C elements, one behind the other, read only.
template <class T, class A, class R, class C>
class In<T, A, R, C> final : Sealed {
 public:
  WW_MEM T operator()(Ix<A> a, Ix<R> r, Ix<C> c) const { return (*this)[a](r, c); }
  WW_MEM In<T, R, C> operator[](Ix<A> a) const {
    return In<T, R, C>(p_ + a.value() * (apart(rows_) * apart(cols_)), cols_);
  }

 private:
  friend Entry;
  WW_MEM In(const T* p, Dim<R> rows, Dim<C> cols) : p_(p), rows_(rows), cols_(cols) {}
  const T* p_;
  Dim<R> rows_;
  Dim<C> cols_;
};
WW_VIEW(In<T, A, R, C>, pointer(const T), len(A * R * C), in, stride(R, C), index(C: i32));

// R rows of C elements, never read; a thread writes cells of its own, or any in a row of its own.
template <class T, class R, class C>
class Out<T, R, C> final : Sealed {
 public:
  WW_MEM Cell<T> operator[](CellIx<R, C> at) const { return element(at.row(), at.col()); }
  template <int V>
  WW_MEM RunCell<T, V, false> operator[](CellRun<R, C, V> at) const {
    return RunCell<T, V, false>(p_ + (at.row().value() * apart(cols_) + at.first().value()));
  }
  WW_MEM Cell<T> operator()(ThreadIx<R> r, Ix<C> c) const { return element(r, c); }
  WW_MEM Cell<T> at(const Held auto&, u64 i) const { return Cell<T>(p_ + i); }
  template <class I>
  WW_MEM Cell<T> operator[](I) const {
    static_assert(std::is_same_v<I, CellIx<R, C>>, "c[at] = v: the cell must be this thread's own, so at comes from Cells<R, C> or Tiles<R, C, H, W> over the extents of Out<T, R, C>; I does not");
    return Cell<T>(nullptr);
  }
  template <class I, class J>
    requires(!std::is_same_v<I, ThreadIx<R>> || !Below<J, C>)
  WW_MEM Cell<T> operator()(I, J) const {
    static_assert(std::is_same_v<I, ThreadIx<R>>, "c(r, c) = v: the row must be this thread's own, so r comes from threads(...) over the rows R of Out<T, R, C>; I does not");
    static_assert(Below<J, C>, "c(r, c) = v: c must be an index of the columns C of Out<T, R, C>, minted by a loop or read from validated data");
    return Cell<T>(nullptr);
  }

 private:
  friend Entry;
  WW_MEM Out(T* p, Dim<C> cols) : p_(p), cols_(cols) {}
  WW_MEM Cell<T> element(Ix<R> r, Ix<C> c) const { return Cell<T>(p_ + (r.value() * apart(cols_) + c.value())); }
  T* p_;
  Dim<C> cols_;
};
WW_VIEW(Out<T, R, C>, pointer(T), len(R * C), out, stride(C), index(C: i32));

// The rows of an Out whose elements belong to one block each.
template <class T, class R, class C>
class Out<T, R, C, ByBlock> final : Sealed {
 public:
  template <class A, class F>
  WW_MEM void put(BlockIx<R> r, Ix<C> c, Uniform<A, BlockIx<R>> v, F f) const {
    if (R::shape::rank() == 0) p_[Ix<R>(r).value() * apart(cols_) + c.value()] = f(v.value());
  }

 private:
  friend Entry;
  WW_MEM Out(T* p, Dim<C> cols) : p_(p), cols_(cols) {}
  T* p_;
  Dim<C> cols_;
};
WW_VIEW(Out<T, R, C, ByBlock>, pointer(T), len(R * C), out, stride(C), index(C: i32));

// R rows of C elements, read and written as an Out is written.
template <class T, class R, class C>
class InOut<T, R, C> final : Sealed {
 public:
  WW_MEM Kept<T> operator[](CellIx<R, C> at) const { return element(at.row(), at.col()); }
  template <int V>
  WW_MEM RunCell<T, V, true> operator[](CellRun<R, C, V> at) const {
    return RunCell<T, V, true>(p_ + (at.row().value() * apart(cols_) + at.first().value()));
  }
  WW_MEM Kept<T> operator()(ThreadIx<R> r, Ix<C> c) const { return element(r, c); }
  WW_MEM Kept<T> at(const Held auto&, u64 i) const { return Kept<T>(p_ + i); }
  template <class I>
  WW_MEM Kept<T> operator[](I) const {
    static_assert(std::is_same_v<I, CellIx<R, C>>, "c[at]: the cell must be this thread's own, so at comes from Cells<R, C> or Tiles<R, C, H, W> over the extents of InOut<T, R, C>; I does not");
    return Kept<T>(nullptr);
  }
  template <class I, class J>
    requires(!std::is_same_v<I, ThreadIx<R>> || !Below<J, C>)
  WW_MEM Kept<T> operator()(I, J) const {
    static_assert(std::is_same_v<I, ThreadIx<R>>, "c(r, c): the row must be this thread's own, so r comes from threads(...) over the rows R of InOut<T, R, C>; I does not");
    static_assert(Below<J, C>, "c(r, c): c must be an index of the columns C of InOut<T, R, C>, minted by a loop or read from validated data");
    return Kept<T>(nullptr);
  }

 private:
  friend Entry;
  WW_MEM InOut(T* p, Dim<C> cols) : p_(p), cols_(cols) {}
  WW_MEM Kept<T> element(Ix<R> r, Ix<C> c) const { return Kept<T>(p_ + (r.value() * apart(cols_) + c.value())); }
  T* p_;
  Dim<C> cols_;
};
WW_VIEW(InOut<T, R, C>, pointer(T), len(R * C), inout, stride(C), index(C: i32));

// Two views of D elements side by side, on one counter and one test:
//   for (auto [x, y] : zip(k, a.row(r), b.col(c))) sum += x * y;
template <class A, class B>
struct Pair {
  A first;
  B second;
};
template <class D, class X, class Y>
class Zip final : Sealed {
 public:
  class Iterator final : Sealed {
   public:
    WW_MEM explicit Iterator(const Zip& of) : x_(of.x_), y_(of.y_), at_(each(of.d_).begin()) {}
    WW_MEM auto operator*() const { return Pair<decltype(x_[*at_]), decltype(y_[*at_])>{x_[*at_], y_[*at_]}; }
    WW_MEM void operator++() { ++at_; }
    WW_MEM bool operator!=(typename D::rep end) const { return at_ != end; }

   private:
    X x_;
    Y y_;
    decltype(each(Zip::d_).begin()) at_;
  };
  WW_MEM Zip(Dim<D> d, X x, Y y) : d_(d), x_(x), y_(y) {}
  WW_MEM Iterator begin() const { return Iterator(*this); }
  WW_MEM auto end() const { return each(d_).end(); }

 private:
  Dim<D> d_;
  X x_;
  Y y_;
};
template <class D, class X, class Y>
WW_DEV Zip<D, X, Y> zip(Dim<D> d, X x, Y y) {
  return Zip<D, X, Y>(d, x, y);
}

// The cells of an R by C matrix, one a thread: rows along y, columns along x. A kernel that takes them
// has no grid(...): its grid follows from them, so that there is a thread for every cell.
//   for (auto at : cells) c[at] = a[at];      once, or not at all beyond the edges
template <class R, class C>
class Cells final : Sealed {
  using S = typename C::shape;
  static_assert(S::axes == 2 && S::z == 1, "the grid of Cells has two axes");
  // The grid ends with its last cell: where blocks divide both extents, each thread has one.
  static constexpr bool all = multiple<R> % S::y == 0 && multiple<C> % S::x == 0;

 public:
  WW_MEM auto begin() const {
    // The contract bounds an extent plus a block's width to 31 bits, and the grid ends with its last cell.
    const i32 r = blockIdx.y * S::y + threadIdx.y, c = blockIdx.x * S::x + threadIdx.x;
    using Cell = CellIx<R, C>;
    return typename Once<Cell>::Iterator(Mint(), Cell(Mint(), Ix<R>(Mint(), r), Ix<C>(Mint(), c)), all || (r < i32(rows_.size()) && c < i32(cols_.size())));
  }
  WW_MEM LoopEnd end() const { return {}; }

 private:
  friend Entry;
  WW_MEM Cells(Dim<R> rows, Dim<C> cols) : rows_(rows), cols_(cols) {}
  Dim<R> rows_;
  Dim<C> cols_;
};
WW_VIEW(Cells<R, C>, cells(R: block.y, C: block.x), index(R: i32), index(C: i32));

}  // namespace ww
