#!/usr/bin/env bash
# A plain build is what judges: no flag, no special target. Also: equal inputs give equal bytes, and a toolkit that
# cannot be used is refused by name.
. e2e/inner.sh

faults=//tools/cuda/tests

refused "a kernel that nothing launches" \
  "kernel 'unlaunched_negate' (tools/cuda/tests/unlaunched/unlaunched.cu:16) is launched by no exported function" \
  "fix: " \
  -- build "$faults/unlaunched"

refused "a program whose data has such a kernel, two edges away" \
  "kernel 'unlaunched_negate'" \
  -- build "$faults/unlaunched:unlaunched_test"

refused "a test of such a program" \
  "kernel 'unlaunched_negate'" \
  -- test "$faults/unlaunched:unlaunched_test"

refused "a launch that names no entry" \
  "misspelt_cpoy_f32" "tools/cuda/tests/misspelt/misspelt.go:10" \
  -- build "$faults/misspelt"

refused "kernels that break a rule of the audits, or except one that they keep" \
  "findings without a reason: 4" \
  "audited_silent_f32 sm_90: one-warp-block: a block of 32 threads is one warp" \
  'audited_stale: except(index32, "once there was a product"): no entry of the kernel breaks the rule' \
  -- build "$faults/audited"

refused "a kernel whose contract no launch keeps" \
  "family impossible: not proved: 1" \
  "impossible_copy_f32: refuted: no launch of a thread keeps the contract" \
  -- build "$faults/impossible"

passes "the same, while one drafts" build --config=draft "$faults/unlaunched" "$faults/misspelt" "$faults/audited" "$faults/impossible"

# The outer build made these in another folder. Here nothing of them may come from a cache.
passes "the sample family" build "$faults/sample" --modify_execution_info='Cuda.*=+no-cache,Kernel.*=+no-cache'
inner info bazel-bin
here="$(tail -n 1 "$log")/tools/cuda/tests/sample"
for file in sample.fatbin sample.manifest.json sample.audit.json sample.proof.json; do
  if cmp "tools/cuda/tests/sample/$file" "$here/$file"; then echo "ok: equal bytes: $file"; else fail "$file differs"; fi
done

toolkit=$TEST_TMPDIR/toolkit
mkdir -p "$toolkit/bin"
printf '#!/bin/sh\necho "Cuda compilation tools, release 12.4, V12.4.131"\n' >"$toolkit/bin/nvcc"
cp "$toolkit/bin/nvcc" "$toolkit/bin/ptxas"
chmod +x "$toolkit/bin/nvcc" "$toolkit/bin/ptxas"
local_build=(build --nobuild --//tools/cuda:toolkit=local "$faults/sample")

refused "a local toolkit that is not whole" "$toolkit (CUDA_HOME=$toolkit) has no bin/fatbinary" \
  -- "${local_build[@]}" --repo_env=CUDA_HOME="$toolkit"

cp "$toolkit/bin/nvcc" "$toolkit/bin/fatbinary"
refused "a local toolkit that cannot be audited" "$toolkit (CUDA_HOME=$toolkit) has no bin/nvdisasm" \
  -- "${local_build[@]}" --repo_env=CUDA_HOME="$toolkit"

cp "$toolkit/bin/nvcc" "$toolkit/bin/nvdisasm"
refused "a local toolkit that is too old" "$toolkit (CUDA_HOME=$toolkit) is 12.4, at least 13.0 is needed" \
  -- "${local_build[@]}" --repo_env=CUDA_HOME="$toolkit"

passes "a machine with such a toolkit, by the wheels" build --nobuild "$faults/sample" --repo_env=CUDA_HOME="$toolkit"

finish
