"""Tests of the closing line."""

import json
import pathlib
import tempfile
import unittest

import report


def configured(label, test=True):
    payload = {"targetKind": "go_test rule"}
    if test:
        payload["testSize"] = "SMALL"
    return {"id": {"targetConfigured": {"label": label}}, "configured": payload}


def completed(label, good=True):
    return {"id": {"targetCompleted": {"label": label}}, "completed": {"success": True} if good else {}}


def skipped(label):
    return {"id": {"targetCompleted": {"label": label}}, "aborted": {"reason": "SKIPPED"}}


def result(label, status, xml=None, run=1, shard=1, attempt=1):
    outputs = [{"name": "test.xml", "uri": pathlib.Path(xml).as_uri()}] if xml else []
    identity = {"label": label, "run": run, "shard": shard, "attempt": attempt}
    return {"id": {"testResult": identity}, "testResult": {"status": status, "testActionOutput": outputs}}


class ClosingLine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def xml(self, *cases):
        """Writes a report with one case a word: pass, fail, error or skip."""
        body = {"pass": "", "fail": "<failure/>", "error": "<error/>", "skip": "<skipped/>"}
        text = "".join('<testcase name="t">%s</testcase>' % body[case] for case in cases)
        # A space in the path: the events quote it.
        path = pathlib.Path(self.folder.name) / ("test report %d.xml" % len(list(pathlib.Path(self.folder.name).iterdir())))
        path.write_text("<testsuites><testsuite>%s</testsuite></testsuites>" % text)
        return path

    def check(self, want, *events):
        self.assertEqual(want, report.count(list(events)).line())

    def test_counts_cases_and_not_targets(self):
        self.check(
            "3 passed, 2 failed, 1 skipped",
            configured("//a"),
            result("//a", "PASSED", self.xml("pass", "pass", "skip")),
            completed("//a"),
            configured("//b"),
            result("//b", "FAILED", self.xml("pass", "fail", "error")),
            completed("//b"),
        )

    def test_target_without_report_counts_once(self):
        self.check("1 passed, 1 failed, 0 skipped", result("//a", "PASSED"), result("//b", "TIMEOUT"))

    def test_failure_that_no_case_shows_is_a_failure(self):
        self.check("2 passed, 1 failed, 0 skipped", result("//a", "FAILED", self.xml("pass", "pass")))

    def test_report_cut_short_is_a_failure(self):
        path = self.xml("pass")
        path.write_text("<testsuites><testsu")
        self.check("0 passed, 1 failed, 0 skipped", result("//a", "FAILED", path))

    def test_last_attempt_counts(self):
        self.check(
            "1 passed, 0 failed, 0 skipped",
            result("//a", "FAILED", self.xml("fail"), attempt=1),
            result("//a", "FLAKY", self.xml("pass"), attempt=2),
        )

    def test_shards_and_runs_add_up(self):
        self.check(
            "4 passed, 0 failed, 0 skipped",
            result("//a", "PASSED", self.xml("pass"), shard=1),
            result("//a", "PASSED", self.xml("pass"), shard=2),
            result("//a", "PASSED", self.xml("pass", "pass"), run=2),
        )

    def test_test_that_does_not_build_is_a_failure(self):
        self.check("0 passed, 1 failed, 0 skipped", configured("//a"), completed("//a", good=False))

    def test_library_is_not_counted(self):
        self.check("0 passed, 0 failed, 0 skipped", configured("//l", test=False), completed("//l"))

    def test_incompatible_target_is_skipped(self):
        self.check("0 passed, 0 failed, 1 skipped", skipped("//gpu"))

    def test_reads_a_file_of_events(self):
        path = pathlib.Path(self.folder.name) / "events.json"
        path.write_text("".join(json.dumps(e) + "\n" for e in [configured("//a"), result("//a", "PASSED")]))
        self.assertEqual("1 passed, 0 failed, 0 skipped", report.closing_line(path))

    def test_no_events_at_all(self):
        self.assertEqual("0 passed, 0 failed, 0 skipped", report.closing_line("/nonexistent/events.json"))


if __name__ == "__main__":
    unittest.main()
