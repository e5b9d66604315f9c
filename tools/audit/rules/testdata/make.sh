#!/bin/sh
# Renews what the rules' tests read: the PTX of faults.cu, what ptxas reports of it, and its machine code as text. It wants nvcc, ptxas (13.0) and
# nvdisasm on PATH; nothing of it runs in a test.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
nvcc -std=c++20 -O3 -ptx -lineinfo -arch=compute_90 -o "$work/faults.ptx" faults.cu
# The folder of whoever compiles has no place in the file, nor have the sections of debugging names.
sed -e "s|\"$PWD/|\"|" -e 's|"/.*/|"|' -e '/^[[:space:]]*\.section/,/^[[:space:]]*}/d' "$work/faults.ptx" >faults.ptx
ptxas -O3 -v -arch=sm_90 -o "$work/faults.cubin" "$work/faults.ptx" 2>&1 | grep -v 'Compile time' >faults.ptxas.log
nvdisasm -c "$work/faults.cubin" >faults.sass
