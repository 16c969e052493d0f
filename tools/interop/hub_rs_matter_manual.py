"""Our hub and the rs-matter device, by its manual code, twice: the second time after our fabric was removed."""

from harness import Case, Hub, RsMatter
from harness.scenarios import commission, remove, use


def run(case: Case) -> None:
    """Commission, use, remove; then all of it again on the same device. The client is a client written from the
    protocol's page."""
    hub, device = Hub(case, client="stranger").start(), RsMatter(case).start()
    first = commission(case, hub, device, "manual")
    use(case, hub, device, first, vendor=0xFFF1, product=0x8000)
    remove(case, hub, first)
    device.start()
    case.check(device.factory_new, "the device still has a fabric after its removal")
    second = commission(case, hub, device, "manual")
    use(case, hub, device, second, vendor=0xFFF1, product=0x8000)
    case.check(first != second, "the hub gave the same device id twice")
