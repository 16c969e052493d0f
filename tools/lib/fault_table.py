"""fault_table.py RESULTS [LOG...]: the table of the fault matrix by stage and fault; fails when a promise was broken."""

import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

ENDINGS = ("fail", "cancel", "clientDies", "crash")


def main() -> int:
    """Prints the table and returns the exit status."""
    runs = [json.loads(line) for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines() if line]
    cells: dict[tuple[str, str], dict[str, Counter]] = defaultdict(lambda: defaultdict(Counter))
    stages: list[str] = []
    for run in runs:
        if run["stage"] not in stages:
            stages.append(run["stage"])
        cells[run["stage"], run["fault"]][run["ending"]]["BROKEN" if run["problems"] else run["outcome"]] += 1
    order = list(dict.fromkeys(stages))
    rows = [("STAGE", "FAULT", *(ending.upper() for ending in ENDINGS))]
    for (stage, fault), by_ending in sorted(cells.items(), key=lambda item: (order.index(item[0][0]), item[0][1])):
        rows.append((stage, fault, *(words(by_ending[ending]) for ending in ENDINGS)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    broken = [run for run in runs if run["problems"]]
    for run in broken[:40]:
        print(f"BROKEN {run['stage']}:{run['fault']}/{run['ending']}: {'; '.join(run['problems'])}")
    total = {found for log in sys.argv[2:] for found in re.findall(r" of (\d+) combinations", Path(log).read_text("utf-8"))}
    print(f"{len(runs)} of {'/'.join(sorted(total)) or '?'} combinations, {len(broken)} broken")
    return 1 if broken or not runs or not total else 0


def words(outcomes: Counter) -> str:
    """The outcomes of one cell; one that is not alone has its count."""
    if len(outcomes) == 1:
        return next(iter(outcomes))
    return ", ".join(f"{outcome}×{count}" for outcome, count in sorted(outcomes.items()))


if __name__ == "__main__":
    sys.exit(main())
