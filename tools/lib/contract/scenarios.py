"""What is done with the hub so that every message of the contract is seen: each function is one subject."""

import json
import socket
import ssl
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import client  # noqa: E402
from world import Failure, Relay, Session, World  # noqa: E402

PASSCODE, OTHER_PASSCODE = 20202021, 20202025
ON_OFF, BASIC_INFORMATION = 6, 40


def expect(error: client.HubError, name: str, reason: str | None = None) -> None:
    """The error must have this name and, when one is given, this reason."""
    if error.name != name or (reason and error.reason != reason):
        raise Failure(f"expected {name} {reason or ''}, the hub said {error.error}")


def same(found: object, wanted: object, what: str) -> None:
    """Both must be equal."""
    if found != wanted:
        raise Failure(f"{what}: {found!r} in place of {wanted!r}")


def grants(world: World) -> None:
    """Without a grant, asking for one, approval and refusal, too small a scope, revocation."""
    admin, stranger = world.connect("admin", world.admin_grant), world.connect("stranger")
    same(stranger.welcome["structures"], [], "structures of a stranger")
    stranger.call("hub.info")
    expect(stranger.refused(stranger.begin("devices.list")), "unauthenticated", "noGrant")
    wish = {"appId": "org.example.app", "appGroup": "group.example", "appName": "Example", "scopes": ["structure.read"]}
    for method, decision in (("grants.approve", True), ("grants.deny", False)):
        asked = stranger.begin("grants.request", wish)
        while not (pending := admin.call("grants.list")["pending"]):
            time.sleep(0.01)
        admin.call(method, {"id": pending[0]["id"]})
        if decision:
            granted = stranger.answer(asked)
        else:
            expect(stranger.refused(asked), "permissionDenied", "grantRefused")
    expect(admin.refused(admin.begin("grants.approve", {"id": "00000000000000aa"})), "notFound", "noGrant")
    # A request that waits can be stopped, and ends at its deadline.
    asked = stranger.begin("grants.request", wish)
    same(stranger.call("cancel", {"id": asked})["cancelled"], True, "cancel of a waiting request")
    expect(stranger.refused(asked), "cancelled")
    same(stranger.call("cancel", {"id": asked})["cancelled"], False, "cancel of an answered request")
    expect(stranger.refused(stranger.begin("grants.request", wish, deadline_ms=50)), "deadlineExceeded")

    reader = world.connect("reader", client.Grant.parse(granted["grant"]))
    reader.call("structures.list")
    expect(reader.refused(reader.begin("session.prepare")), "permissionDenied", "missingScope")
    expect(
        reader.refused(reader.begin("devices.list", {"structure": "00000000000000aa"})),
        "permissionDenied",
        "otherStructure",
    )
    unknown = {**wish, "structure": "00000000000000aa"}
    expect(stranger.refused(stranger.begin("grants.request", unknown)), "notFound", "noStructure")
    admin.call("events.subscribe")
    admin.do("grants.revoke", {"id": granted["grantId"]}, "grant.revoked")
    expect(reader.goaway(), "unauthenticated")
    wrong = world.open("wrong-grant", client.Grant.parse(granted["grant"]))
    try:
        wrong.hello("contract/1.0", client.Grant.parse(granted["grant"]))
    except client.HubError as error:
        expect(error, "unauthenticated")
    else:
        raise Failure("a revoked grant was taken")


