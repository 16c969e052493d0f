#!/usr/bin/env python3
"""rs_matter_device.py --store DIR [--name TEXT]

A bridged on/off light on rs-matter, the Rust implementation, by the matterbridge package. Prints one JSON line when it
can be commissioned (its codes, its port, the endpoint of the light), then one line per change that a controller makes.
Its test values are fixed: passcode 20202021, discriminator 3840, UDP port 5540; so one per network node. DIR keeps its
fabrics: an empty one is a factory-new device. Ends on SIGTERM.
"""

import argparse
import json
import os
import signal
import socket
import sys
import time
from pathlib import Path

from matterbridge import Bridge, DeviceConfigBuilder, EndpointPreset, cluster, device_type

PORT = 5540
ON_OFF, LEVEL_CONTROL = 6, 8
ON_OFF_ATTRIBUTE = CURRENT_LEVEL_ATTRIBUTE = 0


def require_free_port() -> None:
    """Ends with a message when the port is taken: rs-matter's own worker would only die silently."""
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(("::", PORT))
        except OSError as error:
            sys.exit(f"UDP port {PORT}: {error}")


def await_listening(seconds: float = 10) -> None:
    """Returns when this process's node has the port bound, as /proc/net/udp6 tells."""
    deadline = time.monotonic() + seconds
    bound = f":{PORT:04X}"
    while time.monotonic() < deadline:
        table = Path("/proc/net/udp6").read_text(encoding="ascii") + Path("/proc/net/udp").read_text(encoding="ascii")
        if any(row.split()[1].endswith(bound) for row in table.splitlines() if ":" in row.split()[1]):
            return
        time.sleep(0.01)
    sys.exit(f"rs-matter did not open UDP port {PORT} within {seconds:.0f} s")


def say(**fields: object) -> None:
    """One JSON line on standard output."""
    print(json.dumps(fields, default=str), flush=True)


def main() -> None:
    """Runs the device until SIGTERM."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", required=True, type=Path)
    parser.add_argument("--name", default="rs-matter light")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))

    require_free_port()
    options.store.mkdir(parents=True, exist_ok=True)
    bridge = Bridge(
        str(options.store / "bridge"),
        vendor_id=0xFFF1,
        product_id=0x8000,
        vendor_name="Interop",
        product_name=options.name,
        serial_number="RS-0001",
    )
    endpoint = EndpointPreset(device_type("on_off_light"))
    # With OnOff alone this package's light falls back to off by itself.
    endpoint.cluster_list([cluster("on_off"), cluster("level_control")])
    endpoint.node_label(options.name)
    config = DeviceConfigBuilder("light")
    config.vendor_name("Interop")
    config.product_name(options.name)
    config.serial_number("RS-LIGHT-1")
    config.endpoint(endpoint)
    light = bridge.add_device(config.build())

    codes = None if bridge.is_commissioned() else bridge.open_commissioning_window_qr()
    events, _runner = bridge.start()
    await_listening()
    # The light starts at its lowest level, where On turns to Off at once, and reports an OnOff that its own handler
    # does not hold. Raising the level and writing Off makes both agree; the two writes are handled one after the other.
    number = light.endpoints()[0]
    light.set_attribute(number, LEVEL_CONTROL, CURRENT_LEVEL_ATTRIBUTE, 254)
    settle(events, 0.3)
    light.set_attribute(number, ON_OFF, ON_OFF_ATTRIBUTE, False)
    settle(events, 0.1)
    say(
        ready=True,
        device="rs-matter",
        commissioned=codes is None,
        endpoint=number,
        port=PORT,
        manual=codes and codes["pairing_code"].replace("-", ""),
        qr=codes and codes["qr_code_text"],
        passcode=20202021,
        discriminator=3840,
        vendorId=0xFFF1,
        productId=0x8000,
    )
    while True:
        event = events.recv_timeout(500)
        if event is not None:
            say(event=event)


def settle(events: object, seconds: float) -> None:
    """Takes the events that the device's own writes cause; the package says nothing else about their completion."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        events.recv_timeout(max(1, int(left * 1000)))


if __name__ == "__main__":
    main()
