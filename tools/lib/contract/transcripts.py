"""Golden transcripts: whole dialogues, recorded from a fresh hub, with what differs from run to run replaced.

A file is JSON lines. The first says what it shows; each other line is one frame: which connection, who sent it, its
kind, its payload. Equal ids have equal placeholders, numbered in the order in which they first appear; times are
`<ms>` and `<time>`, versions `<version>`. What the hub sends between two frames of the client is put in an order of its
own, since between an event and a response the contract promises none: events by number, then responses by id, then the
rest as it came.
"""

import difflib
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import client  # noqa: E402
from recording import Entry, Recording  # noqa: E402
from scenarios import begin_until, expect, same  # noqa: E402
from world import Failure, World  # noqa: E402

Json = dict[str, Any]
FOLDER = Path(__file__).resolve().parents[3] / "Protocols" / "transcripts"
MILLISECONDS = {"elapsedMs", "expiresInMs", "retryAfterMs"}
TIMES = {"startedAt", "since", "createdAt", "commissionedAt"}
# What an id is called, by the member that holds it; "id" alone is called after what surrounds it.
ID_WORDS = {
    "session": "session", "structure": "structure", "provisionalId": "node", "nodeId": "node", "deviceIds": "device",
    "grantId": "grant", "epoch": "epoch", "hub": "hub", "structures": "structure", "grant": "grant", "room": "room",
}  # fmt: skip


class Normaliser:
    """Replaces what differs between two runs of one dialogue."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def value(self, value: Any, name: str = "", around: str = "") -> Any:
        """A value, held by a member `name` of an object that a member `around` holds."""
        if isinstance(value, dict):
            return {key: self.value(entry, key, name or around) for key, entry in value.items()}
        if isinstance(value, list):
            return [self.value(entry, name, around) for entry in value]
        if name in MILLISECONDS:
            return "<ms>"
        if name in TIMES:
            return "<time>"
        return self._text(value, name, around) if isinstance(value, str) else value

    def _text(self, text: str, name: str, around: str) -> str:
        if text.startswith("mh1."):
            return self._placeholder(text, "grant-text")
        if name == "serialNumber":
            return self._placeholder(text, "serial")
        if name in ("version", "protocol"):
            return "<version>"
        if name == "address":
            return self._placeholder(text, "address")
        if re.fullmatch(r"[0-9a-f]{16}", text):
            return self._placeholder(text, ID_WORDS.get(around if name == "id" else name, "id"))
        if name == "message":
            text = re.sub(r"\b\d+(?= m?s\b)", "<n>", text)
            for known, placeholder in self._names.items():
                text = text.replace(known, placeholder)
        return text

    def _placeholder(self, text: str, word: str) -> str:
        if text not in self._names:
            self._counts[word] = self._counts.get(word, 0) + 1
            self._names[text] = f"<{word}-{self._counts[word]}>"
        return self._names[text]


def in_order(entries: list[Entry]) -> list[Entry]:
    """The frames, those between two of the client in the order that this module's head describes."""

    def rank(entry: Entry) -> tuple[int, int]:
        if entry.kind == "event":
            # Events of a subscription to a device have no number, and come in their own order.
            return 0, entry.payload.get("number", 0)
        return (1, entry.payload["id"]) if entry.kind == "response" else (2, 0)

    ordered: list[Entry] = []
    run: list[Entry] = []
    for entry in entries:
        if entry.kind in ("ping", "pong"):
            continue
        if entry.sender == "client":
            ordered += sorted(run, key=rank)
            run = []
            ordered.append(entry)
        else:
            run.append(entry)
    return ordered + sorted(run, key=rank)


def lines(about: str, entries: list[Entry]) -> list[str]:
    """The file's lines."""
    normaliser, rows = Normaliser(), [{"about": about}]
    for entry in in_order(entries):
        payload = normaliser.value(entry.payload)
        label = entry.connection if entry.number < 2 else f"{entry.connection} {entry.number}"
        rows.append({"connection": label, "from": entry.sender, "kind": entry.kind, "payload": payload})
    return [json.dumps(row, ensure_ascii=False) for row in rows]


# --- The dialogues

PASSCODE = 20202021


