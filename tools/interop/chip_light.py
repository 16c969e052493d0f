"""The CHIP SDK's controller and our virtual light: attestation against our own root, then all that a controller
does."""

import json

import matterhub_cli as cli
from harness import Case, ChipController, Light


def run(case: Case) -> None:
    """Refused without our root; commissioned with it; read, switched, subscribed, window, restart, removed."""
    light = Light(case)
    capture, keys = case.folder / "light.pcapng", case.folder / "light.keys"
    light.arguments = ["--capture", str(capture), "--capture-keys", str(keys)]
    light.start()
    answer = ChipController(case, name="chip-stranger").attempt(f"commission {light.qr}")
    case.check(not answer["ok"] and "Attestation" in answer["error"], f"without our root it answered {answer}")
    case.did("refused without our root")

    chip = ChipController(case, paa=light.export_roots())
    with case.timed("commissioned by QR"):
        chip.do(f"commission {light.qr}")
    basic = chip.do("read-basic")
    case.check(basic["VendorID"] == 0xFFF1, f"BasicInformation says vendor {basic['VendorID']:#x}")
    everything = chip.do("read-all")
    case.check(not everything["undecodable"], f"the SDK cannot decode {everything['undecodable']}")
    case.did(f"read all {everything['attributes']} attributes")

    case.check(chip.do(f"toggle {light.endpoint}")["on"] is True, "the first toggle does not switch it on")
    case.check(chip.do(f"toggle {light.endpoint}")["on"] is False, "the second toggle does not switch it off")
    report = chip.do(f"subscribe {light.endpoint}")
    case.did(f"toggled, a report {report['reportAfter'] * 1000:.0f} ms after a change")

    window = chip.do("open-window")
    second = ChipController(case, node="hub", paa=case.folder / "light-paa", name="chip-second")
    second.do(f"commission {window['manual']}")
    case.check(second.do("fabrics")["fabrics"] == 2, "the light does not have two fabrics after the window")
    second.do("remove")
    case.did("a second fabric came and went through a window")

    light.start()
    chip.do("drop-session")
    case.check(chip.do("fabrics")["fabrics"] == 1, "the light lost its fabric in a restart")
    case.did("kept its fabric over a restart")

    chip.do("remove")
    with case.timed("removed, commissioned by manual code"):
        chip.do(f"commission {light.manual}")
    case.did(decode(case, cli.decode(case.matterhub, capture, keys)))


def decode(case: Case, command: list[str]) -> str:
    """What we show of another implementation's commissionings: every message in words, every stage with its time."""
    result = case.call("decode", "dev", *command, "--json")
    case.check(result.returncode == 0, f"decode: status {result.returncode}: {result.stderr[-500:]}")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    unclear = [line for line in lines if "cannot be read" in line.get("content", "")]
    case.check(not unclear, f"decode cannot read {unclear[:3]}")
    end = lines[-1]
    case.check(end["withoutKey"] == 0 and end["messages"] > 150, f"decode: {end}")
    runs: dict[int, list[dict]] = {}
    for line in lines:
        if line["event"] == "stage":
            runs.setdefault(line["commissioning"], []).append(line)
    # The first was refused at the attestation; the device's side sees no discovery.
    whole = [run for run in runs.values() if [stage["stage"] for stage in run if "endMs" not in stage] == ["discover"]]
    case.check(len(runs) == 4 and len(whole) == 3, f"decode shows {len(whole)} whole commissionings of {len(runs)}")
    stage = next(stage for stage in runs[1] if stage.get("note") == "did not end")["stage"]
    case.check(stage == "attestation", f"decode shows that the refused one ended at {stage}")
    return f"decoded {end['messages']} messages of 4 commissionings, one of them refused at the attestation"
