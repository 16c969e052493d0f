"""Tests of tools/client.py against a hub of the test's own making: what it sends, what it refuses, how it ends."""

import base64
import datetime
import hashlib
import json
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

PROGRAM = Path(__file__).resolve().parents[2] / "client.py"
sys.path.insert(0, str(PROGRAM.parent))

import client  # noqa: E402

WELCOME = {
    "protocol": "1.7",
    "hub": {"id": "00000000000000aa", "name": "Test", "version": "1"},
    "structures": [],
    "limits": {"maxPayload": 200},
    "of a later version": True,
}


class Authority:
    """A control CA."""

    def __init__(self) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.certificate = certificate(self.key, self.key, "authority", is_authority=True)

    @property
    def der(self) -> bytes:
        """Its certificate."""
        return self.certificate.public_bytes(serialization.Encoding.DER)

    @property
    def spki(self) -> bytes:
        """Its SubjectPublicKeyInfo, from a library that is not the client's own code."""
        form = serialization.PublicFormat.SubjectPublicKeyInfo
        return self.key.public_key().public_bytes(serialization.Encoding.DER, form)

    @property
    def grant(self) -> client.Grant:
        """A grant that names it."""
        parts = (hashlib.sha256(self.spki).digest(), bytes(8), bytes(range(32)))
        text = ".".join(["mh1", *(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)])
        return client.Grant.parse(text)


def certificate(
    key: ec.EllipticCurvePrivateKey,
    issuer: ec.EllipticCurvePrivateKey,
    name: str,
    is_authority: bool = False,
    days: int = 1,
) -> x509.Certificate:
    """A certificate of a key; all authorities have the same name."""
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "authority")]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=3))
        .not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .sign(issuer, hashes.SHA256())
    )


Json = dict[str, Any]
Reply = Callable[[int, Json], list[bytes]]


class FakeHub:
    """Accepts connections over TLS, keeps what was said inside them, and answers by a function."""

    def __init__(
        self,
        shown: Authority,
        signer: Authority,
        reply: Reply | None = None,
        days: int = 1,
        protocol: str = "matterhub/1",
    ) -> None:
        self.heard: list[bytes] = []
        self.connections = 0
        self._reply = reply or (lambda kind, payload: [])
        key = ec.generate_private_key(ec.SECP256R1())
        leaf = certificate(key, signer.key, "hub", days=days)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.set_alpn_protocols([protocol])
        pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
        with tempfile.NamedTemporaryFile() as file:
            file.write(key.private_bytes(pem, form, serialization.NoEncryption()))
            file.write(leaf.public_bytes(pem) + shown.certificate.public_bytes(pem))
            file.flush()
            self._context.load_cert_chain(file.name)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                stream = self._listener.accept()[0]
            except OSError:
                return
            self.connections += 1
            try:
                self._talk(self._context.wrap_socket(stream, server_side=True))
            except OSError:
                stream.close()

    def _talk(self, stream: ssl.SSLSocket) -> None:
        reader, first = client.FrameReader(), True
        while octets := stream.recv(65536):
            self.heard.append(octets)
            if first:
                octets, first = octets.removeprefix(client.PREFACE), False
            for kind, _, payload in reader.feed(octets):
                for answer in self._reply(kind, json.loads(payload)):
                    stream.sendall(answer)
        stream.unwrap().close()

    def close(self) -> None:
        """Takes no more connections."""
        self._listener.close()


def frame(kind: int, message: Json) -> bytes:
    """One frame."""
    return client.encode_frame(kind, json.dumps(message).encode())


def polite(kind: int, payload: Json) -> list[bytes]:
    """A hub that answers each request with its own params, out of order and among other things."""
    if kind == client.Kind.HELLO:
        return [frame(42, {}), frame(client.Kind.WELCOME, WELCOME)]
    if kind == client.Kind.REQUEST:
        event = {"structure": "0", "number": 1, "event": "of.later", "data": {}}
        answer = frame(client.Kind.RESPONSE, {"id": payload["id"], "result": payload.get("params", {})})
        stale = frame(client.Kind.RESPONSE, {"id": 99, "result": {}})
        return [frame(client.Kind.PING, {"n": 1}), frame(client.Kind.EVENT, event), stale, answer[:9], answer[9:]]
    return []


class Trust(unittest.TestCase):
    """§2: chain and pin are checked before a byte of the grant is sent."""

    def setUp(self) -> None:
        self.authority, self.other = Authority(), Authority()

    def hub(self, *arguments: Any, **options: Any) -> FakeHub:
        """A hub that ends with the test."""
        hub = FakeHub(*arguments, **options)
        self.addCleanup(hub.close)
        return hub

    def refuses(self, hub: FakeHub, grant: client.Grant) -> None:
        """The client must not say a word to this hub."""
        with self.assertRaises(client.Untrusted):
            client.connect("127.0.0.1", hub.port, grant)
        self.assertGreater(hub.connections, 0)
        self.assertEqual(hub.heard, [])

    def test_spki_is_what_another_library_says(self) -> None:
        self.assertEqual(client.subject_public_key_info(self.authority.der), self.authority.spki)

    def test_takes_the_hub_of_its_grant(self) -> None:
        hub = self.hub(self.authority, self.authority, polite)
        with client.connect("127.0.0.1", hub.port, self.authority.grant) as connection:
            self.assertEqual(connection.welcome, WELCOME)
        self.assertIn(self.authority.grant.text.encode(), b"".join(hub.heard))

    def test_refuses_another_authority(self) -> None:
        self.refuses(self.hub(self.other, self.other), self.authority.grant)

    def test_refuses_a_leaf_that_only_shows_the_right_authority(self) -> None:
        self.refuses(self.hub(self.authority, self.other), self.authority.grant)

    def test_refuses_an_expired_leaf(self) -> None:
        self.refuses(self.hub(self.authority, self.authority, days=-1), self.authority.grant)

    def test_refuses_another_protocol(self) -> None:
        self.refuses(self.hub(self.authority, self.authority, protocol="http/1.1"), self.authority.grant)

    def test_without_a_grant_it_asks_nothing_and_sends_nothing_secret(self) -> None:
        hub = self.hub(self.other, self.other, polite)
        client.connect("127.0.0.1", hub.port).close()
        self.assertNotIn(b"mh1.", b"".join(hub.heard))

    def test_grants_that_are_none(self) -> None:
        good = self.authority.grant.text
        for text in ("", "mh2" + good[3:], good[:-4], good + ".x", good.replace("mh1.", "mh1.AA")):
            with self.assertRaises(ValueError, msg=text):
                client.Grant.parse(text)


