"""Our hub and the rs-matter device, by its qr code, twice: the second time after our fabric was removed."""

from harness import Case, Hub, RsMatter
from harness.scenarios import commission_and_use, remove


def run(case: Case) -> None:
    """Commission, use, remove; then all of it again on the same device."""
    hub, device = Hub(case).start(), RsMatter(case).start()
    identifier = commission_and_use(case, hub, device, "qr", vendor=0xFFF1, product=0x8000)
    remove(case, hub, identifier)
    device.start()
    case.check(device.factory_new, "the device still has a fabric after its removal")
    again = commission_and_use(case, hub, device, "qr", vendor=0xFFF1, product=0x8000)
    case.check(again != identifier, "the hub gave the same device id twice")