def home(world: World) -> None:
    """Rooms, a device from code to removal, attributes and commands, a window, events and their replay."""
    admin = world.connect("admin", world.admin_grant)
    epoch = admin.call("events.subscribe", {"from": 1})["epoch"]
    light, code, port = world.light("light", PASSCODE)
    kitchen = admin.do("rooms.create", {"name": "Kitchen"}, "room.added")["id"]
    cellar = admin.do(
        "rooms.create", {"name": "Cellar", "structure": admin.welcome["structures"][0]["id"]}, "room.added"
    )
    same(len(admin.call("rooms.list")["rooms"]), 2, "rooms")
    expect(admin.refused(admin.begin("rooms.create", {"name": " \t "})), "invalidArgument", "badName")
    override = admin.refused(admin.begin("rooms.rename", {"id": cellar["id"], "name": "a\u202eb"}))
    expect(override, "invalidArgument", "badName")
    admin.do("rooms.rename", {"id": cellar["id"], "name": " Wine  "}, "room.changed")
    admin.do("rooms.delete", {"id": cellar["id"]}, "room.removed")
    expect(admin.refused(admin.begin("rooms.delete", {"id": cellar["id"]})), "notFound", "noRoom")

    expect(admin.refused(admin.begin("session.get")), "notFound", "noSession")
    admin.do("session.prepare", {"lifetimeMs": 600000}, "session.prepared")
    expect(
        admin.refused(admin.begin("session.complete", {"clientKey": "early"})),
        "failedPrecondition",
        "nothingCommissioned",
    )
    address = f"127.0.0.1:{port}"
    commissioned = admin.call("session.commission", {"payload": code, "clientKey": "first", "address": address})
    again = admin.call("session.commission", {"payload": code, "clientKey": "first", "address": address})
    same(again, commissioned, "the answer to a repeated client key")
    same(len(admin.call("session.get")["provisional"]), 1, "provisional devices")
    admin.call("session.configure", {"deviceName": "Lamp", "roomName": "Kitchen"})
    device = admin.do("session.complete", {"clientKey": "done"}, "device.added")["deviceIds"][0]
    same(admin.call("devices.get", {"id": device})["room"], kitchen, "the device's room")
    same(len(client.list_devices(admin)), 1, "devices")
    admin.do("devices.rename", {"id": device, "name": "Ceiling"}, "device.changed")
    admin.do("devices.move", {"id": device, "room": None}, "device.changed")
    expect(admin.refused(admin.begin("devices.get", {"id": "00000000000000aa"})), "notFound", "noDevice")

    path = {"id": device, "endpoint": 1, "cluster": ON_OFF}
    admin.call("devices.invoke", {**path, "command": 1})
    same(admin.call("devices.read", {**path, "attribute": 0})["attributes"][0]["value"], True, "OnOff after On")
    if len(admin.call("devices.read", {"id": device})["attributes"]) < 50:
        raise Failure("a read of everything gave less than 50 attributes")
    label = {"id": device, "endpoint": 0, "cluster": BASIC_INFORMATION, "attribute": 5, "value": "Over the table"}
    admin.call("devices.write", label)
    expect(admin.refused(admin.begin("devices.invoke", {**path, "command": 200})), "notFound", "deviceRefused")
    status = admin.call("devices.read", {**path, "attribute": 0x1234})["attributes"][0]
    same("status" in status, True, "a status for an attribute that is not there")

    window = admin.call("devices.openWindow", {"id": device, "timeoutSeconds": 180})
    admin.do("session.prepare", None, "session.prepared")
    twice = admin.begin("session.commission", {"payload": window["qrCode"], "clientKey": "twice", "address": address})
    expect(admin.refused(twice), "alreadyExists", "alreadyOnFabric")
    same("lastError" in admin.call("session.get"), True, "the last error of the session")
    admin.do("session.cancel", None, "session.ended")
    same(admin.call("session.cancel"), {"session": "none", "device": "untouched"}, "a second cancel")

    newest = max(event["number"] for event in admin.events)
    late = world.connect("late", world.admin_grant)
    replay = late.call("events.subscribe", {"from": 1})
    same((replay["epoch"], replay["next"], replay["gap"]), (epoch, 1, False), "a replay from the first event")
    while len(late.events) < newest:
        late.receive(time.monotonic() + 10)
    same(late.events, [event for event in admin.events if event["number"] <= newest], "replayed events")
    same(late.call("events.subscribe", {"from": newest + 100})["gap"], True, "a gap beyond the newest event")
    admin.do("devices.remove", {"id": device}, "device.removed")
    light.stop()


