"""The sample app and its extension add our virtual light, with the phone's fabric first, in the newer spelling and in one process."""

from harness import Case, Light
from harness.sample import sample_flow


def run(case: Case) -> None:
    """An iOS app's commissioning code; the handler is registered in the app itself."""
    sample_flow(case, Light(case).start(), 0x8001, phone_fabric=True, options=("--newer", "--in-process"))
