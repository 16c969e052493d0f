"""bench_commission.py --logs DIR [--runs N] [--json FILE]: see `tools/bench --help`."""

import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "interop")]

import run as cases  # noqa: E402

LEAST_RUNS = 7


@dataclass
class Side:
    """What one of the two did."""

    name: str
    seconds: list[float] = field(default_factory=list)
    stages: dict[str, list[float]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    paths: Counter[str] = field(default_factory=Counter)

    def add(self, seconds: float, stages: dict[str, float]) -> None:
        """Adds one run: its time, and the milliseconds of its stages."""
        self.seconds.append(seconds)
        for stage, milliseconds in stages.items():
            self.stages.setdefault(stage, []).append(milliseconds)

    def line(self) -> str:
        """Median and spread in words."""
        if not self.seconds:
            return f"{self.name:<12} no run succeeded"
        return (
            f"{self.name:<12} median {statistics.median(self.seconds) * 1000:7.1f} ms   "
            f"from {min(self.seconds) * 1000:.1f} to {max(self.seconds) * 1000:.1f} ms   {len(self.seconds)} runs"
        )

    def summary(self) -> dict:
        """The same for machines."""
        return {
            "seconds": self.seconds,
            "median": statistics.median(self.seconds) if self.seconds else None,
            "stagesMedianMs": {stage: statistics.median(values) for stage, values in self.stages.items()},
            "operationalPaths": self.paths,
            "failures": self.failures,
        }


def measure(side: Side, logs: Path) -> None:
    """One run of one side, in a sandbox of its own. A run that fails is reported, and counts for nothing."""
    outcome = cases.run(cases.Row(f"bench-{side.name}", ["hub", "dev"], 90, ""), logs)
    if outcome["status"] == "passed":
        side.add(outcome["facts"]["seconds"], outcome["facts"]["stages"])
        if path := outcome["facts"].get("operationalPath"):
            side.paths[path] += 1
        print(f"  {side.name:<12} {side.seconds[-1] * 1000:7.1f} ms", flush=True)
    else:
        side.failures.append(outcome["error"])
        print(f"  {side.name:<12} FAILED: {outcome['error'].strip()}", flush=True)


def main() -> int:
    """Returns 0 when a ratio was printed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logs", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    mine, theirs = Side("ours"), Side("reference")
    for number in range(options.runs):
        # Which goes first changes, so that neither always finds the machine as the other left it.
        for side in (mine, theirs) if number % 2 == 0 else (theirs, mine):
            measure(side, options.logs / f"{number + 1:02}")
    print(f"\n{mine.line()}\n{theirs.line()}")
    for side in (mine, theirs):
        if side.stages:
            shown = [(stage, statistics.median(values)) for stage, values in side.stages.items()]
            print(
                f"\n{side.name} by stage (median ms): "
                + ", ".join(f"{stage} {value:.1f}" for stage, value in shown if value >= 0.05)
            )
        if side.paths:
            shown = ", ".join(f"{count} by {path}" for path, count in sorted(side.paths.items()))
            print(f"{side.name} met the device on the fabric: {shown}")
    machine = {
        "cpus": os.cpu_count(),
        "machine": platform.machine(),
        "load": os.getloadavg()[0],
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }
    print(f"\nmachine: {json.dumps(machine)}")
    enough = len(mine.seconds) >= LEAST_RUNS and len(theirs.seconds) >= LEAST_RUNS
    ratio = round(statistics.median(mine.seconds) / statistics.median(theirs.seconds), 3) if enough else None
    if options.json:
        text = json.dumps({"ours": mine.summary(), "reference": theirs.summary(), "machine": machine, "ratio": ratio})
        options.json.write_text(text + "\n", encoding="utf-8")
    if ratio is None:
        print(
            f"no ratio: {len(mine.seconds)} of our runs and {len(theirs.seconds)} of the reference's succeeded; "
            f"it takes {LEAST_RUNS} of each"
        )
        return 1
    print(f"ratio {ratio:.2f} (ours / reference)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
