"""How bazelw speaks: on stderr, before it does a thing, and with the fix when it cannot."""

import subprocess
import sys


class Stop(Exception):
    """bazelw cannot go on; the message says why and what to do."""


def say(text):
    """Announces the next step."""
    print("bazelw: " + text, file=sys.stderr, flush=True)


def run(command, why, **options):
    """Runs a command to its end and returns its stdout; a failure stops bazelw with the command's own words."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Stop("%s: %s" % (why, error)) from error
    if done.returncode:
        words = (done.stderr.strip() or done.stdout.strip())[-2000:]
        raise Stop("%s: `%s` exited with %d\n%s" % (why, " ".join(map(str, command)), done.returncode, words))
    return done.stdout
