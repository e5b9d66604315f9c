"""bazelw: finds or installs Bazel, prepares a closed network, then becomes Bazel.

Steps, each in a module of its own:
  compiler  g++ 12 or newer, unless CC names another
  locate    a Bazel 7.7 to 7.x: PATH, else bazelisk, else (as root, on Debian) apt
  depot     where Bazel's central registry does not answer: the rule sets from the Go module proxy
  report    `test` only: counts test cases from Bazel's build events for the closing line

Environment:
  WARPWRIGHT_CACHE    where everything fetched is kept (default: ~/.cache/warpwright)
  WARPWRIGHT_OFFLINE  1: use the depot without asking the registry; 0: never use it
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import compiler
import depot
import locate
import report
from say import Stop

VERBS = set(
    "analyze-profile aquery build canonicalize-flags clean config coverage cquery dump fetch help info license "
    "mobile-install mod print_action query run shutdown sync test vendor version".split()
)

ROOT = pathlib.Path(__file__).resolve().parents[2]


def cache_folder():
    """The folder under which all that bazelw fetches is kept."""
    named = os.environ.get("WARPWRIGHT_CACHE")
    if named:
        return pathlib.Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "warpwright"


def write_rc(lines):
    """Writes .bazelw/bazelrc, which .bazelrc imports, so that plain Bazel in this checkout works from now on too."""
    path = ROOT / ".bazelw" / "bazelrc"
    text = "# Written by bazelw; machine-specific. Do not edit: user.bazelrc is read after it.\n" + "".join(
        line + "\n" for line in lines
    )
    if path.exists() and path.read_text() == text:
        return
    path.parent.mkdir(exist_ok=True)
    partial = path.with_suffix(".%d" % os.getpid())
    partial.write_text(text)
    partial.replace(path)


def verb_at(arguments):
    """Where Bazel's verb stands, or None. Startup options, some with a value of their own, come before it."""
    return next((i for i, argument in enumerate(arguments) if argument in VERBS), None)


def run_tests(bazel, arguments, at):
    """Runs `bazel test`, whose options begin at a place, then prints the closing line. Returns Bazel's exit code."""
    with tempfile.TemporaryDirectory(prefix="bazelw-") as folder:
        events = pathlib.Path(folder) / "events.json"
        flag = "--build_event_json_file=%s" % events
        # Before the caller's own flags: one of theirs wins, and is then the file to read.
        code = subprocess.call([*bazel, *arguments[:at], flag, *arguments[at:]])
        for argument in arguments[at:]:
            if argument.startswith("--build_event_json_file="):
                events = pathlib.Path(argument.split("=", 1)[1])
        print(report.closing_line(events), flush=True)
    return code


def main(arguments):
    compiler.check()
    cache = cache_folder()
    bazel = locate.find(cache, (ROOT / ".bazelversion").read_text().strip())
    write_rc(["common --disk_cache=%s" % (cache / "disk"), *depot.rc_lines(cache, bazel)])
    at = verb_at(arguments)
    if at is not None and arguments[at] == "test":
        return run_tests(bazel, arguments, at + 1)
    sys.stdout.flush()
    os.execvp(bazel[0], [*bazel, *arguments])


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Stop as stop:
        print("bazelw: %s" % stop, file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
