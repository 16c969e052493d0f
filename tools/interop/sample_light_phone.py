"""The sample app and its extension add our virtual light, with the phone's fabric first."""

from harness import Case, Light
from harness.sample import sample_flow


def run(case: Case) -> None:
    """An iOS app's commissioning code, the extension in a process of its own."""
    sample_flow(case, Light(case).start(), 0x8001, phone_fabric=True)
