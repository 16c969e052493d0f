"""The command line of `matterhub`, as all scripts in tools/ use it. Nothing else here spells an option of it."""

import random
from pathlib import Path

# Passcodes that the specification forbids.
FORBIDDEN = {int(str(digit) * 8) for digit in range(10)} | {12345678, 87654321}


def draw_passcode() -> int:
    """A random passcode that a device may have."""
    while (passcode := random.randint(1, 99999998)) in FORBIDDEN:
        pass
    return passcode


def serve(
    binary: Path, state: Path, *, port: int | None = None, mdns: bool = True, approve: str | None = None
) -> list[str]:
    """A hub that trusts test devices; with `--json` its first line says that it serves. `approve` is what becomes of
    apps that ask for permission: ask, auto or deny."""
    command = [binary, "serve", "--json", "--state-dir", state, "--trust-test-devices"]
    command += [] if approve is None else ["--approve", approve]
    command += [] if port is None else ["--port", port]
    command += [] if mdns else ["--no-mdns"]
    return [str(word) for word in command]


def serves(line: dict) -> bool:
    """Whether this line of `serve --json` says that the hub can be used."""
    return line.get("event") == "ready"


def advertised(line: dict) -> bool:
    """Whether this line of `serve --json` says that the hub is announced; it has its name."""
    return line.get("event") == "advertised"


def device(
    binary: Path,
    state: Path,
    *,
    passcode: int | None = None,
    discriminator: int | None = None,
    port: int | None = None,
    mdns: bool = True,
    kind: str = "on-off-light",
    bridged: list[str] | None = None,
) -> list[str]:
    """A virtual device, a light unless another kind is named; what is not given it draws once and keeps. `--json`: a
    line for all that happens to it."""
    command = [binary, "device", "--json", "--type", kind, "--state-dir", state]
    command += [] if bridged is None else ["--bridged", ",".join(bridged)]
    for option, value in (("--passcode", passcode), ("--discriminator", discriminator), ("--port", port)):
        command += [] if value is None else [option, value]
    command += [] if mdns else ["--no-mdns"]
    return [str(word) for word in command]


def stands_ready(line: dict) -> bool:
    """Whether this line of `device --json` says that the light runs; it has its codes, its port and its number of
    fabrics."""
    return line.get("event") == "ready"


def changed(line: dict, endpoint: int, attribute: str, value: object) -> bool:
    """Whether this line of `device --json` says that an attribute, as CLUSTER/ATTRIBUTE, has this value now."""
    place = f"{line.get('cluster')}/{line.get('attribute')}"
    return line.get("event") == "attribute" and (line["endpoint"], place, line["value"]) == (endpoint, attribute, value)


def switched(line: dict, on: bool) -> bool:
    """Whether this line of `device --json` says that the light was switched on, or off."""
    return line.get("event") == "onOff" and line.get("on") is on


def subscribe(binary: Path, state: Path, device: str, path: str, hub: str) -> list[str]:
    """Follows attributes of a device until it is stopped; `--json`: a line each, the present ones with `initial`."""
    return client(binary, state, "subscribe", device, path, hub=hub)


def replay(binary: Path, transcript: Path, hub: str, *options: str) -> list[str]:
    """Plays the client's half of a transcript to a hub; `--json`: a line a step, then `finished`."""
    return [str(word) for word in (binary, "transcript", "replay", "--json", "--hub", hub, *options, transcript)]


def compare(binary: Path, left: Path, right: Path) -> list[str]:
    """Compares two transcripts; exit status 1 when they differ."""
    return [str(word) for word in (binary, "transcript", "diff", left, right)]


def show(binary: Path, transcript: Path) -> list[str]:
    """Prints a transcript for the eyes."""
    return [str(word) for word in (binary, "transcript", "show", transcript)]


def decode(binary: Path, capture: Path, keys: Path | None = None, *, cleartext: Path | None = None) -> list[str]:
    """Prints a capture, decrypted; `--json`: messages, then stages, then `finished`."""
    command = [binary, "transcript", "decode", *(["--keys", keys] if keys else [])]
    return [str(word) for word in (*command, *(["--cleartext", cleartext] if cleartext else []), capture)]


def export_roots(binary: Path, folder: Path) -> list[str]:
    """Writes the attestation root of our virtual devices into a folder, DER."""
    return [str(binary), "attestation", "export", "--out", str(folder)]


def picture(binary: Path, code: str) -> list[str]:
    """Draws a QR code in the terminal."""
    return [str(binary), "payload", "qr", code]


def client(binary: Path, state: Path, *arguments: object, machine: bool = True, hub: str | None = None) -> list[str]:
    """One client command with the grant of a hub's state folder; the hub is found by DNS-SD unless its address is
    given."""
    command = (
        [binary, *arguments, "--state-dir", state] + (["--json"] if machine else []) + (["--hub", hub] if hub else [])
    )
    return [str(word) for word in command]


