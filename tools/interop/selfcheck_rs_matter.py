"""The CHIP controller's whole life with the rs-matter device: neither is ours, so a failure is the lab's."""

from harness import Case, ChipController, RsMatter


def run(case: Case) -> None:
    """Commissions by QR, reads, switches, subscribes, opens a window, removes; then again by the manual code."""
    device, chip = RsMatter(case).start(), ChipController(case)
    with case.timed("commissioned by QR"):
        chip.do(f"commission {device.qr}")
    basic = chip.do("read-basic")
    case.check(basic["VendorID"] == 0xFFF1 and basic["ProductID"] == 0x8000, f"unexpected BasicInformation {basic}")
    # In this order: this device sends no report of the change from on to off.
    report = chip.do(f"subscribe {device.endpoint}")
    device.await_switch(True)
    case.did(f"a report {report['reportAfter'] * 1000:.0f} ms after a change")
    case.check(chip.do(f"toggle {device.endpoint}")["on"] is False, "a toggle does not switch it off")
    case.check(len(chip.do("open-window")["manual"]) == 11, "no manual code of a window")
    chip.do("revoke-window")
    chip.do("remove")
    device.start()
    case.check(device.factory_new, "the device still has a fabric after its removal")
    with case.timed("removed, commissioned by manual code"):
        chip.do(f"commission {device.manual}")
    case.check(chip.do("fabrics")["fabrics"] == 1, "the device does not have exactly one fabric")
