"""run.py TABLE LOGS [--filter REGEX] [--results FILE] [--kind WORD] [--jobs N]: runs the cases of a table, N at a time
(2, since most of them wait for something most of the time).

Each line of TABLE: name, nodes, time limit in seconds, what it shows; separated by tabs. The case is the file of that
name in this folder. Each gets a sandbox of its own (tools/lab), so none sees what another left; one without nodes ("-")
makes its own. Prints one line a case; appends the same to FILE as JSON. Exit status 1 when a case failed or none was
run.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
LAB = HERE.parent / "lab"


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    name: str
    nodes: list[str]
    limit: float
    purpose: str


def read(table: Path) -> list[Row]:
    """The rows of a table; every row must have its file and every field."""
    rows = []
    for line in table.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, nodes, limit, purpose = line.split("\t")
        if not (HERE / f"{name.replace('-', '_')}.py").exists():
            sys.exit(f"{table.name} lists {name}, but there is no file for it in {HERE}")
        rows.append(Row(name, [] if nodes == "-" else nodes.split(), float(limit), purpose))
    return rows


def run(row: Row, logs: Path) -> dict:
    """Runs one case in a new sandbox and returns its outcome."""
    folder = logs / row.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command = [sys.executable, str(HERE / "harness" / "one.py"), row.name, str(folder)]
    if row.nodes:
        command = [str(LAB), "run", *row.nodes, "--", *command]
    start, late = time.monotonic(), False
    with open(folder / "sandbox.log", "wb") as log:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        try:
            child.wait(row.limit)
        except subprocess.TimeoutExpired:
            late = True
        finally:
            # Killing its first process ends everything in the sandbox.
            child.kill()
            child.wait()
    seconds = time.monotonic() - start
    try:
        outcome = json.loads((folder / "outcome.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        words = (folder / "sandbox.log").read_text(encoding="utf-8", errors="replace").strip()[-2000:]
        because = f"it did not end within {row.limit:.0f} s" if late else "it ended without an outcome"
        outcome = {
            "name": row.name,
            "status": "failed",
            "detail": "",
            "timings": {},
            "error": f"{because}\n{words}".strip(),
        }
    outcome["seconds"] = round(seconds, 2)
    return outcome


def show(outcome: dict, kind: str, logs: Path) -> None:
    """Prints the case's line, and for a failure what its programs said last."""
    word = {"passed": "ok  ", "skipped": "skip"}.get(outcome["status"], "FAIL")
    print(f"{word} {kind:<8} {outcome['name']:<28} {outcome['detail']} ({outcome['seconds']:.1f} s)")
    if word == "FAIL":
        print("       " + outcome["error"].strip().replace("\n", "\n       "))
        for log in sorted((logs / outcome["name"]).glob("*.err")):
            words = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-8:]
            if words:
                print(f"       --- {log.name}\n       " + "\n       ".join(words))
        print(f"       everything it wrote: {logs / outcome['name']}")
    sys.stdout.flush()


def main() -> int:
    """Runs the chosen cases and returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("logs", type=Path)
    parser.add_argument("--filter", default="")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--kind", default="interop")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    rows = [row for row in read(options.table) if re.search(options.filter, row.name)]
    if not rows:
        print(f"no {options.kind} case matches '{options.filter}'")
        return 1
    failed = False
    with ThreadPoolExecutor(max(1, options.jobs)) as beside:
        for row, outcome in zip(rows, beside.map(lambda row: run(row, options.logs), rows), strict=True):
            failed |= outcome["status"] == "failed"
            show(outcome, options.kind, options.logs)
            if options.results:
                with open(options.results, "a", encoding="utf-8") as file:
                    file.write(json.dumps({"kind": options.kind, "purpose": row.purpose, **outcome}) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
