#!/bin/sh
# Makes the images and reports here from the .cu files, with nvcc, ptxas and fatbinary of CUDA 13.0 in $BIN.
set -eu
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

assemble() { # NAME ARCH
  "$BIN/nvcc" -ptx -arch="compute_$2" "$1.cu" -o "$tmp/$1.$2.ptx"
  "$BIN/ptxas" -v -arch="sm_$2" "$tmp/$1.$2.ptx" -o "$1.$2.cubin" 2> "$tmp/log"
  grep -v 'Compile time' "$tmp/log" > "$1.$2.log"
}
join() { # OUT MODE IMAGE...
  out=$1 mode=$2
  shift 2
  "$BIN/fatbinary" --64 --compress-mode="$mode" "$@" --create="$out"
}
assemble pair 75
assemble pair 90
assemble odd 90
assemble spills 90
join pair.fatbin none --image3=kind=elf,sm=75,file=pair.75.cubin --image3=kind=elf,sm=90,file=pair.90.cubin \
  --image3=kind=ptx,sm=75,file="$tmp/pair.75.ptx" --image3=kind=ptx,sm=90,file="$tmp/pair.90.ptx"
join packed.fatbin size --image3=kind=elf,sm=75,file=pair.75.cubin --image3=kind=elf,sm=90,file=pair.90.cubin
join odd.fatbin none --image3=kind=elf,sm=90,file=odd.90.cubin --image3=kind=ptx,sm=90,file="$tmp/odd.90.ptx"
join spills.fatbin none --image3=kind=elf,sm=90,file=spills.90.cubin
