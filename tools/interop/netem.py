"""Commissioning over a link that the kernel makes bad: loss, delay, reordering and repetition by `tc netem`."""

import time

from harness import Case, CaseSkipped, Hub, Light

RUNS = 20
QUALITY = ("delay", "20ms", "10ms", "loss", "10%", "duplicate", "2%", "reorder", "10%", "50%")


def run(case: Case) -> None:
    """Makes both ends bad, then commissions and removes the light 20 times; one repeat of a run is allowed."""
    for node in ("hub", "dev"):
        made = case.call("tc", node, "tc", "qdisc", "add", "dev", "eth0", "root", "netem", *QUALITY)
        if made.returncode != 0:
            raise CaseSkipped(f"this kernel has no netem: {made.stderr.strip()[-200:]}")
    light = Light(case)
    light.start()
    hub = Hub(case, client="stranger")
    hub.start()
    times, repeats = [], 0
    for number in range(RUNS):
        hub.call("session.prepare")
        start = time.monotonic()
        for attempt in range(2):
            answer = hub.attempt(
                "session.commission", 90, payload=light.qr, clientKey=f"{number}-{attempt}", address="10.77.0.2:5540"
            )
            if "result" in answer:
                break
            repeats += 1
        case.check("result" in answer, f"run {number}: {answer}")
        times.append(time.monotonic() - start)
        devices = hub.call("session.complete", clientKey=f"complete-{number}")["deviceIds"]
        hub.call("devices.remove", id=devices[0])
    case.check(repeats <= 2, f"{repeats} of {RUNS} runs needed a repeat")
    times.sort()
    case.did(f"{RUNS} runs, {repeats} repeats, median {times[RUNS // 2]:.2f} s, longest {times[-1]:.2f} s")
