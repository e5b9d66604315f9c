"""Does what docs/add-a-kernel.md says, in another copy of the repository: walk.py PAGE TREE.

A line that is nothing but a path in backquotes names the file that the next block holds. A block of the language diff is a change
to a file that is there; it must apply without fuzz.
"""

import pathlib
import re
import subprocess
import sys


def blocks(page):
    """Yields (name of the file or None, language, text) of every block of a page."""
    name = None
    lines = iter(page.splitlines(keepends=True))
    for line in lines:
        fence = re.fullmatch(r"```(\w*)\n", line)
        if fence:
            text = []
            for inner in lines:
                if inner == "```\n":
                    break
                text.append(inner)
            else:
                sys.exit("walk: a block is not closed")
            yield name, fence[1], "".join(text)
            name = None
        elif line.strip():
            path = re.fullmatch(r"`([\w./-]+)`\n", line)
            name = path[1] if path else None


def main(page, tree):
    written = changed = 0
    for name, language, text in blocks(pathlib.Path(page).read_text()):
        if name:
            target = pathlib.Path(tree, name)
            if target.exists():
                sys.exit("walk: %s is there already" % name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
            written += 1
        elif language == "diff":
            subprocess.run(["patch", "-p1", "--fuzz=0", "--no-backup-if-mismatch", "--directory", tree], input=text, text=True, check=True)
            changed += 1
    if not written or not changed:
        sys.exit("walk: %s has %d files and %d changes: it is not the page that this script knows" % (page, written, changed))
    print("walk: %d files, %d changes" % (written, changed))


if __name__ == "__main__":
    main(*sys.argv[1:])
