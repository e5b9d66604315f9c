#!/usr/bin/env bash
# WORKSPACE in place of MODULE.bazel, with the same BUILD files.
. e2e/inner.sh

passes "all device code and all Go packages" build --config=workspace //cuda/... //go/...
passes "a test" test --config=workspace //tests/csr:csr_cpu
finish
