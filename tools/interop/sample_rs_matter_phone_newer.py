"""The sample app and its extension add the rs-matter device, with the phone's fabric first, in the newer spelling and in one process."""

from harness import Case, RsMatter
from harness.sample import sample_flow


def run(case: Case) -> None:
    """An iOS app's commissioning code; the handler is registered in the app itself."""
    options = ("--newer", "--in-process")
    sample_flow(case, RsMatter(case).start(), 0x8000, phone_fabric=True, options=options, label="rs-matter light")
