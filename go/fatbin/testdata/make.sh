#!/bin/sh
# Makes the cubins and fatbins here from the .cu files. Needs nvcc, ptxas and
# fatbinary of CUDA 13.0 in $BIN, and for the older ELF form ptxas of CUDA 12.9
# as $PTXAS12.
set -eu
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

for arch in 75 86 90 90a 100 100f; do
  "$BIN/nvcc" -ptx -arch="compute_$arch" kernels.cu -o "$tmp/$arch.ptx"
  "$BIN/ptxas" -arch="sm_$arch" "$tmp/$arch.ptx" -o "$tmp/$arch.cubin"
done
cp "$tmp/90.cubin" sm_90.cubin
cp "$tmp/100.cubin" sm_100.cubin
"$BIN/nvcc" -ptx -arch=compute_90 block.cu -o "$tmp/block.ptx"
"$BIN/ptxas" -arch=sm_90 "$tmp/block.ptx" -o block.cubin

# The older compiler reads PTX up to 8.8.
for arch in 75 90; do
  sed 's/^\.version 9\.0/.version 8.8/' "$tmp/$arch.ptx" > "$tmp/old.ptx"
  "$PTXAS12" -arch="sm_$arch" "$tmp/old.ptx" -o "abi7_sm_$arch.cubin"
done

image() { printf -- '--image3=kind=%s,sm=%s,file=%s/%s.%s ' "$1" "$2" "$tmp" "$2" "$3"; }
shipped="$(image elf 75 cubin)$(image elf 86 cubin)$(image elf 90 cubin)$(image ptx 75 ptx)$(image ptx 90 ptx)"
# shellcheck disable=SC2086
{
  "$BIN/fatbinary" --64 --compress-mode=none $shipped --create=shipped.fatbin
  "$BIN/fatbinary" --64 --compress-mode=size $shipped --create=zstd.fatbin
  "$BIN/fatbinary" --64 --compress-mode=speed $(image elf 90 cubin)$(image ptx 75 ptx) --create=lz4.fatbin
  "$BIN/fatbinary" --64 --compress-mode=none $(image elf 90a cubin)$(image elf 100f cubin)$(image ptx 90a ptx) --create=features.fatbin
}
