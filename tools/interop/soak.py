"""The short form of tools/soak, and the tests of the rule by which the long one tells a leak."""

import json
import sys
from pathlib import Path

from harness import Case

SOAK = Path(__file__).resolve().parents[1] / "lib" / "soak"
OPTIONS = ("--cycles", 60, "--clients", 100, "--active", 10, "--faults", 20, "--quick")


def run(case: Case) -> None:
    """Expects no problem; says what was done."""
    tests = case.call("rule", "hub", sys.executable, SOAK / "test_flatness.py")
    case.check(tests.returncode == 0, f"the rule's own tests fail: {tests.stderr.strip()[-800:]}")
    report = case.folder / "soak.json"
    command = [sys.executable, SOAK / "run.py", "--binary", case.matterhub, "--folder", case.folder / "soak"]
    result = case.call("soak", "hub", *command, *OPTIONS, "--json", report, seconds=190)
    case.check(report.exists(), f"status {result.returncode}: {result.stderr.strip()[-800:]}")
    facts = json.loads(report.read_text(encoding="utf-8"))
    case.check(not facts["problems"], "\n".join(facts["problems"]))
    case.check(result.returncode == 0, f"status {result.returncode} without a problem")
    case.facts |= {name: facts[name] for name in ("outcomes", "requests", "deaths", "descriptors", "rows")}
    faulty = sum(sum(outcomes.values()) for kind, outcomes in facts["outcomes"].items() if kind != "none")
    case.did(
        f"{OPTIONS[1]} cycles, {faulty} with a fault, {facts['requests']['sent']} requests, {len(facts['deaths'])} kinds of "
        f"death; nothing stuck, nothing left"
    )