def seed_flow(world: World) -> None:
    """An app prepares, commissions a light, names it, completes, lists it, switches it on and reads it."""
    grant = granted(world, "structure.read", "device.control", "commissioning")
    code, address = device(world)
    app = world.connect("app", grant)
    app.call("events.subscribe", {"from": app.welcome["events"]["oldest"]})
    app.event("room.added")
    app.do("session.prepare", None, "session.prepared")
    app.call("session.commission", {"payload": code, "clientKey": "commission-1", "address": address})
    app.call("session.configure", {"deviceName": "Lamp", "roomName": "Kitchen"})
    done = app.do("session.complete", {"clientKey": "complete-1"}, "session.ended", "device.added")
    app.call("devices.list")
    path = {"id": done["deviceIds"][0], "endpoint": 1, "cluster": 6}
    app.call("devices.invoke", {**path, "command": 1})
    app.call("devices.read", {**path, "attribute": 0})


def refused_prepare(world: World) -> None:
    """Another app wants the session: it is told who holds it, and may have it when that one cancels."""
    grants = (granted(world, "commissioning"), granted(world, "commissioning", app="org.example.other"))
    holder, other = (world.connect(label, grant) for label, grant in zip(("holder", "other"), grants, strict=True))
    holder.call("session.prepare")
    expect(other.refused(other.begin("session.prepare")), "failedPrecondition", "sessionActive")
    holder.call("session.cancel")
    other.call("session.prepare")
    other.call("session.cancel")


def cancel_in_a_stage(world: World) -> None:
    """An app cancels while its device is in the stage csr: both requests are answered, and the device is clean."""
    grant = granted(world, "structure.read", "commissioning")
    code, address = device(world)
    relay = world.relay(int(address.rpartition(":")[2]))
    app = world.connect("app", grant)
    app.call("events.subscribe")
    app.do("session.prepare", None, "session.prepared")
    running = begin_until(app, relay, code, "csr", "commission-1")
    cancel = app.begin("session.cancel")
    relay.release()
    same(app.answer(cancel)["device"], "clean", "the device after the cancel")
    expect(app.refused(running), "cancelled", "sessionEnded")
    app.event("session.ended")
    app.do("session.prepare", None, "session.prepared")


def resume_after_reconnect(world: World) -> None:
    """An app loses its connection while a device is commissioned, comes back, replays the events that it missed, and
    asks again with the same client key: it gets the answer of the first request."""
    grant = granted(world, "structure.read", "commissioning")
    code, address = device(world)
    relay = world.relay(int(address.rpartition(":")[2]))
    app = world.connect("app", grant)
    app.call("events.subscribe")
    app.do("session.prepare", None, "session.prepared")
    begin_until(app, relay, code, "csr", "commission-1")
    seen = app.events[-1]["number"]
    app.close()
    again = world.connect("app", grant)
    same(again.call("session.get")["stage"], "csr", "the stage at the return")
    again.call("events.subscribe", {"from": seen - 1})
    while not again.events or again.events[-1]["number"] < seen:
        again.receive()
    params = {"payload": code, "clientKey": "commission-1", "address": relay.address}
    running = again.begin("session.commission", params)
    relay.release()
    again.answer(running)
    again.do("session.complete", {"clientKey": "complete-1"}, "session.ended", "device.added")


def granted(world: World, *scopes: str, app: str = "org.example.app") -> client.Grant:
    """A grant, and a room; what the administrator does for that is no part of the dialogue."""
    with world.unrecorded(world.admin_grant) as admin:
        if not admin.call("rooms.list")["rooms"]:
            admin.call("rooms.create", {"name": "Kitchen"})
        return world.grant(admin, app, *scopes)


def device(world: World) -> tuple[str, str]:
    """A light's code and address."""
    _, code, port = world.light("light", PASSCODE)
    return code, f"127.0.0.1:{port}"


ALL: list[Callable[[World], None]] = [seed_flow, refused_prepare, cancel_in_a_stage, resume_after_reconnect]


def compare(dialogue: Callable[[World], None], recording: Recording, renew: bool) -> str:
    """Compares the recorded dialogue with its file, or writes that."""
    path = FOLDER / f"{dialogue.__name__.replace('_', '-')}.jsonl"
    about = " ".join((dialogue.__doc__ or "").split())
    fresh = lines(about, recording.entries)
    if renew:
        FOLDER.mkdir(exist_ok=True)
        path.write_text("\n".join(fresh) + "\n", encoding="utf-8")
        return f"{len(fresh) - 1} frames written to {path.name}"
    golden = path.read_text(encoding="utf-8").splitlines()
    if fresh != golden:
        difference = "\n".join(difflib.unified_diff(golden, fresh, str(path.name), "this run", lineterm="", n=1))
        raise Failure(f"the dialogue is not that of {path.name} (tools/contract --renew writes it anew)\n{difference}")
    return f"{len(fresh) - 1} frames, as in {path.name}"
