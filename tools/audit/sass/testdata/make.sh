#!/bin/sh
# Renews the listings of forms.cu. It wants nvcc, ptxas (13.0) and nvdisasm on PATH; nothing of it runs in a test. Run
# `go test ./tools/audit/sass -update` after it and read what changed in forms.txt.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
for arch in 75 86 90; do
  nvcc -std=c++20 -O3 -ptx -arch=compute_$arch -o "$work/forms.ptx" forms.cu
  ptxas -O3 -arch=sm_$arch -o "$work/forms.cubin" "$work/forms.ptx"
  nvdisasm -c "$work/forms.cubin" >forms.sm_$arch.sass
done
