"""A hub or a light that is killed by SIGKILL in each stage: after the restart the device is whole or as new, nothing is
stuck, and the next commissioning works."""

import signal
import time

from harness import Case, CircuitMatter, Hub, Light

# All that our lights go through. They want neither configuration nor time, so that `regulatory` needs another device.
STAGES = ("discover", "pase", "readInfo", "armFailSafe", "attestation", "csr", "addRoot", "addNOC", "operational")
STAGES += ("complete",)
# Where the dead light is not given up by a cancel, but by the time that the commission may take.
BY_DEADLINE = ("csr", "complete")
# The second node, as tools/lab numbers them.
LIGHTS = "10.77.0.2"


def run(case: Case) -> None:
    """Kills the hub in every stage by its own fault, and the light in every one, then commissions all of them for good."""
    hub = Hub(case, client="stranger")
    hub.arguments = ["--allow-faults", "--no-mdns"]
    hub.start()
    # A light for each death, so that no fail-safe is waited for but the last one.
    lights = {f"{who}-{stage}": Light(case, name=f"{who}-{stage}") for stage in STAGES for who in ("hub", "light")}
    for number, light in enumerate(lights.values()):
        light.port = 5600 + number
    slowest = 0.0
    peer = CircuitMatter(case).start()
    for stage in (*STAGES, "regulatory"):
        device = peer if stage == "regulatory" else lights[f"hub-{stage}"].start()
        kill_hub(case, hub, device, stage)
        slowest = max(slowest, restarted(case, hub, stage))
    for stage in STAGES:
        kill_light(case, hub, lights[f"light-{stage}"], stage)
        slowest = max(slowest, usable(case, hub, stage, time.monotonic()))
    case.did(f"the hub died in {len(STAGES) + 1} stages, a light in {len(STAGES)}; prepare again within {slowest:.2f} s")
    settle(case, hub, lights)


def kill_hub(case: Case, hub: Hub, device: Light | CircuitMatter, stage: str) -> None:
    """Commissions with a hub that kills itself when the stage begins."""
    hub.call("faults.set", rules=[f"{stage}:crash"])
    hub.call("session.prepare")
    lost = hub.attempt_until_lost("session.commission", 30, **order(device, f"kill-{stage}"))
    case.check(lost is None, f"the hub was not killed in {stage}: {lost}")


def restarted(case: Case, hub: Hub, stage: str) -> float:
    """Starts the hub again; how long until a session can be prepared."""
    began = time.monotonic()
    hub.start()
    return usable(case, hub, stage, began)


def usable(case: Case, hub: Hub, stage: str, began: float) -> float:
    """The hub lists nothing, and another session can begin at once."""
    case.check(hub.devices() == [], f"after {stage} the hub lists {hub.devices()}")
    hub.call("session.prepare")
    seconds = time.monotonic() - began
    hub.call("session.cancel")
    return seconds


def kill_light(case: Case, hub: Hub, light: Light, stage: str) -> None:
    """Kills a light as soon as it goes silent in the stage; the commission ends by a cancel or by its own time."""
    light.arguments = [] if stage == "discover" else ["--fault", f"{stage}:vanish"]
    light.start()
    if stage == "discover":
        light.process.stop(signal.SIGKILL)
    hub.call("session.prepare")
    by_deadline = stage in BY_DEADLINE
    begun = hub.begin("session.commission", **order(light, f"dead-{stage}", 6_000 if by_deadline else 60_000))
    if stage != "discover":
        light.process.wait_for(f"fault in {stage}", lambda line: line.get("event") == "fault", 20)
        light.process.stop(signal.SIGKILL)
    if not by_deadline:
        hub.beside("session.cancel")
    answer = begun.result(40)
    case.check("error" in answer, f"a light that died in {stage} was commissioned: {answer}")
    light.arguments = []
    light.start()


def order(device: Light | CircuitMatter, key: str, deadline: int = 60_000) -> dict:
    """The params of a commission."""
    return {"payload": device.qr, "clientKey": key, "address": f"{LIGHTS}:{device.port}", "deadlineMs": deadline}


def settle(case: Case, hub: Hub, lights: dict[str, Light]) -> None:
    """Commissions every light and removes it again, when its fail-safe has run out; the journal must be empty then."""
    deadline = time.monotonic() + 75
    hub.call("session.prepare")
    for name, light in lights.items():
        while "error" in (answer := hub.attempt("session.commission", 60, **order(light, f"{name}-{time.monotonic()}"))):
            orphans = hub.call("devices.list", orphans=True)["devices"]
            case.check(time.monotonic() < deadline, f"{name} is not settled: {answer}, orphans {orphans}")
            time.sleep(0.5)
    devices = hub.call("session.complete", clientKey="last")["deviceIds"]
    listed = sorted(entry["id"] for entry in hub.devices())
    case.check(listed == sorted(devices) and len(devices) == len(lights), f"{len(lights)} lights gave {devices}, {listed}")
    for device in devices:
        hub.call("devices.remove", id=device)
    while left := hub.call("devices.list", orphans=True)["devices"]:
        case.check(time.monotonic() < deadline, f"orphans are left: {left}")
        time.sleep(0.5)
    case.did(f"all {len(lights)} lights settled, commissioned and removed")
