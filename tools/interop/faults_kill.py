"""A hub or a light that is killed by SIGKILL in each stage: after the restart the device is whole or as new, nothing is
stuck, and the next commissioning works."""

import signal
import time

from harness import Case, Hub, Light

STAGES = ("discover", "pase", "readInfo", "armFailSafe", "regulatory", "attestation", "csr", "addRoot", "addNOC")
STAGES += ("operational", "complete")


def run(case: Case) -> None:
    """Kills the hub in every stage by its own fault, and the light in every second one, then commissions for good."""
    light = Light(case).start()
    hub = Hub(case, client="stranger")
    hub.arguments = ["--allow-faults", "--no-mdns"]
    slowest = 0.0
    for number, stage in enumerate(STAGES):
        hub.start()
        hub.call("session.prepare")
        if number % 2 == 0:
            hub.call("faults.set", rules=[f"{stage}:crash"])
            answer = attempt(hub, light, f"kill-{stage}")
            case.check(answer is None, f"the hub was not killed in {stage}: {answer}")
        else:
            light.arguments = ["--fault", f"{stage}:vanish"] if stage != "discover" else []
            light.start()
            answer = attempt(hub, light, f"dead-{stage}", deadline=6_000)
            case.check(answer is not None and "error" in answer, f"a dead light was commissioned in {stage}: {answer}")
            light.process.stop(signal.SIGKILL)
            light.arguments = []
            light.start()
        start = time.monotonic()
        if number % 2 == 0:
            hub.start()
        case.check(hub.devices() == [], f"after {stage} the hub lists {hub.devices()}")
        hub.call("session.prepare")
        slowest = max(slowest, time.monotonic() - start)
        hub.call("session.cancel")
    case.did(f"{len(STAGES)} stages, prepare again within {slowest:.2f} s")
    settle(case, hub, light)


def attempt(hub: Hub, light: Light, key: str, deadline: int = 20_000) -> dict | None:
    """Commissions; `None` when the connection was lost before the answer."""
    address = f"{address_of(light)}:{light.port}"
    try:
        return hub.attempt(
            "session.commission", 30, payload=light.qr, clientKey=key, address=address, deadlineMs=deadline
        )
    except Exception as lost:  # noqa: BLE001 — the client ends with the hub
        return None if "ended" in str(lost) or "closed" in str(lost) else {"lost": str(lost)}


def address_of(light: Light) -> str:
    """Where the light is: it is the second node."""
    return "10.77.0.2"


def settle(case: Case, hub: Hub, light: Light) -> None:
    """Waits until the journal is empty, then commissions, completes and removes."""
    deadline = time.monotonic() + 75
    while True:
        orphans = hub.call("devices.list", orphans=True)["devices"]
        hub.call("session.prepare")
        answer = attempt(hub, light, f"last-{time.monotonic()}")
        if answer is not None and "result" in answer:
            break
        case.check(time.monotonic() < deadline, f"not settled: {orphans}, {answer}")
        time.sleep(1)
    devices = hub.call("session.complete", clientKey="last")["deviceIds"]
    case.check(len(devices) == 1 and len(hub.devices()) == 1, f"the last commissioning gave {devices}")
    hub.call("devices.remove", id=devices[0])
    left = hub.call("devices.list", orphans=True)["devices"]
    case.check(left == [], f"orphans are left: {left}")
    case.did("settled, commissioned and removed")
