"""`matterhub conformance hub` from another node of the network: with DNS-SD, so that the advertisement is examined too,
and with virtual devices that the hub reaches over the network."""

import json

import matterhub_cli as cli
from harness import Case, Hub

# Takes as long as the hub tries to reach a device that is gone, more than a minute; tools/conformance runs it.
SLOW = ["devices.remove-unreachable"]


def run(case: Case) -> None:
    """Every case but the slowest; nothing may fail, and the advertisement must have been examined."""
    hub = Hub(case).start()
    hub.await_advertised()
    reports = {"junit": case.folder / "conformance.xml", "html": case.folder / "conformance.html"}
    command = cli.conformance_hub(
        case.matterhub, f"10.77.0.1:{hub.port}", hub.grant, exceptions=SLOW, reports=reports, json=True
    )
    result = case.call("conformance", "dev", *command, seconds=280)
    lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    case.check(bool(lines) and "suite" in lines[-1], f"status {result.returncode}: {result.stderr.strip()[-800:]}")
    outcomes, summary = {line["case"]: line for line in lines[:-1]}, lines[-1]
    failed = [
        f"{name}: expected {line['expected']}, seen {line['seen']}"
        for name, line in outcomes.items()
        if line["outcome"] == "failed"
    ]
    case.check(not failed and result.returncode == 0, f"status {result.returncode}: " + "; ".join(failed)[:1500])
    for name in ("advertisement.found", "advertisement.keys", "advertisement.state", "session.cancel.in-discover"):
        case.check(outcomes[name]["outcome"] == "passed", f"{name}: {outcomes[name]}")
    case.check(summary["passed"] >= 200, f"only {summary['passed']} cases passed")
    left = [(name, remark) for name, line in outcomes.items() for remark in line.get("remarks", [])]
    case.check(not left, f"not tidied up: {left}")
    case.check(hub.devices() == [], f"devices are left: {hub.devices()}")
    case.facts |= {"passed": summary["passed"], "skipped": summary["skipped"], "notExercised": summary["notExercised"]}
    case.did(
        f"{summary['passed']} cases passed, {summary['skipped']} skipped; {len(summary['exercised'])} documented behaviours "
        f"exercised, {len(summary['notExercised'])} not, in {summary['elapsedMs'] / 1000:.0f} s"
    )
