"""Wants the C++ compiler that kernels are emulated with."""

import os
import re

from say import Stop, run

OLDEST = 12


def check(name="g++"):
    """Stops where the compiler is older than the flags of emu/private/kernels.bzl. Who names one in CC answers for it."""
    if os.environ.get("CC"):
        return
    version = run([name, "-dumpfullversion", "-dumpversion"], "kernels run on a CPU as g++ compiles them").strip()
    found = re.match(r"(\d+)", version)
    if not found or int(found[1]) < OLDEST:
        raise Stop("%s is version %s: requires %d or newer; install one, or name one in CC" % (name, version, OLDEST))
