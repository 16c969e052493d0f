"""The device half of the conformance suite, as interop cases use it: what must fail on a peer is listed in the case."""

import json

from .case import Case


def examine(
    case: Case, code: str, *options: object, findings: dict[str, str], skipped: dict[str, str], seconds: float
) -> list[dict]:
    """Runs `matterhub conformance device` from node `hub`. Exactly the cases in `findings` must fail and exactly those
    in `skipped` must be skipped; the values say why. Returns the records."""
    result = case.call(
        "conformance",
        "hub",
        case.matterhub,
        "conformance",
        "device",
        code,
        "--json",
        "--tap",
        case.folder / "report.tap",
        "--junit",
        case.folder / "report.xml",
        "--html",
        case.folder / "report.html",
        *options,
        seconds=seconds,
    )
    lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    records = [line for line in lines if "case" in line]
    case.check(bool(records), f"no case ran: {result.stderr.strip()[-400:]}")
    for outcome, listed in (("failed", findings), ("skipped", skipped)):
        found = {record["case"]: record for record in records if record["outcome"] == outcome}
        more, less = sorted(found.keys() - listed.keys()), sorted(listed.keys() - found.keys())
        words = "; ".join(f"{name}: {found[name].get('seen') or found[name].get('reason')}" for name in more)
        case.check(not more, f"{outcome} and not listed: {words}")
        case.check(not less, f"listed as {outcome}, but not: {', '.join(less)}")
    interrupted = [record["case"] for record in records if record["outcome"] == "interrupted"]
    case.check(not interrupted, f"interrupted: {interrupted}")
    passed = sum(record["outcome"] == "passed" for record in records)
    case.did(f"{passed} of {len(records)} cases passed, {len(findings)} known findings, {len(skipped)} skipped")
    return lines
