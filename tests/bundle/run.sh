#!/bin/sh
# Runs on a GPU host everything that needs a GPU. It wants neither Bazel nor Go nor the CUDA toolkit, but
# for compute-sanitizer and, as the benchmarks' peers, cuSPARSE and cuBLAS.
#
#   ./run.sh             all steps
#   ./run.sh STEP ...    some of: gpu jit ptx75 memcheck racecheck initcheck synccheck containment twins bench gemm
#
# Logs, and the benchmarks' reports as JSON, go to $OUT (default: ./out). One line a step at the end; exit
# code 0 only if every step passed.
#
#   gpu        all tests, as large as it takes to fill a GPU
#   jit        the same from PTX: CUDA_FORCE_PTX_JIT=1 makes the driver compile it
#   ptx75      the same from images that hold PTX for compute_75 alone, as a chip without machine code would
#   memcheck ... synccheck    the small tests under compute-sanitizer's tools, which must stay silent
#   containment    bad launches, safe and raw, each in a process of its own: who takes the device down with it
#   twins      what safe kernels cost beside raw ones
#   bench      the benchmark beside cuSPARSE
#   gemm       the talk about bounds checks, and dense products beside cuBLAS
set -u

here=$(cd "$(dirname "$0")" && pwd)
out=${OUT:-$here/out}
mkdir -p "$out" || exit 1
summary=$out/summary.txt
: >"$summary"
failed=0

# A missing GPU is a failure, never a run on the CPU.
WW_DEVICE=${WW_DEVICE:-gpu}
WW_IMAGES=$here/images
export WW_DEVICE WW_IMAGES

find_sanitizer() {
  for s in "${COMPUTE_SANITIZER:-}" "$(command -v compute-sanitizer)" /usr/local/cuda/bin/compute-sanitizer \
    /usr/local/cuda/compute-sanitizer/compute-sanitizer; do
    if [ -n "$s" ] && [ -x "$s" ]; then
      echo "$s"
      return 0
    fi
  done
  return 1
}

# step NAME COMMAND...: runs it with its output in NAME.log, and notes how it went.
step() {
  name=$1
  shift
  echo "=== $name"
  start=$(date +%s)
  "$@" >"$out/$name.log" 2>&1
  code=$?
  seconds=$(($(date +%s) - start))
  word=ok
  if [ $code -ne 0 ]; then
    word=FAILED
    failed=1
    tail -n 25 "$out/$name.log"
  fi
  last=$(grep -v '^[[:space:]]*$' "$out/$name.log" | tail -n 1)
  printf '%-6s %-11s %4d s  exit %d  %s\n' "$word" "$name" "$seconds" "$code" "$last" | tee -a "$summary"
}

# sanitized TOOL: the small tests under one tool of compute-sanitizer. 99 is its answer to any finding.
sanitized() {
  sanitizer=$(find_sanitizer) || {
    echo "compute-sanitizer is neither on PATH nor under /usr/local/cuda; COMPUTE_SANITIZER may name it"
    return 1
  }
  WW_SIZE=tsan "$sanitizer" --tool "$1" --error-exitcode 99 "$here/bundle" tests
}

run_step() {
  case $1 in
  gpu) step gpu env WW_SIZE=gpu "$here/bundle" tests -v ;;
  jit) step jit env WW_SIZE=gpu CUDA_FORCE_PTX_JIT=1 CUDA_CACHE_DISABLE=1 "$here/bundle" tests ;;
  ptx75) step ptx75 env WW_SIZE=gpu WW_IMAGES="$here/images_ptx75" CUDA_CACHE_DISABLE=1 "$here/bundle" tests -ptx 75 ;;
  memcheck | racecheck | initcheck | synccheck) step "$1" sanitized "$1" ;;
  containment) step containment "$here/bundle" containment ;;
  twins)
    step twins "$here/bundle" twins -o "$out/twins.json"
    cat "$out/twins.log"
    ;;
  bench)
    step bench "$here/bundle" bench csr -o "$out/bench.json"
    grep -v '^\.\.\. ' "$out/bench.log"
    ;;
  gemm)
    step gemm "$here/bundle" gemm -code "$here/machine_code.json" -o "$out/gemm.json"
    grep -v '^\.\.\. ' "$out/gemm.log"
    ;;
  *)
    echo "run.sh: no step $1: there are gpu jit ptx75 memcheck racecheck initcheck synccheck containment twins bench gemm" >&2
    exit 2
    ;;
  esac
}

[ $# -gt 0 ] || set -- gpu jit ptx75 memcheck racecheck initcheck synccheck containment twins bench gemm
for one in "$@"; do
  run_step "$one"
done

echo
echo "=== summary ($out)"
cat "$summary"
exit $failed
