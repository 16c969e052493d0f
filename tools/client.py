#!/usr/bin/env python3
"""client.py: a client of the hub's control protocol, written from Protocols/ alone, with Python's standard library: the
reference for whoever writes one in another language. Numbers after § are sections of hub-control.md.

    client.py info                              the hub, what the grant allows, where events stand
    client.py raw METHOD [JSON]                 one request; prints its result
    client.py flow --code CODE [--on|--off]     prepare, commission (with its stages), complete, list, and switch it
    client.py flow --code CODE --cancel STAGE   the same, cancelled when that stage begins ("prepared": before it)

Exit status: 0 done, 1 the hub refused or the request failed, 2 wrong usage, 3 no permission (also: the hub is not the
grant's), 4 unreachable, 5 timed out, 130 interrupted.
"""

import argparse
import base64
import hashlib
import json
import os
import secrets
import socket
import ssl
import struct
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any

Json = dict[str, Any]
PREFACE = b"MHUB\x01"
DEFAULT_PORT = 5543
MAX_PAYLOAD = 1 << 20


class Kind(IntEnum):
    """What a frame carries (§1)."""

    HELLO = 1
    WELCOME = 2
    REQUEST = 3
    RESPONSE = 4
    EVENT = 5
    PING = 6
    PONG = 7
    GOAWAY = 8


class HubError(Exception):
    """An error that the hub sent: a response's `error`, or a goaway."""

    def __init__(self, error: Json, goaway: bool = False) -> None:
        super().__init__(error.get("message", "no message"))
        self.error, self.goaway = error, goaway
        self.name: str = error.get("name", "unknown")
        self.reason: str | None = error.get("details", {}).get("reason")


class Untrusted(Exception):
    """The hub is not the one that the grant is for; nothing secret was sent."""


class Closed(Exception):
    """The connection ended without a goaway, or could not be made."""


# --- Frames (§1)


def encode_frame(kind: int, payload: bytes, flags: int = 0) -> bytes:
    """The bytes of one frame."""
    return struct.pack(">IBB", len(payload), kind, flags) + payload


class FrameReader:
    """Cuts bytes into frames, however they arrive."""

    def __init__(self, limit: int = MAX_PAYLOAD) -> None:
        self._buffer, self._limit = bytearray(), limit

    def feed(self, octets: bytes) -> Iterator[tuple[int, int, bytes]]:
        """(kind, flags, payload) of each frame that is whole now."""
        self._buffer += octets
        while len(self._buffer) >= 6:
            length, kind, flags = struct.unpack(">IBB", self._buffer[:6])
            if length > self._limit:
                raise Closed(f"the hub announced a payload of {length} bytes; {self._limit} are allowed")
            if len(self._buffer) < 6 + length:
                return
            payload = bytes(self._buffer[6 : 6 + length])
            del self._buffer[: 6 + length]
            yield kind, flags, payload


# --- Trust (§2)


@dataclass(frozen=True)
class Grant:
    """mh1.PIN.ID.SECRET"""

    text: str
    pin: bytes

    @classmethod
    def parse(cls, text: str) -> "Grant":
        """Reads a grant's text; ValueError when it is none."""
        parts = text.strip().split(".")
        if len(parts) != 4 or parts[0] != "mh1":
            raise ValueError("a grant has the form mh1.PIN.ID.SECRET")
        pin, number, secret = (base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)) for part in parts[1:])
        if (len(pin), len(number), len(secret)) != (32, 8, 32):
            raise ValueError("a part of the grant has a wrong length")
        return cls(text.strip(), pin)


def der_element(octets: bytes, start: int) -> tuple[int, int, int]:
    """(tag, start of the content, end) of the DER element at `start` (X.690 §8.1)."""
    tag, length, content = octets[start], octets[start + 1], start + 2
    if length & 0x80:
        count = length & 0x7F
        length, content = int.from_bytes(octets[content : content + count], "big"), content + count
    if content + length > len(octets):
        raise ValueError("a DER element is longer than its container")
    return tag, content, content + length


def subject_public_key_info(certificate: bytes) -> bytes:
    """The whole SubjectPublicKeyInfo element of a DER certificate (RFC 5280 §4.1)."""
    _, start, _ = der_element(certificate, 0)  # Certificate
    _, start, _ = der_element(certificate, start)  # TBSCertificate
    tag, _, end = der_element(certificate, start)
    fields = 5 if tag != 0xA0 else 6  # version?, serial number, signature, issuer, validity, subject
    for _ in range(fields):
        _, _, end = der_element(certificate, start)
        start = end
    _, _, end = der_element(certificate, start)
    return certificate[start:end]


