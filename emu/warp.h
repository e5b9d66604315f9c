// Shuffles, votes, barriers and fences.
#pragma once

#include "emu/bits.h"
#include "emu/runtime.h"

template <class T>
inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32, EMU_SITE) {
  return emu::from_word<T>(emu::warp_collective(emu::WarpOp::kShuffle, mask, emu::to_word(value), lane, width, emu_site));
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, EMU_SITE) {
  return emu::from_word<T>(
      emu::warp_collective(emu::WarpOp::kShuffleUp, mask, emu::to_word(value), static_cast<int>(delta), width, emu_site));
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, EMU_SITE) {
  return emu::from_word<T>(
      emu::warp_collective(emu::WarpOp::kShuffleDown, mask, emu::to_word(value), static_cast<int>(delta), width, emu_site));
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, EMU_SITE) {
  return emu::from_word<T>(emu::warp_collective(emu::WarpOp::kShuffleXor, mask, emu::to_word(value), lanes, width, emu_site));
}

inline unsigned __ballot_sync(unsigned mask, int predicate, EMU_SITE) {
  return static_cast<unsigned>(emu::warp_collective(emu::WarpOp::kBallot, mask, predicate != 0, 0, 32, emu_site));
}
inline int __any_sync(unsigned mask, int predicate, EMU_SITE) {
  return static_cast<int>(emu::warp_collective(emu::WarpOp::kAny, mask, predicate != 0, 0, 32, emu_site));
}
inline int __all_sync(unsigned mask, int predicate, EMU_SITE) {
  return static_cast<int>(emu::warp_collective(emu::WarpOp::kAll, mask, predicate != 0, 0, 32, emu_site));
}
template <class T>
inline unsigned __match_any_sync(unsigned mask, T value, EMU_SITE) {
  return static_cast<unsigned>(emu::warp_collective(emu::WarpOp::kMatchAny, mask, emu::to_word(value), 0, 32, emu_site));
}
inline void __syncwarp(unsigned mask = 0xffffffffu, EMU_SITE) {
  emu::warp_collective(emu::WarpOp::kSync, mask, 0, 0, 32, emu_site);
}

// Nothing promises that lanes have converged, so the caller alone is the answer that finds code which
// relies on it.
inline unsigned __activemask() { return 1u << emu::current_id->lane; }

inline void __syncthreads(EMU_SITE) { emu::block_barrier(true, emu_site); }
inline int __syncthreads_count(int predicate, EMU_SITE) { return emu::block_barrier(predicate != 0, emu_site).count; }
inline int __syncthreads_and(int predicate, EMU_SITE) { return emu::block_barrier(predicate != 0, emu_site).all; }
inline int __syncthreads_or(int predicate, EMU_SITE) { return emu::block_barrier(predicate != 0, emu_site).any; }

inline void __threadfence() { emu::memory_fence(); }
inline void __threadfence_block() { emu::memory_fence(); }
inline void __threadfence_system() { emu::memory_fence(); }
