#!/usr/bin/env bash
# Runs a Python test with the machine's own Python, as bazelw itself is run.
exec python3 -B "$@"
