"""Commissioning over a link that is bad: loss, delay, reordering, repetition and a small MTU, by `tc netem`; where the
kernel has none, by a relay in the device's node that does the same."""

import sys
import time
from pathlib import Path

from harness import Case, Hub, Light

RUNS = 20
QUALITY = ("delay", "20ms", "10ms", "loss", "10%", "duplicate", "2%", "reorder", "10%", "50%")
# The least that IPv6 allows.
MTU = 1280
RELAY_PORT = 5600


def run(case: Case) -> None:
    """Makes both ends bad, then commissions and removes the light 20 times; one repeat of a run is allowed."""
    netem = True
    for node in ("hub", "dev"):
        narrow = case.call("mtu", node, "ip", "link", "set", "dev", "eth0", "mtu", MTU)
        case.check(narrow.returncode == 0, f"no small MTU: {narrow.stderr.strip()[-200:]}")
        made = case.call("tc", node, "tc", "qdisc", "add", "dev", "eth0", "root", "netem", *QUALITY)
        netem &= made.returncode == 0
    light = Light(case)
    light.start()
    relay = None
    if not netem:
        program = Path(__file__).with_name("harness") / "bad_link.py"
        relay = case.start("relay", "dev", sys.executable, "-u", program, RELAY_PORT, light.port, 1)
        relay.wait_for("ready line", lambda line: "ready" in line, 10)
    hub = Hub(case, client="stranger")
    if relay:
        # By a search the hub would find the device itself, past the relay.
        hub.arguments = ["--no-mdns"]
    hub.start()
    times, repeats = [], 0
    address = f"10.77.0.2:{RELAY_PORT if relay else light.port}"
    for number in range(RUNS):
        hub.call("session.prepare")
        start = time.monotonic()
        for attempt in range(2):
            answer = hub.attempt(
                "session.commission", 90, payload=light.qr, clientKey=f"{number}-{attempt}", address=address
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
    how = "tc netem"
    if relay:
        relay.stop()
        counts = next(line for line in relay.lines if "passed" in line)
        case.check(counts["lost"] > 50 and counts["repeated"] > 0, f"the link was not bad: {counts}")
        case.check(counts["tooLong"] == 0, f"{counts['tooLong']} datagrams were longer than the link takes")
        how = f"a relay that lost {counts['lost']} datagrams of {counts['lost'] + counts['passed']}"
    case.did(f"{RUNS} runs over {how}, {repeats} repeats, median {times[RUNS // 2]:.2f} s, longest {times[-1]:.2f} s")
