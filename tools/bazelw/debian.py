"""Installs Bazel from Debian: the suite forky has bazel-bootstrap 7.7.1. Only ever as root, and only when nothing else gave a Bazel.

Side effect, said before it happens: libc6, libstdc++6 and the sanitizer runtimes become forky's."""

import os
import pathlib
import re

from say import Stop, run, say

SUITE = "forky"
PACKAGES = ["bazel-bootstrap", "bazel-skylib", "bazel-rules-shell", "bazel-rules-pkg"]
APT = pathlib.Path("/etc/apt")


def os_release():
    """/etc/os-release as a dict."""
    try:
        lines = pathlib.Path("/etc/os-release").read_text().splitlines()
    except OSError:
        return {}
    return {k: v.strip('"') for k, _, v in (line.partition("=") for line in lines) if v}


def usable():
    """Whether this is Debian and we may change its packages."""
    return os_release().get("ID") == "debian" and os.geteuid() == 0


def stanzas():
    """Yields each of this machine's archive entries as (URIs, suites, Signed-By)."""
    for path in sorted((APT / "sources.list.d").glob("*.sources")):
        for paragraph in path.read_text().split("\n\n"):
            fields = dict(line.split(": ", 1) for line in paragraph.splitlines() if ": " in line)
            if fields.get("Types", "").split()[:1] == ["deb"]:
                yield fields.get("URIs", ""), fields.get("Suites", "").split(), fields.get("Signed-By", "")
    for path in [APT / "sources.list", *sorted((APT / "sources.list.d").glob("*.list"))]:
        if not path.exists():
            continue
        for line in path.read_text().splitlines():
            found = re.match(r"deb\s+(?:\[(.*?)\]\s+)?(\S+)\s+(\S+)\s+(?:.*\s)?main\b", line)
            if found:
                signed = re.search(r"signed-by=(\S+)", found[1] or "")
                yield found[2], [found[3]], signed[1] if signed else ""


def add_suite():
    """Adds the suite, from the mirror this machine already uses, at a priority that upgrades nothing by itself."""
    codename = os_release().get("VERSION_CODENAME", "")
    ours = [(uris, signed) for uris, suites, signed in stanzas() if codename in suites]
    # Other vendors' archives use Debian's code names too; Debian's own ends in /debian by custom.
    ours.sort(key=lambda entry: not entry[0].rstrip("/").endswith("/debian"))
    if not ours:
        raise Stop("no archive entry for Debian %s under %s, so its mirror is unknown" % (codename, APT))
    uris, signed = ours[0]
    source = APT / "sources.list.d" / "warpwright-forky.sources"
    pin = APT / "preferences.d" / "warpwright-forky"
    say("adding Debian %s as %s, pinned at 50 by %s" % (SUITE, source, pin))
    text = "Types: deb\nURIs: %s\nSuites: %s\nComponents: main\n" % (uris, SUITE)
    source.write_text(text + ("Signed-By: %s\n" % signed if signed else ""))
    pin.write_text("Package: *\nPin: release n=%s\nPin-Priority: 50\n" % SUITE)
    say("apt-get update")
    run(["apt-get", "update", "-qq"], "reading Debian's package lists")


def install(in_range, wanted):
    """Installs bazel-bootstrap, or stops by name where the suite's version has left the range."""
    say("this is Debian and we are root: Bazel comes from Debian %s" % SUITE)
    add_suite()
    table = run(["apt-cache", "madison", PACKAGES[0]], "looking for %s" % PACKAGES[0])
    versions = [line.split("|")[1].strip() for line in table.splitlines() if " %s/" % SUITE in line]
    if not any(in_range(version) for version in versions):
        raise Stop(
            "Debian %s offers %s %s, this repository builds with %s; put such a Bazel on PATH"
            % (SUITE, PACKAGES[0], ", ".join(versions) or "in no version", wanted)
        )
    say("apt-get install %s (libc6, libstdc++6 and the sanitizer runtimes become %s's)" % (" ".join(PACKAGES), SUITE))
    run(
        ["apt-get", "-y", "--no-install-recommends", "-t", SUITE]
        # forky moved files between packages; conffiles that someone edited stay as they are.
        + ["-o", "Dpkg::Options::=--force-overwrite", "-o", "Dpkg::Options::=--force-confold"]
        + ["install", *PACKAGES],
        "installing Bazel",
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
    )
