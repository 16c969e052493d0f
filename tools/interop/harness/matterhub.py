"""Our own program, as a case uses it."""

import json
import time
from pathlib import Path

import matterhub_cli as cli

from .case import Case
from .process import CaseFailure, Process


class Hub:
    """`matterhub serve` in a node, and its client commands, which find it by its state folder's grant."""

    def __init__(self, case: Case, node: str = "hub", name: str = "hub") -> None:
        self.case, self.node, self.name = case, node, name
        self.state = case.folder / name
        self.process: Process | None = None

    def start(self) -> "Hub":
        """Starts it, or starts it again with the state that it has."""
        if self.process is not None:
            self.process.stop()
        self.process = self.case.start(self.name, self.node, *cli.serve(self.case.matterhub, self.state))
        self.process.wait_for("ready line", cli.serves, 20)
        return self

    def do(self, *arguments: object, seconds: float = 60) -> dict:
        """Runs a client command with `--json` and returns its last JSON object; failure fails the case."""
        status, answers, words = self.attempt(*arguments, seconds=seconds)
        if status != 0:
            raise CaseFailure(f"matterhub {' '.join(map(str, arguments))}: status {status}: {words}")
        if not answers:
            raise CaseFailure(f"matterhub {' '.join(map(str, arguments))}: succeeded without any JSON")
        return answers[-1]

    def attempt(self, *arguments: object, seconds: float = 60) -> tuple[int, list[dict], str]:
        """Runs a client command with `--json`; returns status, its JSON objects, and what it said of an error."""
        result = self.case.call(f"{self.name}-client", self.node,
                                *cli.client(self.case.matterhub, self.state, *arguments), seconds=seconds)
        answers = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
        words = json.dumps(answers[-1]) if answers else result.stderr.strip()[-600:]
        return result.returncode, answers, words

    def commission(self, code: str, *options: str) -> tuple[str, dict]:
        """prepare, commission, complete: returns the id of the new device and what `commission` said of its stages."""
        self.do("prepare")
        start = time.monotonic()
        answer = self.do("commission", code, *options)
        answer["seconds"] = round(time.monotonic() - start, 4)
        identifiers = self.do("complete")["deviceIds"]
        self.case.check(len(identifiers) == 1, f"complete returned {len(identifiers)} devices in place of 1")
        return identifiers[0], answer

    def read(self, device: str, path: str) -> object:
        """The value of one attribute; `path` is endpoint/cluster/attribute."""
        attributes = self.do("read", device, path)["attributes"]
        self.case.check(len(attributes) == 1 and "value" in attributes[0], f"read {path}: {attributes}")
        return attributes[0]["value"]

    def invoke(self, device: str, path: str) -> dict:
        """Invokes one command without fields; `path` is endpoint/cluster/command."""
        return self.do("invoke", device, path)

    def devices(self) -> list[dict]:
        """The devices that the hub lists."""
        return self.do("devices")["devices"]


class Light:
    """`matterhub device --type on-off-light` in a node."""

    def __init__(self, case: Case, node: str = "dev", name: str = "light") -> None:
        self.case, self.node, self.name = case, node, name
        self.state = case.folder / name
        self.passcode, self.discriminator, self.port, self.endpoint = cli.draw_passcode(), 2976, 5540, 1
        self.qr = self.manual = ""
        self.process: Process | None = None

    def start(self) -> "Light":
        """Starts it, or starts it again with the state that it has."""
        if self.process is not None:
            self.process.stop()
        self.process = self.case.start(self.name, self.node, *cli.device(
            self.case.matterhub, self.state, passcode=self.passcode, discriminator=self.discriminator, port=self.port))
        ready = self.process.wait_for("ready line", cli.stands_ready, 20)
        self.qr, self.manual = ready["qrCode"], ready["manualCode"]
        return self

    def export_roots(self) -> Path:
        """Writes the attestation root that this light's chain ends in, for a controller to trust; returns the folder."""
        folder = self.case.folder / f"{self.name}-paa"
        folder.mkdir(exist_ok=True)
        result = self.case.call(f"{self.name}-export", self.node,
                                *cli.export_roots(self.case.matterhub, self.state, folder))
        self.case.check(result.returncode == 0, f"matterhub attestation export: {result.stderr.strip()[-400:]}")
        self.case.check(any(folder.glob("*.der")), "no attestation root was exported")
        return folder
