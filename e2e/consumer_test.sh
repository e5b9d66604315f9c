#!/usr/bin/env bash
# Another workspace has this one as a dependency: its kernels, its launchers, its tests, our rules and tools.
. e2e/inner.sh

where="$tree/e2e/consumer"
passes "a family of the consumer's own, with every verdict" build //kernels:images //kernels:emulator
passes "its test on every backend" test //...
# CPU, emulator, TSan and the driver for tests run; the GPU's is skipped.
grep -qx "4 passed, 0 failed, 1 skipped" "$log" || fail "the closing line"
finish
