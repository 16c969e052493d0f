"""One case: where it keeps its files, what it starts, and what it has to say at the end."""

import os
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from collections.abc import Iterator

from .process import LAB, CaseFailure, CaseSkipped, Process, tail


class Case:
    """Given to a case's `run`. Everything that it starts is ended after it, and nothing outlives the sandbox."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.matterhub = Path(os.environ.get("MATTERHUB", "matterhub-was-not-built"))
        self.peers = Path(os.environ.get("MH_PEERS", "peers-were-not-installed"))
        self.scripts = LAB.parent / "peers"
        self.done: list[str] = []
        self.timings: dict[str, float] = {}
        self.facts: dict[str, object] = {}
        self._processes: list[Process] = []

    def start(self, name: str, node: str, *argv: object) -> Process:
        """Starts a program in a node."""
        process = Process(name, node, [str(argument) for argument in argv], self.folder)
        self._processes.append(process)
        return process

    def call(self, name: str, node: str, *argv: object, seconds: float = 60) -> subprocess.CompletedProcess:
        """Runs a program in a node to its end; its output is returned, and kept in files."""
        command = [str(LAB), "in", node, *(str(argument) for argument in argv)]
        try:
            result = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            raise CaseFailure(f"{name}: no answer within {seconds:.0f} s to {' '.join(command[3:])}") from late
        for suffix, text in (("log", result.stdout), ("err", result.stderr)):
            with open(self.folder / f"{name}.{suffix}", "a", encoding="utf-8") as file:
                file.write(f"$ {' '.join(command[3:])}\n{text}")
        return result

    def check(self, condition: bool, otherwise: str) -> None:
        """Fails the case with `otherwise` unless the condition holds."""
        if not condition:
            raise CaseFailure(otherwise)

    def did(self, what: str) -> None:
        """Adds to the line that the case prints."""
        self.done.append(what)

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        """Times a step; `what` with the time is added to the line that the case prints."""
        start = time.monotonic()
        yield
        self.timings[what] = round(time.monotonic() - start, 3)
        self.did(f"{what} in {self.timings[what]:.2f} s")

    def close(self) -> None:
        """Ends what still runs, last started first."""
        for process in reversed(self._processes):
            try:
                process.stop()
            except CaseFailure as failure:
                self.did(str(failure))


__all__ = ["Case", "CaseFailure", "CaseSkipped", "tail"]
