"""What several cases do alike."""

from .case import Case
from .matterhub import Hub, Light
from .peers import Device

BASIC_INFORMATION, VENDOR_ID, PRODUCT_ID = 0x28, 2, 4


def commission(case: Case, hub: Hub, device: Device | Light, kind: str) -> str:
    """Commissions a device by this kind of code, with the attestation check, and returns its id at the hub."""
    identifier, seconds, stages = hub.commission({"qr": device.qr, "manual": device.manual}[kind])
    case.check("attestation" in stages, f"the hub names no attestation stage, only {sorted(stages)}")
    case.did(f"commissioned by {kind} code in {seconds:.2f} s")
    return identifier


def follow(
    case: Case,
    hub: Hub,
    device: Device | Light,
    identifier: str,
    by: tuple[Hub, str] | None = None,
    tells_all: bool = True,
) -> None:
    """Subscribes to the device at one hub, and switches it twice, at the same hub or another: the changes must be told
    without being asked for. Of a device that does not tell all, only the first change is awaited, and the second read."""
    follower = hub.follow(identifier, device.endpoint)
    switcher, name = by or (hub, identifier)
    before = hub.reads_on(identifier, device.endpoint)
    for on in (not before, before):
        switcher.switch(name, device.endpoint, on)
        if tells_all or on is not before:
            follower.await_switch(on)
        else:
            device.await_switch(on)
            case.check(hub.reads_on(identifier, device.endpoint) is on, "the second change does not show in a read")
    follower.stop()
    case.did(f"a subscriber at {hub.name} was told of what {switcher.name} switched")


def use(case: Case, hub: Hub, device: Device | Light, identifier: str, vendor: int, product: int) -> None:
    """Reads who the device is, and switches it twice: the change must show in a read and in what the device itself
    says."""
    found = tuple(hub.read(identifier, 0, BASIC_INFORMATION, attribute) for attribute in (VENDOR_ID, PRODUCT_ID))
    case.check(found == (vendor, product), f"BasicInformation says vendor and product {found}, not {(vendor, product)}")
    # A device that keeps its state over a restart says nothing when it is told what it is already.
    before = hub.reads_on(identifier, device.endpoint)
    for on in (not before, before):
        hub.switch(identifier, device.endpoint, on)
        device.await_switch(on)
        state = hub.reads_on(identifier, device.endpoint)
        case.check(state is on, f"after {'on' if on else 'off'} the device's OnOff reads {state}")
    case.did("read BasicInformation, switched on and off")


def remove(case: Case, hub: Hub, identifier: str) -> None:
    """Removes our fabric from the device; the hub must list it no longer."""
    answer = hub.call("devices.remove", id=identifier)
    case.check(answer["removed"] == [identifier], f"remove answered {answer}")
    case.check(all(entry["id"] != identifier for entry in hub.devices()), "the hub still lists the removed device")
    case.did("removed")
