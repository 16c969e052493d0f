#!/usr/bin/env python3
"""circuitmatter_device.py --state FILE [--passcode N] [--discriminator N] [--port N]

An on/off light on CircuitMatter, the pure Python implementation. Prints one JSON line when it can be commissioned (its
codes and port), then one line per change that a controller makes. FILE keeps its fabrics: a missing one is a
factory-new device. It can attest only vendor 0xFFF4, product 0x1234. It advertises by `avahi-publish-service`. Ends on
SIGTERM.
"""

import argparse
import base64
import json
import os
import select
import signal
import socket
import sys
from pathlib import Path

import circuitmatter
from circuitmatter import certificates, pase
from circuitmatter.device_types.lighting import on_off
from circuitmatter.utility import random
from circuitmatter.utility.mdns.avahi import Avahi

VENDOR, PRODUCT = 0xFFF4, 0x1234


def write_state(path: Path, passcode: int, discriminator: int) -> None:
    """Writes the state of a factory-new device with this passcode, where the package itself would draw one."""
    state = certificates.generate_initial_state(VENDOR, PRODUCT, "CircuitMatter light", random)
    verifier = certificates.compute_verifier(passcode, base64.b64decode(state["salt"]), state["iteration-count"])
    state["passcode"], state["discriminator"] = passcode, discriminator
    state["manual_code"] = certificates.compute_manual_code(discriminator, passcode)
    state["verifier"] = base64.b64encode(verifier).decode("ascii")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(state), encoding="ascii")


def sockets_on(port: int) -> type:
    """What the package uses in place of the socket module; it would bind 5541 whatever the port."""

    class Socket(socket.socket):
        def bind(self, address: tuple) -> None:
            super().bind((address[0], port))

    class Pool:
        AF_INET6, SOCK_DGRAM = socket.AF_INET6, socket.SOCK_DGRAM

        @staticmethod
        def socket(*arguments: int) -> socket.socket:
            return Socket(*arguments)

    return Pool


class Advertiser(Avahi):
    """Advertises the port that is really used."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self.port = port

    def advertise_service(self, service_type: str, protocol: str, port: int, **details: object) -> None:
        super().advertise_service(service_type, protocol, self.port, **details)

    def withdraw(self) -> None:
        for publisher in self.active_services.values():
            publisher.terminate()


class Light(on_off.OnOffLight):
    """Reports each switch on the given stream."""

    def __init__(self, stream: object) -> None:
        super().__init__("light1")
        self.stream = stream

    def on(self) -> None:
        print(json.dumps({"on": True}), file=self.stream, flush=True)

    def off(self) -> None:
        print(json.dumps({"on": False}), file=self.stream, flush=True)


def main() -> None:
    """Runs the device until SIGTERM."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--state", required=True, type=Path)
    parser.add_argument("--passcode", type=int, default=34567890)
    parser.add_argument("--discriminator", type=int, default=1234)
    parser.add_argument("--port", type=int, default=5541)
    options = parser.parse_args()

    # The package talks on standard output: leave that to the JSON lines.
    stream, sys.stdout = sys.stdout, sys.stderr
    if not options.state.exists():
        write_state(options.state, options.passcode, options.discriminator)
    advertiser = Advertiser(options.port)

    def stop(*_: object) -> None:
        advertiser.withdraw()
        os._exit(0)

    signal.signal(signal.SIGTERM, stop)
    matter = circuitmatter.CircuitMatter(
        socketpool=sockets_on(options.port), mdns_server=advertiser, state_filename=str(options.state)
    )
    matter.add_device(Light(stream))
    state = matter.nonvolatile
    commissioned = matter.root_node.fabric_count > 0
    qr = "MT:" + pase.compute_qr_code(VENDOR, PRODUCT, state["discriminator"], state["passcode"])
    print(
        json.dumps(
            {
                "ready": True,
                "device": "circuitmatter",
                "commissioned": commissioned,
                "endpoint": 1,
                "port": options.port,
                "manual": state["manual_code"].replace("-", ""),
                "qr": qr,
                "passcode": state["passcode"],
                "discriminator": state["discriminator"],
                "vendorId": VENDOR,
                "productId": PRODUCT,
            }
        ),
        file=stream,
        flush=True,
    )
    while True:
        # Wakes for packets, and often enough for the package's retransmissions, which it only sends from here.
        select.select([matter.socket], [], [], 0.05)
        matter.process_packets()


if __name__ == "__main__":
    main()
