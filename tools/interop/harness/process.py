"""Programs inside network nodes."""

import json
import queue
import signal
import subprocess
import threading
import time
from pathlib import Path
from collections.abc import Callable

LAB = Path(__file__).resolve().parents[2] / "lab"


class CaseFailure(Exception):
    """Why a case failed, in words for whoever reads the test's output."""


class CaseSkipped(Exception):
    """Why a case cannot be run here, in words for whoever reads the test's output."""


class Process:
    """A program that runs in a node until the case ends. Its output goes to files; its JSON lines can be waited for."""

    def __init__(self, name: str, node: str, argv: list[str], folder: Path) -> None:
        self.name, self.folder = name, folder
        self.lines: list[dict] = []
        self._arrived: queue.Queue[dict | None] = queue.Queue()
        folder.mkdir(parents=True, exist_ok=True)
        self._errors = open(folder / f"{name}.err", "ab")
        self._child = subprocess.Popen(
            [str(LAB), "in", node, *argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def wait_for(self, what: str, matches: Callable[[dict], bool], seconds: float) -> dict:
        """The next JSON line that matches; those before it are passed over. Fails when the program ends or time is
        up."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                line = self._arrived.get(timeout=max(0.001, deadline - time.monotonic()))
            except queue.Empty:
                raise CaseFailure(f"{self.name}: no {what} within {seconds:.0f} s") from None
            if line is None:
                raise CaseFailure(
                    f"{self.name} ended with status {self._child.wait()} before {what}{self.last_words()}"
                )
            if matches(line):
                return line

    def send(self, line: str) -> None:
        """Writes one line to the program's standard input."""
        try:
            self._child.stdin.write((line + "\n").encode())
            self._child.stdin.flush()
        except BrokenPipeError:
            raise CaseFailure(f"{self.name} ended with status {self._child.wait()}{self.last_words()}") from None

    def stop(self, number: int = signal.SIGTERM, seconds: float = 5) -> int:
        """Ends it by a signal and returns its status; a program that does not end in time fails the case."""
        if self._child.poll() is None:
            self._child.send_signal(number)
            try:
                self._child.wait(seconds)
            except subprocess.TimeoutExpired:
                self._child.kill()
                raise CaseFailure(f"{self.name} did not end within {seconds:.0f} s of signal {number}") from None
        self._reader.join(1)
        return self._child.returncode

    @property
    def has_ended(self) -> bool:
        """Whether it runs no more."""
        return self._child.poll() is not None

    def resident_kilobytes(self) -> int:
        """Its memory now."""
        status = Path(f"/proc/{self._child.pid}/status").read_text(encoding="ascii")
        return next(int(row.split()[1]) for row in status.splitlines() if row.startswith("VmRSS:"))

    def last_words(self) -> str:
        """The end of its error output, for a failure's text."""
        self._errors.flush()
        return tail(self.folder / f"{self.name}.err")

    def _read(self) -> None:
        with open(self.folder / f"{self.name}.log", "ab") as log:
            for raw in self._child.stdout:
                log.write(raw)
                log.flush()
                try:
                    line = json.loads(raw)
                except ValueError:
                    continue
                if isinstance(line, dict):
                    self.lines.append(line)
                    self._arrived.put(line)
        self._arrived.put(None)


def tail(path: Path, lines: int = 4) -> str:
    """The last lines of a file, as the rest of a sentence."""
    rows = path.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-lines:] if path.exists() else []
    return ": " + " | ".join(row.strip() for row in rows) if rows else ""
