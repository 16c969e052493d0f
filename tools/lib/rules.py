"""rules.py RESULTS_FOLDER [--json] TABLE...: the rules of Markdown tables (rule | test), with what became of each test.

The second column names tests between backticks, as `swift test` does; names of one word are commands or cases and are
left to the reader. RESULTS_FOLDER has the unit-*.xml of the last run of the unit tests. Exit status: 0 every rule holds, 1
a test of a rule failed, was skipped or did not run.
"""

import json
import re
import sys
from pathlib import Path

import unit_report


def rows(table: Path) -> list[tuple[str, list[str]]]:
    """Rule and names of tests of each row."""
    found = []
    for line in table.read_text(encoding="utf-8").splitlines():
        cells = line.split("|")
        if line.startswith("| ") and len(cells) == 4 and not cells[2].strip() == "test":
            names = [name for name in re.findall(r"`([^`]+)`", cells[2]) if " " in name and not name.startswith("tools/")]
            found.append((cells[1].strip(), names))
    return found


def outcomes(folder: Path) -> dict[str, str]:
    """passed, failed or skipped by the name of a test; the worst where two have one name."""
    worst = ["passed", "skipped", "failed"]
    found: dict[str, str] = {}
    for path in folder.glob("unit-*.xml"):
        for (_, name), test in unit_report.read(str(path)).items():
            plain = re.sub(r"\(.*\)$", "", name).strip("`")
            outcome = "failed" if test.failure else "skipped" if test.skipped else "passed"
            found[plain] = max(found.get(plain, outcome), outcome, key=worst.index)
    return found


def main(arguments: list[str]) -> int:
    """Prints the tables and returns the exit status."""
    is_json = "--json" in arguments
    folder, *tables = (Path(argument) for argument in arguments if argument != "--json")
    known, status = outcomes(folder), 0
    for table in tables:
        if not is_json:
            print(f"{table.stem}:")
        for rule, names in rows(table):
            became = {name: known.get(name, "not run") for name in names}
            bad = {name: outcome for name, outcome in became.items() if outcome != "passed"}
            status |= bool(bad)
            if is_json:
                print(json.dumps({"table": table.stem, "rule": rule, "tests": became}, ensure_ascii=False))
                continue
            passed = len(became) - len(bad)
            print(f"  {'ok  ' if not bad else 'LOOK'} {passed}/{len(became)} {rule}")
            for name, outcome in bad.items():
                print(f"            {outcome}: {name}")
    return status


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