def tls_context(authority: bytes | None = None) -> ssl.SSLContext:
    """TLS 1.3 with our ALPN. With an authority, it is the only one that is trusted, and the leaf must be its own and
    both within their validity; names are not checked, since the pin says who the hub is."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.set_alpn_protocols(["matterhub/1"])
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if keys := os.environ.get("SSLKEYLOGFILE"):
        # For Wireshark; whoever has this file and a capture can read all of it, grants too.
        context.keylog_filename = keys
    if authority is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=authority)
    return context


def pinned_authority(stream: ssl.SSLSocket, pin: bytes) -> bytes:
    """The certificate, of those that the hub sent, whose key the grant names."""
    chain: list[bytes]
    if hasattr(stream, "get_unverified_chain"):
        chain = list(stream.get_unverified_chain())
    else:
        # Before Python 3.13 only the object underneath has that call.
        inner: Any = getattr(stream, "_sslobj")  # noqa: B009
        chain = [ssl.PEM_cert_to_DER_cert(entry.public_bytes()) for entry in inner.get_unverified_chain()]
    for certificate in chain[1:]:
        if hashlib.sha256(subject_public_key_info(certificate)).digest() == pin:
            return certificate
    raise Untrusted("no certificate of this hub has the key that the grant names: it is another hub's grant")


def open_stream(host: str, port: int, grant: Grant | None, plain: bool, seconds: float) -> socket.socket:
    """A connected stream, ready for the preface. With a grant it is checked first: one connection, on which nothing is
    sent, to see the hub's authority; then one on which TLS itself trusts that authority alone."""

    def wrap(context: ssl.SSLContext) -> ssl.SSLSocket:
        stream = context.wrap_socket(socket.create_connection((host, port), seconds))
        if stream.selected_alpn_protocol() != "matterhub/1":
            stream.close()
            raise Untrusted("whoever answers there does not speak the hub's protocol (ALPN)")
        return stream

    try:
        if plain:
            return socket.create_connection((host, port), seconds)
        if grant is None:
            return wrap(tls_context())
        stream = wrap(tls_context())
        try:
            authority = pinned_authority(stream, grant.pin)
        finally:
            close_stream(stream)
        return wrap(tls_context(authority))
    except ssl.SSLCertVerificationError as error:
        raise Untrusted(f"the hub's certificate does not hold: {error.verify_message}") from error
    except TimeoutError as error:
        raise TimeoutError(f"{host}:{port} does not answer within {seconds:.0f} s") from error
    except OSError as error:
        raise Closed(f"{host}:{port} cannot be reached: {error}") from error


def close_stream(stream: socket.socket) -> None:
    """Closes it, TLS with its closing mark, so that the hub knows that nothing was cut off."""
    try:
        if isinstance(stream, ssl.SSLSocket):
            stream.settimeout(2)
            stream.unwrap()
    except (OSError, ValueError):
        pass  # The hub was faster, or is gone.
    finally:
        stream.close()


# --- A connection (§3, §4, §5)


