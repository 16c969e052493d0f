"""One run of `tools/bench commission`: a hub that has just started commissions a factory-new rs-matter device."""

from harness import Case, Hub, RsMatter


def run(case: Case) -> None:
    """Facts: `seconds` by the hub's own clock, `stages` in ms, and `clientSeconds` with the client program's start."""
    device = RsMatter(case).start()
    device.await_visible("hub")
    hub = Hub(case).start()
    _, answer = hub.commission(device.qr)
    case.facts = {"seconds": answer["elapsedMs"] / 1000, "clientSeconds": answer["seconds"],
                  "stages": {stage["stage"]: stage["elapsedMs"] for stage in answer["stages"]}}
