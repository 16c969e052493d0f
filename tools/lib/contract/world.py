"""What the check runs: our program as hub and as light, and a relay between them that can slow down or hold what the
light says. Everything is on this network's loopback."""

import json
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1])]

import client  # noqa: E402
import matterhub_cli as cli  # noqa: E402
from recording import Recording  # noqa: E402

Json = dict[str, Any]


class Failure(Exception):
    """Why the check failed, in words."""


class Program:
    """Our program, started; its JSON lines can be waited for."""

    def __init__(self, name: str, command: list[str], folder: Path) -> None:
        self.name = name
        self._errors = open(folder / f"{name}.err", "ab")
        self._child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._errors, text=True
        )
        self._lines: queue.Queue[Json | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._child.stdout is not None
        for line in self._child.stdout:
            if line.startswith("{"):
                self._lines.put(json.loads(line))
        self._lines.put(None)

    def wait_for(self, matches: Callable[[Json], bool], seconds: float = 20) -> Json:
        """The next JSON line that matches."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                line = self._lines.get(timeout=max(0.001, deadline - time.monotonic()))
            except queue.Empty:
                raise Failure(f"{self.name} did not say what was waited for within {seconds:.0f} s") from None
            if line is None:
                raise Failure(f"{self.name} ended with status {self._child.wait()}; see {self._errors.name}")
            if matches(line):
                return line

    def signal(self, number: int = signal.SIGTERM) -> None:
        """Sends a signal."""
        self._child.send_signal(number)

    def stop(self, seconds: float = 10) -> int:
        """Ends it, and returns its status."""
        if self._child.poll() is None:
            self._child.terminate()
        try:
            return self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            self._child.kill()
            raise Failure(f"{self.name} did not end within {seconds:.0f} s of SIGTERM") from None
        finally:
            self._errors.close()


class Relay:
    """Passes datagrams between the hub and a device. What the device says can be delayed, or held until released."""

    def __init__(self, device_port: int) -> None:
        self._front, self._back = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
        self._front.bind(("127.0.0.1", 0))
        self._back.connect(("127.0.0.1", device_port))
        self._hub: tuple[str, int] | None = None
        self._waiting: list[tuple[float, bytes]] = []
        self._change = threading.Condition()
        self._delay, self._held, self._closed = 0.0, False, False
        self.address = f"127.0.0.1:{self._front.getsockname()[1]}"
        for work in (self._from_hub, self._from_device, self._to_hub):
            threading.Thread(target=work, daemon=True).start()

    def delay(self, seconds: float) -> None:
        """From now on each datagram of the device comes so much later."""
        with self._change:
            self._delay = seconds

    def hold(self) -> None:
        """Nothing of the device passes until `release`."""
        with self._change:
            self._held = True

    def release(self) -> None:
        """What was held passes, and all that follows at once."""
        with self._change:
            self._held, self._delay = False, 0.0
            self._change.notify()

    def close(self) -> None:
        """Ends it."""
        with self._change:
            self._closed = True
            self._change.notify()
        # Wakes the readers too; `close` alone would leave them waiting.
        for end in (self._front, self._back):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

    def _from_hub(self) -> None:
        try:
            while True:
                octets, self._hub = self._front.recvfrom(2048)
                if not octets:
                    return
                self._back.send(octets)
        except OSError:
            return

    def _from_device(self) -> None:
        while True:
            try:
                octets = self._back.recv(2048)
            except ConnectionRefusedError:
                continue
            except OSError:
                return
            if not octets:
                return
            with self._change:
                self._waiting.append((time.monotonic() + self._delay, octets))
                self._change.notify()

    def _to_hub(self) -> None:
        while True:
            with self._change:
                while not self._closed and (self._held or not self._waiting or self._waiting[0][0] > time.monotonic()):
                    due = self._waiting[0][0] - time.monotonic() if self._waiting and not self._held else None
                    self._change.wait(due)
                if self._closed:
                    return
                octets = self._waiting.pop(0)[1]
            try:
                if self._hub is not None:
                    self._front.sendto(octets, self._hub)
            except OSError:
                return


class Session(client.Connection):
    """A connection whose frames are recorded, under a label."""

    def __init__(self, stream: socket.socket, label: str, recording: Recording) -> None:
        self.label, self.recording, self.faulty = label, recording, False
        super().__init__(stream, self._observe)

    def _observe(self, sender: str, kind: int, payload: bytes) -> None:
        self.recording.add(self.label, sender, kind, payload, self.faulty and sender == "client")

    def wrong(self, method: str, params: Json | None = None, **options: Any) -> int:
        """Begins a request that is recorded as one that the schema must refuse."""
        self.faulty = True
        try:
            return self.begin(method, params, **options)
        finally:
            self.faulty = False

    def event(self, name: str, after: int = 0, seconds: float = 30) -> Json:
        """Waits for an event of that name; with `after`, for one with a number above it."""
        deadline = time.monotonic() + seconds
        while True:
            for event in self.events:
                if event["event"] == name and (not after or event.get("number", 0) > after):
                    return event
            self.receive(deadline)

    def change(self, subscription: int, name: str, seconds: float = 30) -> Json:
        """Takes the first event of a subscription to a device; it must be of that name. Gives its data."""
        deadline = time.monotonic() + seconds
        while True:
            for event in self.events:
                if event.get("subscription") == subscription:
                    self.events.remove(event)
                    if event["event"] != name:
                        raise Failure(f"{event} in place of {name}")
                    return event["data"]
            self.receive(deadline)

    def do(self, method: str, params: Json | None = None, *events: str) -> Json:
        """The result of a request, and then these events, in this order; so that none is under way afterwards."""
        last = max((event.get("number", 0) for event in self.events), default=0)
        result = self.call(method, params)
        for name in events:
            last = self.event(name, last)["number"]
        return result

    def refused(self, number: int) -> client.HubError:
        """The error that answers a request."""
        try:
            result = self.answer(number)
        except client.HubError as error:
            if not error.goaway:
                return error
            raise
        raise Failure(f"request {number} was not refused: {result}")

    def goaway(self, seconds: float = 20) -> client.HubError:
        """Waits for the hub to send the client away."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                self.receive(deadline)
            except client.HubError as error:
                if error.goaway:
                    return error
                raise


class World:
    """One hub with an empty state folder, and what surrounds it. Ends all that it started."""

    def __init__(self, binary: Path, folder: Path, recording: Recording, *options: str, port: int = 0) -> None:
        self._wanted_port = port
        self.binary, self.folder, self.recording = binary, folder, recording
        folder.mkdir(parents=True)
        self._programs: list[Program] = []
        self._relays: list[Relay] = []
        self._sessions: list[Session] = []
        self.port = 0
        self.start_hub(*options)
        self.admin_grant = client.Grant.parse((folder / "hub" / "admin.grant").read_text(encoding="utf-8"))

    def start_hub(self, *options: str) -> Program:
        """Starts the hub, with the state that it has and these options."""
        command = [*cli.serve(self.binary, self.folder / "hub", port=self._wanted_port, mdns=False)]
        command += ["--name", "Contract hub", *options]
        self.hub = Program("hub", command, self.folder)
        self._programs.append(self.hub)
        self.port = self.hub.wait_for(cli.serves)["port"]
        return self.hub

    def light(self, name: str, passcode: int, port: int = 0) -> tuple[Program, str, int]:
        """A virtual light: the program, its QR text, its port."""
        if port == 0:
            # A free one, since the program takes a number.
            with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
                probe.bind(("::", 0))
                port = probe.getsockname()[1]
        state = self.folder / name
        command = cli.device(self.binary, state, passcode=passcode, discriminator=3840, port=port, mdns=False)
        light = Program(name, command, self.folder)
        self._programs.append(light)
        ready = light.wait_for(cli.stands_ready)
        return light, ready["qrCode"], ready["port"]

    def relay(self, device_port: int) -> Relay:
        """A relay to a device."""
        self._relays.append(Relay(device_port))
        return self._relays[-1]

    def open(self, label: str, grant: client.Grant | None = None, plain: bool = False) -> Session:
        """A recorded connection on which nothing was said yet."""
        stream = client.open_stream("127.0.0.1", self.port, grant, plain, 10)
        session = Session(stream, label, self.recording)
        self.recording.opened(label)
        self._sessions.append(session)
        return session

    def connect(self, label: str, grant: client.Grant | None = None, plain: bool = False) -> Session:
        """A recorded connection that was welcomed."""
        session = self.open(label, grant, plain)
        session.hello("contract/1.0", grant)
        return session

    def unrecorded(self, grant: client.Grant) -> client.Connection:
        """A connection that is not recorded."""
        return client.connect("127.0.0.1", self.port, grant)

    def grant(self, admin: client.Connection, app: str, *scopes: str) -> client.Grant:
        """A new grant for an app."""
        params = {"appId": app, "appGroup": f"group.{app}", "scopes": list(scopes)}
        return client.Grant.parse(admin.call("grants.create", params)["grant"])

    def close(self) -> None:
        """Ends everything, last started first."""
        for session in self._sessions:
            session.close()
        for relay in self._relays:
            relay.close()
        for program in reversed(self._programs):
            program.stop()

    def __enter__(self) -> "World":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
