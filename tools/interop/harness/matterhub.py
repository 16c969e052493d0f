"""Our own program, as a case uses it: the hub with one of two clients, and the virtual light."""

import json
import sys
import time
from pathlib import Path
from typing import Self

import matterhub_cli as cli

from .case import Case
from .process import CaseFailure, Process


class CommandLineClient:
    """The client commands of `matterhub`, run one by one beside the hub."""

    def __init__(self, hub: "Hub") -> None:
        self.hub = hub

    def attempt(self, method: str, params: dict, seconds: float) -> dict:
        """{"result"} or {"error"} of one request of the control protocol."""
        case = self.hub.case
        result = case.call(
            f"{self.hub.name}-client",
            self.hub.node,
            *cli.request(case.matterhub, self.hub.state, method, params),
            seconds=seconds,
        )
        answers = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
        if result.returncode != 0:
            return {
                "error": {"status": result.returncode, "answer": answers[-1:], "words": result.stderr.strip()[-600:]}
            }
        return {"result": cli.result(method, answers)}

    def close(self) -> None:
        """Nothing stays open."""


class ControlClient:
    """A client that is not ours: harness/control.py, tools/client.py, in the hub's node."""

    def __init__(self, hub: "Hub", name: str = "control") -> None:
        self.process = hub.case.start(
            f"{hub.name}-{name}",
            hub.node,
            sys.executable,
            "-u",
            Path(__file__).with_name("control.py"),
            "127.0.0.1",
            hub.port,
            hub.grant,
        )
        self.process.wait_for("welcome", lambda line: "welcome" in line, 10)

    def attempt(self, method: str, params: dict, seconds: float) -> dict:
        """{"result"} or {"error"} of one request."""
        return self.begin(method, params).result(seconds)

    def begin(self, method: str, params: dict) -> "Begun":
        """Sends a request; the next one waits until it is answered."""
        self.process.send(json.dumps({"method": method, "params": params}))
        return Begun(self.process, method)

    def close(self) -> None:
        """Ends the connection."""
        self.process.stop()


class Begun:
    """A request of the other client that was sent."""

    def __init__(self, process: Process, method: str) -> None:
        self.process, self.method = process, method

    def result(self, seconds: float) -> dict:
        """{"result"} or {"error"}."""
        return self.process.wait_for(f"response to {self.method}", lambda line: "answer" in line, seconds)["answer"]


class Hub:
    """`matterhub serve` in a node. `client` is "command" for our own commands, "stranger" for the other client."""

    def __init__(
        self, case: Case, node: str = "hub", name: str = "hub", client: str = "command", approve: str | None = None
    ) -> None:
        self.case, self.node, self.name, self.approve = case, node, name, approve
        self.state = case.folder / name
        self.port, self.grant = 0, Path()
        # How the device that was commissioned last was met on the fabric.
        self.operational_path: str | None = None
        # Further options of `serve`.
        self.arguments: list[str] = []
        self.process: Process | None = None
        self._kind = {"command": CommandLineClient, "stranger": ControlClient}[client]
        self._client: CommandLineClient | ControlClient | None = None
        self._second: ControlClient | None = None

    def start(self) -> "Hub":
        """Starts it, or starts it again with the state that it has."""
        if self.process is not None:
            self._client.close()
            if self._second is not None:
                self._second.close()
                self._second = None
            self.process.stop()
        command = cli.serve(self.case.matterhub, self.state, approve=self.approve)
        self.process = self.case.start(self.name, self.node, *command, *self.arguments)
        ready = self.process.wait_for("ready line", cli.serves, 20)
        self.port, self.grant = ready["port"], Path(ready["adminGrant"])
        self._client = self._kind(self)
        return self

    def await_advertised(self) -> str:
        """Returns when the hub says that it is announced by DNS-SD, and under which name."""
        return self.process.wait_for("announcement", cli.advertised, 30)["name"]

    def attempt(self, method: str, seconds: float = 90, **params: object) -> dict:
        """{"result"} or {"error"} of one request of the control protocol."""
        return self._client.attempt(method, params, seconds)

    def begin(self, method: str, **params: object) -> Begun:
        """Sends a request of the other client, and does not wait for its answer."""
        return self._client.begin(method, params)

    def attempt_until_lost(self, method: str, seconds: float = 90, **params: object) -> dict | None:
        """Like `attempt`; `None` when the hub ended before the answer, and the other client with it."""
        begun = self._client.begin(method, params)
        try:
            return begun.result(seconds)
        except CaseFailure:
            if not begun.process.has_ended:
                raise
            return None

    def beside(self, method: str, seconds: float = 10, **params: object) -> dict:
        """The result of one request on a second connection, while another one runs."""
        if self._second is None:
            self._second = ControlClient(self, "beside")
        answer = self._second.attempt(method, params, seconds)
        if "error" in answer:
            raise CaseFailure(f"{self.name}: {method}: {json.dumps(answer['error'])}")
        return answer["result"]

    def call(self, method: str, seconds: float = 90, **params: object) -> dict:
        """The result of one request; an error fails the case."""
        answer = self.attempt(method, seconds, **params)
        if "error" in answer:
            raise CaseFailure(f"{self.name}: {method}: {json.dumps(answer['error'])}")
        return answer["result"]

    def commission(self, code: str) -> tuple[str, float, dict[str, float]]:
        """prepare, commission, complete: the new device's id, the seconds that `commission` took, and ms by stage."""
        self.call("session.prepare")
        start = time.monotonic()
        answer = self.call("session.commission", payload=code, clientKey=f"commission-{start}")
        seconds = round(time.monotonic() - start, 4)
        self.operational_path = answer.get("operationalPath")
        identifiers = self.call("session.complete", clientKey=f"complete-{start}")["deviceIds"]
        self.case.check(len(identifiers) == 1, f"complete returned {len(identifiers)} devices in place of 1")
        return identifiers[0], seconds, stage_durations(answer, seconds)

    def read(self, device: str, endpoint: int, cluster: int, attribute: int) -> object:
        """The value of one attribute."""
        result = self.call("devices.read", id=device, endpoint=endpoint, cluster=cluster, attribute=attribute)
        attributes = result["attributes"]
        self.case.check(
            len(attributes) == 1 and "value" in attributes[0], f"{endpoint}/{cluster}/{attribute}: {attributes}"
        )
        return attributes[0]["value"]

    def switch(self, device: str, endpoint: int, on: bool) -> None:
        """Invokes On or Off."""
        self.call("devices.invoke", id=device, endpoint=endpoint, cluster=6, command=1 if on else 0)

    def reads_on(self, device: str, endpoint: int) -> object:
        """What OnOff reads."""
        return self.read(device, endpoint, 6, 0)

    def follow(self, device: str, endpoint: int) -> "Follower":
        """Subscribes to OnOff with our own command."""
        return Follower(self, device, endpoint)

    def devices(self) -> list[dict]:
        """The devices that the hub lists."""
        return self.call("devices.list")["devices"]


