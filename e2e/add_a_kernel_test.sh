#!/usr/bin/env bash
# A newcomer's way: all that docs/add-a-kernel.md says, in a copy of the repository, and the faults that it promises to find.
. e2e/inner.sh

# Beside the output base: Bazel refuses to run inside one.
where="$base.tree"
rm -rf "$where"
mkdir -p "$where"
(cd "$tree" && tar -cf - --exclude=./.git --exclude='./bazel-*' .) | tar -xf - -C "$where"
# For plain Go, which the last step needs: the copy is no repository.
python3 e2e/walk.py docs/add-a-kernel.md "$where"

passes "the launchers are renewed" run //go/kernels/densekernels:densekernels_renew
passes "the kernel is tested on every backend" test //tests/dense/... //go/kernels/densekernels/... //cuda:images

# change FILE FROM TO: one edit of the copy, which must change something.
change() {
  cp "$where/$1" "$TEST_TMPDIR/kept"
  sed -i "s|$2|$3|" "$where/$1"
  if cmp -s "$where/$1" "$TEST_TMPDIR/kept"; then fail "nothing to change in $1: $2"; fi
}
undo() { cp "$TEST_TMPDIR/kept" "$where/$1"; }

change go/dense/dense.go 'return l.Launch(v.kernels, s)' 'return nil'
refused "a kernel that nothing launches" "kernel 'dense_saxpy'" "is launched by no exported function" -- build //cuda:images
undo go/dense/dense.go

change cuda/dense/saxpy.cu ' + acc(y\[i\])' ''
refused "a wrong result" "f32 elements are not within their bound" -- test //tests/dense:dense_emu
undo cuda/dense/saxpy.cu

change cuda/dense/saxpy.cu 'z\[i\] =' 'z[y[i]] ='
refused "an index that no loop minted" "saxpy.cu" -- build //cuda:emulator
undo cuda/dense/saxpy.cu

change cuda/dense/saxpy.cu 'Dim<N> n' 'Dim<Q> n'
refused "an extent that is no template parameter" "cuda/dense/saxpy.cu:9:" -- build //go/kernels/densekernels
undo cuda/dense/saxpy.cu

change cuda/dense/saxpy.cu 'types(W: f32 f64' 'types(W: f32'
refused "stale launchers" "densekernels_renew" -- test //go/kernels/densekernels:densekernels_stale_test
undo cuda/dense/saxpy.cu

finish
