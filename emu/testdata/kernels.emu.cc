// The table of the test kernels, in the form that emu/table.h describes.
#include "emu/cuda.h"
#include "emu/table.h"

#include "emu/testdata/controls.cu"
#include "emu/testdata/faults.cu"

static const emu::Registration controls_registration("controls", {
    emu::entry<&spmv_warp>("spmv_warp", "spmv_warp", "spmv_warp-1"),
    emu::entry<&block_sum>("block_sum", "block_sum", "block_sum-1"),
    emu::entry<&axpy>("axpy", "axpy", "axpy-1"),
    emu::entry<&histogram>("histogram", "histogram", "histogram-1"),
    emu::entry<&last_block_sum>("last_block_sum", "last_block_sum", "last_block_sum-1"),
    emu::entry<&warp_exchange>("warp_exchange", "warp_exchange", "warp_exchange-1"),
    emu::entry<&collectives>("collectives", "collectives", "collectives-1"),
    emu::entry<&atomics>("atomics", "atomics", "atomics-1"),
    emu::entry<&half_bits>("half_bits", "half_bits", "half_bits-1"),
    emu::entry<&half_round>("half_round", "half_round", "half_round-1"),
    emu::entry<&parameters>("parameters", "parameters", "parameters-1"),
    emu::entry<&places>("places", "places", "places-1"),
});
static const emu::Registration faults_registration("faults", {
    emu::entry<&shared_overrun>("shared_overrun", "shared_overrun", "shared_overrun-1"),
    emu::entry<&shared_unwritten>("shared_unwritten", "shared_unwritten", "shared_unwritten-1"),
    emu::entry<&global_overrun>("global_overrun", "global_overrun", "global_overrun-1"),
    emu::entry<&null_pointer>("null_pointer", "null_pointer", "null_pointer-1"),
    emu::entry<&local_overrun>("local_overrun", "local_overrun", "local_overrun-1"),
    emu::entry<&stack_overflow>("stack_overflow", "stack_overflow", "stack_overflow-1"),
    emu::entry<&shuffle_after_return>("shuffle_after_return", "shuffle_after_return", "shuffle_after_return-1"),
    emu::entry<&shuffle_outside_mask>("shuffle_outside_mask", "shuffle_outside_mask", "shuffle_outside_mask-1"),
    emu::entry<&caller_outside_mask>("caller_outside_mask", "caller_outside_mask", "caller_outside_mask-1"),
    emu::entry<&bad_width>("bad_width", "bad_width", "bad_width-1"),
    emu::entry<&return_in_loop>("return_in_loop", "return_in_loop", "return_in_loop-1"),
    emu::entry<&shuffle_in_ragged_loop>("shuffle_in_ragged_loop", "shuffle_in_ragged_loop", "shuffle_in_ragged_loop-1"),
    emu::entry<&shuffle_in_both_arms>("shuffle_in_both_arms", "shuffle_in_both_arms", "shuffle_in_both_arms-1"),
    emu::entry<&shuffle_twice_on_a_line>("shuffle_twice_on_a_line", "shuffle_twice_on_a_line", "shuffle_twice_on_a_line-1"),
    emu::entry<&barrier_in_both_arms>("barrier_in_both_arms", "barrier_in_both_arms", "barrier_in_both_arms-1"),
    emu::entry<&barrier_after_return>("barrier_after_return", "barrier_after_return", "barrier_after_return-1"),
    emu::entry<&shuffle_against_barrier>("shuffle_against_barrier", "shuffle_against_barrier", "shuffle_against_barrier-1"),
    emu::entry<&int_index>("int_index", "int_index", "int_index-1"),
    emu::entry<&shift_too_far>("shift_too_far", "shift_too_far", "shift_too_far-1"),
    emu::entry<&misaligned_load>("misaligned_load", "misaligned_load", "misaligned_load-1"),
    emu::entry<&misaligned_atomic>("misaligned_atomic", "misaligned_atomic", "misaligned_atomic-1"),
    emu::entry<&misaligned_copy>("misaligned_copy", "misaligned_copy", "misaligned_copy-1"),
    emu::entry<&long_copy>("long_copy", "long_copy", "long_copy-1"),
    emu::entry<&wrong_assumption>("wrong_assumption", "wrong_assumption", "wrong_assumption-1"),
    emu::entry<&traps>("traps", "traps", "traps-1"),
    emu::entry<&spins>("spins", "spins", "spins-1"),
    emu::entry<&shared_race>("shared_race", "shared_race", "shared_race-1"),
    emu::entry<&warp_race>("warp_race", "warp_race", "warp_race-1"),
    emu::entry<&plain_scatter>("plain_scatter", "plain_scatter", "plain_scatter-1"),
    emu::entry<&subgroup_race>("subgroup_race", "subgroup_race", "subgroup_race-1"),
    emu::entry<&block_race>("block_race", "block_race", "block_race-1"),
    emu::entry<&missing_fence>("missing_fence", "missing_fence", "missing_fence-1"),
});
