"""dissect.py --binary FILE --folder FOLDER: checks tools/wireshark/matterhub.lua with tshark on captures of this
network's loopback: one dialogue without TLS, one within TLS, with its keys. What tshark shows must be what the client
recorded. The last line of standard output is a JSON object.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[1])]

import client  # noqa: E402
from recording import Recording  # noqa: E402
from scenarios import PASSCODE  # noqa: E402
from world import Failure, Session, World  # noqa: E402

SCRIPT = HERE.parents[1] / "wireshark" / "matterhub.lua"
FIELDS = ("kind", "id", "method", "event", "error", "response_to", "response_in")


class Capture:
    """tshark, writing what passes on loopback at one TCP port."""

    def __init__(self, port: int, path: Path) -> None:
        self.path = path
        self._words = open(path.with_suffix(".err"), "w+", encoding="utf-8")
        command = ["tshark", "-q", "-i", "lo", "-f", f"tcp port {port}", "-w", str(path)]
        self._child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._words)
        # The file has its head as soon as packets are being taken.
        deadline = time.monotonic() + 20
        while not (path.exists() and path.stat().st_size):
            if self._child.poll() is not None or time.monotonic() > deadline:
                self._words.seek(0)
                raise Failure(f"tshark takes no packets: {self._words.read().strip()[-500:]}")
            time.sleep(0.05)

    def stop(self, at_least: int) -> None:
        """Ends it when so many bytes were written, or after a while all the same."""
        deadline = time.monotonic() + 10
        while self.path.stat().st_size < at_least and time.monotonic() < deadline:
            time.sleep(0.05)
        self._child.send_signal(signal.SIGINT)
        self._child.wait(20)
        self._words.close()


@dataclass
class Shown:
    """What tshark shows of a capture: values of each field, in order, by the sender."""

    client: dict[str, list[str]]
    hub: dict[str, list[str]]


def show(path: Path, port: int, *options: str) -> Shown:
    """Dissects a capture."""
    command = [
        "tshark",
        "-X",
        f"lua_script:{SCRIPT}",
        *options,
        "-2",
        "-r",
        str(path),
        "-Y",
        "matterhub",
        "-T",
        "fields",
    ]
    command += ["-E", "occurrence=a", "-E", "aggregator=|", "-e", "tcp.dstport"]
    command += [word for name in FIELDS for word in ("-e", f"matterhub.{name}")]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if result.returncode or "Lua:" in result.stderr:
        raise Failure(f"tshark: status {result.returncode}: {result.stderr.strip()[-800:]}")
    shown = Shown({name: [] for name in FIELDS}, {name: [] for name in FIELDS})
    for line in result.stdout.splitlines():
        target, *cells = line.split("\t")
        side = shown.client if target == str(port) else shown.hub
        for name, cell in zip(FIELDS, cells, strict=True):
            side[name] += cell.split("|") if cell else []
    return shown


def compare(shown: Shown, recording: Recording) -> str:
    """Fails unless every recorded frame was shown, with its particulars, in order."""

    def differ(what: str, found: list[str], wanted: list[object]) -> None:
        words = [str(entry) for entry in wanted]
        if found != words or not words:
            raise Failure(f"{what}: tshark shows {found[:40]}, the client saw {words[:40]}")

    kinds = {kind.name.lower(): kind.value for kind in client.Kind}
    for sender, side in (("client", shown.client), ("hub", shown.hub)):
        entries = [entry for entry in recording.entries if entry.sender == sender]
        differ(f"kinds of the {sender}", side["kind"], [kinds[entry.kind] for entry in entries])
        ids = [entry.payload["id"] for entry in entries if entry.kind in ("request", "response")]
        differ(f"ids of the {sender}", side["id"], ids)
    entries = recording.entries
    differ("methods", shown.client["method"], [entry.payload["method"] for entry in entries if entry.kind == "request"])
    differ("events", shown.hub["event"], [entry.payload["event"] for entry in entries if entry.kind == "event"])
    errors = [entry.payload["error"]["name"] for entry in entries if "error" in entry.payload]
    errors += [entry.payload["name"] for entry in entries if entry.kind == "goaway" and entry.sender == "hub"]
    differ("errors", shown.hub["error"], errors)
    answered = sum(entry.kind == "response" for entry in entries)
    for name, found in (("response_to", shown.hub["response_to"]), ("response_in", shown.client["response_in"])):
        if len(found) != answered:
            raise Failure(f"{name}: {len(found)} of {answered} responses were matched")
    return f"{len(entries)} frames, {len(shown.client['method'])} methods, {answered} matched responses"


def dialogue(world: World, plain: bool) -> None:
    """A short one, with frames in parts and together in one segment, and a goaway at its end."""
    app = world.connect("app", world.admin_grant, plain)
    app.call("events.subscribe")
    app.do("session.prepare", None, "session.prepared")
    _, code, port = world.light("light", PASSCODE)
    app.call("session.commission", {"payload": code, "clientKey": "a", "address": f"127.0.0.1:{port}"})
    device = app.do("session.complete", {"clientKey": "b"}, "session.ended", "device.added")["deviceIds"][0]
    app.refused(app.begin("session.complete", {"clientKey": "c"}))
    app.call("devices.read", {"id": device})
    in_parts(app, "hub.info")
    world.hub.signal()
    app.goaway()


def in_parts(app: Session, method: str) -> None:
    """Two requests: the first byte of one alone, the rest of it together with the other."""
    sent: list[bytes] = []
    with mock.patch.object(app, "send_octets", sent.append):
        numbers = [app.begin(method, {"a": '"}{\\ é'}), app.begin("structures.list")]
    octets = b"".join(sent)
    app.send_octets(octets[:1])
    # So that it goes out alone.
    time.sleep(0.05)
    app.send_octets(octets[1:])
    for number in numbers:
        app.answer(number)


def check(binary: Path, folder: Path, name: str) -> str:
    """One dialogue, captured and dissected: plain, or within TLS with the keys of the client or of the hub."""
    plain, hub_has_keys = name == "plain", name == "hub"
    keys = folder / f"{name}-keys.log"
    # The hub inherits the variable, and must not heed it.
    os.environ["SSLKEYLOGFILE"] = "" if plain or hub_has_keys else str(keys)
    options = ["--plain"] if plain else ["--tls-key-log", str(keys)] if hub_has_keys else []
    recording = Recording()
    # The usual port is known to the script; another one it knows by the preface, or by TLS's ALPN.
    port = 0 if plain else client.DEFAULT_PORT
    with World(binary, folder / name, recording, *options, port=port) as world:
        capture = Capture(world.port, folder / f"{name}.pcapng")
        dialogue(world, plain)
        capture.stop(sum(len(str(entry.payload)) for entry in recording.entries))
        port = world.port
    if plain and keys.exists():
        raise Failure("keys were written although nobody asked for them")
    if hub_has_keys and keys.stat().st_mode & 0o077:
        raise Failure("the hub's keys can be read by others")
    preferences = () if plain else ("-o", f"tls.keylog_file:{keys}")
    return compare(show(folder / f"{name}.pcapng", port, *preferences), recording)


def main() -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    options = parser.parse_args()
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    try:
        words = {name: check(options.binary, options.folder, name) for name in ("plain", "tls", "hub")}
    except Failure as failure:
        print(json.dumps({"problem": str(failure)}))
        return 1
    print(json.dumps({"problem": "", **words}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