class Talk(unittest.TestCase):
    """§1, §3, §4, §7: frames however they come, answers in any order, and what is not known."""

    def connect(self, reply: Reply) -> client.Connection:
        """A connection to a hub that answers so."""
        authority = Authority()
        hub = FakeHub(authority, authority, reply)
        self.addCleanup(hub.close)
        connection = client.connect("127.0.0.1", hub.port, authority.grant)
        self.addCleanup(connection.close)
        return connection

    def test_frames_however_they_arrive(self) -> None:
        octets = client.encode_frame(3, b"{}") + client.encode_frame(200, b"x" * 300, 7)
        for size in (1, 5, 6, 7, 1000):
            reader = client.FrameReader()
            frames: list[tuple[int, int, bytes]] = []
            for start in range(0, len(octets), size):
                frames += reader.feed(octets[start : start + size])
            self.assertEqual(frames, [(3, 0, b"{}"), (200, 7, b"x" * 300)])
        with self.assertRaises(client.Closed):
            list(client.FrameReader(10).feed(client.encode_frame(3, b"x" * 11)))

    def test_what_it_does_not_know_is_passed_over(self) -> None:
        connection = self.connect(polite)
        numbers = [connection.begin("hub.info", {"n": n}) for n in range(3)]
        self.assertEqual([connection.answer(number)["n"] for number in reversed(numbers)], [2, 1, 0])
        self.assertEqual({event["event"] for event in connection.events}, {"of.later"})

    def test_an_error_is_raised_with_its_reason(self) -> None:
        error = {"code": 9, "name": "failedPrecondition", "message": "no", "details": {"reason": "noSession"}}

        def refuse(kind: int, payload: Json) -> list[bytes]:
            if kind == client.Kind.REQUEST:
                return [frame(client.Kind.RESPONSE, {"id": payload["id"], "error": error})]
            return polite(kind, payload)

        with self.assertRaises(client.HubError) as caught:
            self.connect(refuse).call("session.complete")
        self.assertEqual((caught.exception.name, caught.exception.reason), ("failedPrecondition", "noSession"))

    def test_a_goaway_ends_what_waits(self) -> None:
        goaway = frame(client.Kind.GOAWAY, {"code": 14, "name": "unavailable", "message": "the hub is stopping"})

        def reply(kind: int, payload: Json) -> list[bytes]:
            return [goaway] if kind == client.Kind.REQUEST else polite(kind, payload)

        with self.assertRaises(client.HubError) as caught:
            self.connect(reply).call("hub.info")
        self.assertTrue(caught.exception.goaway)

    def test_it_keeps_to_the_limit_of_welcome(self) -> None:
        with self.assertRaises(ValueError):
            self.connect(polite).call("hub.info", {"x": "y" * 200})

    def test_it_waits_no_longer_than_it_was_told(self) -> None:
        def silent(kind: int, payload: Json) -> list[bytes]:
            return polite(kind, payload) if kind == client.Kind.HELLO else []

        with self.assertRaises(TimeoutError):
            self.connect(silent).call("hub.info", seconds=0.05)


class Program(unittest.TestCase):
    """The exit statuses that --help promises."""

    def status(self, *arguments: str) -> int:
        """How client.py ends."""
        command = [sys.executable, str(PROGRAM), *arguments]
        return subprocess.run(command, capture_output=True, timeout=30, check=False).returncode

    def test_exit_statuses(self) -> None:
        authority, other = Authority(), Authority()
        hub = FakeHub(authority, authority, polite)
        self.addCleanup(hub.close)
        with socket.create_server(("127.0.0.1", 0)) as unused:
            nobody = unused.getsockname()[1]
        address = f"127.0.0.1:{hub.port}"
        self.assertEqual(self.status("raw", "hub.info", "--hub", address, "--grant", authority.grant.text), 0)
        self.assertEqual(self.status("raw", "hub.info", "--hub", address, "--grant", other.grant.text), 3)
        self.assertEqual(self.status("raw", "hub.info", "--hub", f"127.0.0.1:{nobody}"), 4)
        self.assertEqual(self.status("raw", "hub.info", "--hub", address, "--grant", "mh1.x"), 2)
        self.assertEqual(self.status("raw", "hub.info", "not JSON"), 2)
        self.assertEqual(self.status("--help"), 0)


if __name__ == "__main__":
    unittest.main()
