"""The Wireshark dissector: tools/lib/contract/dissect.py in a network node, where tshark may take packets."""

import json
import os
import shutil
from pathlib import Path

from harness import Case, CaseSkipped

CHECK = Path(__file__).resolve().parents[1] / "lib" / "contract" / "dissect.py"


def run(case: Case) -> None:
    """Expects tshark to show what the client recorded."""
    if not shutil.which("tshark"):
        raise CaseSkipped(f"tshark is not there: {os.environ.get('MH_NO_PACKAGES') or 'not installed'}")
    python = case.peers / "validator" / "bin" / "python"
    command = [python, CHECK, "--binary", case.matterhub, "--folder", case.folder / "check"]
    result = case.call("check", "hub", *command, seconds=110)
    lines = result.stdout.strip().splitlines()
    case.check(bool(lines) and lines[-1].startswith("{"), f"status {result.returncode}: {result.stderr.strip()[-800:]}")
    facts = json.loads(lines[-1])
    case.check(not facts["problem"], facts["problem"])
    case.did(f"plain: {facts['plain']}; within TLS, with its keys: {facts['tls']}; with the hub's: {facts['hub']}")