class Connection:
    """One connection. Requests may overlap: `begin` sends one, `answer` waits for its response; events and pings are
    dealt with in between. `observer` sees every frame: "client" or "hub" as its sender, its kind, its payload."""

    def __init__(self, stream: socket.socket, observer: Callable[[str, int, bytes], None] | None = None) -> None:
        self._stream, self._reader, self._observer = stream, FrameReader(), observer
        self.on_event: Callable[[Json], None] | None = None
        self._answers: dict[int, Json] = {}
        self._open: set[int] = set()
        self._number = 0
        self.limit = MAX_PAYLOAD
        self.welcome: Json = {}
        self.events: list[Json] = []

    def hello(self, client: str, grant: Grant | None) -> Json:
        """Says hello; returns the welcome."""
        self._stream.sendall(PREFACE)
        self.send(Kind.HELLO, {"client": client, **({"grant": grant.text} if grant else {})})
        while not self.welcome:
            self.receive()
        self.limit = min(MAX_PAYLOAD, self.welcome["limits"]["maxPayload"])
        return self.welcome

    def call(self, method: str, params: Json | None = None, seconds: float = 150) -> Json:
        """The result of one request; HubError when the hub refuses."""
        return self.answer(self.begin(method, params), seconds)

    def begin(self, method: str, params: Json | None = None, deadline_ms: int | None = None) -> int:
        """Sends a request; returns its id."""
        self._number += 1
        request: Json = {"id": self._number, "method": method}
        if params:
            request["params"] = params
        if deadline_ms is not None:
            request["deadlineMs"] = deadline_ms
        self.send(Kind.REQUEST, request)
        self._open.add(self._number)
        return self._number

    def answered(self, number: int) -> bool:
        """Whether the response to a request has been read already."""
        return number in self._answers

    def answer(self, number: int, seconds: float = 150) -> Json:
        """Waits for the response to a request."""
        deadline = time.monotonic() + seconds
        while number not in self._answers:
            self.receive(deadline)
        response = self._answers.pop(number)
        if "error" in response:
            raise HubError(response["error"])
        result: Json = response["result"]
        return result

    def receive(self, deadline: float | None = None) -> None:
        """Waits for bytes and deals with every frame that is whole by then."""
        left = 150.0 if deadline is None else deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the hub did not answer in time")
        self._stream.settimeout(left)
        try:
            octets = self._stream.recv(65536)
        except TimeoutError as error:
            raise TimeoutError("the hub did not answer in time") from error
        except OSError as error:
            raise Closed(f"the connection broke: {error}") from error
        if not octets:
            raise Closed("the hub closed the connection")
        for kind, _, payload in self._reader.feed(octets):
            if self._observer:
                self._observer("hub", kind, payload)
            self._take(kind, payload)

    def _take(self, kind: int, payload: bytes) -> None:
        # Members and kinds that are not known here are ignored (§7).
        message: Json = json.loads(payload)
        if kind == Kind.WELCOME:
            self.welcome = message
        elif kind == Kind.RESPONSE and message["id"] in self._open:
            self._open.discard(message["id"])
            self._answers[message["id"]] = message
        elif kind == Kind.EVENT:
            self.events.append(message)
            if self.on_event:
                self.on_event(message)
        elif kind == Kind.PING:
            self.send(Kind.PONG, message)
        elif kind == Kind.GOAWAY:
            raise HubError(message, goaway=True)

    def send(self, kind: int, message: Json) -> None:
        """Sends one frame."""
        payload = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
        if len(payload) > self.limit:
            raise ValueError(f"the message has {len(payload)} bytes; the hub takes {self.limit}")
        if self._observer:
            self._observer("client", kind, payload)
        self.send_octets(encode_frame(kind, payload))

    def send_octets(self, octets: bytes) -> None:
        """Sends bytes as they are."""
        try:
            self._stream.sendall(octets)
        except OSError as error:
            raise Closed(f"the connection broke: {error}") from error

    def close(self) -> None:
        """Ends the connection."""
        close_stream(self._stream)

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def connect(
    host: str, port: int, grant: Grant | None = None, *, plain: bool = False, seconds: float = 10
) -> Connection:
    """A connection that has been welcomed."""
    connection = Connection(open_stream(host, port, grant, plain, seconds))
    try:
        connection.hello("client.py/1.0", grant)
    except BaseException:
        connection.close()
        raise
    return connection


# --- The flow (commissioning-session.md)


@dataclass
class Flow:
    """prepare → commission → complete → list → invoke, or a cancel on the way."""

    connection: Connection
    code: str
    address: str | None = None
    cancel_at: str | None = None
    switch: bool | None = None
    tell: Callable[[str], None] = print
    _cancelling: int | None = field(default=None, init=False)

    def run(self) -> Json:
        """What came of it, for machines."""
        call = self.connection.call
        self.connection.on_event = self._event
        call("events.subscribe")
        session = call("session.prepare")
        self.tell(f"session {session['session']} is open for {session['expiresInMs'] // 1000} s")
        if self.cancel_at == "prepared":
            return {"cancelled": self._cancelled(self.connection.begin("session.cancel"))}
        params: Json = {"payload": self.code, "clientKey": secrets.token_hex(16)}
        if self.address:
            params["address"] = self.address
        try:
            commissioned = call("session.commission", params)
        except HubError as error:
            if self._cancelling is not None and error.reason == "sessionEnded":
                return {"cancelled": self._cancelled(self._cancelling)}
            # The session stays open for another try; this program makes none.
            if not error.goaway:
                call("session.cancel")
            raise
        if self._cancelling is not None:
            return {"cancelled": self._cancelled(self._cancelling)}
        self.tell(f"commissioned {commissioned['productName']} in {commissioned['elapsedMs']} ms")
        for warning in commissioned.get("warnings", []):
            self.tell(f"warning: {warning}")
        devices = call("session.complete", {"clientKey": secrets.token_hex(16)})["deviceIds"]
        self.tell(f"device {', '.join(devices)}")
        listed = [entry for entry in list_devices(self.connection) if entry["id"] in devices]
        if self.switch is not None:
            for entry in listed:
                command = 1 if self.switch else 0
                call(
                    "devices.invoke",
                    {"id": entry["id"], "endpoint": entry["endpoint"], "cluster": 6, "command": command},
                )
                self.tell(f"switched {entry['name']} {'on' if self.switch else 'off'}")
        return {"deviceIds": devices, "devices": listed, "stages": commissioned["stages"]}

    def _event(self, event: Json) -> None:
        if event["event"] != "session.stage":
            return
        data = event["data"]
        self.tell(f"stage {data['index']}/{data['total']} {data['stage']} at {data['elapsedMs']} ms")
        if data["stage"] == self.cancel_at and self._cancelling is None:
            self._cancelling = self.connection.begin("session.cancel")

    def _cancelled(self, request: int) -> Json:
        answer = self.connection.answer(request)
        self.tell(f"cancelled; the device is {answer['device']}")
        return answer


