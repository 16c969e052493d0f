"""Our hub and the CircuitMatter device, by its manual code. (It cannot remove a fabric.)"""

from harness import Case, CircuitMatter, Hub
from harness.scenarios import commission, use


def run(case: Case) -> None:
    """Commission and use, also after a restart of the hub. The client is a client written from the protocol's page."""
    hub, device = Hub(case, client="stranger").start(), CircuitMatter(case).start()
    identifier = commission(case, hub, device, "manual")
    use(case, hub, device, identifier, vendor=0xFFF4, product=0x1234)
    hub.start()
    use(case, hub, device, identifier, vendor=0xFFF4, product=0x1234)
    case.did("the same after a restart of the hub")
