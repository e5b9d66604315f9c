# Sourced by the tests that run Bazel themselves. Gives:
#   tree        the source tree
#   inner ...   runs Bazel in $where (the source tree, unless set otherwise) with an output base of this test's own
#   refused MESSAGE... -- ARGS...   passes if `inner ARGS` fails and says every MESSAGE
set -euo pipefail

tree="$(dirname "$(realpath MODULE.bazel)")"
where="$tree"

# Kept between runs, so that the next one is quick: repositories are unpacked once for each test and source tree.
cache="${WARPWRIGHT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/warpwright}"
base="$cache/e2e/$(basename "$0" .sh)-$(printf %s "$tree" | sha256sum | cut -c 1-12)"
mkdir -p "$base"
log="$TEST_TMPDIR/inner.log"

inner() {
  local status=0
  # The variables of the outer test would make the inner one write to the same places.
  (cd "$where" && env -u TEST_TMPDIR -u RUNFILES_DIR -u TEST_SRCDIR -u XML_OUTPUT_FILE \
    "$tree/bazelw" --output_base="$base" --max_idle_secs=5 "$@" --symlink_prefix=/ --color=no --curses=no) >"$log" 2>&1 || status=$?
  return $status
}

failures=0

fail() {
  printf 'FAIL: %s\n' "$1"
  sed 's/^/    /' "$log" | tail -n 30
  failures=$((failures + 1))
}

# passes WHAT ARGS...: Bazel succeeds.
passes() {
  local what=$1
  shift
  if inner "$@"; then printf 'ok: %s\n' "$what"; else fail "$what: \`bazel $*\` exited with $?"; fi
}

# refused WHAT MESSAGE... -- ARGS...: Bazel fails and says every message.
refused() {
  local what=$1 message
  local -a messages=()
  shift
  while [ "$1" != -- ]; do
    messages+=("$1")
    shift
  done
  shift
  if inner "$@"; then
    fail "$what: \`bazel $*\` succeeded"
    return
  fi
  for message in "${messages[@]}"; do
    if ! grep -qF -- "$message" "$log"; then
      fail "$what: \`bazel $*\` failed, but without the words: $message"
      return
    fi
  done
  printf 'ok: %s\n' "$what"
}

finish() {
  inner shutdown || true
  [ "$failures" = 0 ] || { echo "$failures failed"; exit 1; }
}
