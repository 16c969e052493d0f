"""What an interop case is made of: processes in network nodes, peers that we did not write, and our own program."""

from .case import Case, CaseFailure, CaseSkipped
from .matterhub import Hub, Light, VirtualDevice
from .peers import ChipController, CircuitMatter, RsMatter

__all__ = [
    "Case",
    "CaseFailure",
    "CaseSkipped",
    "ChipController",
    "CircuitMatter",
    "Hub",
    "Light",
    "RsMatter",
    "VirtualDevice",
]
