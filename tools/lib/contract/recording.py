"""Every frame that went over a connection, in the order in which the client sent or read it."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from client import Kind  # noqa: E402

Json = dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """One frame."""

    connection: str
    # Distinguishes connections that use the same label after each other.
    number: int
    sender: str
    kind: str
    payload: Json
    # Whether the client sent it although the schema refuses it.
    faulty: bool


class Recording:
    """The frames, and how many were sent that no JSON decoder would read."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.garbage = 0
        self._opened: dict[str, int] = {}

    def opened(self, label: str) -> None:
        """Another connection uses this label from now on."""
        self._opened[label] = self._opened.get(label, 0) + 1

    def add(self, label: str, sender: str, kind: int, payload: bytes, faulty: bool) -> None:
        """Adds a frame."""
        name = Kind(kind).name.lower() if kind in set(Kind) else f"kind {kind}"
        entry = Entry(label, self._opened.get(label, 0), sender, name, json.loads(payload), faulty)
        self.entries.append(entry)

    def write(self, path: Path) -> None:
        """Writes them as JSON lines, for whoever looks into a failure."""
        with open(path, "w", encoding="utf-8") as file:
            for entry in self.entries:
                file.write(json.dumps(entry.__dict__, ensure_ascii=False) + "\n")
