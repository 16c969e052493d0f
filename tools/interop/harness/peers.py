"""Matter implementations that we did not write, as a case uses them."""

import time
from pathlib import Path

from .case import Case
from .process import CaseFailure, Process


class Device:
    """A device in node `dev`. After `start` it has its codes: `qr`, `manual`, `passcode`, `discriminator`, `port`."""

    name = "device"
    factory_new = True

    def __init__(self, case: Case, node: str = "dev") -> None:
        self.case, self.node = case, node
        self.python = case.peers / "devices" / "bin" / "python"
        self.endpoint, self.qr, self.manual = 1, "", ""
        self.passcode = self.discriminator = self.port = 0
        self.process: Process | None = None

    def arguments(self) -> list[object]:
        """What follows the Python interpreter on the command line."""
        raise NotImplementedError

    def start(self) -> "Device":
        """Starts it, or starts it again with the state that it has."""
        if self.process is not None:
            self.process.stop()
        self.process = self.case.start(self.name, self.node, self.python, "-u", *self.arguments())
        ready = self.process.wait_for("ready line", lambda line: line.get("ready") is True, 30)
        self.endpoint, self.port = ready["endpoint"], ready["port"]
        self.passcode, self.discriminator = ready["passcode"], ready["discriminator"]
        self.qr, self.manual = ready["qr"] or "", ready["manual"] or ""
        self.factory_new = not ready["commissioned"]
        return self

    def await_visible(self, node: str, seconds: float = 15) -> None:
        """Returns when `node` sees it advertise that it can be commissioned."""
        deadline = time.monotonic() + seconds
        wanted = f'"D={self.discriminator}"'
        while time.monotonic() < deadline:
            listing = self.case.call("browse", node, "avahi-browse", "-rpt", "_matterc._udp", seconds=10).stdout
            if any(line.startswith("=") and wanted in line for line in listing.splitlines()):
                return
        raise CaseFailure(f"{self.name} is not seen from node {node} within {seconds:.0f} s")


class RsMatter(Device):
    """The Rust implementation; it must be started again before it can be commissioned a second time."""

    name = "rs-matter"

    def arguments(self) -> list[object]:
        return [self.case.scripts / "rs_matter_device.py", "--store", self.case.folder / "rs-matter"]

    def await_switch(self, on: bool) -> None:
        """Returns when the device itself has said that its light is on or off."""
        self.process.wait_for(
            f"switch to {'on' if on else 'off'}",
            lambda line: line.get("event", {}).get("type") == "on_off" and line["event"]["on"] is on,
            10,
        )


class CircuitMatter(Device):
    """The Python implementation. It has no Toggle, no timed requests, and it cannot remove a fabric."""

    name = "circuitmatter"

    def arguments(self) -> list[object]:
        return [self.case.scripts / "circuitmatter_device.py", "--state", self.case.folder / "circuitmatter.json"]

    def await_switch(self, on: bool) -> None:
        """Returns when the device itself has said that its light is on or off."""
        self.process.wait_for(f"switch to {'on' if on else 'off'}", lambda line: line.get("on") is on, 10)


class ChipController:
    """The CHIP SDK's controller in node `ctl`; `paa` is the folder of the only attestation roots that it trusts."""

    def __init__(self, case: Case, node: str = "ctl", paa: Path | None = None, name: str = "chip") -> None:
        self.case = case
        trust = ["--paa", paa] if paa else []
        self.process = case.start(
            name,
            node,
            case.peers / "controller" / "bin" / "python",
            "-u",
            case.scripts / "chip_controller.py",
            "--store",
            case.folder / name,
            "--json",
            *trust,
            "-",
        )
        self._answer("start", 30)

    def do(self, command: str, seconds: float = 70) -> dict:
        """Runs one of its commands and returns the result; a command that fails fails the case."""
        answer = self.attempt(command, seconds)
        if not answer["ok"]:
            raise CaseFailure(f"CHIP controller: {command}: {answer['error']}")
        return answer["result"]

    def attempt(self, command: str, seconds: float = 70) -> dict:
        """Runs one of its commands and returns the whole answer: {"ok", "seconds", "result" or "error"}."""
        self.process.send(command)
        return self._answer(command, seconds)

    def _answer(self, command: str, seconds: float) -> dict:
        return self.process.wait_for(f"answer to '{command}'", lambda line: "command" in line, seconds)
