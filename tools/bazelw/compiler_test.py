"""Tests of the wish for a compiler."""

import os
import pathlib
import tempfile
import unittest
import unittest.mock

import compiler
from say import Stop


class Check(unittest.TestCase):
    def compiler(self, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "g++"
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return str(path)

    @unittest.mock.patch.dict(os.environ)
    def test_versions(self):
        os.environ.pop("CC", None)
        for version in "12.2.0", "12", "14.2.1":
            compiler.check(self.compiler("echo " + version))
        for version in "11.4.0", "9", "":
            with self.assertRaisesRegex(Stop, "is version %s: requires 12 or newer" % version):
                compiler.check(self.compiler("echo " + version))
        with self.assertRaisesRegex(Stop, "no-such-compiler"):
            compiler.check("no-such-compiler")

    @unittest.mock.patch.dict(os.environ, {"CC": "clang"})
    def test_leaves_a_named_one_alone(self):
        compiler.check("no-such-compiler")


if __name__ == "__main__":
    unittest.main()
