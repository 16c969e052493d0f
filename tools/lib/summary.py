"""summary.py RESULTS SUMMARY SECONDS: turns the collected result lines into one JSON file and a closing line.

SUMMARY gets {"passed", "failed", "skipped", "seconds", "results": [...]}. The last line printed is
`N passed, N failed, N skipped`; unit tests count one by one, interop cases one each. Exit status 1 on any failure and
when nothing passed.
"""

import json
import sys


def main() -> int:
    """Writes the summary and returns the exit status."""
    results, summary, seconds = sys.argv[1:4]
    with open(results, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for row in rows:
        if row["kind"] == "unit" and "tests" in row:
            failed = len(row["failures"]) or (1 if row["status"] == "failed" else 0)
            counts["failed"] += failed
            counts["passed"] += max(0, row["tests"] - len(row["failures"]))
            counts["skipped"] += len(row["skipped"])
        else:
            counts[row["status"]] += 1
    with open(summary, "w", encoding="utf-8") as file:
        json.dump({**counts, "seconds": float(seconds), "results": rows}, file, indent=1)
        file.write("\n")
    failed = [row["name"] for row in rows if row["status"] == "failed"]
    if failed:
        print("failed: " + ", ".join(failed))
    print(f"summary: {summary}")
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
