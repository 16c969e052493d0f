"""The CHIP SDK's controller and our virtual devices of every type: what it reads it can decode, what it commands happens."""

from harness import Case, ChipController, VirtualDevice

BRIDGED = [
    "dimmable-light",
    "color-temperature-light",
    "extended-color-light",
    "on-off-plug",
    "door-lock",
    "thermostat",
    "window-covering",
    "fan",
    "contact-sensor",
    "occupancy-sensor",
    "temperature-sensor",
    "generic-switch",
    "on-off-light",
]


def run(case: Case) -> None:
    """A dimmable light, a lock, a thermostat and a bridge of everything, commissioned one after the other."""
    devices = {
        kind: VirtualDevice(case, kind, port=5540 + index, bridged=BRIDGED if kind == "bridge" else None).start()
        for index, kind in enumerate(["dimmable-light", "door-lock", "thermostat", "bridge"])
    }
    chip = ChipController(case, paa=devices["bridge"].export_roots())

    def commission(node: int, kind: str) -> VirtualDevice:
        chip.do(f"use-node {node}")
        with case.timed(f"commissioned the {kind}"):
            chip.do(f"commission {devices[kind].qr}")
        everything = chip.do("read-all")
        case.check(not everything["undecodable"], f"{kind}: the SDK cannot decode {everything['undecodable']}")
        case.did(f"{kind} {everything['attributes']} attributes")
        return devices[kind]

    def reads(path: str, value: object) -> None:
        answer = chip.do(f"read {path}")[path]
        case.check(answer == value, f"{path} reads {answer} in place of {value}")

    light = commission(1, "dimmable-light")
    options = "optionsMask=0 optionsOverride=0"
    chip.do(f"invoke 1/LevelControl/MoveToLevelWithOnOff level=128 transitionTime=0 {options}")
    light.await_change(1, "level-control/current-level", 128)
    reads("1/OnOff/OnOff", True)
    chip.do(f"invoke 1/LevelControl/MoveToLevel level=28 transitionTime=5 {options}")
    light.await_change(1, "level-control/current-level", 28)

    lock = commission(2, "door-lock")
    chip.do("invoke 1/DoorLock/UnlockDoor")
    lock.await_change(1, "door-lock/lock-state", 2)
    chip.do("invoke 1/DoorLock/LockDoor")
    reads("1/DoorLock/LockState", 1)

    climate = commission(3, "thermostat")
    chip.do("write 1/Thermostat/OccupiedHeatingSetpoint 2150")
    climate.await_change(1, "thermostat/occupied-heating-setpoint", 2150)
    chip.do("write 1/Thermostat/SystemMode 4")
    chip.do("invoke 1/Thermostat/SetpointRaiseLower mode=0 amount=-5")
    reads("1/Thermostat/OccupiedHeatingSetpoint", 2100)
    refused = chip.attempt("write 1/Thermostat/OccupiedHeatingSetpoint 3500")
    case.check(not refused["ok"], "a setpoint of 35 °C was taken")
    climate.set("thermostat/local-temperature", 1850)
    reads("1/Thermostat/LocalTemperature", 1850)
    reads("1/Thermostat/ThermostatRunningState", 1)

    bridge = commission(4, "bridge")
    first = 2
    at = {kind: first + index for index, kind in enumerate(BRIDGED)}
    for kind, path, value, seen in [
        ("contact-sensor", "BooleanState/StateValue", False, "boolean-state/state-value"),
        ("occupancy-sensor", "OccupancySensing/Occupancy", 1, "occupancy-sensing/occupancy"),
        ("temperature-sensor", "TemperatureMeasurement/MeasuredValue", -450, "temperature-measurement/measured-value"),
        ("generic-switch", "Switch/CurrentPosition", 1, "switch/current-position"),
    ]:
        bridge.set(f"{at[kind]}/{seen}", value)
        reads(f"{at[kind]}/{path}", value)
    chip.do(f"invoke {at['window-covering']}/WindowCovering/GoToLiftPercentage liftPercent100thsValue=500")
    bridge.await_change(at["window-covering"], "window-covering/current-position-lift-percent100ths", 500)
    chip.do(f"write {at['fan']}/FanControl/PercentSetting 40")
    reads(f"{at['fan']}/FanControl/SpeedCurrent", 4)
    chip.do(f"on {at['extended-color-light']}")
    chip.do(
        f"invoke {at['extended-color-light']}/ColorControl/MoveToHueAndSaturation hue=90 saturation=200 "
        f"transitionTime=0 {options}"
    )
    reads(f"{at['extended-color-light']}/ColorControl/CurrentHue", 90)
    chip.do(f"toggle {at['on-off-plug']}")
    report = chip.do(f"subscribe {at['on-off-light']}")
    case.did(f"commands and sensors behind the bridge, a report after {report['reportAfter'] * 1000:.0f} ms")
