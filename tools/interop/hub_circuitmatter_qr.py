"""Our hub and the CircuitMatter device, by its qr code. (It cannot remove a fabric.)"""

from harness import Case, CircuitMatter, Hub
from harness.scenarios import commission_and_use


def run(case: Case) -> None:
    """Commission and use."""
    commission_and_use(case, Hub(case).start(), CircuitMatter(case).start(), "qr", vendor=0xFFF4, product=0x1234)
