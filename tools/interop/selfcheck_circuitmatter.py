"""The CHIP controller with the CircuitMatter device, by both codes: neither is ours, so a failure is the lab's."""

from harness import Case, ChipController, CircuitMatter


def run(case: Case) -> None:
    """Commissions a factory-new device by each code and switches it."""
    for kind in ("qr", "manual"):
        (case.folder / "circuitmatter.json").unlink(missing_ok=True)
        device, chip = CircuitMatter(case).start(), ChipController(case, name=f"chip-{kind}")
        with case.timed(f"commissioned by {kind} code"):
            chip.do(f"commission {getattr(device, kind)}")
        case.check(chip.do("read-basic")["VendorID"] == 0xFFF4, "unexpected vendor")
        case.check(chip.do(f"on {device.endpoint}")["on"] is True, "On does not switch it on")
        device.await_switch(True)
        chip.process.stop()
        device.process.stop()
