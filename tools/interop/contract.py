"""Hub, client and Protocols/ held to each other: tools/lib/contract/check.py in a network node."""

import json
from pathlib import Path

from harness import Case

CHECK = Path(__file__).resolve().parents[1] / "lib" / "contract" / "check.py"


def run(case: Case) -> None:
    """Expects no problem; says what was seen."""
    python = case.peers / "validator" / "bin" / "python"
    command = [python, CHECK, "--binary", case.matterhub, "--folder", case.folder / "check"]
    result = case.call("check", "hub", *command, seconds=280)
    lines = result.stdout.strip().splitlines()
    case.check(bool(lines) and lines[-1].startswith("{"), f"status {result.returncode}: {result.stderr.strip()[-800:]}")
    facts = json.loads(lines[-1])
    case.check(not facts["problems"], "\n".join(facts["problems"]))
    case.check(result.returncode == 0, f"status {result.returncode} without a problem")
    case.facts |= facts
    case.did(
        f"{facts['frames']} frames fit the schema, with {len(facts['methods'])} methods, {len(facts['events'])} events, "
        f"{len(facts['reasons'])} reasons; {facts['mutated']} spoilt ones were refused"
    )
