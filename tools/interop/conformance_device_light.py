"""The device suite on our own light, found by mDNS: everything passes, and the light is left as it was."""

from harness import Case, Light
from harness.conformance import examine


def run(case: Case) -> None:
    """No finding and no skip; then the light has no fabric and waits for a commissioner."""
    light = Light(case).start()
    lines = examine(case, light.qr, findings={}, skipped={}, seconds=150)
    case.check(lines[-1] == {"left": []}, f"left behind: {lines[-1]}")
    light.start()
    case.check(light.factory_new, "the light still has a fabric")
