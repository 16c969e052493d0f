"""The sample app and its extension add the CircuitMatter device, by the hub alone: it opens no window for a phone's hub."""

from harness import Case, CircuitMatter
from harness.sample import sample_flow


def run(case: Case) -> None:
    """The phone only looks at the device, which then takes the hub's commissioning."""
    device = CircuitMatter(case).start()
    sample_flow(case, device, 0x1234, vendor=0xFFF4, phone_fabric=False, removable=False)