def follow(world: World) -> None:
    """A device that is followed: values, changes by another app, the end by either side, by removal, and by a hub that
    goes offline."""
    admin = world.connect("admin", world.admin_grant)
    other = world.connect("other", world.grant(admin, "org.example.follower", "structure.read", "device.control"))
    _, code, port = world.light("light-followed", PASSCODE)
    address = f"127.0.0.1:{port}"
    admin.call("session.prepare")
    admin.call("session.commission", {"payload": code, "clientKey": "a", "address": address})
    device = admin.call("session.complete", {"clientKey": "b"})["deviceIds"][0]
    path = {"id": device, "endpoint": 1, "cluster": ON_OFF}
    begun = other.call("devices.subscribe", {**path, "attribute": 0})
    same(begun["attributes"], [{"endpoint": 1, "cluster": ON_OFF, "attribute": 0, "value": False}], "present values")
    for command, on in ((1, True), (0, False)):
        admin.call("devices.invoke", {**path, "command": command})
        change = other.change(begun["subscription"], "device.attributes")
        same(change, {**path, "attributes": [{"attribute": 0, "value": on}]}, "a change")
    whole = other.call("devices.subscribe", {"id": device})
    same(whole["subscription"], begun["subscription"] + 1, "the next number")
    same(len(whole["attributes"]) > 50, True, "the whole device")
    other.call("devices.unsubscribe", {"subscription": begun["subscription"]})
    again = other.begin("devices.unsubscribe", {"subscription": begun["subscription"]})
    expect(other.refused(again), "notFound", "noSubscription")

    admin.call("events.subscribe")
    same(admin.do("hub.setReachable", {"reachable": False}, "hub.reachable"), {"reachable": False}, "the answer")
    ended = other.change(whole["subscription"], "subscription.ended")
    same(ended, {"id": device, "reason": "hubOffline"}, "the end of a subscription")
    expect(other.refused(other.begin("devices.subscribe", {"id": device})), "unavailable", "hubOffline")
    same(other.call("hub.info")["reachable"], False, "an offline hub")
    admin.do("hub.setReachable", {"reachable": True}, "hub.reachable")
    # Offline in the midst of a commission: it is answered, the session goes on, and the same key tries anew.
    _, code, port = world.light("light-offline", OTHER_PASSCODE)
    relay = world.relay(port)
    admin.do("session.prepare", None, "session.prepared")
    running = begin_until(admin, relay, code, "csr", "offline")
    admin.do("hub.setReachable", {"reachable": False}, "hub.reachable")
    relay.release()
    expect(admin.refused(running), "unavailable", "hubOffline")
    same(admin.call("session.get")["state"], "prepared", "the session")
    admin.do("hub.setReachable", {"reachable": True}, "hub.reachable")
    retry = {"payload": code, "clientKey": "offline", "address": relay.address, "deadlineMs": 90000}
    same("provisionalId" in admin.call("session.commission", retry), True, "the same key, online again")
    admin.do("session.cancel", None, "session.ended")

    last = other.call("devices.subscribe", path)["subscription"]
    admin.do("devices.remove", {"id": device}, "device.removed")
    same(other.change(last, "subscription.ended"), {"id": device, "reason": "deviceRemoved"}, "the end by removal")


def orphan(world: World) -> None:
    """A device that is gone cannot be removed, only kept as an orphan, retried and forgotten."""
    admin = world.connect("admin", world.admin_grant)
    light, code, port = world.light("light-gone", PASSCODE)
    admin.call("session.prepare")
    admin.call("session.commission", {"payload": code, "clientKey": "a", "address": f"127.0.0.1:{port}"})
    device = admin.call("session.complete", {"clientKey": "b"})["deviceIds"][0]
    light.stop()
    expect(admin.refused(admin.begin("devices.remove", {"id": device})), "unavailable", "deviceUnreachable")
    removed = admin.call("devices.remove", {"id": device, "force": True})
    same(removed["removed"], [device], "removed devices")
    orphans = admin.call("devices.list", {"orphans": True, "limit": 1})["devices"]
    same([entry["id"] for entry in orphans], removed["orphaned"], "orphans")
    admin.call("orphans.retry", {"id": orphans[0]["id"]})
    admin.call("orphans.forget", {"id": orphans[0]["id"]})
    expect(admin.refused(admin.begin("orphans.retry", {"id": orphans[0]["id"]})), "notFound", "noOrphan")


