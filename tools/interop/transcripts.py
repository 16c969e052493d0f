"""Transcripts of both ends of the control connection and captures of both ends of Matter, of one commissioning: what
they show, and what they must not.
"""

import json
import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import matterhub_cli as cli
from harness import Case, Hub, Light

STAGES = "discover pase readInfo armFailSafe regulatory attestation csr addRoot addNOC operational complete".split()
SCRIPT = Path(__file__).resolve().parents[1] / "wireshark" / "matter.lua"


def run(case: Case) -> None:
    """Commissions and switches a light with everything recorded, reads it all back, and looks for secrets."""
    names = ("hub.jsonl", "client.jsonl", "hub.pcapng", "hub.keys", "light.pcapng")
    files = {name: case.folder / name for name in names}
    hub, light = Hub(case), Light(case)
    light.passcode = 49715283
    light.arguments = ["--capture", str(files["light.pcapng"])]
    hub.arguments = ["--transcript", str(files["hub.jsonl"])]
    hub.arguments += ["--capture", str(files["hub.pcapng"]), "--capture-keys", str(files["hub.keys"])]
    hub.start()
    light.start()
    hub.await_advertised()
    os.environ["MATTERHUB_TRANSCRIPT"] = str(files["client.jsonl"])
    device, seconds, _ = hub.commission(light.qr)
    hub.switch(device, light.endpoint, True)
    light.await_switch(True)
    del os.environ["MATTERHUB_TRANSCRIPT"]
    case.did(f"commissioned with everything recorded in {seconds:.2f} s")
    for path in files.values():
        case.check(stat.S_IMODE(path.stat().st_mode) == 0o600, f"{path.name} can be read by others")

    dialogue = transcripts(case, files)
    texts = {"decode": decode(case, files), **dialogue}
    if shutil.which("tshark"):
        wireshark(case, files)
    else:
        case.did("without tshark: the Lua dissector was not looked at")
    secrets(case, hub, light, files, texts)


def call(case: Case, name: str, command: list[str], status: int = 0) -> str:
    """What a command prints."""
    result = case.call(name, "hub", *command)
    words = f"{name}: status {result.returncode}: {result.stdout[-900:]}{result.stderr[-400:]}"
    case.check(result.returncode == status, words)
    return result.stdout


def transcripts(case: Case, files: dict[str, Path]) -> dict[str, str]:
    """The timelines of both ends; the ends must have heard the same."""
    shown = {
        name: call(case, f"show-{name}", cli.show(case.matterhub, files[f"{name}.jsonl"])) for name in ("hub", "client")
    }
    for name, text in shown.items():
        for words in ("session.prepare done", "session.stage", "session.commission done", "session.complete done"):
            case.check(words in text, f"the timeline of the {name} has no “{words}”")
    call(case, "diff", cli.compare(case.matterhub, files["client.jsonl"], files["hub.jsonl"]))
    frames = sum('"from"' in line for line in files["hub.jsonl"].read_text(encoding="utf-8").splitlines())
    case.did(f"hub and client wrote the same {frames} frames")
    return shown


def decode(case: Case, files: dict[str, Path]) -> str:
    """Both captures with the hub's keys; every stage must be in the table."""
    output = ""
    for side, unseen in (("hub", {"regulatory"}), ("light", {"discover", "regulatory"})):
        command = cli.decode(case.matterhub, files[f"{side}.pcapng"], files["hub.keys"])
        output += call(case, f"decode-{side}", command)
        lines = [json.loads(line) for line in call(case, f"decode-{side}-json", [*command, "--json"]).splitlines()]
        stages = [line for line in lines if line["event"] == "stage"]
        found = [stage["stage"] for stage in stages]
        case.check(found == STAGES, f"{side}: the stages are {found}")
        for stage in stages:
            seen = stage["stage"] not in unseen
            case.check(("beginMs" in stage) == seen == ("endMs" in stage), f"{side}: {stage}")
            case.check(seen or bool(stage["note"]), f"{side}: {stage} says nothing of why")
        end = lines[-1]
        case.check(end["event"] == "finished" and end["withoutKey"] == 0 and end["messages"] > 40, f"{side}: {end}")
        case.did(f"{side}: {len(stages)} stages, {end['messages']} messages decrypted")
    without = call(case, "decode-without", cli.decode(case.matterhub, files["hub.pcapng"]))
    case.check("could not be decrypted: give --keys FILE" in without, "without keys nothing is said of them")
    case.check("ArmFailSafe" not in without, "without keys it was decrypted")
    return output


def wireshark(case: Case, files: dict[str, Path]) -> None:
    """tshark with our Lua dissector shows the opcodes that decode shows."""
    clear = case.folder / "clear.pcapng"
    command = cli.decode(case.matterhub, files["hub.pcapng"], files["hub.keys"], cleartext=clear)
    lines = [json.loads(line) for line in call(case, "cleartext", [*command, "--json"]).splitlines()]
    messages = [line for line in lines if line["event"] == "message"]
    tshark = ["tshark", "-X", f"lua_script:{SCRIPT}", "-r", str(clear), "-T", "fields"]
    fields = ["matter.name", "matter.counter", "matter.exchange", "matter.malformed"]
    result = subprocess.run(
        [*tshark, *(word for field in fields for word in ("-e", field))],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    case.check(result.returncode == 0 and "Lua:" not in result.stderr, f"tshark: {result.stderr[-500:]}")
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    wanted = [[message["opcode"], str(message["counter"]), str(message["exchange"]), ""] for message in messages]
    case.check(rows == wanted, f"tshark shows {rows[:5]}…, decode {wanted[:5]}…")
    command = ["tshark", "-r", str(files["hub.pcapng"])]
    command += ["-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE"]
    command += ["-Y", "udp && !(udp.checksum.status == 0) && !(ip.checksum.status == 0)"]
    command += ["-T", "fields", "-e", "frame.number"]
    packets = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    count = len(packets.stdout.split())
    case.check(count == len(messages), f"tshark takes {count} of {len(messages)} packets for good ones")
    case.did(f"tshark shows the same {len(rows)} messages")


def secrets(case: Case, hub: Hub, light: Light, files: dict[str, Path], texts: dict[str, str]) -> None:
    """Neither transcripts nor what is printed has a grant, a code, a passcode or a key in it; captures have no key."""
    grant = hub.grant.read_text(encoding="utf-8").strip()
    words = {"grant": grant.rpartition(".")[2], "passcode": str(light.passcode)}
    words |= {"QR text": light.qr, "code": light.manual}
    keys = re.findall(r'"\w+To\w+":"([\w-]{22})"', files["hub.keys"].read_text(encoding="utf-8"))
    case.check(len(keys) == 4, f"the key file has {len(keys)} keys in place of those of PASE and CASE")
    words |= {f"key {number}": key for number, key in enumerate(keys)}
    looked = [files["hub.jsonl"], files["client.jsonl"], case.folder / "hub.err", case.folder / "light.err"]
    texts |= {path.name: path.read_text(encoding="utf-8", errors="replace") for path in looked}
    for name, text in texts.items():
        for what, word in words.items():
            case.check(word not in text, f"{name} has the {what}")
    case.did(f"{len(words)} secrets are in none of {len(texts)} texts")
