"""Tests of bazelw's own steps."""

import contextlib
import io
import pathlib
import tempfile
import unittest

import main


class Verb(unittest.TestCase):
    def test_is_the_first_that_bazel_knows(self):
        for line, want in {
            "test //...": "test",
            "--output_base /somewhere test //...": "test",
            "--batch build //test": "build",
            "run //go/cmd/ww -- test": "run",
            "query tests(//...)": "query",
        }.items():
            arguments = line.split()
            self.assertEqual(want, arguments[main.verb_at(arguments)], line)

    def test_may_be_missing(self):
        self.assertIsNone(main.verb_at(["--version"]))
        self.assertIsNone(main.verb_at([]))


class RunTests(unittest.TestCase):
    """A stand-in for Bazel writes the events that it is asked for."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.bazel = self.folder / "bazel"
        self.bazel.write_text(
            "#!/bin/sh\n"
            'echo "$@" >%s/arguments\n'
            'for argument; do case $argument in --build_event_json_file=*) file=${argument#*=};; esac; done\n'
            "echo '{\"id\": {\"testResult\": {\"label\": \"//a\"}}, \"testResult\": {\"status\": \"FAILED\"}}' >$file\n"
            "exit 3\n" % self.folder
        )
        self.bazel.chmod(0o755)

    def run_tests(self, *arguments):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = main.run_tests([str(self.bazel)], list(arguments), main.verb_at(arguments) + 1)
        return code, printed.getvalue(), (self.folder / "arguments").read_text().split()

    def test_keeps_the_exit_code_and_closes_with_the_count(self):
        code, printed, arguments = self.run_tests("--batch", "test", "//...")
        self.assertEqual((3, "0 passed, 1 failed, 0 skipped\n"), (code, printed))
        self.assertEqual(["--batch", "test", "//..."], [a for a in arguments if "event" not in a])

    def test_reads_the_file_that_the_caller_chose(self):
        chosen = self.folder / "chosen.json"
        code, printed, _ = self.run_tests("test", "--build_event_json_file=%s" % chosen, "//...")
        self.assertEqual((3, "0 passed, 1 failed, 0 skipped\n"), (code, printed))
        self.assertTrue(chosen.exists())


if __name__ == "__main__":
    unittest.main()
