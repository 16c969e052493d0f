"""The clients around the cycles: those that are only there, those that ask all the time, and those that die."""

import asyncio
import random
import socket
import ssl
from collections import Counter

from link import RESET, Json, Ledger, Link, Target, client

MANNERS = ("at once", "in the handshake", "before hello", "after hello", "inside a frame", "with requests open")


class Idle:
    """Clients that say nothing but pong. Every 50th listens to events, whose numbers must have no gap."""

    def __init__(self, target: Target, grant: client.Grant, ledger: Ledger) -> None:
        self.target, self.grant, self.ledger = target, grant, ledger
        self.links: list[Link] = []
        self.heard: list[list[int]] = []

    async def gather(self, count: int) -> None:
        """Connects so many, a few at a time. An address may have 1,024 connections, so they come from several."""
        gate = asyncio.Semaphore(16)

        async def one(number: int) -> None:
            async with gate:
                link = await Link.open(self.target, self.ledger, self.grant, f"127.0.1.{1 + number // 500}")
            self.links.append(link)
            if number % 50 == 0:
                heard: list[int] = []
                self.heard.append(heard)
                link.on_event = lambda event: heard.append(event["number"])
                await link.call("events.subscribe")

        async with asyncio.TaskGroup() as group:
            for number in range(count):
                group.create_task(one(number))

    def problems(self) -> list[str]:
        """What is not as it should be."""
        found = Counter(link.ended for link in self.links if link.ended is not None)
        problems = [f"{count} idle clients were dropped: {why}" for why, count in found.items()]
        gaps = sum(any(b != a + 1 for a, b in zip(heard, heard[1:], strict=False)) for heard in self.heard)
        if gaps:
            problems.append(f"{gaps} of {len(self.heard)} listeners were not told every event in order")
        if len({len(heard) for heard in self.heard if heard}) > 1:
            problems.append(f"listeners heard different numbers of events: {sorted(len(h) for h in self.heard)}")
        return problems

    async def close(self) -> None:
        """Ends all of them."""
        await asyncio.gather(*(link.close() for link in self.links))


class Active:
    """A client that uses its connection all the time, and does a cycle when it is its turn."""

    def __init__(
        self, number: int, target: Target, grant: client.Grant, ledger: Ledger, seed: int, peace: asyncio.Lock
    ) -> None:
        self.number, self.target, self.grant, self.ledger = number, target, grant, ledger
        self.peace = peace
        self.draw = random.Random(seed * 1_000 + number)
        self.link: Link
        # Held in a cycle of its own: it must not compete with itself for the session.
        self.turn = asyncio.Lock()
        self.competed = 0
        self.problems: list[str] = []

    async def connect(self) -> Link:
        """Connects, again if need be."""
        self.link = await Link.open(self.target, self.ledger, self.grant)
        return self.link

    async def chatter(self, stop: asyncio.Event, pause: float) -> None:
        """Asks for this and that until it is stopped."""
        while not stop.is_set():
            try:
                await asyncio.wait_for(stop.wait(), self.draw.uniform(0.5, 1.5) * pause)
            except TimeoutError:
                pass
            link = self.link
            try:
                await self._ask()
            except client.HubError as error:
                if error.goaway or error.reason == "internalError":
                    self.problems.append(f"client {self.number}: {error.name}: {error}")
            except client.Closed:
                # Its cycle ends connections on purpose, and makes new ones; anyone else's must not end.
                if not link.may_be_cut:
                    self.problems.append(f"client {self.number} lost its connection: {link.ended}")
                    return
            except TimeoutError as late:
                self.problems.append(f"client {self.number}: {late}")

    async def _ask(self) -> None:
        call = self.link.call
        match self.draw.choices(range(8), (20, 20, 20, 10, 10, 10, 5, 5))[0]:
            case 0:
                await call("hub.info")
            case 1:
                await call("devices.list")
            case 2:
                await call("rooms.list")
            case 3:
                await call("session.get")
            case 4:
                await call("grants.list")
            case 5:
                await call("no.such.method")
            case 6:
                link = self.link
                first = link.begin("devices.list", {"limit": 1})
                await asyncio.gather(
                    link.answer(first), link.call("cancel", {"id": link.last_id}), return_exceptions=True
                )
            case _:
                await self._compete()

    async def _compete(self) -> None:
        """Wants the session as well, and leaves it at once when it gets it."""
        if self.turn.locked():
            return
        async with self.turn, self.peace:
            await self.link.call("session.prepare")
            self.competed += 1
            await self.link.call("session.cancel")


async def die(target: Target, grant: client.Grant, manner: str, ledger: Ledger) -> None:
    """A client that comes and dies."""
    if manner in ("after hello", "inside a frame", "with requests open"):
        link = await Link.open(target, ledger, grant)
        if manner == "inside a frame":
            link.write(client.encode_frame(client.Kind.REQUEST, b'{"id": 1, "method": "hub.info"}')[:20])
        elif manner == "with requests open":
            for _ in range(8):
                link.begin("devices.list")
        # What it sent must leave this process first.
        await asyncio.sleep(0)
        link.abort()
        return
    stream = socket.create_connection((target.host, target.port), 10)
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    with stream:
        if manner == "at once":
            return
        outgoing = ssl.MemoryBIO()
        try:
            target.trust.wrap_bio(ssl.MemoryBIO(), outgoing).do_handshake()
        except ssl.SSLWantReadError:
            pass
        hello = outgoing.read()
        stream.sendall(hello if manner == "before hello" else hello[: len(hello) // 2])

