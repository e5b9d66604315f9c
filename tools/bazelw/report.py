"""The closing line of `bazelw test`: test cases counted from Bazel's build events and the test.xml files they name."""

import json
import pathlib
import urllib.parse
import xml.etree.ElementTree

GOOD = {"PASSED", "FLAKY"}


class Count:
    """How many test cases passed, failed and were skipped."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def add(self, kind):
        setattr(self, kind, getattr(self, kind) + 1)

    def line(self):
        return "%d passed, %d failed, %d skipped" % (self.passed, self.failed, self.skipped)


def closing_line(path):
    """Reads a build event file (one JSON object a line) and returns the line to print last."""
    try:
        lines = pathlib.Path(path).read_text().splitlines()
    except OSError:
        lines = []
    return count([json.loads(line) for line in lines]).line()


def count(events):
    """Counts test cases over all events.

    A test that gave no report (it did not build, crashed, ran out of time) is one failure; a target that is
    incompatible with the platform, such as a GPU test without --config=gpu, is one skip."""
    total = Count()
    last = {}  # (label, run, shard) -> the last attempt's result
    tests = set()  # labels that configured as tests
    for event in events:
        kind, identity = next(iter(event.get("id", {}).items()), ("", {}))
        label = identity.get("label", "")
        if "configured" in event and "testSize" in event["configured"]:
            tests.add(label)
        if kind == "testResult" and "testResult" in event:
            key = (label, identity.get("run", 1), identity.get("shard", 1))
            attempt = identity.get("attempt", 1)
            if key not in last or attempt >= last[key][0]:
                last[key] = (attempt, event["testResult"])
    ran = {label for label, _, _ in last}
    for _, result in last.values():
        add_result(total, result)
    for event in events:
        label = event.get("id", {}).get("targetCompleted", {}).get("label", "")
        if not label or label in ran:
            continue
        if event.get("aborted", {}).get("reason") == "SKIPPED":
            total.add("skipped")
        elif label in tests:
            total.add("failed")
    return total


def add_result(total, result):
    """Adds one test target's cases: those its test.xml lists, else the target as a whole."""
    cases = read_cases(result)
    failures = 0
    for case in cases:
        if case.find("failure") is not None or case.find("error") is not None:
            total.add("failed")
            failures += 1
        elif case.find("skipped") is not None:
            total.add("skipped")
        else:
            total.add("passed")
    good = result.get("status") in GOOD
    if not good and not failures:
        total.add("failed")
    elif good and not cases:
        total.add("passed")


def read_cases(result):
    """The <testcase> elements of a result's test.xml, or [] where there is none to read."""
    for output in result.get("testActionOutput", []):
        if output.get("name") != "test.xml":
            continue
        path = urllib.parse.unquote(urllib.parse.urlparse(output.get("uri", "")).path)
        try:
            return list(xml.etree.ElementTree.parse(path).iter("testcase"))
        except (OSError, xml.etree.ElementTree.ParseError):
            return []
    return []
