"""Two hubs and our light: the second one comes in through a commissioning window while the first one keeps it."""

from harness import Case, Hub, Light


def run(case: Case) -> None:
    """Both hubs commission the light, both switch it, and the first still has it after the second removed it."""
    light = Light(case).start()
    first, second = Hub(case).start(), Hub(case, node="ctl", name="hub2").start()
    mine, answer = first.commission(light.qr)
    case.did(f"first hub commissioned in {answer['seconds']:.2f} s")

    window = first.do("open-window", mine)
    theirs, answer = second.commission(window["manualCode"])
    case.did(f"second hub through a window in {answer['seconds']:.2f} s")

    for hub, device, on in ((second, theirs, True), (first, mine, False), (second, theirs, True)):
        hub.invoke(device, f"{light.endpoint}/6/{1 if on else 0}")
        for reader, name in ((first, mine), (second, theirs)):
            state = reader.read(name, f"{light.endpoint}/6/0")
            case.check(state is on, f"{reader.name} reads {state} after {hub.name} switched it {'on' if on else 'off'}")
    case.did("both switched it and saw the other's changes")

    answer = second.do("remove", theirs)
    case.check(answer["removed"] == [theirs], f"remove answered {answer}")
    case.check(first.read(mine, f"{light.endpoint}/6/0") is True, "the first hub lost the light when the second removed it")
    case.did("second removed it, first kept it")