def patience(world: World) -> None:
    """A client that never says hello is sent away after 10 s; one that is silent is asked for a sign of life after
    30 s."""
    idle, start = world.connect("idle", world.admin_grant), time.monotonic()
    mute = world.open("mute", world.admin_grant)
    mute.send_octets(client.PREFACE)
    expect(mute.goaway(), "deadlineExceeded")
    if not 9 < time.monotonic() - start < 15:
        raise Failure(f"no hello: the goaway came after {time.monotonic() - start:.1f} s in place of 10 s")
    while not any(entry.kind == "ping" and entry.connection == "idle" for entry in world.recording.entries):
        idle.receive(start + 40)
    if time.monotonic() - start < 29:
        raise Failure("the hub asked for a sign of life before 30 s were over")
    idle.call("hub.info")


def strange_devices(world: World) -> None:
    """A device that was reset, and one that vanishes while it is commissioned."""
    admin = world.connect("admin", world.admin_grant)
    admin.call("events.subscribe")
    admin.call("session.prepare")
    light, code, port = world.light("light-reset", PASSCODE)
    commission = {"payload": code, "clientKey": "reset", "address": f"127.0.0.1:{port}"}
    admin.call("session.commission", commission)
    device = admin.call("session.complete", {"clientKey": "done"})["deviceIds"][0]
    light.stop()
    world.light("light-reset-now", PASSCODE, port=port)
    expect(admin.refused(admin.begin("devices.read", {"id": device})), "failedPrecondition", "deviceReset")
    light, code, port = world.light("light-vanishes", PASSCODE)
    admin.call("session.prepare")
    begin = begin_until(admin, world.relay(port), code, "csr", "vanishes")
    expect(admin.refused(begin), "unavailable", "deviceVanished")


def sessions(world: World) -> None:
    """Two apps and one session; codes that are wrong; cancelling, and revoking, while a device is commissioned."""
    admin = world.connect("admin", world.admin_grant)
    scopes = ("structure.read", "commissioning")
    grants = [world.grant(admin, app, *scopes) for app in ("org.example.first", "org.example.second")]
    first, second = (world.connect(label, grant) for label, grant in zip(("first", "second"), grants, strict=True))
    _, code, port = world.light("light-sessions", PASSCODE)
    _, wrong_code, _ = world.light("light-wrong", OTHER_PASSCODE)
    first.call("events.subscribe")
    commission = {"payload": code, "clientKey": "none", "address": f"127.0.0.1:{port}"}
    expect(first.refused(first.begin("session.commission", commission)), "failedPrecondition", "noSession")
    first.do("session.prepare", None, "session.prepared")
    expect(second.refused(second.begin("session.prepare")), "failedPrecondition", "sessionActive")
    expect(second.refused(second.begin("session.get")), "failedPrecondition", "notOwner")
    bad = {"payload": "MT:Y.K9042C00KA0648G01", "clientKey": "bad"}
    expect(first.refused(first.begin("session.commission", bad)), "invalidArgument", "invalidPayload")
    wrong = {**commission, "payload": wrong_code, "clientKey": "wrong"}
    expect(first.refused(first.begin("session.commission", wrong)), "invalidArgument", "wrongPasscode")
    expect(
        first.refused(first.begin("session.commission", {"payload": code, "clientKey": "search"})),
        "unavailable",
        "cannotSearch",
    )
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mute:
        mute.bind(("127.0.0.1", 0))
        nobody = {
            **commission,
            "clientKey": "nobody",
            "address": f"127.0.0.1:{mute.getsockname()[1]}",
            "deadlineMs": 1500,
        }
        expect(first.refused(first.begin("session.commission", nobody)), "deadlineExceeded", "deadline")
    same(admin.call("session.cancel", {"force": True})["session"], "cancelled", "a forced cancel")
    first.event("session.ended")

    for stage in ("csr", "addNOC"):
        cancel_in(world, first, code, port, stage)
    # In this stage the device is left with half a handshake, and may call itself busy for a while.
    cancel_in(world, first, *world.light("light-half", PASSCODE)[1:], "pase")
    # While the device's fail-safe would still run, it is not commissioned; then the app loses its grant.
    relay = world.relay(port)
    first.do("session.prepare", None, "session.prepared")
    running = begin_until(first, relay, code, "csr", "revoked")
    expect(first.refused(first.begin("session.prepare")), "failedPrecondition", "commissionRunning")
    admin.call("grants.revoke", {"id": first.welcome["grant"]["id"]})
    expect(first.refused(running), "cancelled", "sessionEnded")
    expect(first.goaway(), "unauthenticated")
    second.call("session.prepare")
    soon = {"payload": code, "clientKey": "soon", "address": f"127.0.0.1:{port}", "deadlineMs": 1000}
    expect(second.refused(second.begin("session.commission", soon)), "unavailable", "stillCleaning")
    relay.release()
    second.call("session.cancel")


