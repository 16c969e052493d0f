"""Our hub and the CircuitMatter device, by its qr code. (It cannot remove a fabric.)"""

from harness import Case, CircuitMatter, Hub
from harness.scenarios import commission, use


def run(case: Case) -> None:
    """Commission and use, also after a restart of the hub. The client is our own commands."""
    hub, device = Hub(case, client="command").start(), CircuitMatter(case).start()
    identifier = commission(case, hub, device, "qr")
    use(case, hub, device, identifier, vendor=0xFFF4, product=0x1234)
    hub.start()
    use(case, hub, device, identifier, vendor=0xFFF4, product=0x1234)
    case.did("the same after a restart of the hub")