class Follower:
    """`matterhub subscribe --json`, beside its hub."""

    def __init__(self, hub: Hub, device: str, endpoint: int) -> None:
        self.process = hub.case.start(
            f"{hub.name}-follower",
            hub.node,
            *cli.subscribe(hub.case.matterhub, hub.state, device, f"{endpoint}/6/0", f"127.0.0.1:{hub.port}"),
        )
        self.process.wait_for("present value", lambda line: line.get("initial") is True, 20)

    def await_switch(self, on: bool) -> None:
        """Returns when the hub has told of this change."""
        self.process.wait_for(
            f"change to {'on' if on else 'off'}",
            lambda line: line.get("value") is on and not line.get("initial"),
            10,
        )

    def stop(self) -> None:
        """Ends the command."""
        self.process.stop()


def stage_durations(answer: dict, seconds: float) -> dict[str, float]:
    """Milliseconds of each stage of a commission that took so long; `elapsedMs` of a stage is when it began."""
    begins = [stage["elapsedMs"] for stage in answer["stages"]] + [seconds * 1000]
    return {
        stage["stage"]: round(end - begin, 1)
        for stage, begin, end in zip(answer["stages"], begins, begins[1:], strict=False)
    }


class VirtualDevice:
    """`matterhub device` of some type in a node."""

    def __init__(
        self, case: Case, kind: str, node: str = "dev", port: int = 5540, bridged: list[str] | None = None
    ) -> None:
        self.case, self.kind, self.node, self.name, self.bridged = case, kind, node, kind, bridged
        self.state = case.folder / kind
        self.passcode, self.discriminator, self.port, self.endpoint = cli.draw_passcode(), 2976, port, 1
        self.qr = self.manual = ""
        # On how many fabrics it was when it was started last.
        self.fabrics = 0
        self.factory_new = True
        # Further options of `device`.
        self.arguments: list[str] = []
        self.process: Process | None = None

    def start(self) -> Self:
        """Starts it, or starts it again with the state that it has."""
        if self.process is not None:
            self.process.stop()
        self.process = self.case.start(
            self.name,
            self.node,
            *cli.device(
                self.case.matterhub,
                self.state,
                passcode=self.passcode,
                discriminator=self.discriminator,
                port=self.port,
                kind=self.kind,
                bridged=self.bridged,
            ),
            *self.arguments,
        )
        ready = self.process.wait_for("ready line", cli.stands_ready, 20)
        self.qr, self.manual, self.fabrics = ready["qrCode"], ready["manualCode"], len(ready["fabrics"])
        self.factory_new = ready["commissionable"] and not ready["fabrics"]
        return self

    def await_change(self, endpoint: int, attribute: str, value: object) -> None:
        """Returns when the device itself has said that CLUSTER/ATTRIBUTE has this value."""
        self.process.wait_for(
            f"{attribute} = {value}", lambda line: cli.changed(line, endpoint, attribute, value), 10
        )

    def set(self, path: str, value: object) -> None:
        """Has the world change an attribute, by a line of its input."""
        line = f"set {path} {json.dumps(value)}"
        self.process.send(line)
        answer = self.process.wait_for(f"answer to '{line}'", lambda answer: answer.get("line") == line, 10)
        self.case.check(answer["event"] == "done", f"{self.name}: {line}: {answer}")

    def await_switch(self, on: bool) -> None:
        """Returns when the light itself has said that it is on or off."""
        self.process.wait_for(f"switch to {'on' if on else 'off'}", lambda line: cli.switched(line, on), 10)

    def export_roots(self) -> Path:
        """Writes the attestation root that this light's chain ends in, for a controller to trust; returns the
        folder."""
        folder = self.case.folder / f"{self.name}-paa"
        result = self.case.call(f"{self.name}-export", self.node, *cli.export_roots(self.case.matterhub, folder))
        self.case.check(result.returncode == 0, f"no attestation root was exported: {result.stderr.strip()[-400:]}")
        self.case.check(any(folder.glob("*.der")), "no attestation root was exported")
        return folder


class Light(VirtualDevice):
    """`matterhub device --type on-off-light` in a node."""

    def __init__(self, case: Case, node: str = "dev", name: str = "light") -> None:
        super().__init__(case, "on-off-light", node)
        self.name, self.state = name, case.folder / name
