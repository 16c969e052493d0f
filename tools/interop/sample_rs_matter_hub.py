"""The sample app and its extension add the rs-matter device, by the hub alone."""

from harness import Case, RsMatter
from harness.sample import sample_flow


def run(case: Case) -> None:
    """An iOS app's commissioning code, the extension in a process of its own."""
    sample_flow(case, RsMatter(case).start(), 0x8000, phone_fabric=False, label="rs-matter light")
