"""unit_report.py XML RESULTS STATUS [FILTER] < test targets, one a line

Reads what `swift test --xunit-output` wrote and says, for every test target, how many tests ran. Fails when a test
failed, when the run itself failed, when nothing ran at all and, without a filter, when a target ran no test: Swift's
own runner calls all but the first of these a success.
"""

import json
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field


@dataclass
class Target:
    """What one test target did."""

    ran: int = 0
    skipped: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    seconds: float = 0.0


def read(path: str, targets: dict[str, Target]) -> None:
    """Adds up the test cases of an xUnit file by the module that their class name starts with."""
    for case in ElementTree.parse(path).iter("testcase"):
        target = targets.setdefault(case.get("classname", "?").split(".")[0], Target())
        skipped, failures = case.find("skipped"), case.findall("failure") + case.findall("error")
        name = f"{case.get('classname')}/{case.get('name')}"
        if skipped is not None:
            target.skipped.append(f"{name}: {skipped.text or 'no reason given'}")
            continue
        target.ran += 1
        target.seconds += float(case.get("time", 0))
        if failures:
            target.failed.append(f"{name}: {failures[0].get('message', 'failed')}")


def main() -> int:
    """Prints a line a target, appends the same to RESULTS, and returns the exit status."""
    path, results, status = sys.argv[1], sys.argv[2], int(sys.argv[3])
    filtered = sys.argv[4] if len(sys.argv) > 4 else ""
    targets = {name: Target() for name in sys.stdin.read().split()}
    trouble = []
    try:
        read(path, targets)
    except (OSError, ElementTree.ParseError) as error:
        trouble.append(f"the test run left no results ({error}): it ended before its last test")
    if not targets:
        trouble.append("the package names no test target")
    if not any(target.ran for target in targets.values()):
        if filtered and not trouble:
            print(f"     unit     no test matches '{filtered}'")
            return 0
        trouble.append("no test ran")
    rows = []
    for name, target in sorted(targets.items()):
        if not target.ran and not target.skipped and (filtered or trouble):
            continue
        bad = bool(target.failed) or not target.ran
        detail = f"{target.ran} tests" + (f", {len(target.skipped)} skipped" if target.skipped else "")
        if not target.ran:
            detail = "no test ran"
        rows.append({"kind": "unit", "name": name, "status": "failed" if bad else "passed",
                     "seconds": round(target.seconds, 3), "detail": detail,
                     "failures": target.failed, "skipped": target.skipped, "tests": target.ran})
    if status and not trouble and not any(row["status"] == "failed" for row in rows):
        trouble.append(f"swift test ended with status {status} although no test reported a failure")
    for message in trouble:
        rows.append({"kind": "unit", "name": "swift test", "status": "failed", "seconds": 0, "detail": message})
    with open(results, "a", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row) + "\n")
    for row in rows:
        mark = "ok  " if row["status"] == "passed" else "FAIL"
        print(f"{mark} unit     {row['name']:<28} {row['detail']} ({row['seconds']:.1f} s of test time)")
        for failure in row.get("failures", []):
            print(f"       {failure}")
    return 1 if any(row["status"] == "failed" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
