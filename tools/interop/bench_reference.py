"""One run of `tools/bench commission`: a CHIP controller that has just started commissions a new rs-matter device."""

from harness import Case, ChipController, RsMatter


def run(case: Case) -> None:
    """Facts: `seconds` by the controller's own clock, and `stages` in ms."""
    device = RsMatter(case).start()
    device.await_visible("hub")
    answer = ChipController(case, node="hub").attempt(f"commission {device.qr}")
    case.check(answer["ok"], answer.get("error", ""))
    case.facts = {"seconds": answer["seconds"], "stages": answer["result"]["stages"]}