def begin_until(app: Session, relay: Relay, code: str, stage: str, key: str) -> int:
    """Begins to commission through a relay, and holds the device's answers once the stage has begun."""
    relay.delay(0.15)
    last = max((event.get("number", 0) for event in app.events), default=0)
    request = app.begin("session.commission", {"payload": code, "clientKey": key, "address": relay.address})
    while not any(event.get("number", 0) > last and event["data"].get("stage") == stage for event in app.events):
        if app.answered(request):
            raise Failure(f"commissioning ended before the stage {stage}: {app.refused(request).error}")
        app.receive(time.monotonic() + 20)
    relay.hold()
    return request


def cancel_in(world: World, app: Session, code: str, port: int, stage: str) -> None:
    """Cancels when a stage has begun: both requests are answered, and the next session can be had at once."""
    relay = world.relay(port)
    app.do("session.prepare", None, "session.prepared")
    running = begin_until(app, relay, code, stage, f"cancelled in {stage}")
    same(app.call("session.get")["stage"], stage, "the running stage")
    start = time.monotonic()
    cancel = app.begin("session.cancel")
    relay.release()
    same(app.answer(cancel)["session"], "cancelled", f"cancel in {stage}")
    if time.monotonic() - start > 1.5:
        raise Failure(f"cancel in {stage} was answered after {time.monotonic() - start:.1f} s")
    expect(app.refused(running), "cancelled", "sessionEnded")
    app.do("session.prepare", None, "session.prepared")
    app.do("session.cancel", None, "session.ended")


