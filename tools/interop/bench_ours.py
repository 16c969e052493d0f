"""One run of `tools/bench commission`: a hub that has just started commissions a factory-new rs-matter device."""

from harness import Case, Hub, RsMatter


def run(case: Case) -> None:
    """Facts: `seconds` from the client's request to the answer as the client sees them, the hub's `stages` in
    ms, and where it met the device as a node of the home."""
    device = RsMatter(case).start()
    device.await_visible("hub")
    hub = Hub(case, client="stranger").start()
    _, seconds, stages = hub.commission(device.qr)
    case.facts = {"seconds": seconds, "stages": stages, "operationalPath": hub.operational_path}
