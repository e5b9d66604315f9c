// The vector types that nvcc knows without an include, with CUDA's sizes and alignments.
#pragma once

// A shape: what is left out is 1.
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

// Three-component types are aligned like their element; two and four components like the whole,
// 16 bytes at most. A load through a less aligned pointer is a report (-fsanitize=alignment),
// as it is a fault on a GPU.
#define EMU_VECTOR2(T, NAME, ALIGN)    \
  struct alignas(ALIGN) NAME##2 {      \
    T x, y;                            \
  };                                   \
  inline NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }
#define EMU_VECTOR3(T, NAME)           \
  struct NAME##3 {                     \
    T x, y, z;                         \
  };                                   \
  inline NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; }
#define EMU_VECTOR4(T, NAME, ALIGN)    \
  struct alignas(ALIGN) NAME##4 {      \
    T x, y, z, w;                      \
  };                                   \
  inline NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; }

EMU_VECTOR2(float, float, 8)
EMU_VECTOR3(float, float)
EMU_VECTOR4(float, float, 16)
EMU_VECTOR2(int, int, 8)
EMU_VECTOR3(int, int)
EMU_VECTOR4(int, int, 16)
EMU_VECTOR2(unsigned, uint, 8)
EMU_VECTOR3(unsigned, uint)
EMU_VECTOR4(unsigned, uint, 16)
EMU_VECTOR2(double, double, 16)
EMU_VECTOR2(long long, longlong, 16)
EMU_VECTOR2(unsigned long long, ulonglong, 16)

#undef EMU_VECTOR2
#undef EMU_VECTOR3
#undef EMU_VECTOR4
