"""bad_link.py LISTEN-PORT DEVICE-PORT SEED: what tc netem does to a link, for kernels that have none: a relay for datagrams
between one controller and the device on this machine's loopback. It loses, delays, repeats and reorders them, both ways.

Prints {"ready": true}; on SIGTERM how many it passed, lost and repeated.
"""

import asyncio
import json
import random
import signal
import sys

# As in netem.py: shares of datagrams, and seconds.
LOSS, REPEAT, AT_ONCE = 0.10, 0.02, 0.10
DELAY, JITTER = 0.020, 0.010
# What a link of 1,280 bytes takes behind the headers of IPv6 and UDP.
LONGEST = 1_232


class Relay:
    """Both ends of the link."""

    def __init__(self, device_port: int, seed: int) -> None:
        self.device = ("127.0.0.1", device_port)
        self.draw = random.Random(seed)
        self.controller: tuple | None = None
        self.front: asyncio.DatagramTransport
        self.back: asyncio.DatagramTransport
        self.counts = {"passed": 0, "lost": 0, "repeated": 0, "tooLong": 0}

    def carry(self, octets: bytes, end: asyncio.DatagramTransport, to: tuple) -> None:
        """Sends it later, more than once, or never."""
        if len(octets) > LONGEST:
            self.counts["tooLong"] += 1
            return
        if self.draw.random() < LOSS:
            self.counts["lost"] += 1
            return
        copies = 2 if self.draw.random() < REPEAT else 1
        self.counts["passed"] += 1
        self.counts["repeated"] += copies - 1
        for _ in range(copies):
            # Those that are not delayed overtake the others.
            late = 0.0 if self.draw.random() < AT_ONCE else self.draw.uniform(DELAY - JITTER, DELAY + JITTER)
            asyncio.get_running_loop().call_later(late, end.sendto, octets, to)


class Front(asyncio.DatagramProtocol):
    """Towards the controller."""

    def __init__(self, relay: Relay) -> None:
        self.relay = relay

    def datagram_received(self, octets: bytes, sender: tuple) -> None:
        self.relay.controller = sender
        self.relay.carry(octets, self.relay.back, self.relay.device)


class Back(asyncio.DatagramProtocol):
    """Towards the device."""

    def __init__(self, relay: Relay) -> None:
        self.relay = relay

    def datagram_received(self, octets: bytes, _: tuple) -> None:
        if self.relay.controller:
            self.relay.carry(octets, self.relay.front, self.relay.controller)


async def main() -> None:
    """Relays until it is stopped."""
    port, device_port, seed = (int(word) for word in sys.argv[1:4])
    relay, loop = Relay(device_port, seed), asyncio.get_running_loop()
    relay.front, _ = await loop.create_datagram_endpoint(lambda: Front(relay), local_addr=("0.0.0.0", port))
    relay.back, _ = await loop.create_datagram_endpoint(lambda: Back(relay), local_addr=("127.0.0.1", 0))
    stopped = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stopped.set)
    print(json.dumps({"ready": True}), flush=True)
    await stopped.wait()
    print(json.dumps(relay.counts), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
