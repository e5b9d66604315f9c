"""Finds a Bazel from 7.7 up to 7.x, or installs one."""

import os
import pathlib
import re
import shutil
import subprocess

import debian
from say import Stop, say

BAZELISK = "github.com/bazelbuild/bazelisk@v1.26.0"
WANTED = "7.7 to 7.x"


def in_range(version):
    """Whether a version string such as '7.7.1' is one that this repository builds with."""
    found = re.match(r"(\d+)\.(\d+)", version)
    return bool(found) and int(found[1]) == 7 and int(found[2]) >= 7


def version_of(command, environment=None):
    """What `command --version` says, or "" where it does not run. A bazelisk may have to download first."""
    try:
        done = subprocess.run(
            [*command, "--version"], capture_output=True, text=True, timeout=300, check=False, env=environment
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = re.search(r"^bazel (\S+)", done.stdout, re.MULTILINE)
    return found[1] if found and done.returncode == 0 else ""


def find(cache, pinned):
    """Returns the command line prefix of a usable Bazel, installing one where there is none."""
    seen = []
    for name in ("bazel", "bazelisk"):
        path = shutil.which(name)
        if not path:
            continue
        version = version_of([path])
        if in_range(version):
            return [path]
        seen.append("%s is %s" % (path, version or "not runnable"))
    if seen:
        say("no Bazel %s on PATH (%s)" % (WANTED, "; ".join(seen)))

    own = bazelisk(cache, pinned)
    if own:
        return [own]
    if debian.usable():
        debian.install(in_range, WANTED)
        if in_range(version_of(["/usr/bin/bazel"])):
            return ["/usr/bin/bazel"]
        raise Stop("bazel-bootstrap is installed, but /usr/bin/bazel does not run as %s" % WANTED)
    raise Stop(
        "no Bazel %s on PATH, bazelisk cannot download one, and this is not Debian as root; install Bazel %s"
        % (WANTED, pinned)
    )


def bazelisk(cache, pinned):
    """Returns a bazelisk under the cache that has downloaded Bazel, or "" where that does not work.

    A refusal is remembered for this cache, so that a closed network is asked once."""
    path = cache / "bin" / "bazelisk"
    refused = cache / "bin" / "bazelisk.refused"
    if refused.exists():
        return ""
    if not path.exists():
        if not shutil.which("go"):
            return ""
        say("no Bazel %s found; trying bazelisk: go install %s into %s" % (WANTED, BAZELISK, path.parent))
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            ["go", "install", BAZELISK], env={**os.environ, "GOBIN": str(path.parent)}, capture_output=True, check=False
        )
    environment = {**os.environ, "USE_BAZEL_VERSION": pinned}
    if path.exists() and in_range(version_of([str(path)], environment)):
        return str(path)
    say("bazelisk cannot download Bazel %s from here" % pinned)
    refused.parent.mkdir(parents=True, exist_ok=True)
    refused.touch()
    return ""