def list_devices(connection: Connection) -> list[Json]:
    """Every device, page by page."""
    devices: list[Json] = []
    params: Json = {}
    while True:
        page = connection.call("devices.list", params)
        devices += page["devices"]
        if "next" not in page:
            return devices
        params = {"cursor": page["next"]}


# --- The command line


def arguments() -> argparse.Namespace:
    """The command line, read."""
    parser = argparse.ArgumentParser(
        prog="client.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--hub", default=f"127.0.0.1:{DEFAULT_PORT}", metavar="HOST:PORT", help="default %(default)s")
    common.add_argument("--grant", metavar="TEXT|FILE", help="the grant, or the file that holds it [MATTERHUB_GRANT]")
    common.add_argument(
        "--plain",
        action="store_true",
        help="no TLS, and the grant is sent all the same (serve --plain, on this machine only)",
    )
    common.add_argument("--json", action="store_true", help="one JSON object on standard output")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("info", parents=[common], help="the hub and what the grant allows")
    raw = commands.add_parser("raw", parents=[common], help="one request")
    raw.add_argument("method")
    raw.add_argument("params", nargs="?", default="{}", type=json.loads, metavar="JSON")
    flow = commands.add_parser("flow", parents=[common], help="commission a device")
    flow.add_argument("--code", required=True, help="QR text or manual code")
    flow.add_argument("--address", metavar="HOST:PORT", help="the device's, to skip the search")
    flow.add_argument("--cancel", metavar="STAGE", help="cancel when this stage begins")
    switch = flow.add_mutually_exclusive_group()
    switch.add_argument("--on", dest="switch", action="store_true", default=None)
    switch.add_argument("--off", dest="switch", action="store_false")
    return parser.parse_args()


def run(options: argparse.Namespace) -> Json:
    """Performs the command; returns what `--json` prints."""
    text = options.grant or os.environ.get("MATTERHUB_GRANT", "")
    if text and not text.startswith("mh1."):
        text = Path(text).read_text(encoding="utf-8")
    grant = Grant.parse(text) if text else None
    host, _, port = options.hub.rpartition(":")
    with connect(host.strip("[]"), int(port), grant, plain=options.plain) as connection:
        if options.command == "info":
            return {**connection.welcome, "reachable": connection.call("hub.info")["reachable"]}
        if options.command == "raw":
            return connection.call(options.method, options.params)
        tell = (lambda line: print(line, file=sys.stderr)) if options.json else print
        return Flow(connection, options.code, options.address, options.cancel, options.switch, tell).run()


def main() -> int:
    """Returns the exit status."""
    options = arguments()
    try:
        result = run(options)
    except HubError as error:
        place = f" at {error.error['stage']}" if "stage" in error.error else ""
        print(f"client.py: {error.name}{place}: {error}", file=sys.stderr)
        if options.json:
            print(json.dumps({"error": error.error}))
        return {"permissionDenied": 3, "unauthenticated": 3, "unavailable": 4, "deadlineExceeded": 5}.get(error.name, 1)
    except (Untrusted, Closed, TimeoutError, OSError, ValueError) as error:
        print(f"client.py: {error}", file=sys.stderr)
        return {Untrusted: 3, Closed: 4, TimeoutError: 5}.get(type(error), 2)
    except KeyboardInterrupt:
        return 130
    if options.json or options.command != "flow":
        print(json.dumps(result, ensure_ascii=False, indent=None if options.json else 2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