def sample(binary: Path, *arguments: object) -> list[str]:
    """The sample app, which is built beside `matterhub` and takes the sample extension beside itself."""
    return [str(binary.parent / "SeedApp"), *map(str, arguments)]


def sample_environment(
    state: Path, script: Path, *, hub: str | None = None, device: str | None = None, phone_fabric: bool = True
) -> dict[str, str]:
    """What the sample app is told by variables: everything that it and its extension write stays under `state`, and a
    file says what the person on the phone does. `hub` and `device` are addresses, for where nothing is announced."""
    variables = {
        "HOME": str(state),
        "XDG_CONFIG_HOME": str(state / "config"),
        "MATTERHUB_STATE_DIR": str(state / "matterhub"),
        "MATTERHUB_SETUP": str(script),
        "MATTERHUB_PHONE_FABRIC": "1" if phone_fabric else "0",
    }
    variables |= {"MATTERHUB_HUB": hub} if hub else {}
    return variables | ({"MATTERHUB_SETUP_ADDRESS": device} if device else {})


def create_room(binary: Path, state: Path, name: str, hub: str | None = None) -> list[str]:
    """Adds a room to the home."""
    return client(binary, state, "rooms", "create", name, hub=hub)


def discover(binary: Path, seconds: int) -> list[str]:
    """Lists the hubs of the network, for the eyes; fails when there is none."""
    return [str(binary), "discover", "--timeout", str(seconds)]


def request(binary: Path, state: Path, method: str, params: dict, hub: str | None = None) -> list[str]:
    """The client command, with `--json`, that does what this request of the control protocol does."""
    words = {
        "session.prepare": ["prepare"],
        "session.commission": ["commission", params.get("payload")],
        "session.complete": ["complete"],
        "session.cancel": ["cancel"],
        "devices.list": ["devices"],
        "devices.read": ["read", params.get("id"), path(params, "attribute")],
        "devices.invoke": ["invoke", params.get("id"), path(params, "command")],
        "devices.remove": ["remove", params.get("id")],
        "devices.openWindow": ["open-window", params.get("id")],
    }[method]
    return client(binary, state, *words, hub=hub)


def path(params: dict, last: str) -> str:
    """endpoint/cluster/attribute or endpoint/cluster/command, as the client commands take it."""
    return "/".join(str(params.get(part, "*")) for part in ("endpoint", "cluster", last))


def result(method: str, lines: list[dict]) -> dict:
    """What the control protocol would have answered, from the JSON lines of the command. Lists come one object a
    line."""
    if method == "devices.list":
        return {"devices": lines}
    if method == "devices.read":
        return {"attributes": lines}
    return lines[-1] if lines else {}


def at_address(address: str, port: int) -> list[str]:
    """Options of `commission` for a device at a known address."""
    return ["--address", f"{address}:{port}"]


def conformance_hub(
    binary: Path,
    address: str,
    grant: Path,
    *,
    mdns: bool = True,
    patient: bool = False,
    patience: int | None = None,
    filters: list[str] | None = None,
    exceptions: list[str] | None = None,
    reports: dict[str, Path] | None = None,
    json: bool = False,
) -> list[str]:
    """The conformance suite on a hub, with virtual devices. `reports` are files by form: tap, junit, html; `patience` is
    how many seconds the hub may be silent."""
    command = [binary, "conformance", "hub", address, "--grant", grant, "--virtual-device"]
    command += [] if mdns else ["--no-mdns"]
    command += ["--patient"] if patient else []
    command += [] if patience is None else ["--patience", patience]
    command += [word for pattern in filters or [] for word in ("--filter", pattern)]
    command += [word for pattern in exceptions or [] for word in ("--except", pattern)]
    command += [word for form, path in (reports or {}).items() for word in (f"--{form}", path)]
    command += ["--json"] if json else []
    return [str(word) for word in command]


def conformance_device(
    binary: Path,
    code: str,
    *,
    filters: list[str] | None = None,
    reports: dict[str, Path] | None = None,
    json: bool = False,
) -> list[str]:
    """The conformance suite on a device that waits to be commissioned. `reports` are files by form: tap, junit, html."""
    command = [binary, "conformance", "device", code]
    command += [word for pattern in filters or [] for word in ("--filter", pattern)]
    command += [word for form, path in (reports or {}).items() for word in (f"--{form}", path)]
    command += ["--json"] if json else []
    return [str(word) for word in command]


def fault_kinds(binary: Path) -> list[str]:
    """Lists faults and defects, one JSON object a line."""
    return [str(binary), "faults", "--list", "--json"]


def broken_hub(binary: Path, defect: str, address: str, grant: Path, own: Path) -> list[str]:
    """A broken hub in front of a good one; `own` gets its grant. With `--json` its first line says that it serves."""
    command = [binary, "conformance", "broken-hub", defect, address, "--json", "--grant", grant, "--grant-out", own]
    return [str(word) for word in command]


def broken_hubs(binary: Path) -> list[str]:
    """Lists the defects, one JSON object a line."""
    return [str(binary), "conformance", "broken-hub", "--list", "--json"]
