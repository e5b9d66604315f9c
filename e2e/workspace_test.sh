#!/usr/bin/env bash
# WORKSPACE in place of MODULE.bazel, with the same BUILD files.
. e2e/inner.sh

passes "the first family and its operators" build --config=workspace //cuda/csr //cuda:emulator //go/csr
passes "a test, on the CPU and the emulator" test --config=workspace //tests/csr:csr_cpu
finish
