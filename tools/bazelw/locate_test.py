"""Tests of finding Bazel."""

import pathlib
import tempfile
import unittest

import locate


class Range(unittest.TestCase):
    def test_seven_seven_up_to_seven(self):
        for version, want in {
            "7.7.0": True,
            "7.7.1-2": True,
            "7.12.0": True,
            "7.6.9": False,
            "8.0.0": False,
            "8.7.0": False,
            "6.9.9": False,
            "": False,
            "no_version": False,
        }.items():
            self.assertEqual(want, locate.in_range(version), version)


class Version(unittest.TestCase):
    def program(self, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "bazel"
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return [str(path)]

    def test_reads_the_version_line(self):
        self.assertEqual("7.7.1", locate.version_of(self.program("echo bazel 7.7.1")))

    def test_reads_past_a_wrapper_that_talks(self):
        self.assertEqual("7.7.1", locate.version_of(self.program("echo Downloading; echo bazel 7.7.1")))

    def test_failure_is_no_version(self):
        self.assertEqual("", locate.version_of(self.program("echo bazel 7.7.1; exit 1")))

    def test_absent_program_is_no_version(self):
        self.assertEqual("", locate.version_of(["/nonexistent/bazel"]))


if __name__ == "__main__":
    unittest.main()
