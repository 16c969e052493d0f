"""The sample app and its extension add the rs-matter device, with the phone's fabric first."""

from harness import Case, RsMatter
from harness.sample import sample_flow


def run(case: Case) -> None:
    """An iOS app's commissioning code, the extension in a process of its own."""
    sample_flow(case, RsMatter(case).start(), 0x8000, phone_fabric=True, label="rs-matter light")
