"""What several cases do alike."""

from .case import Case
from .matterhub import Hub
from .peers import Device


def commission_and_use(case: Case, hub: Hub, device: Device, kind: str, vendor: int, product: int) -> str:
    """Commissions a device by this kind of code with strict attestation, reads who it is, and switches it: the change must
    show in a read and in what the device itself says. Returns the device's id at the hub."""
    identifier, answer = hub.commission(device.code(kind))
    stages = {stage["stage"]: stage["elapsedMs"] for stage in answer.get("stages", [])}
    case.check("attestation" in stages, f"the hub names no attestation stage, only {sorted(stages)}")
    case.timings["commission"] = answer["seconds"]
    case.did(f"commissioned by {kind} code in {answer['seconds']:.2f} s")

    found = (hub.read(identifier, "0/0x28/2"), hub.read(identifier, "0/0x28/4"))
    case.check(found == (vendor, product), f"BasicInformation says vendor and product {found}, not {(vendor, product)}")
    case.did("read BasicInformation")

    for command, on in (("on", True), ("off", False)):
        hub.invoke(identifier, f"{device.endpoint}/6/{1 if on else 0}")
        device.await_switch(on)
        state = hub.read(identifier, f"{device.endpoint}/6/0")
        case.check(state is on, f"after {command} the device's OnOff reads {state}")
    case.did("switched on and off")
    return identifier


def remove(case: Case, hub: Hub, identifier: str) -> None:
    """Removes our fabric from the device; the hub must list it no longer."""
    answer = hub.do("remove", identifier)
    case.check(answer["removed"] == [identifier], f"remove answered {answer}")
    case.check(all(entry["id"] != identifier for entry in hub.devices()), "the hub still lists the removed device")
    case.did("removed")