def rules(world: World) -> None:
    """What the protocol itself refuses, by an error where a request can be named, else by goaway."""
    app = world.connect("rules", world.admin_grant)
    for method, params in (
        ("devices.get", None),
        ("devices.get", {"id": 7}),
        ("session.prepare", {"lifetimeMs": 5}),
        ("grants.create", {"appId": "a", "appGroup": "b", "scopes": ["everything"]}),
        ("devices.list", {"limit": 0}),
    ):
        expect(app.refused(app.wrong(method, params)), "invalidArgument")
    expect(app.refused(app.wrong("hub.info", deadline_ms=0)), "invalidArgument")
    expect(app.refused(app.wrong("hub.fly")), "unimplemented")
    app.send(client.Kind.PING, {"n": 1})
    app.send_octets(client.encode_frame(99, b"{}") + client.encode_frame(client.Kind.PING, b'{"n":2}', flags=0xFF))
    stranger = world.connect("many")
    wish = {"appId": "org.example.many", "appGroup": "group", "scopes": ["admin"]}
    asked = [stranger.begin("grants.request", wish) for _ in range(33)]
    expect(stranger.refused(asked[-1]), "resourceExhausted")
    stranger.close()
    app.call("hub.info", {"member-of-a-later-version": [1, 2]})

    def frame(kind: int, text: bytes) -> bytes:
        return client.encode_frame(kind, text)

    request = b'{"id":1,"method":"grants.request","params":{"appId":"a","appGroup":"b","scopes":["admin"]}}'
    cases: list[tuple[str, bytes, str]] = [
        ("id in use", frame(3, request) * 2, "invalidArgument"),
        ("no id", frame(3, b'{"method":"hub.info"}'), "invalidArgument"),
        ("duplicate member", frame(3, b'{"id":1,"id":2,"method":"hub.info"}'), "invalidArgument"),
        ("nested too deeply", frame(6, b'{"a":' + b"[" * 40 + b"]" * 40 + b"}"), "invalidArgument"),
        ("a string too long", frame(6, b'{"a":"' + b"x" * (1 << 18 | 1) + b'"}'), "invalidArgument"),
        ("too many elements", frame(6, b'{"a":[' + b"0," * 10_000 + b"0]}"), "invalidArgument"),
        ("trailing bytes", frame(6, b"{} {}"), "invalidArgument"),
        ("no object", frame(6, b"[]"), "invalidArgument"),
        ("no UTF-8", frame(6, b'{"a":"\xc0\xaf"}'), "invalidArgument"),
        ("an oversized frame", struct.pack(">IBB", (1 << 20) + 1, 3, 0), "resourceExhausted"),
        ("a second hello", frame(1, b'{"client":"x"}'), "failedPrecondition"),
        ("a frame of the hub", frame(4, b'{"id":1,"result":{}}'), "invalidArgument"),
    ]
    for what, octets, name in cases:
        session = world.connect("broken")
        goaway_for(session, what, octets, name)
    goaway_for(
        world.open("broken"),
        "no hello",
        client.PREFACE + frame(3, b'{"id":1,"method":"hub.info"}'),
        "failedPrecondition",
    )
    goaway_for(world.open("broken"), "major version 9", b"MHUB\x09", "unimplemented")
    goaway_for(world.open("broken"), "not the preface", b"MHUT\x01", "invalidArgument")
    goaway_for(world.open("broken", plain=True), "plain where it is not allowed", client.PREFACE, "permissionDenied")
    with socket.create_connection(("127.0.0.1", world.port), 5) as stream:
        stream.sendall(b"GET / HTTP/1.1\r\n\r\n")
        same(closes(stream), True, "a closed connection for a wrong first byte")
        world.recording.garbage += 1


def closes(stream: socket.socket) -> bool:
    """Whether the hub ends the connection without a word."""
    try:
        return stream.recv(1) == b""
    except ConnectionResetError:
        return True


def goaway_for(session: Session, what: str, octets: bytes, name: str) -> None:
    """Sends bytes that break the rules; the hub must say so and close."""
    session.recording.garbage += 1
    session.send_octets(octets)
    error = session.goaway()
    if error.name != name:
        raise Failure(f"{what}: expected goaway {name}, the hub said {error.error}")
    try:
        session.receive(time.monotonic() + 10)
    except client.Closed:
        return
    raise Failure(f"{what}: the hub went on after its goaway")


def trust(world: World) -> None:
    """The client sends no grant to a hub that is not the grant's. (test_client.py has the forged chains.)"""
    other = client.Grant(world.admin_grant.text, bytes(32))
    seen = len(world.recording.entries)
    try:
        world.connect("fooled", other)
    except client.Untrusted:
        same(len(world.recording.entries), seen, "frames sent to a hub with another key")
    else:
        raise Failure("the client took a hub whose key is not the grant's")
    context = client.tls_context()
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.wrap_socket(socket.create_connection(("127.0.0.1", world.port), 5)).close()
    except (ssl.SSLError, ConnectionResetError):
        return
    raise Failure("the hub speaks TLS 1.2")


