"""A client of the hub's control protocol, written from Protocols/hub-control.md alone: what a stranger would write.

It does not check the hub's certificate against the grant (this Python cannot see the chain); in a sandbox there is
nobody else. Runs as a program too, so that it can be started inside a node:

    control.py HOST PORT GRANT-FILE      requests as JSON lines {"method", "params"} on standard input; answers on
    standard output
"""

import json
import signal
import socket
import ssl
import struct
import sys

HELLO, WELCOME, REQUEST, RESPONSE, EVENT, PING, PONG, GOAWAY = range(1, 9)


class ControlConnection:
    """One connection, one request at a time."""

    def __init__(self, host: str, port: int, grant: str | None) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.set_alpn_protocols(["matterhub/1"])
        self.stream = context.wrap_socket(socket.create_connection((host, port), 10))
        self.stream.settimeout(120)
        self.number = 0
        self.stream.sendall(b"MHUB\x01")
        self.send(HELLO, {"client": "interop/1.0", **({"grant": grant} if grant else {})})
        kind, self.welcome = self.receive()
        if kind != WELCOME:
            raise ConnectionError(f"in place of welcome the hub sent kind {kind}: {self.welcome}")

    def call(self, method: str, params: dict, events: list[dict]) -> dict:
        """The response to one request; events that come before it are added to `events`."""
        self.number += 1
        self.send(REQUEST, {"id": self.number, "method": method, "params": params})
        while True:
            kind, payload = self.receive()
            if kind == RESPONSE and payload["id"] == self.number:
                return payload
            if kind == EVENT:
                events.append(payload)
            elif kind == PING:
                self.send(PONG, payload)
            elif kind == GOAWAY:
                raise ConnectionError(f"goaway: {payload}")

    def close(self) -> None:
        """Ends the connection as TLS wants it."""
        self.stream.settimeout(2)
        try:
            self.stream.unwrap().close()
        except (OSError, ValueError):
            self.stream.close()

    def send(self, kind: int, payload: dict) -> None:
        """Writes one frame."""
        octets = json.dumps(payload).encode()
        self.stream.sendall(struct.pack(">IBB", len(octets), kind, 0) + octets)

    def receive(self) -> tuple[int, dict]:
        """Reads one frame."""
        length, kind, _ = struct.unpack(">IBB", self.exactly(6))
        return kind, json.loads(self.exactly(length))

    def exactly(self, count: int) -> bytes:
        """Reads so many bytes."""
        octets = b""
        while len(octets) < count:
            part = self.stream.recv(count - len(octets))
            if not part:
                raise ConnectionError("the hub closed the connection")
            octets += part
        return octets


def main() -> None:
    """Answers a line for each line read."""
    host, port, grant = sys.argv[1], int(sys.argv[2]), open(sys.argv[3], encoding="utf-8").read().strip()
    connection = ControlConnection(host, port, grant)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        print(json.dumps({"welcome": connection.welcome}), flush=True)
        for line in sys.stdin:
            request, events = json.loads(line), []
            answer = connection.call(request["method"], request.get("params", {}), events)
            print(json.dumps({"answer": answer, "events": events}), flush=True)
    finally:
        connection.close()


if __name__ == "__main__":
    main()
