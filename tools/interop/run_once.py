"""`tools/run --once` itself, with the program that was just built: what a newcomer sees must happen."""

import subprocess
from pathlib import Path

from harness import Case

RUN = Path(__file__).resolve().parents[1] / "run"


def run(case: Case) -> None:
    """Expects status 0 and the closing line."""
    result = subprocess.run(
        [str(RUN), "--once", "--yes", "--binary", str(case.matterhub)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    (case.folder / "run.log").write_text(result.stdout, encoding="utf-8")
    words = " | ".join(line.strip() for line in result.stdout.strip().splitlines()[-6:])
    case.check(result.returncode == 0, f"status {result.returncode}: {words}")
    case.check("All of it happened." in result.stdout, f"status 0 without the closing line: {words}")
    case.did("hub found, light commissioned and switched")