def program(world: World) -> None:
    """tools/client.py as a newcomer runs it: the whole flow, a cancel on the way, and a wrong code."""
    _, code, port = world.light("light-program", PASSCODE)
    _, wrong, _ = world.light("light-other", OTHER_PASSCODE)
    relay = world.relay(port)
    relay.delay(0.1)

    def run(status: int, *words: str) -> dict[str, Any]:
        command = [sys.executable, client.__file__, *words, "--json", "--hub", f"127.0.0.1:{world.port}"]
        command += ["--grant", str(world.folder / "hub" / "admin.grant")]
        result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        same(
            (result.returncode, result.stderr if status == 0 and words[0] != "flow" else ""),
            (status, ""),
            " ".join(words),
        )
        answer: dict[str, Any] = json.loads(result.stdout)
        return answer

    same(run(0, "info")["hub"]["name"], "Contract hub", "the hub's name")
    cancelled = run(0, "flow", "--code", code, "--address", relay.address, "--cancel", "csr")["cancelled"]
    same(cancelled["session"], "cancelled", "a cancel in csr")
    refused = run(1, "flow", "--code", wrong, "--address", relay.address)["error"]
    same(refused["details"]["reason"], "wrongPasscode", "a wrong code")
    relay.release()
    done = run(0, "flow", "--code", code, "--address", relay.address, "--on")
    params = {"id": done["deviceIds"][0], "endpoint": 1, "cluster": ON_OFF, "attribute": 0}
    same(run(0, "raw", "devices.read", json.dumps(params))["attributes"][0]["value"], True, "OnOff after --on")
    same(run(3, "raw", "devices.list", '{"structure": "00000000000000aa"}')["error"]["name"], "permissionDenied", "raw")


def offline(world: World) -> None:
    """A hub that plays being offline, and one that is told to stop."""
    app = world.connect("faultless", world.admin_grant)
    expect(app.refused(app.begin("faults.set", {"rules": []})), "failedPrecondition", "faultsNotAllowed")
    world.hub.stop()
    world.start_hub("--offline", "--allow-faults")
    app = world.connect("offline", world.admin_grant)
    expect(app.refused(app.begin("faults.set", {"rules": ["pase:sulks"]})), "invalidArgument", "invalidFault")
    answer = app.call("faults.set", {"rules": ["session.prepare:offline@9", "complete:storageSlow=100x*"]})
    same(answer["faults"], app.call("faults.list")["faults"], "faults")
    same([entry["met"] for entry in answer["faults"]], [0, 0], "faults that happened")
    same(app.call("hub.info")["reachable"], False, "reachable")
    expect(app.refused(app.begin("session.prepare")), "unavailable", "hubOffline")
    world.hub.signal()
    expect(app.goaway(), "unavailable")
    same(world.hub.stop(), 0, "the hub's exit status after SIGTERM")


ALL: list[Callable[[World], None]] = [grants, home, sessions, rules, trust, program, offline]
# These wait for devices that are silent; they run beside the others.
SLOW: list[Callable[[World], None]] = [orphan, patience, strange_devices, follow]

# What the schema names and this check does not show, and why.
EXCUSED = {
    "reason grantRevoked": "a request would have to come in the instant between revocation and goaway",
    "reason attestationRefused": "takes a device that nobody vouches for; ours has the hub's own test root",
    "reason deviceBusy": "takes a second controller in the midst of the same device",
    "reason fabricTableFull": "takes as many hubs as a device has fabrics",
    "reason noDeviceFound": "takes a search of the network, and this hub is on loopback; other cases search",
    "reason onlyBluetooth": "the same",
    "reason internalError": "a fault of the hub",
    "reason protocolError": "a fault of the device",
    "reason storage": "a fault of the disk",
}
