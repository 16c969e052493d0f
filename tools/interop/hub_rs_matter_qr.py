"""Our hub and the rs-matter device, by its qr code, twice: the second time after our fabric was removed."""

from harness import Case, Hub, RsMatter
from harness.scenarios import commission, follow, remove, use


def run(case: Case) -> None:
    """Commission, use, remove; then all of it again on the same device. The client is our own commands."""
    hub, device = Hub(case, client="command").start(), RsMatter(case).start()
    first = commission(case, hub, device, "qr")
    use(case, hub, device, first, vendor=0xFFF1, product=0x8000)
    # Its OnOff turns off only when the level has run down, some time after the command; no report of that was ever seen.
    follow(case, hub, device, first, tells_all=False)
    remove(case, hub, first)
    device.start()
    case.check(device.factory_new, "the device still has a fabric after its removal")
    second = commission(case, hub, device, "qr")
    use(case, hub, device, second, vendor=0xFFF1, product=0x8000)
    case.check(first != second, "the hub gave the same device id twice")
