"""Reads what `swift test --xunit-output` wrote.

unit_report.py suites WORD XML
    prints a --filter for the suites whose tests were skipped with a reason that has this word in it
unit_report.py report RESULTS STATUS FILTER XML... < the package's test targets, one a line
    says for every test target how many tests ran, and appends the same to RESULTS. A test that was skipped in one file
    and ran in another ran. Fails when a test failed, when the run itself did (STATUS), and, without a filter, when
    nothing or a target ran no test: Swift's own runner calls the last a success. A filter that matches nothing here may
    match an interop case: the summary decides.
"""

import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field


@dataclass
class Test:
    """What became of one test."""

    skipped: str | None = None
    failure: str | None = None
    seconds: float = 0.0


@dataclass
class Target:
    """What one test target did."""

    ran: int = 0
    longest: float = 0.0
    skipped: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


def read(path: str) -> dict[tuple[str, str], Test]:
    """The tests of one file by class name and name."""
    tests = {}
    for case in ElementTree.parse(path).iter("testcase"):
        skipped, failures = case.find("skipped"), case.findall("failure") + case.findall("error")
        tests[case.get("classname", "?"), case.get("name", "?")] = Test(
            None if skipped is None else skipped.text or "no reason given",
            failures[0].get("message", "failed") if failures else None,
            float(case.get("time", 0)),
        )
    return tests


def suites(word: str, path: str) -> int:
    """Prints the filter, if there is something to filter."""
    names = {name for (name, _), test in read(path).items() if test.skipped and word in test.skipped}
    if names:
        print("|".join(f"^{re.escape(name)}[./]" for name in sorted(names)))
    return 0


def report(results: str, status: int, filtered: str, paths: list[str]) -> int:
    """Prints a line a target and returns the exit status."""
    targets = {name: Target() for name in sys.stdin.read().split()}
    trouble = [] if targets else ["the package names no test target"]
    tests: dict[tuple[str, str], Test] = {}
    for path in paths:
        try:
            found = read(path)
        except (OSError, ElementTree.ParseError) as error:
            trouble.append(f"the test run left no results ({error}): it ended before its last test")
            continue
        tests.update({key: test for key, test in found.items() if key not in tests or tests[key].skipped})
    for (class_name, name), test in tests.items():
        target = targets.setdefault(class_name.split(".")[0], Target())
        if test.skipped:
            target.skipped.append(f"{class_name}/{name}: {test.skipped}")
            continue
        target.ran += 1
        target.longest = max(target.longest, test.seconds)
        if test.failure:
            target.failed.append(f"{class_name}/{name}: {test.failure}")
    if not any(target.ran for target in targets.values()) and not trouble:
        if filtered:
            print(f"     unit     no test matches '{filtered}'")
            return 0
        trouble.append("no test ran")
    rows = [
        row(name, target)
        for name, target in sorted(targets.items())
        if target.ran or target.skipped or not (filtered or trouble)
    ]
    if status and not trouble and not any(entry["failures"] for entry in rows):
        trouble.append(f"swift test ended with status {status} although no test reported a failure")
    rows += [
        {"kind": "unit", "name": "swift test", "status": "failed", "seconds": 0, "detail": text} for text in trouble
    ]
    with open(results, "a", encoding="utf-8") as file:
        for entry in rows:
            file.write(json.dumps(entry) + "\n")
    for entry in rows:
        print(f"{'ok  ' if entry['status'] == 'passed' else 'FAIL'} unit     {entry['name']:<28} {entry['detail']}")
        for text in entry.get("failures", []):
            print(f"       {text}")
    return 1 if any(entry["status"] == "failed" for entry in rows) else 0


def row(name: str, target: Target) -> dict:
    """A target's line in the results."""
    detail = f"{target.ran} tests" if target.ran else "no test ran"
    detail += f", {len(target.skipped)} skipped" if target.skipped else ""
    return {
        "kind": "unit",
        "name": name,
        "status": "failed" if target.failed or not target.ran else "passed",
        "seconds": round(target.longest, 3),
        "detail": detail,
        "failures": target.failed,
        "skipped": target.skipped,
        "tests": target.ran,
    }


if __name__ == "__main__":
    if sys.argv[1] == "suites":
        sys.exit(suites(sys.argv[2], sys.argv[3]))
    sys.exit(report(sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5:]))
