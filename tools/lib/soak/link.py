"""Many connections in one program: the frames, limits and trust of tools/client.py, over asyncio, with an account of
every request."""

import asyncio
import json
import socket
import ssl
import struct
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import client  # noqa: E402

Json = dict[str, Any]
# With this, a socket that is closed says RST in place of FIN, as the system of a client that died does.
RESET = struct.pack("ii", 1, 0)


@dataclass(frozen=True)
class Target:
    """The hub, and what makes its identity certain."""

    host: str
    port: int
    trust: ssl.SSLContext

    @classmethod
    def of(cls, host: str, port: int, grant: client.Grant) -> "Target":
        """Looks at the hub's certificate once: the grant's pin must be there. Later connections trust only that."""
        stream = client.tls_context().wrap_socket(socket.create_connection((host, port), 10))
        try:
            return cls(host, port, client.tls_context(client.pinned_authority(stream, grant.pin)))
        finally:
            client.close_stream(stream)


@dataclass
class Ledger:
    """The account of all requests of all connections."""

    sent: Counter[str] = field(default_factory=Counter)
    results: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    # Without an answer, because the connection was cut: by us or by a fault, or by nobody that we know.
    cut: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    # Without an answer although there was time.
    overdue: Counter[str] = field(default_factory=Counter)
    # Answers to no open request: a second one, or one that nobody asked for.
    strange: list[str] = field(default_factory=list)
    slowest: dict[str, float] = field(default_factory=dict)
    # Why the hub ended connections, in its words.
    goodbyes: Counter[str] = field(default_factory=Counter)

    def answered(self, method: str, response: Json, seconds: float) -> None:
        """A request got its answer."""
        if "error" in response:
            error = response["error"]
            self.refusals[f"{method} {error.get('details', {}).get('reason') or error['name']}"] += 1
        else:
            self.results[method] += 1
        self.slowest[method] = max(seconds, self.slowest.get(method, 0))

    def open_now(self) -> int:
        """Requests that have neither an answer nor an excuse."""
        ended = (self.results, self.refusals, self.cut, self.lost)
        return self.sent.total() - sum(counter.total() for counter in ended)


@dataclass
class Waiting:
    """A request that has no answer yet."""

    method: str
    began: float
    future: asyncio.Future[Json]


class Link:
    """A connection that was welcomed."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, ledger: Ledger) -> None:
        self._reader, self._writer, self._ledger = reader, writer, ledger
        self._frames = client.FrameReader()
        self._waiting: dict[int, Waiting] = {}
        self._number = 0
        self.welcome: Json = {}
        self.pings = 0
        # Set while somebody means to cut it: what then has no answer is not missing.
        self.may_be_cut = False
        self.ended: str | None = None
        self.on_event: Callable[[Json], None] | None = None
        self._reading: asyncio.Task[None] | None = None

    @classmethod
    async def open(
        cls, target: Target, ledger: Ledger, grant: client.Grant | None, source: str = "127.0.0.1"
    ) -> "Link":
        """Connects from an address of this machine and says hello."""
        reader, writer = await asyncio.open_connection(
            target.host, target.port, ssl=target.trust, local_addr=(source, 0), ssl_handshake_timeout=60
        )
        link = cls(reader, writer, ledger)
        writer.write(client.PREFACE)
        link._send(client.Kind.HELLO, {"client": "soak/1.0", **({"grant": grant.text} if grant else {})})
        async with asyncio.timeout(60):
            while not link.welcome:
                await link._receive()
        link._reading = asyncio.create_task(link._read())
        return link

    async def call(self, method: str, params: Json | None = None, seconds: float = 60) -> Json:
        """The result of one request; HubError when it is refused, Closed when the connection ends, TimeoutError."""
        return await self.answer(self.begin(method, params), seconds)

    def begin(self, method: str, params: Json | None = None) -> Waiting:
        """Sends a request."""
        if self.ended is not None:
            raise client.Closed(self.ended)
        self._number += 1
        waiting = Waiting(method, time.monotonic(), asyncio.get_running_loop().create_future())
        self._waiting[self._number] = waiting
        self._ledger.sent[method] += 1
        self._send(client.Kind.REQUEST, {"id": self._number, "method": method, **({"params": params} if params else {})})
        return waiting

    @property
    def last_id(self) -> int:
        """The id of the request that was sent last."""
        return self._number

    async def answer(self, waiting: Waiting, seconds: float = 60) -> Json:
        """Waits for the answer to a request."""
        try:
            response = await asyncio.wait_for(asyncio.shield(waiting.future), seconds)
        except TimeoutError:
            self._ledger.overdue[waiting.method] += 1
            raise TimeoutError(f"{waiting.method} was not answered within {seconds:.0f} s") from None
        if "error" in response:
            raise client.HubError(response["error"])
        result: Json = response["result"]
        return result

    def abort(self) -> None:
        """Ends it as the system of a client that died does."""
        self.may_be_cut = True
        stream = self._writer.get_extra_info("socket")
        if stream is not None and self.ended is None:
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self._finish("it was cut here")
        if self._reading:
            self._reading.cancel()

    async def close(self) -> None:
        """Ends it in good manners."""
        self.may_be_cut = True
        self._writer.close()
        if self._reading:
            try:
                await asyncio.wait_for(self._reading, 10)
            except TimeoutError:
                self._writer.transport.abort()

    def write(self, octets: bytes) -> None:
        """Sends bytes as they are."""
        self._writer.write(octets)

    def _send(self, kind: int, message: Json) -> None:
        payload = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
        self._writer.write(client.encode_frame(kind, payload))

    async def _read(self) -> None:
        """Deals with what the hub sends, until the end."""
        why = "the hub closed the connection"
        try:
            while True:
                await self._receive()
        except (client.Closed, client.HubError, OSError, ssl.SSLError) as error:
            why = str(error) or why
        self._finish(why)

    def _finish(self, why: str) -> None:
        """It has ended; what has no answer will get none."""
        self.ended = self.ended or why
        for waiting in self._waiting.values():
            (self._ledger.cut if self.may_be_cut else self._ledger.lost)[waiting.method] += 1
            if not waiting.future.done():
                waiting.future.set_exception(client.Closed(why))
                # Nobody may be waiting for it.
                waiting.future.exception()
        self._waiting.clear()
        self._writer.transport.abort()

    async def _receive(self) -> None:
        octets = await self._reader.read(65536)
        if not octets:
            raise client.Closed("the hub closed the connection")
        for kind, _, payload in self._frames.feed(octets):
            self._take(kind, json.loads(payload))

    def _take(self, kind: int, message: Json) -> None:
        if kind == client.Kind.RESPONSE:
            waiting = self._waiting.pop(message["id"], None)
            if waiting is None:
                self._ledger.strange.append(f"answer to {message['id']}, which is not open: {message}"[:300])
                return
            self._ledger.answered(waiting.method, message, time.monotonic() - waiting.began)
            if not waiting.future.done():
                waiting.future.set_result(message)
        elif kind == client.Kind.EVENT and self.on_event:
            self.on_event(message)
        elif kind == client.Kind.PING:
            self.pings += 1
            self._send(client.Kind.PONG, message)
        elif kind == client.Kind.WELCOME:
            self.welcome = message
        elif kind == client.Kind.GOAWAY:
            self._ledger.goodbyes[f"{message['name']}: {message['message']}"] += 1
            raise client.HubError(message, goaway=True)
