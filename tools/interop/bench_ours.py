"""One run of `tools/bench commission`: a hub that has just started commissions a factory-new rs-matter device."""

from harness import Case, Hub, RsMatter


def run(case: Case) -> None:
    """Facts: `seconds` from the client's request to the answer as the client sees them, and the hub's `stages` in
    ms."""
    device = RsMatter(case).start()
    device.await_visible("hub")
    _, seconds, stages = Hub(case, client="stranger").start().commission(device.qr)
    case.facts = {"seconds": seconds, "stages": stages}
