"""bench_loss.py: commissioning over networks that lose datagrams, as a table by loss rate."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> int:
    """Runs the tests that measure, and prints what they found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "loss.jsonl"
        command = ["swift", "test", "--package-path", options.root, "--scratch-path", options.scratch, "--skip-build"]
        command += ["--disable-xctest", "--filter", r"^FaultTests\.FaultSuites/LossTests"]
        environment = os.environ | {
            "MATTERHUB_LOSS_RUNS": str(options.runs),
            "MATTERHUB_LOSS_RATES": "0,0.1,0.2,0.3,0.4",
            "MATTERHUB_LOSS_TABLE": str(table),
        }
        done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if not table.exists():
            sys.stderr.buffer.write(done.stderr[-4000:])
            return 1
        rows = [json.loads(line) for line in table.read_text(encoding="utf-8").splitlines()]
    print(f"{'LOSS':>5} {'RUNS':>5} {'FIRST TRY':>10} {'ONE REPEAT':>11} {'MEDIAN':>8} {'P95':>8}")
    for row in rows:
        first, repeat = (f"{row[key] / row['runs']:.1%}" for key in ("first", "withRepeat"))
        print(
            f"{row['loss']:>5.0%} {row['runs']:>5} {first:>10} {repeat:>11} "
            f"{row['medianMs'] / 1000:>7.2f}s {row['p95Ms'] / 1000:>7.2f}s"
        )
    if options.json:
        options.json.write_text(json.dumps(rows), encoding="utf-8")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
