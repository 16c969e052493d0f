"""Two hubs and our light: the second one comes in through a commissioning window while the first one keeps it."""

from harness import Case, Hub, Light
from harness.scenarios import follow, use


def run(case: Case) -> None:
    """Both hubs commission the light, both switch it, and the first still has it after the second removed it."""
    light = Light(case).start()
    first, second = Hub(case, client="stranger").start(), Hub(case, node="ctl", name="hub2", client="stranger").start()
    names = {hub.await_advertised() for hub in (first, second)}
    case.check(len(names) == 2, f"both hubs are advertised as {names}")
    mine, seconds, _ = first.commission(light.qr)
    case.did(f"first hub commissioned in {seconds:.2f} s")

    window = first.call("devices.openWindow", id=mine)
    theirs, seconds, _ = second.commission(window["manualCode"])
    case.did(f"second hub through a window in {seconds:.2f} s")

    for hub, device, on in ((second, theirs, True), (first, mine, False), (second, theirs, True)):
        hub.switch(device, light.endpoint, on)
        light.await_switch(on)
        for reader, name in ((first, mine), (second, theirs)):
            state = reader.reads_on(name, light.endpoint)
            case.check(state is on, f"{reader.name} reads {state} after {hub.name} switched it {'on' if on else 'off'}")
    case.did("each saw what the other switched")

    follow(case, first, light, mine)
    follow(case, second, light, theirs, by=(first, mine))

    light.start()
    use(case, first, light, mine, vendor=0xFFF1, product=0x8001)
    case.did("again after the light's restart")

    answer = second.call("devices.remove", id=theirs)
    case.check(answer["removed"] == [theirs], f"remove answered {answer}")
    case.check(first.reads_on(mine, light.endpoint) is True, "the first hub lost the light when the second removed it")
    case.did("second removed it, first kept it")
