#!/bin/sh
# Renews the listing of plants.cu. It wants nvcc, ptxas (13.0) and nvdisasm on PATH; nothing of it runs in a test.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
nvcc -std=c++20 -O3 -ptx -arch=compute_90 -o "$work/plants.ptx" plants.cu
ptxas -O3 -arch=sm_90 -o "$work/plants.cubin" "$work/plants.ptx"
nvdisasm -c "$work/plants.cubin" >plants.sm_90.sass
